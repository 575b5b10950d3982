"""`oddly salvage BROKEN -o GOOD`: the sound games of a damaged ledger in a new one."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from oddly.interfaces.command_line.command import FILE, argument, command, flag, option
from oddly.interfaces.command_line.command_progress import game_progress
from oddly.interfaces.command_line.errors import DONE, FORFEITS, BadInputError
from oddly.interfaces.command_line.hints import nearest_ledger
from oddly.tournaments import LedgerError, salvage

if TYPE_CHECKING:
    from pathlib import Path


@command()
@argument("broken", type=FILE, metavar="BROKEN", help="the damaged ledger, which is not changed")
@option(
    "--output",
    "-o",
    type=FILE,
    required=True,
    metavar="GOOD",
    help="the new ledger; there must be no such file yet",
)
@flag("--json", "as_json", help="print all facts as one JSON object")
def run(broken: Path, output: Path, as_json: bool) -> int:
    """Save what is sound, and print what is lost, a line each."""
    try:
        with game_progress("salvaging games") as progress:
            found = salvage(broken, output, progress)
    except LedgerError as error:
        raise BadInputError(f"salvage: {error}{nearest_ledger(broken)}") from None
    if as_json:
        print(json.dumps(found.facts(), indent=2))
    else:
        for problem in found.lost:
            print(problem.sentence())
        unproven = (
            f", {found.unproven} of them without a checksum, by the rules alone"
            if found.unproven
            else ""
        )
        print(f"{output}: {found.saved} games saved{unproven}; lost: {len(found.lost)}")
    return FORFEITS if found.lost else DONE

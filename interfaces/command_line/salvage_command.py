"""`oddly salvage BROKEN -o GOOD`: the sound games of a damaged ledger in a new one."""

from __future__ import annotations

import json
from pathlib import Path

from oddly.interfaces.command_line.command import command
from oddly.interfaces.command_line.command_progress import game_progress
from oddly.interfaces.command_line.declaring import argument, option
from oddly.interfaces.command_line.errors import DONE, FORFEITS, BadInputError
from oddly.interfaces.command_line.hints import nearest_ledger
from oddly.interfaces.command_line.shared_options import JSON
from oddly.tournaments import LedgerError, salvage


@command()
def run(
    broken: Path = argument("BROKEN", "the damaged ledger, which is not changed"),
    *,
    output: Path = option(
        "GOOD", "the new ledger; there must be no such file yet", names="--output -o"
    ),
    as_json: bool = JSON,
) -> int:
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

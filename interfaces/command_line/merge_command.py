"""`oddly merge A B -o C`: ledgers of several machines as one."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from oddly.interfaces.command_line.command import command
from oddly.interfaces.command_line.command_progress import waiting
from oddly.interfaces.command_line.declaring import argument, flag, option
from oddly.interfaces.command_line.errors import DONE, BadInputError
from oddly.tournaments import Ledger, LedgerError, merge

if TYPE_CHECKING:
    from collections.abc import Sequence

TWO = 2
"""The minimum number of ledgers to merge."""


@command()
def run(
    ledgers: tuple[Path, ...] = argument("LEDGER LEDGER..."),
    *,
    output: Path = option("FILE", "the new ledger", names="--output -o"),
    json: bool = flag("print what was merged as one JSON object"),
) -> int:
    """Join the ledgers, which are not changed."""
    if len(ledgers) < TWO:
        raise BadInputError("merge: two ledgers or more are expected, as in A.sqlite B.sqlite")
    try:
        with waiting(f"merging {len(ledgers)} ledgers"):
            said = merge(ledgers, output)
        with Ledger(output, read_only=True) as ledger:
            games, engines = sum(ledger.counts().values()), len(ledger.engine_names())
    except LedgerError as error:
        raise BadInputError(f"merge: {error}") from None
    if json:
        print_json(output, games, engines, said)
        return DONE
    for line in said:
        print(line, file=sys.stderr)
    print(f"{output}: {games} games of {engines} engines that count")
    return DONE


def print_json(output: Path, games: int, engines: int, said: Sequence[str]) -> None:
    """Print what was merged."""
    facts = {"ledger": str(output), "games": games, "engines": engines, "said": list(said)}
    print(json.dumps(facts, indent=2))

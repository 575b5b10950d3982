"""`oddly verify LEDGER`: whether a ledger is intact and its games follow the rules."""

from __future__ import annotations

import json
from pathlib import Path

from oddly.interfaces.command_line.command import Value, command
from oddly.interfaces.command_line.command_progress import game_progress
from oddly.interfaces.command_line.declaring import option
from oddly.interfaces.command_line.errors import DONE, FORFEITS, BadInputError
from oddly.interfaces.command_line.hints import nearest_ledger
from oddly.interfaces.command_line.shared_options import JSON, LEDGER
from oddly.tournaments import LedgerError, Verification, verify
from oddly.tournaments.ledger.schema import ORIGIN


def link_of_a_chain(text: str) -> bytes:
    """Read a link of a chain. Raises ValueError for anything else."""
    try:
        value = bytes.fromhex(text)
    except ValueError:
        value = b""
    if len(value) != len(ORIGIN):
        raise ValueError(
            f"a link has {2 * len(ORIGIN)} hexadecimal digits, as 'oddly verify' prints it, "
            f"not {text!r}"
        )
    return value


@command()
def run(
    ledger: Path = LEDGER,
    *,
    link: bytes | None = option(
        "LINK",
        "a link that an earlier 'oddly verify' printed last; the chain must still contain it",
        kind=Value(link_of_a_chain),
    ),
    as_json: bool = JSON,
) -> int:
    """Read the ledger, which is not changed, and print what is wrong with it, a line each."""
    try:
        with game_progress("verifying games") as progress:
            found = verify(ledger, link, progress)
    except LedgerError as error:
        raise BadInputError(f"verify: {error}{nearest_ledger(ledger)}") from None
    if as_json:
        print(json.dumps(found.facts(), indent=2))
    else:
        for problem in found.problems:
            print(problem.sentence())
        print(_conclusion(ledger, found))
        if found.lacks:
            print(found.lacks)
    return FORFEITS if found.problems else DONE


def _conclusion(ledger: Path, found: Verification) -> str:
    if not found.problems:
        chain = f"a chain of {found.entries} entries up to {found.link.hex()}"
        return f"{ledger} is sound: {found.games} games, {chain}"
    return (
        f"{ledger} is not sound: {len(found.problems)} problems, in {found.unsound} of "
        f"{found.games} games and elsewhere; 'oddly salvage {ledger} -o GOOD' saves the others"
    )

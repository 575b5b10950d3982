"""`oddly verify`, `salvage`, `merge` and `rule`: whether a ledger is sound, and what becomes of it.

Salvaging puts the sound games of a damaged ledger in a new one, merging joins those of several
machines, and the rulings of an arbiter are listed or given.
"""

from __future__ import annotations

import json
import sys
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

import click
from click.shell_completion import CompletionItem

from oddly.arena.store.files import is_pool_of_arena
from oddly.games.wording import counted
from oddly.interfaces.command_line.command import OneOf, Value, command
from oddly.interfaces.command_line.common_options import JSON, LEDGER
from oddly.interfaces.command_line.declaring import WrittenFile, argument, flag, option, options
from oddly.interfaces.command_line.errors import BadInputError, ExitCode, nearest_ledger, refusing
from oddly.interfaces.text.progress import game_progress, waiting
from oddly.tournaments import (
    Ledger,
    LedgerError,
    Ruling,
    RulingError,
    Verification,
    merge,
    rule,
    salvage,
    verify,
)
from oddly.tournaments.ledger.arbiter import follows_when
from oddly.tournaments.ledger.rulings import Kind
from oddly.tournaments.ledger.schema import ORIGIN

if TYPE_CHECKING:
    from collections.abc import Sequence


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


@command("verify club.sqlite")
def verify_command(
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
    with (
        refusing(LedgerError, where="verify", hint=nearest_ledger(ledger)),
        game_progress("verifying games") as progress,
    ):
        found = verify(ledger, link, progress)
    if as_json:
        print(json.dumps(found.facts(), indent=2))
    else:
        for problem in found.problems:
            print(problem.sentence())
        print(_conclusion(ledger, found))
        if found.lacks:
            print(found.lacks)
    return ExitCode.FORFEITS if found.problems else ExitCode.DONE


def _conclusion(ledger: Path, found: Verification) -> str:
    if not found.problems:
        chain = f"a chain of {found.entries} entries up to {found.link.hex()}"
        games = counted(found.games, "game")
        return f"{ledger} is sound: {games}, {chain}"
    problems, games = counted(len(found.problems), "problem"), counted(found.games, "game")
    return (
        f"{ledger} is not sound: {problems}, in {found.unsound} of "
        f"{games} and elsewhere; 'oddly salvage {ledger} -o GOOD' saves the others"
    )


@command("salvage club.sqlite -o saved.sqlite")
def salvage_command(
    broken: Path = argument("BROKEN", "the damaged ledger, which is not changed"),
    *,
    output: Path = option(
        "GOOD", "the new ledger; there must be no such file yet", names="--output -o"
    ),
    as_json: bool = JSON,
) -> int:
    """Save what is sound, and print what is lost, a line each."""
    with (
        refusing(LedgerError, where="salvage", hint=nearest_ledger(broken)),
        game_progress("salvaging games") as progress,
    ):
        found = salvage(broken, output, progress)
    if as_json:
        print(json.dumps(found.facts(), indent=2))
    else:
        for problem in found.lost:
            print(problem.sentence())
        unproven = f", {found.unproven} of them without a checksum, by the rules alone"
        saved = f"{counted(found.saved, 'game')} saved{unproven if found.unproven else ''}"
        print(f"{output}: {saved}; lost: {len(found.lost)}")
    return ExitCode.FORFEITS if found.lost else ExitCode.DONE


TWO = 2
"""The minimum number of ledgers to merge."""


@command("merge club.sqlite other.sqlite -o both.sqlite")
def merge_command(
    ledgers: tuple[Path, ...] = argument("LEDGER LEDGER..."),
    *,
    output: Path = option(
        "FILE", "the new ledger", names="--output -o", kind=WrittenFile("a ledger goes")
    ),
    as_json: bool = flag("print what was merged as one JSON object", names="--json"),
) -> None:
    """Join the ledgers, which are not changed."""
    if len(ledgers) < TWO:
        raise BadInputError("merge: two ledgers or more are expected, as in A.sqlite B.sqlite")
    with refusing(LedgerError, where="merge"):
        with waiting(f"merging {len(ledgers)} ledgers"):
            said = merge(ledgers, output)
        with Ledger(output, read_only=True) as ledger:
            games, engines = sum(ledger.counts().values()), len(ledger.engine_names())
    if as_json:
        facts = {"ledger": str(output), "games": games, "engines": engines, "said": list(said)}
        print(json.dumps(facts, indent=2))
        return
    for line in said:
        print(line, file=sys.stderr)
    print(f"{output}: {counted(games, 'game')} of {counted(engines, 'engine')} that count")


KINDS: tuple[Kind, ...] = get_args(Kind)

EPILOG = (
    "annul GAME...: they count for nobody, and are played again when the tournament goes on. "
    "retire ENGINE...: no more games, and those that it played stay. pardon ENGINE...: it plays "
    "at once, whatever its faults were. restore NAME...: takes an annulment or a retirement back."
)


class NameInLedger(click.ParamType[str]):
    """The id of a game or the name of an engine; a shell completes those of the ledger."""

    name = "name"

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        """Return the names to which the ruling can apply."""
        path, kind = ctx.params.get("ledger"), ctx.params.get("kind")
        with suppress(LedgerError, TypeError):
            with Ledger(Path(path or ""), read_only=True) as ledger:
                found = _names(ledger, kind, incomplete)
            return [CompletionItem(name) for name in found if name.startswith(incomplete)]
        return []


def _names(ledger: Ledger, kind: Any, begun: str) -> Sequence[str]:  # noqa: ANN401
    rulings = ledger.rulings()
    match kind:
        case "annul":
            return [name for name in ledger.games_like(f"{begun}%") if name not in rulings.annulled]
        case "restore":
            return sorted(rulings.annulled) + sorted(rulings.retired)
        case "retire" | "pardon":
            return [name for name in ledger.engine_names() if name not in rulings.retired]
        case _:
            return ()


@options()
class RuleOptions:
    """The reason for a ruling, and how rulings are printed."""

    reason: str | None = option("TEXT", "the reason, which every table shows")
    json: bool = flag("print all rulings as one JSON object")


@command('rule club.sqlite retire random --reason "it plays at random"', epilog=EPILOG)
def rule_command(
    ledger: Path = LEDGER,
    kind: Kind | None = argument(
        "[annul|pardon|retire|restore",
        "the ruling; without one, list all rulings",
        kind=OneOf(*KINDS, kind="ruling"),
    ),
    names: tuple[str, ...] = argument("NAME...]", "games or engines", kind=NameInLedger()),
    *,
    options: RuleOptions,
) -> None:
    """List the rulings, or give one on each of the names."""
    if not ledger.is_file():
        raise BadInputError(f"rule: there is no ledger {ledger}{nearest_ledger(ledger)}")
    with refusing(LedgerError, RulingError, where="rule"):
        given = _listed(ledger, options) if kind is None else _ruled(ledger, kind, names, options)
    if options.json:
        print(json.dumps({"rulings": [ruling.facts() for ruling in given]}, indent=2))
    else:
        print("\n".join(ruling.sentence() for ruling in given) or f"{ledger} has no rulings")


def _listed(path: Path, options: RuleOptions) -> Sequence[Ruling]:
    if options.reason is not None:
        raise BadInputError(
            f"rule: --reason goes with one of {', '.join(KINDS)}, and what it is about"
        )
    with Ledger(path, read_only=True) as ledger:
        return ledger.rulings().given


def _ruled(path: Path, kind: Kind, names: Sequence[str], options: RuleOptions) -> Sequence[Ruling]:
    if not names:
        wanted = {"annul": "a game", "restore": "a game or engine"}.get(kind, "an engine")
        raise BadInputError(f"rule: {kind} needs the name of {wanted}")
    if options.reason is None:
        raise BadInputError(f"rule: {kind} needs a --reason, which every table shows")
    if is_pool_of_arena(path):
        raise BadInputError(
            f"rule: {path} is the ledger of an arena, which would not know of the ruling: "
            f"'oddly arena ARENA.toml {kind} NAME --reason TEXT' rules in both"
        )
    with Ledger(path, beside_run=True) as ledger:
        given = rule(ledger, kind, names, options.reason)
        if ledger.is_held_by_a_run:
            print(follows_when(ledger), file=sys.stderr)
        return given

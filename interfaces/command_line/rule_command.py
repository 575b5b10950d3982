"""`oddly rule LEDGER`: the rulings of an arbiter, listed or given."""

from __future__ import annotations

import json
import sys
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

import click
from click.shell_completion import CompletionItem

from oddly.interfaces.command_line.command import OneOf, command
from oddly.interfaces.command_line.declaring import argument, flag, option, options
from oddly.interfaces.command_line.errors import DONE, BadInputError
from oddly.interfaces.command_line.hints import nearest_ledger
from oddly.interfaces.command_line.shared_options import LEDGER
from oddly.tournaments import Ledger, LedgerError, Ruling, RulingError, rule
from oddly.tournaments.ledger.arbiter import follows_when
from oddly.tournaments.ledger.rulings import Kind

if TYPE_CHECKING:
    from collections.abc import Sequence


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


@command(epilog=EPILOG)
def run(
    ledger: Path = LEDGER,
    kind: Kind | None = argument(
        "[annul|pardon|retire|restore",
        "the ruling; without one, list all rulings",
        kind=OneOf(*KINDS, kind="ruling"),
    ),
    names: tuple[str, ...] = argument("NAME...]", "games or engines", kind=NameInLedger()),
    *,
    options: RuleOptions,
) -> int:
    """List the rulings, or give one on each of the names."""
    if not ledger.is_file():
        raise BadInputError(f"rule: there is no ledger {ledger}{nearest_ledger(ledger)}")
    try:
        given = _listed(ledger, options) if kind is None else _ruled(ledger, kind, names, options)
    except (LedgerError, RulingError) as error:
        raise BadInputError(f"rule: {error}") from None
    if options.json:
        print(json.dumps({"rulings": [ruling.facts() for ruling in given]}, indent=2))
    else:
        print("\n".join(ruling.sentence() for ruling in given) or f"{ledger} has no rulings")
    return DONE


def _listed(path: Path, options: RuleOptions) -> Sequence[Ruling]:
    if options.reason is not None:
        raise BadInputError(
            f"rule: --reason goes with one of {', '.join(KINDS)}, and what it is about"
        )
    with Ledger(path, read_only=True) as ledger:
        return ledger.rulings().given


def _ruled(path: Path, kind: Kind, names: Sequence[str], options: RuleOptions) -> Sequence[Ruling]:
    if not names:
        wanted = {"annul": "game", "restore": "game or engine"}.get(kind, "engine")
        raise BadInputError(f"rule: {kind} needs the name of a {wanted}".replace("a e", "an e"))
    if options.reason is None:
        raise BadInputError(f"rule: {kind} needs a --reason, which every table shows")
    with Ledger(path, beside_run=True) as ledger:
        given = rule(ledger, kind, names, options.reason)
        if ledger.is_held_by_a_run:
            print(follows_when(path), file=sys.stderr)
        return given

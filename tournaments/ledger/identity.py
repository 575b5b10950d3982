"""The identity of an engine: what it reports, its options and its content, not its path.

A path only says where a program is now. The same ledger continues in another folder, in another
virtual environment and on another machine, as long as commands differ only in paths.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from oddly.tournaments.ledger.engines import program_change
from oddly.tournaments.ledger.event_facts import engine_changes, event_facts
from oddly.tournaments.ledger.merging import SUCCESSOR, next_name
from oddly.tournaments.ledger.rulings import Ruling
from oddly.tournaments.ledger.schema import LedgerError

if TYPE_CHECKING:
    from collections.abc import Collection

    from oddly.tournaments.formats.tournament import Tournament
    from oddly.tournaments.ledger.engines import Entrant
    from oddly.tournaments.ledger.store import Ledger


def successor(name: str, known: Collection[str]) -> str | None:
    """Return the newest successor of an engine, such as `mine@3`; None if there is none."""
    numbers = [
        int(found["number"])
        for other in known
        if (found := SUCCESSOR.fullmatch(other)) is not None and found["base"] == name
    ]
    return f"{name}@{max(numbers)}" if numbers else None


def under_new_names(
    tournament: Tournament, ledger: Ledger, entrants: Collection[Entrant], now: str, *, as_new: bool
) -> tuple[Tournament, list[Ruling]]:
    """Return the tournament with changed engines under their new names, and the rulings on them.

    An engine that an earlier run entered as `mine@2` keeps that name, though the file says `mine`.
    With `as_new`, each engine whose program, options or clock have changed gets a new name too, and
    the rulings retire its predecessor. Raises LedgerError if the format takes no new engines.
    """
    known = (ledger.event() or {}).get("engines", {})
    names = {engine.name for engine in tournament.engines}
    retired = ledger.rulings().retired
    renamed: dict[str, str] = {}
    for name in names & retired:
        later = successor(name, known)
        if later is not None and later not in {*names, *retired}:
            renamed[name] = later
    rulings: list[Ruling] = []
    if as_new:
        idle = (retired - renamed.keys()) | tournament.inactive
        playing = [entrant for entrant in entrants if entrant.name not in idle]
        changed = _changed(tournament, ledger, playing, renamed)
        for name, why in changed.items():
            before = renamed.get(name, name)
            renamed[name] = later = next_name(before, {*known, *names, *renamed.values()})
            reason = f"{why}; it continues as {later!r}"
            rulings.append(Ruling(now, "retire", "engine", before, reason))
    if rulings and not tournament.format.takes_engines:
        raise LedgerError(
            f"{ledger.path}: --as-new adds engines, which the format {tournament.format.name} "
            "does not allow"
        )
    engines = tuple(
        replace(engine, name=renamed.get(engine.name, engine.name)) for engine in tournament.engines
    )
    return replace(tournament, engines=engines), rulings


def _changed(
    tournament: Tournament,
    ledger: Ledger,
    entrants: Collection[Entrant],
    renamed: dict[str, str],
) -> dict[str, str]:
    """Return how engines have changed, by their names in the file."""
    known = (ledger.event() or {}).get("engines", {})
    facts = event_facts(tournament)["engines"]
    rows = {row.entrant.name: row for row in ledger.engines()}
    found: dict[str, str] = {}
    for entrant in entrants:
        name = renamed.get(entrant.name, entrant.name)
        changes = engine_changes(name, known[name], facts[entrant.name]) if name in known else []
        if changes:
            found[entrant.name] = changes[0]
        elif name in rows and program_change(rows[name], replace(entrant, name=name)):
            found[entrant.name] = "its program changed"
    return found

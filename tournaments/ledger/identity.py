"""The identity of an engine, in a run and across ledgers: its content and reports, not its path.

A path only says where a program is now. The same ledger continues in another folder, in another
virtual environment and on another machine, as long as commands differ only in paths.
"""

from __future__ import annotations

import json
import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from oddly.tournaments.ledger.engines import Entrant, KnownEngine, program_change
from oddly.tournaments.ledger.event_facts import engine_changes, event_facts
from oddly.tournaments.ledger.rulings import Ruling
from oddly.tournaments.ledger.schema import LedgerError

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence
    from collections.abc import Set as AbstractSet

    from oddly.tournaments.formats.tournament import Tournament
    from oddly.tournaments.ledger.store import Ledger

    Rows = Mapping[str, Sequence[KnownEngine]]
    Identity = tuple[str, str, tuple[str, ...]]


def successor(name: str, known: Collection[str]) -> str | None:
    """Return the newest successor of an engine, such as `mine@3`; None if there is none."""
    number = _newest(name, known)
    return None if number == 1 else f"{name}@{number}"


def next_successor(name: str, known: Collection[str]) -> str:
    """Return the name of an engine's next successor, which is then the newest."""
    return f"{name}@{_newest(name, known) + 1}"


def _newest(name: str, known: Collection[str]) -> int:
    """Return the number of an engine's newest successor; 1 if there is none."""
    every = filter(None, map(SUCCESSOR.fullmatch, known))
    return max((int(found["number"]) for found in every if found["base"] == name), default=1)


def successors(retired: AbstractSet[str], known: Collection[str]) -> dict[str, str]:
    """Return the newest successors of retired engines, unless those are retired too."""
    found = {name: successor(name, known) for name in retired}
    return {name: later for name, later in found.items() if later and later not in retired}


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
    renamed = {
        name: later
        for name, later in successors(retired, known).items()
        if name in names and later not in names
    }
    rulings: list[Ruling] = []
    if as_new:
        idle = (retired - renamed.keys()) | tournament.inactive
        playing = [entrant for entrant in entrants if entrant.name not in idle]
        changed = _changed(tournament, ledger, playing, renamed)
        for name, why in changed.items():
            before = renamed.get(name, name)
            renamed[name] = later = next_successor(name, {*known, *names})
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
    inactive = frozenset(renamed.get(name, name) for name in tournament.inactive)
    return replace(tournament, engines=engines, inactive=inactive), rulings


def _changed(
    tournament: Tournament, ledger: Ledger, entrants: Collection[Entrant], renamed: dict[str, str]
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


SUCCESSOR = re.compile(r"(?P<base>.+)@(?P<number>[1-9][0-9]{0,8})")
"""The form of a changed engine's new name: `mine@2`."""


def next_name(name: str, taken: Collection[str]) -> str:
    """Return the name of the engine that a changed program becomes: `mine@2` after `mine`."""
    found = SUCCESSOR.fullmatch(name)
    base, number = (found["base"], int(found["number"])) if found else (name, 1)
    while f"{base}@{number + 1}" in taken:
        number += 1
    return f"{base}@{number + 1}"


def names_in(
    own: Rows, facts: Mapping[str, Any], known: Rows, entered: Mapping[str, Any]
) -> tuple[dict[str, str], list[str]]:
    """Return the names of a ledger's engines among the `known` ones of others, and notes.

    A note is a sentence. `facts` and `entered` say how the engines were entered, `own` and `known`
    which programs they were.
    """
    names: dict[str, str] = {}
    said: list[str] = []
    taken = {*known, *entered}
    names |= {
        name: name
        for name, rows in own.items()
        if name in taken and not _difference(name, rows, facts, known, entered)
    }
    for name, rows in own.items():
        if name in names:
            continue
        twin = _twin(name, own, facts, known, entered)
        if twin is not None and twin not in names.values():
            names[name] = twin
            said.append(f"engine {name!r} is {twin!r}, the same program")
        elif name in taken:
            why = _difference(name, rows, facts, known, entered)
            names[name] = next_name(name, {*taken, *own, *names.values()})
            said.append(f"engine {name!r} differs, since {why}: it is now {names[name]!r}")
        else:
            names[name] = name
    return names, said


def identities(rows: Sequence[KnownEngine]) -> set[Identity]:
    """Return an engine's identities: each version it reported, with its options and content.

    An option that names a file has the file's hash as its value.
    """
    return {
        (
            row.version,
            json.dumps(
                {
                    name: row.entrant.files.get(value, value)
                    for name, value in row.entrant.options.items()
                },
                sort_keys=True,
            ),
            tuple(row.entrant.content.values()),
        )
        for row in rows
    }


def _difference(
    name: str,
    rows: Sequence[KnownEngine],
    facts: Mapping[str, Any],
    known: Rows,
    entered: Mapping[str, Any],
) -> str:
    """Return why an engine differs from the known one of the same name; empty if it is the same."""
    if name in facts and name in entered:
        for change in engine_changes(name, entered[name], facts[name]):
            return change
    mine, theirs = identities(rows), identities(known.get(name, ()))
    if mine and theirs and not mine & theirs:
        return "its version or its files differ"
    return ""


def _twin(
    name: str, own: Rows, facts: Mapping[str, Any], known: Rows, entered: Mapping[str, Any]
) -> str | None:
    """Return the known engine that is the same under another name; None unless only one is."""
    found = _same_engines(own[name], facts.get(name), known, entered)
    if len(found) != 1 or len(_same_engines(own[name], facts.get(name), own, facts)) != 1:
        return None
    return found[0]


def _same_engines(
    rows: Sequence[KnownEngine],
    engine: Mapping[str, Any] | None,
    among: Rows,
    entered: Mapping[str, Any],
) -> list[str]:
    """Return the engines with the same program, command, options and clock."""
    mine = {identity for identity in identities(rows) if identity[2]}
    return [
        name
        for name, theirs in among.items()
        if engine is not None
        and name in entered
        and mine & identities(theirs)
        and not engine_changes(name, entered[name], engine)
    ]

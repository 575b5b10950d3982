"""Joins ledgers of several machines into a new one, or begins one with games played before.

Engines are the same if their reports, options and content agree. Games keep their end times and
hosts, and their ids too, unless an engine has a new name: an id is a hash of what the game is. The
rulings and happenings of all ledgers are kept, in the order of their moments. If two ledgers have a
game of the same pairing, the first ledger's game counts, and the other is annulled on record. Games
played before are, for example, those of a published study.
"""

from __future__ import annotations

import hashlib
import json
import sqlite3
from contextlib import ExitStack, closing
from dataclasses import astuple, dataclass, field, replace
from heapq import merge as in_order
from itertools import chain
from typing import TYPE_CHECKING, Any

from oddly.games.wording import counted
from oddly.safe_files import json_object
from oddly.tournaments.formats.format import FORMATS
from oddly.tournaments.ledger.engines import known_engines
from oddly.tournaments.ledger.event_facts import FREE, Facts
from oddly.tournaments.ledger.identity import names_in
from oddly.tournaments.ledger.ledger_file import new_ledger, open_to_read, utc_now
from oddly.tournaments.ledger.rulings import INSERT_RULING, Ruling, Rulings, read_rulings
from oddly.tournaments.ledger.schema import LedgerError, last_link
from oddly.tournaments.ledger.store import (
    INSERT_DEATH,
    INSERT_GAME,
    INSERT_HAPPENING,
    INSERT_PLAN,
    deaths_in,
    game_row,
    plan_row,
)
from oddly.tournaments.results.schedule import (
    ScheduledGame,
    replayed_id,
    scheduled,
    scheduled_from,
    scheduled_id,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from oddly.referee import GameRecord


GROWING = ("rounds", "games")
"""Numbers in the settings of formats; a merged event has the larger one."""

GAMES = "select * from games where winner is not null order by finished, rowid"


@dataclass(slots=True)
class _Source:
    """A ledger that is merged. `names` are its engines in the new ledger, by their old names."""

    path: Path
    connection: sqlite3.Connection
    facts: Facts
    names: Mapping[str, str] = field(default_factory=dict)
    is_same_event: bool = True
    ids: dict[str, str] = field(default_factory=dict)
    """The ids in the new ledger of games that have another id there."""
    games: int = 0

    def renamed(self, first: str, second: str) -> tuple[str, str]:
        """Return the names of a game's engines in the new ledger."""
        return self.names.get(first, first), self.names.get(second, second)


def merge(paths: Sequence[Path], output: Path) -> list[str]:
    """Join ledgers into a new one at `output`; return notes, a sentence each.

    The file appears at `output` when it is complete. Raises LedgerError if a ledger cannot be read,
    if there is a file at `output`, or if it cannot be written.
    """
    if output.exists():
        raise LedgerError(f"{output} already exists: name a new file")
    with ExitStack() as stack:
        sources = [_opened(path, stack) for path in paths]
        try:
            said = _name_engines(sources)
            with new_ledger(output) as connection:
                said += _Merger(sources, connection).merged()
        except (sqlite3.Error, AttributeError, ValueError, KeyError, TypeError) as error:
            raise LedgerError(f"the ledgers cannot be merged: {error}") from None
    return said


def _opened(path: Path, stack: ExitStack) -> _Source:
    connection = stack.enter_context(closing(open_to_read(path)))
    # So that all is of one moment: a run may be writing.
    connection.execute("begin")
    row = connection.execute("select facts from event").fetchone()
    if row is None:
        raise LedgerError(f"{path} is a ledger without an event")
    # An arena has no settings of a format.
    facts = {"settings": {}, **json_object(row[0])}
    if not all(isinstance(facts.get(key), dict) for key in ("engines", "settings")):
        raise LedgerError(f"{path} cannot be merged: its event lacks engines or settings")
    return _Source(path, connection, facts)


def _name_engines(sources: Sequence[_Source]) -> list[str]:
    """Give each engine of each ledger its name in the new one; return the changes in words."""
    said: list[str] = []
    entered: dict[str, Any] = {}
    rows: dict[str, list[Any]] = {}
    for source in sources:
        own: dict[str, list[Any]] = {name: [] for name in source.facts["engines"]}
        for row in known_engines(source.connection):
            own.setdefault(row.entrant.name, []).append(row)
        source.names, changes = names_in(own, source.facts["engines"], rows, entered)
        said += [f"{source.path}: {change}" for change in changes]
        for name, found in own.items():
            later = source.names[name]
            rows.setdefault(later, []).extend(found)
            if name in source.facts["engines"]:
                entered.setdefault(later, source.facts["engines"][name])
    return said


class _Merger:
    """Writes the rows of the new ledger."""

    def __init__(self, sources: Sequence[_Source], connection: sqlite3.Connection) -> None:
        self._sources = sources
        self._connection = connection
        self._said: list[str] = []
        self._taken: dict[str, tuple[_Source, str]] = {}
        """The ledger and the record of each game, by its id in the new ledger."""
        self._played: dict[tuple[str, str], str] = {}
        """The id in the new ledger of each game, by its id in the schedule and its record."""
        self._doubled: dict[str, list[Ruling]] = {}
        self._places: dict[tuple[str, str, str], str] = {}
        """The new ids in the schedule of planned games whose engines have new names, by the old id
        and these names.
        """
        self._has_others = False
        """Whether a game is not in the schedule of the new event."""

    def merged(self) -> list[str]:
        facts = self._facts()
        for source in self._sources:
            self._copy_engines(source)
            if source.is_same_event:
                self._copy_plans(source)
        for source, values in in_order(*map(_games, self._sources), key=lambda found: found[1][5]):
            self._copy_game(source, values)
        self._copy_rulings()
        self._copy_happenings()
        self._record_sources()
        if self._has_others:
            facts["merged"] = True
        self._connection.execute("insert into event values (?)", (json.dumps(facts),))
        return self._said

    def _facts(self) -> Facts:
        """Return the facts of the merged event."""
        first, *others = (source.facts for source in self._sources)
        facts = {**first, "settings": dict(first["settings"])}
        for source, other in zip(self._sources[1:], others, strict=True):
            source.is_same_event = _is_same_event(first, other, source.names)
            facts["games"] = list(dict.fromkeys([*facts["games"], *other["games"]]))
            if source.is_same_event:
                facts["openings"] = _longer_openings(facts, other)
                for settings, more in ((facts, other), (facts["settings"], other["settings"])):
                    for key in GROWING:
                        if type(settings.get(key)) is int and type(more.get(key)) is int:
                            settings[key] = max(settings[key], more[key])
        facts["engines"] = {
            source.names[name]: entered
            for source in reversed(self._sources)
            for name, entered in source.facts["engines"].items()
        }
        ordered = dict.fromkeys(
            source.names[name] for source in self._sources for name in source.facts["engines"]
        )
        facts["engines"] = {name: facts["engines"][name] for name in ordered}
        format_ = FORMATS.get(str(first["format"]))
        joins = format_ is not None and (format_.takes_engines and format_.takes_begun)
        joins = joins or (format_ is not None and format_.fixed_pairs(("", "")) is not None)
        if not joins and not all(source.is_same_event for source in self._sources):
            facts["format"], facts["settings"] = FREE, {}
            facts.pop("rounds", None)
            if first["format"] != FREE:
                self._said.append(
                    f"the events differ, and a tournament in the format {first['format']} cannot "
                    "continue with the new ledger"
                )
        return facts

    def _copy_engines(self, source: _Source) -> None:
        query = (
            "insert into engines values (?,?,?,?,?,?,?,?) on conflict do update set "
            "first_seen = min(first_seen, excluded.first_seen), "
            "last_seen = max(last_seen, excluded.last_seen)"
        )
        for name, *rest in source.connection.execute("select * from engines order by rowid"):
            self._connection.execute(query, (source.names[name], *rest))

    def _copy_plans(self, source: _Source) -> None:
        query = "select id, facts from scheduled order by rowid"
        rows: Iterable[tuple[str, str]] = source.connection.execute(query)
        if any(old != new for old, new in source.names.items()):
            rows = filter(None, (self._renamed_plan(source, *row) for row in rows))
        self._connection.executemany(INSERT_PLAN, rows)

    def _renamed_plan(self, source: _Source, identity: str, text: str) -> tuple[str, str] | None:
        """Return the row of a plan under the new names; None if its id is not from the schedule."""
        plan, place = scheduled_from(json_object(text)), scheduled_id(identity)
        names = source.renamed(plan.first, plan.second)
        if names == (plan.first, plan.second):
            return identity, text
        if _place(source.facts, plan) != place:
            return None
        plan = replace(plan, first=names[0], second=names[1])
        self._places[place, *names] = new = _place(source.facts, plan)
        return plan_row(replace(plan, id=new + identity.removeprefix(place)))

    def _copy_game(self, source: _Source, values: tuple[Any, ...]) -> None:
        """Copy a game; a second game of one pairing gets a new id."""
        old, first, second, *middle, record = values
        identity, names = old, source.renamed(first, second)
        if names != (first, second):
            identity = self._renamed_id(old, names)
            record = json.dumps({**json_object(record), "players": list(names)})
        if (new := self._known(source, identity, record)) is None:
            new = replayed_id(identity, self._taken.keys())
            self._add_game(source, (new, *names, *middle, record))
        if new != old:
            source.ids[old] = new

    def _renamed_id(self, identity: str, names: tuple[str, str]) -> str:
        """Return the id of a game whose engines have new names: it is another pairing now."""
        place = scheduled_id(identity)
        if (new := self._places.get((place, *names))) is None:
            self._has_others = True
            new = hashlib.sha256("\0".join((place, *names)).encode()).hexdigest()[:16]
        return new + identity.removeprefix(place)

    def _known(self, source: _Source, identity: str, record: str) -> str | None:
        """Return the id in the new ledger of a game that is there already; None if it is not."""
        known = self._taken.get(identity)
        if known is not None and known[1] == record:
            return identity
        # A ledger that was merged before has it under another id.
        again = self._played.get((scheduled_id(identity), record))
        return None if again is None or self._taken[again][0] is source else again

    def _add_game(self, source: _Source, row: tuple[Any, ...]) -> None:
        identity, *names, _, _, _, _, record = row
        self._connection.execute(INSERT_GAME, row)
        self._taken[identity] = source, record
        self._played[scheduled_id(identity), record] = identity
        self._has_others |= not source.is_same_event
        source.games += 1
        for name, how in zip(names, json_object(record).get("deaths") or (), strict=False):
            if how:
                self._connection.execute(INSERT_DEATH, (identity, name, how))

    def _copy_rulings(self) -> None:
        """Copy the rulings, then annul all but one of the games of each scheduled id."""
        given: dict[Ruling, str] = {}
        for source in self._sources:
            latest = ""
            for ruling in read_rulings(source.connection).given:
                name = (source.ids if ruling.subject == "game" else source.names).get(ruling.name)
                # The clock may have been set back: a ledger's own rulings keep their order.
                latest = max(latest, ruling.moment)
                given.setdefault(replace(ruling, name=name or ruling.name), latest)
        every = sorted(given, key=given.__getitem__)
        annulled = Rulings(tuple(every)).annulled
        counting: dict[str, tuple[int, str]] = {}
        order = {id(source): place for place, source in enumerate(self._sources)}
        doubled: list[tuple[_Source, str, str]] = []
        for identity, (source, _) in self._taken.items():
            if identity in annulled:
                continue
            place, mine = scheduled_id(identity), (order[id(source)], identity)
            best = counting.setdefault(place, mine)
            if best != mine:
                counting[place], loser = sorted((best, mine))
                doubled.append((self._sources[loser[0]], loser[1], counting[place][1]))
        for source, identity, other in doubled:
            reason = f"merged: {other} is a game of the same pairing, and counts"
            every.append(Ruling(utc_now(), "annul", "game", identity, reason))
            self._doubled.setdefault(str(source.path), []).append(every[-1])
        self._connection.executemany(INSERT_RULING, map(astuple, every))
        for path, rulings in self._doubled.items():
            number = len(rulings)
            games = "a game" if number == 1 else f"{number} games"
            self._said.append(
                f"{path}: {games} of pairings that another ledger has too: annulled on record"
            )

    def _copy_happenings(self) -> None:
        rows = chain.from_iterable(
            source.connection.execute("select moment, what from happenings order by rowid")
            for source in self._sources
        )
        ordered = sorted(rows, key=lambda row: str(row[0]))
        self._connection.executemany(INSERT_HAPPENING, ordered)

    def _record_sources(self) -> None:
        """Write which ledgers were merged, with the last link of the chain of each."""
        for source in self._sources:
            link = last_link(source.connection)[1].hex()
            games = counted(source.games, "game")
            what = (
                f"merged {games} of {source.path.name}, event {source.facts['name']!r}, "
                f"seed {source.facts.get('seed')}, whose last link is {link}"
            )
            self._connection.execute(INSERT_HAPPENING, (utc_now(), what))


def _games(source: _Source) -> Iterator[tuple[_Source, tuple[Any, ...]]]:
    """Yield the games of a ledger that are not void, in the order of their ends."""
    for row in source.connection.execute(GAMES):
        yield source, row


def _place(facts: Facts, plan: ScheduledGame) -> str:
    """Return the id of a planned game in the schedule of an event."""
    place = plan.number, plan.game, plan.round, plan.first, plan.second
    return scheduled(*place, facts["seed"], facts["name"], plan.opening).id


def _is_same_event(one: Facts, other: Facts, names: Mapping[str, str]) -> bool:
    """Return whether games with equal ids have the same pairing and opening.

    `names` are the new names of the other's engines.
    """
    if any(one.get(key) != other.get(key) for key in ("name", "format", "seed")):
        return False
    openings = [facts.get("openings") or {} for facts in (one, other)]
    for game in openings[0].keys() & openings[1].keys():
        mine, theirs = openings[0][game], openings[1][game]
        if isinstance(mine, list) and isinstance(theirs, list):
            shorter, longer = sorted((mine, theirs), key=len)
            if longer[: len(shorter)] != shorter:
                return False
        elif mine != theirs:
            return False
    format_ = FORMATS.get(str(one["format"]))
    mine, theirs = list(one["engines"]), list(other["engines"])
    renamed = [names[name] for name in theirs]
    if format_ is not None and format_.has_challenger:
        return mine[:1] == renamed[:1]
    return format_ is None or format_.takes_engines or mine == theirs == renamed


def _longer_openings(one: Facts, other: Facts) -> dict[str, Any]:
    """Return the openings of both, with the longer list for each game."""
    found = {**(other.get("openings") or {}), **(one.get("openings") or {})}
    for game, theirs in (other.get("openings") or {}).items():
        if isinstance(found[game], list) and len(theirs) > len(found[game]):
            found[game] = theirs
    return found


def import_games(
    path: Path, facts: Facts, games: Iterable[tuple[ScheduledGame, GameRecord]], source: str
) -> None:
    """Write a new ledger of an event with these games, or none if anything goes wrong.

    `source` says where they come from. Raises LedgerError if there is a file at `path`, or if it
    cannot be written.
    """
    now = utc_now()
    with new_ledger(path) as connection:
        connection.execute("insert into event values (?)", (json.dumps(facts),))
        for scheduled, record in games:
            connection.execute(INSERT_PLAN, plan_row(scheduled))
            connection.execute(INSERT_GAME, game_row(scheduled.id, record, now))
            connection.executemany(INSERT_DEATH, deaths_in(scheduled.id, record))
        connection.execute(INSERT_HAPPENING, (now, f"began with the games of {source}"))

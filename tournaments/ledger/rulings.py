"""The rulings of an arbiter: which games do not count, and which engines get no more games.

Rulings are appended and never changed. All of them, in order, decide what holds now, so a later
ruling can take back an earlier one, and both stay readable.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from functools import cached_property
from itertools import groupby
from operator import itemgetter
from typing import TYPE_CHECKING, Any, Literal

from oddly.games import one_line
from oddly.tournaments.formats.plan import UNKNOWN_RETIREMENTS, Retirements, retirements_of
from oddly.tournaments.ledger.event_facts import activity, inactive_in
from oddly.tournaments.ledger.schema import append

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterable, Iterator, Mapping

Kind = Literal["annul", "pardon", "retire", "restore"]
"""The kinds of rulings."""
Subject = Literal["game", "engine"]
"""The things that rulings are about."""

INSERT_RULING = "insert into rulings values (null,?,?,?,?,?)"
READ_RULINGS = "select moment, kind, subject, name, reason from rulings order by number"
READ_RETIREMENTS = """
select number, 'began' as what, id as which from chain where kind = 'plan'
union all
select number, 'ended', id from chain where kind = 'game'
union all
select number, 'edited', id from chain where kind = 'event'
union all
select chain.number, 'happened', what
from chain join happenings on happenings.rowid = cast(chain.id as integer)
where chain.kind = 'happening'
union all
select chain.number, rulings.kind, rulings.name
from chain join rulings on rulings.number = cast(chain.id as integer)
where chain.kind = 'ruling' and subject = 'engine' and rulings.kind in ('retire', 'restore')
order by number
"""

MAX_REASON_LENGTH = 400
"""The longest reason, in characters."""


@dataclass(frozen=True, slots=True)
class Ruling:
    """One ruling on a game or an engine. `moment` is in UTC, ISO 8601."""

    moment: str
    kind: Kind
    subject: Subject
    name: str
    reason: str

    def sentence(self) -> str:
        """Return the ruling on one line, with its day and its reason."""
        what = {
            ("annul", "game"): f"game {one_line(self.name)} is annulled",
            ("restore", "game"): f"game {one_line(self.name)} counts again",
            ("retire", "engine"): f"engine {one_line(self.name)!r} is retired",
            ("restore", "engine"): f"engine {one_line(self.name)!r} plays again",
            ("pardon", "engine"): f"engine {one_line(self.name)!r} is pardoned",
        }.get((self.kind, self.subject), f"{one_line(self.kind)} {one_line(self.name)}")
        return f"ruling of {one_line(self.moment[:10])}: {what}: {one_line(self.reason)}"

    def facts(self) -> dict[str, str]:
        """Return its values for JSON."""
        return asdict(self)


@dataclass(frozen=True)
class Rulings:
    """All rulings of a ledger in their order, and what holds now."""

    given: tuple[Ruling, ...] = ()

    @cached_property
    def annulled(self) -> frozenset[str]:
        """The ids of the games that do not count."""
        return self._held("annul", "game")

    @cached_property
    def retired(self) -> frozenset[str]:
        """The names of the engines that get no more games."""
        return self._held("retire", "engine")

    def sentences(self) -> list[str]:
        """Return a line for each ruling."""
        return [ruling.sentence() for ruling in self.given]

    def facts(self) -> list[dict[str, str]]:
        """Return the rulings as plain values for JSON."""
        return [ruling.facts() for ruling in self.given]

    def _held(self, kind: Kind, subject: Subject) -> frozenset[str]:
        """Return the names for which a ruling of this kind holds."""
        held: set[str] = set()
        for ruling in self.given:
            if ruling.subject == subject and ruling.kind == kind:
                held.add(ruling.name)
            elif ruling.subject == subject and ruling.kind == "restore":
                held.discard(ruling.name)
        return frozenset(held)


def read_rulings(connection: sqlite3.Connection) -> Rulings:
    """Return the rulings of a ledger."""
    return Rulings(tuple(Ruling(*map(str, row)) for row in connection.execute(READ_RULINGS)))  # type: ignore[arg-type]


def read_retirements(connection: sqlite3.Connection, engines: Mapping[str, Any]) -> Retirements:
    """Return when rulings and the file retired engines, whose facts are given by name.

    If any retired, this reads the whole chain. Nothing is known of a ledger that was merged or
    salvaged, or that oddly 1.0.0 began.
    """
    changes = {
        activity(name, is_active=is_active): (name, is_active)
        for name in engines
        for is_active in (False, True)
    }
    happened = connection.execute("select what from happenings")
    has_changed = any(what in changes for (what,) in happened)
    inactive = inactive_in(engines)
    are_ruled = any(ruling.kind == "retire" for ruling in read_rulings(connection).given)
    if not (has_changed or inactive or are_ruled):
        return UNKNOWN_RETIREMENTS
    rows = connection.execute(READ_RETIREMENTS)
    events = [(str(what), str(which)) for _, what, which in rows]
    # In such a ledger, the entries of plans were written after those of games.
    if next((what for what, _ in events if what in {"began", "ended"}), "began") == "ended":
        return UNKNOWN_RETIREMENTS
    # Before the first game, engines may also be removed and added.
    first = next((n for n, (what, _) in enumerate(events) if what == "began"), len(events))
    events = [each for each in events[:first] if each[0] != "happened"] + events[first:]
    changed = [changes[which] for what, which in events if what == "happened" and which in changes]
    # Who was not active at the first game follows from who is not active now.
    for name, is_active in reversed(changed):
        (inactive.add if is_active else inactive.discard)(name)
    return retirements_of(_with_files(events, inactive, changes))


def _with_files(
    events: Iterable[tuple[str, str]], inactive: set[str], changes: Mapping[str, tuple[str, bool]]
) -> Iterator[tuple[str, ...]]:
    """Yield events with each file instead of its happenings, which `changes` explains.

    At first the engines are not active that are `inactive`; the set changes with the file.
    """
    yield ("file", *inactive)
    for what, group in groupby(events, itemgetter(0)):
        if what != "happened":
            yield from group
            continue
        for _, happened in group:
            if happened in changes:
                name, is_active = changes[happened]
                (inactive.discard if is_active else inactive.add)(name)
        yield ("file", *inactive)


def write_rulings(connection: sqlite3.Connection, rulings: Iterable[Ruling]) -> None:
    """Append rulings, in a transaction, and let the summaries of games follow them.

    The summary of an annulled game has no winner, so nothing counts the game; the game itself does
    not change.
    """
    for ruling in rulings:
        row = (ruling.moment, ruling.kind, ruling.subject, ruling.name, ruling.reason)
        number = connection.execute(INSERT_RULING, row).lastrowid
        append(connection, "ruling", str(number), row)
        if ruling.subject == "game":
            was = "(select winner from games where id = :id)"
            counts = "null" if ruling.kind == "annul" else was
            query = f"update summaries set winner = {counts} where id = :id"  # noqa: S608
            connection.execute(query, {"id": ruling.name})

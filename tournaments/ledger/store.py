"""The games of an event in an open ledger."""

from __future__ import annotations

import json
import platform
from collections import Counter
from typing import TYPE_CHECKING

from oddly.referee import GameRecord, RecordError
from oddly.tournaments.ledger.compact_games import CompactGames
from oddly.tournaments.ledger.engines import (
    Entrant,
    KnownEngine,
    known_engines,
    program_change,
    see,
    version_change,
)
from oddly.tournaments.ledger.event_facts import Facts, additions, contradictions, refusal
from oddly.tournaments.ledger.ledger_file import LedgerFile, utc_now
from oddly.tournaments.ledger.rulings import Ruling, read_retirements, write_rulings
from oddly.tournaments.ledger.schema import LedgerError, append, damaged
from oddly.tournaments.ledger.summaries import (
    INSERT,
    counts_of,
    dated_counts,
    each_result,
    is_sound,
    played_rows,
    summary,
    tallies_of,
)
from oddly.tournaments.results.counts import EngineStatistics, winner_word
from oddly.tournaments.results.schedule import (
    Opening,
    PlayedGame,
    ScheduledGame,
    replayed_id,
    scheduled_facts,
    scheduled_from,
    scheduled_id,
)

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator
    from pathlib import Path

    from oddly.tournaments.formats.plan import Retirements
    from oddly.tournaments.ledger.summaries import GameCounts, PlayedResult, Tallies
    from oddly.tournaments.ratings.ordered_pairs import DatedCounts, Row

    Counts = dict[Row, int]

DELETE_VOID = {
    "games": "delete from games where id = ? and winner is null",
    "summaries": "delete from summaries where id = ? and winner is null",
}

UNFINISHED = """
select id, facts from scheduled where rowid in (
    select scheduled.rowid from scheduled
    where not exists (select 1 from summaries where summaries.id = scheduled.id)
    union all
    select scheduled.rowid from summaries join scheduled using (id) where winner is null
) order by rowid
"""
"""The games that began and do not count yet. Only the indexes and the summaries are searched for
ids, since the rows of `games` are long.
"""

INSERT_DEATH = "insert into deaths values (?,?,?)"
INSERT_HAPPENING = "insert into happenings values (?,?)"
INSERT_GAME = "insert or ignore into games values (?,?,?,?,?,?,?,?)"
INSERT_PLAN = "insert or ignore into scheduled values (?,?)"


class Ledger(LedgerFile):
    """A ledger, open until the end of its `with` block.

    Every method may raise LedgerError if the file cannot be read, or is damaged.
    """

    def __init__(self, path: Path, *, read_only: bool = False, beside_run: bool = False) -> None:
        super().__init__(path, read_only=read_only, beside_run=beside_run)
        self.noticed: list[str] = []
        """Notes about engines since `enter`, in words."""
        self._entered: dict[str, Entrant] = {}
        self._last_rows: dict[str, KnownEngine] = {}
        """The last row of each engine, if known."""

    def begin(
        self, facts: Facts, *notes: str, retired: Collection[str] = (), given: Iterable[Ruling] = ()
    ) -> list[str]:
        """Begin or resume the event with the rulings `given`; return in words what was added since.

        The `notes` on this run are kept among the happenings. `retired` engines get no more games.
        Raises LedgerError if finished games would mean something else, or on a full disk.
        """
        old = self.event()
        added: list[str] = []
        if old is not None:
            added = additions(old, facts)
            removed = set(old["engines"]) - set(facts["engines"])
            wrong = contradictions(old, facts, self._idle(removed), retired)
            if wrong and self._is_used():
                raise LedgerError(f"{self.path} has games of another event: {refusal(wrong)}")
        with self._reading(), self._connection as connection:
            if old != facts:
                connection.execute("delete from event")
                row = (json.dumps(facts),)
                connection.execute("insert into event values (?)", row)
                append(connection, "event", "", row)
            for what in (*(added or ["began" if old is None else "went on"]), *notes):
                self._note(what, utc_now())
            write_rulings(connection, given)
        return added

    def enter(self, entrants: Iterable[Entrant]) -> list[str]:
        """Enter the engines of this run, and return in words how their programs changed."""
        self._entered = {entrant.name: entrant for entrant in entrants}
        self._last_rows = {known.entrant.name: known for known in self.engines()}
        changes = [
            change
            for name, known in self._last_rows.items()
            if name in self._entered and (change := program_change(known, self._entered[name]))
        ]
        with self._reading(), self._connection:
            for what in changes:
                self._note(what, utc_now())
        return changes

    def _note(self, what: str, now: str) -> None:
        """Append a happening, in a transaction."""
        number = self._connection.execute(INSERT_HAPPENING, (now, what)).lastrowid
        append(self._connection, "happening", str(number), (now, what))

    def engines(self) -> list[KnownEngine]:
        """Return which versions of each engine ran, in the order of their last games."""
        with self._reading():
            return list(known_engines(self._connection))

    def _see(self, record: GameRecord, now: str) -> None:
        """Record which programs played a game that ended now."""
        for name, version in zip(record.players, record.engines, strict=True):
            # An engine that did not start has no version.
            if version and (entrant := self._entered.get(name)) is not None:
                known = self._last_rows.get(name)
                self._last_rows[name] = see(self._connection, entrant, version, now, known)
                if known is not None and (change := version_change(known, version)):
                    self.noticed.append(change)
                    self._note(change, now)

    def rule(self, rulings: Iterable[Ruling]) -> None:
        """Append rulings, all or none. They are on the disk on return."""
        with self._reading(), self._connection as connection:
            connection.execute("begin immediate")
            write_rulings(connection, rulings)

    def retirements(self) -> Retirements:
        """Return when engines retired, among its games."""
        engines = (self.event() or {}).get("engines", {})
        with self._reading():
            return read_retirements(self._connection, engines)

    def counts_as(self, identity: str) -> str | None:
        """Return `first`, `second`, `draw` or `void` for a game; None if there is no such game."""
        row = next(self._fetch("select winner from games where id = ?", (identity,)), None)
        return None if row is None else str(row[0] or "void")

    def games_like(self, *patterns: str) -> list[str]:
        """Return the ids of up to a thousand games that match one of SQL's patterns."""
        query = "select id from games where id like ? limit 1000"
        return [identity for pattern in patterns for (identity,) in self._fetch(query, (pattern,))]

    def engine_names(self) -> list[str]:
        """Return the names of all engines: those entered, then any others that played."""
        entered = (self.event() or {}).get("engines", {})
        played = self._fetch("select first from summaries union select second from summaries")
        return list(dict.fromkeys([*map(str, entered), *(name for (name,) in played)]))

    def _is_used(self) -> bool:
        """Return whether a game began."""
        query = "select exists (select 1 from games) or exists (select 1 from scheduled)"
        return any(used for (used,) in self._fetch(query))

    def _idle(self, names: set[str]) -> set[str]:
        """Return those of the engines that have begun no game."""
        if not names:
            return names
        played = "select first from games union select second from games"
        begun = (
            "select json_extract(facts, '$.first') from scheduled "
            "union select json_extract(facts, '$.second') from scheduled"
        )
        found = {name for (name,) in self._fetch(f"{played} union {begun}")}
        return names - found

    def unfinished(self) -> list[ScheduledGame]:
        """Return the games that began and do not count yet: running, interrupted or void ones."""
        rows = self._fetch(UNFINISHED)
        annulled = self.rulings().annulled
        found = [self._planned(identity, text) for identity, text in rows]
        return [game for game in found if not self._is_replaced(game.id, annulled)]

    def _is_replaced(self, identity: str, annulled: frozenset[str]) -> bool:
        """Return whether another playing takes its place: a replay, or a game that was restored."""
        place = scheduled_id(identity)
        if identity in annulled:
            query = "select 1 from scheduled where id = ?"
            return any(self._fetch(query, (replayed_id(place, annulled),)))
        query = "select 1 from summaries where winner is not null and (id = ? or id like ?)"
        return identity != place and any(self._fetch(query, (place, f"{place}-%")))

    def announce(self, scheduled: ScheduledGame) -> None:
        """Record that a game begins: it is on the disk on return. Raises sqlite3.Error."""
        with self._connection:
            self._plan(scheduled)

    def _plan(self, scheduled: ScheduledGame) -> None:
        """Write the game as planned, in a transaction, unless an earlier plan of it is there."""
        row = plan_row(scheduled)
        if self._connection.execute(INSERT_PLAN, row).rowcount:
            append(self._connection, "plan", scheduled.id, row)

    def scheduled(self) -> list[ScheduledGame]:
        """Return the games in the order in which they began, whether they ended or not."""
        rows = self._fetch("select id, facts from scheduled order by rowid")
        return [self._planned(identity, text) for identity, text in rows]

    def add(
        self, identity: str, record: GameRecord, scheduled: ScheduledGame | None = None
    ) -> None:
        """Record a game: it is on the disk on return. Raises sqlite3.Error.

        An existing game stays, unless it was void. `scheduled` is the game as planned.
        """
        now = utc_now()
        row = game_row(identity, record, now)
        with self._connection as connection:
            for table in ("games", "summaries"):
                connection.execute(DELETE_VOID[table], (identity,))
            added = connection.execute(INSERT_GAME, row)
            if added.rowcount:
                append(connection, "game", identity, row)
                for death in deaths_in(identity, record):
                    number = connection.execute(INSERT_DEATH, death).lastrowid
                    append(connection, "death", str(number), death)
                if scheduled is not None:
                    self._plan(scheduled)
                # A postponed game may have another number now than when it was announced.
                planned = self._scheduled(identity)
                connection.execute(INSERT, summary(identity, record, now, planned))
                self._see(record, now)

    def shorten_log(self) -> None:
        """Free the space on a full disk that SQLite's log can spare."""
        self._connection.merge_log()

    def records(self) -> dict[str, GameRecord]:
        """Return the games that count, by their ids."""
        return dict(self.each_record())

    def each_record(self) -> Iterator[tuple[str, GameRecord]]:
        """Yield the games that count with their ids, in the order in which they ended."""
        query = "select id, record from games where winner is not null order by rowid"
        annulled = self.rulings().annulled
        for identity, text in self._fetch(query):
            if identity not in annulled:
                yield identity, self._record(identity, text)

    def latest(self, number: int) -> list[tuple[str, GameRecord]]:
        """Return the last `number` games that count with their ids, in the order of their ends."""
        annulled = self.rulings().annulled
        rows = self._fetch(
            "select id, record from games where winner is not null order by rowid desc limit ?",
            (number + len(annulled),),
        )
        counting = [row for row in rows if row[0] not in annulled][:number]
        return [(identity, self._record(identity, text)) for identity, text in counting][::-1]

    def each_played(self) -> Iterator[PlayedGame]:
        """Yield the games of `all_played`."""
        yield from self.all_played()

    def all_played(self) -> CompactGames:
        """Return the games that count, in the order in which they ended, without turns and reasons.

        This is fast, because it reads no records: use it for computations over many games.
        """
        with self._reading():
            return CompactGames(played_rows(self._connection))

    def tallies(self, *, with_lengths: bool = False) -> Tallies:
        """Return the results of all games that count, and how engines behaved in them."""
        with self._reading(), self.at_one_moment():
            return tallies_of(self._connection, with_lengths=with_lengths)

    def statistics_by_title(self) -> dict[str, dict[str, EngineStatistics]]:
        """Return how engines behaved in the games that count, by the game's title, then by name."""
        return self.tallies().statistics_by_title

    def each_result(self) -> Iterator[PlayedResult]:
        """Yield the results of the games that count, in the order in which they ended."""
        with self._reading():
            yield from each_result(self._connection)

    def number_of_games(self) -> int:
        """Return how many games count."""
        query = "select count(*) from summaries where winner is not null"
        return int(next(self._fetch(query))[0])

    def period(self) -> tuple[str, str] | None:
        """Return when the first and the last game that counts ended, in UTC, ISO 8601."""
        query = "select min(finished), max(finished) from summaries where winner is not null"
        first, last = next(self._fetch(query))
        return None if first is None else (str(first), str(last))

    def counts(self, *, distinct: bool = False) -> Counts:
        """Return how many games had each first player, second player and winner.

        With `distinct`, games that are copies of earlier ones are left out.
        """
        counts: Counter[Row] = Counter()
        for found in self.counts_by_game(distinct=distinct).values():
            counts.update(found)
        return dict(counts)

    def counts_by_game(self, *, distinct: bool = False) -> dict[str, Counts]:
        """Return the counts of `counts` for each game that was played, by its title: `yodd 6`."""
        found = self.all_counts().items()
        return {title: each.distinct if distinct else each.played for title, each in found}

    def all_counts(self) -> dict[str, GameCounts]:
        """Return the counts of all games, of distinct ones, and of repeated openings, by title."""
        with self._reading(), self.at_one_moment():
            return counts_of(self._connection)

    def openings(self, played: CompactGames | None = None) -> dict[str, dict[int, Opening]]:
        """Return the openings of the rounds that began, by the title of the game and the round.

        `played` are the games of `all_played`, if they have been read already.
        """
        found: dict[str, dict[int, Opening]] = {}
        for scheduled in self.unfinished():
            of_game = found.setdefault(str(scheduled.game), {})
            of_game[scheduled.round] = scheduled.opening
        for title, openings in (played or self.all_played()).openings().items():
            found.setdefault(title, {}).update(openings)
        return found

    def dated(self) -> dict[str, DatedCounts]:
        """Return the games that count, as dated counts with days in UTC, by the game's title."""
        with self._reading():
            return dated_counts(self._connection)

    def _scheduled(self, identity: str) -> ScheduledGame | None:
        """Return the game as it was planned; None for one of another event that was merged."""
        query = "select facts from scheduled where id = ?"
        for (text,) in self._fetch(query, (identity,)):
            return self._planned(identity, text)
        return None

    def _planned(self, identity: str, text: str) -> ScheduledGame:
        try:
            return scheduled_from(self._object(text))
        except (KeyError, TypeError, ValueError) as error:
            raise damaged(self.path, f"the pairing {identity} cannot be read: {error}") from None

    def _record(self, identity: str, text: str) -> GameRecord:
        try:
            record = GameRecord.from_json(self._object(text))
        except RecordError as error:
            raise damaged(self.path, f"game {identity} is {error}") from None
        if not is_sound(record):
            raise damaged(self.path, f"game {identity} is not a game record")
        return record


def deaths_in(identity: str, record: GameRecord) -> Iterator[tuple[str, str, str]]:
    """Yield the values for INSERT_DEATH of each engine that died before the game."""
    for name, how in zip(record.players, record.deaths, strict=True):
        if how:
            yield identity, name, how


def plan_row(scheduled: ScheduledGame) -> tuple[str, str]:
    """Return the values for INSERT_PLAN."""
    return scheduled.id, json.dumps(scheduled_facts(scheduled))


def game_row(identity: str, record: GameRecord, finished: str) -> tuple[object, ...]:
    """Return the values for INSERT_GAME."""
    outcome = record.outcome
    winner = None if outcome.is_void else winner_word(outcome.winner)
    return (
        identity, *record.players, winner, outcome.termination.value,
        finished, record.host or platform.node(), json.dumps(record.as_json()),
    )  # fmt: skip

"""Summaries of games without their turns, and what may be wrong with a game in a ledger.

A record is a kilobyte or more of JSON, and a ledger may hold a million of them. A summary is one
narrow row, fast to read: it says who played, who won, how, and in how many turns. Records are read
only for the few games to be shown. A problem may be in a game's row, its record or its plan.
"""

from __future__ import annotations

import json
import math
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from oddly.games import Game, GameError, create_game, one_line, storable_text
from oddly.referee import GameRecord, Outcome, RecordError, Termination, replay
from oddly.referee.justice.outcome import NOTABLE_LAG
from oddly.safe_files import json_object, json_value
from oddly.tournaments.ledger.rulings import read_rulings
from oddly.tournaments.ledger.schema import checksum
from oddly.tournaments.results.counts import statistics_in, winner_word
from oddly.tournaments.results.schedule import ScheduledGame, scheduled_from, turns_digest

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterator, Sequence


INSERT = "insert into summaries values (null, ?,?,?,?,?,?,?,?,?,?, ?,?,?,?,?,?,?,?,?,?, ?,?)"

ANNUL = "update summaries set winner = null where id = ?"

MISSING = """
select games.id, finished, record, facts from games left join scheduled using (id)
where games.id not in (select id from summaries) order by games.rowid
"""

PLAYED = """
select id, game, round, place, opening, seed, first, second, winner, termination, turns,
       case when lag >= ? then lag else 0.0 end, digest
from summaries where winner is not null order by number
"""


def summary(
    identity: str, record: GameRecord, finished: str, scheduled: ScheduledGame | None = None
) -> tuple[object, ...]:
    """Return the values for INSERT from a sound record."""
    game, outcome = record.game, record.outcome
    first, second = (storable_text(name) for name in record.players)
    return (
        identity,
        json.dumps([game.name, game.size, dict(game.settings)]),
        scheduled.round if scheduled else 0,
        scheduled.number if scheduled else 0,
        " ".join(storable_text(turn.turn) for turn in record.turns[: record.opening]),
        record.seed if isinstance(record.seed, int) and abs(record.seed) < 1 << 63 else 0,
        first,
        second,
        None if outcome.is_void else winner_word(outcome.winner),
        outcome.termination.value,
        finished,
        *(storable_text(program) for program in record.engines),
        len(record.turns),
        turns_digest(record),
        outcome.lag,
        *(value for seat in (0, 1) for value in _times(record, seat)),
    )


def is_sound(record: GameRecord) -> bool:
    """Return whether a record could come from a referee: anybody may have written the ledger."""
    outcome = record.outcome
    texts = (
        *record.players, *record.engines, record.host,
        outcome.score, outcome.reason, outcome.evidence, outcome.diagram,
    )  # fmt: skip
    times = [outcome.lag, *(turn.seconds for turn in record.turns)]
    return (
        all(isinstance(text, str) for text in (*texts, *(turn.turn for turn in record.turns)))
        and all(type(time) in (int, float) and 0 <= time < math.inf for time in times)
        and outcome.winner in (None, 0, 1)
        and type(record.opening) is int
        and 0 <= record.opening <= len(record.turns)
        and record.players[0] != record.players[1]
    )


def write_missing(connection: sqlite3.Connection) -> None:
    """Write the summaries of the games that have none, in a transaction.

    Raises ValueError, KeyError or TypeError for a record or a plan that cannot be read.
    """
    connection.executemany(INSERT, map(_summary_of, connection.execute(MISSING)))
    annulled = read_rulings(connection).annulled
    connection.executemany(ANNUL, ((identity,) for identity in annulled))


def _summary_of(row: tuple[Any, ...]) -> tuple[object, ...]:
    identity, finished, text, plan = row
    record = GameRecord.from_json(json_object(text))
    if not is_sound(record):
        raise ValueError(f"game {identity} is not a game record")
    planned = None if plan is None else scheduled_from(json_object(plan))
    return summary(identity, record, finished, planned)


def has_missing(connection: sqlite3.Connection) -> bool:
    """Return whether a game has no summary."""
    query = "select (select count(*) from games) <> (select count(*) from summaries)"
    return bool(connection.execute(query).fetchone()[0])


def played_rows(connection: sqlite3.Connection) -> Iterator[tuple[Any, ...]]:
    """Return the rows of the games that count."""
    return connection.execute(PLAYED, (NOTABLE_LAG,))


def game_of(text: str) -> Game:
    """Return the game that JSON describes. Raises ValueError if it is invalid."""
    try:
        name, size, settings = json_value(text)
        return create_game(name, size, settings)
    except (GameError, TypeError, ValueError):
        raise ValueError(f"{str(text)[:40]!r} is no game") from None


def outcome_of(winner: str, termination: str, turns: int, lag: float) -> Outcome:
    """Return the outcome in a row, without a reason. Raises ValueError if it is invalid."""
    index = None if winner == "draw" else ("first", "second").index(winner)
    return Outcome(index, None, "", Termination(termination), "", turns, lag=lag)


def engine_name(name: object) -> str:
    """Return `name`. Raises ValueError if it is not text."""
    if not isinstance(name, str):
        raise ValueError(f"{str(name)[:40]!r} is not the name of an engine")  # noqa: TRY004
    return name


def _times(record: GameRecord, seat: int) -> tuple[int, float, float]:
    statistics = statistics_in(record, seat)
    return statistics.turns, statistics.seconds, statistics.slowest


COLUMNS = ("id", "first", "second", "winner", "termination", "finished", "host", "record")
"""The columns of the table of games."""


@dataclass(frozen=True, slots=True)
class Problem:
    """Something wrong in a ledger: where, what, and what was expected."""

    game: str
    """The id of the game; empty if the problem is not in one game."""
    what: str
    expected: str

    def sentence(self) -> str:
        """Return the problem on one line."""
        where = f"game {one_line(self.game)}: " if self.game else ""
        expected = f"; expected: {one_line(self.expected)}" if self.expected else ""
        return f"{where}{one_line(self.what)}{expected}"

    def facts(self) -> dict[str, Any]:
        """Return its values for JSON."""
        return asdict(self)


def problems_of_game(row: Sequence[Any], sum_in_chain: bytes | None) -> Iterator[Problem]:
    """Yield what is wrong with a row of `games`, whose checksum the chain may have."""
    identity, record = str(row[0]), None
    if sum_in_chain is not None and checksum(row) != sum_in_chain:
        yield Problem(
            identity,
            f"its row was changed: its SHA-256 is {checksum(row).hex()[:16]}...",
            f"{sum_in_chain.hex()[:16]}..., as the chain has it",
        )
    try:
        record = GameRecord.from_json(json_object(row[-1]))
    except (AttributeError, ValueError, OverflowError, RecursionError, TypeError) as error:
        yield Problem(identity, f"its record cannot be read: {error}", "a game record")
        return
    if not is_sound(record):
        yield Problem(identity, "its record has values that no game has", "a game record")
        return
    for column, value, in_record in zip(COLUMNS[1:5], row[1:5], _columns(record), strict=True):
        if value != in_record:
            yield Problem(identity, f"its {column} is {value!r}", f"{in_record!r}, by its record")
    try:
        replay(record)
    except RecordError as error:
        yield Problem(identity, f"by the rules, {error}", "a game that the rules allow")
    except (AttributeError, LookupError, OverflowError, RecursionError, TypeError) as error:
        yield Problem(identity, f"it cannot be replayed: {error}", "a game that the rules allow")


def _columns(record: GameRecord) -> tuple[str | None, ...]:
    """Return what the columns from `first` to `termination` should hold."""
    outcome = record.outcome
    winner = None if outcome.is_void else winner_word(outcome.winner)
    return (*record.players, winner, outcome.termination.value)


def contradictions(
    planned: ScheduledGame, record: GameRecord
) -> Iterator[tuple[str, object, object]]:
    """Yield what a plan says differently from the game's record, with both values."""
    opening = tuple(turn.turn for turn in record.turns[: record.opening])
    pairs = (
        ("players", (planned.first, planned.second), record.players),
        ("game", str(planned.game), str(record.game)),
        ("opening", planned.opening, opening),
    )
    for what, said, played in pairs:
        if said != played:
            yield what, said, played

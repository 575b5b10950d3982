"""Summaries of games without their turns, and the results of many games counted from them.

A record is a kilobyte or more of JSON, and a ledger may hold a million of them. A summary is one
narrow row, fast to read: it says who played, who won, how, and in how many turns. Records are read
only for the few games to be shown.

SQLite counts, and no game becomes an object. A few passes through the summaries yield everything
that tables and ratings need. A million games of 200 engines form some ten thousand groups, by who
played whom, who won, and how the game ended. A copy of a game may end in another way, so distinct
games are counted in a pass of their own.
"""

from __future__ import annotations

import json
import math
from collections import Counter
from datetime import date
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from oddly.games import Game, GameError, create_game, storable_text
from oddly.referee import GameRecord, Outcome, Termination
from oddly.referee.justice.outcome import NOTABLE_LAG
from oddly.safe_files import json_object, json_value
from oddly.tournaments.ledger.rulings import read_rulings
from oddly.tournaments.results.counts import (
    WINNER_BY_WORD,
    EngineStatistics,
    ResultCounts,
    statistics_in,
    winner_word,
)
from oddly.tournaments.results.schedule import ScheduledGame, scheduled_from, turns_digest

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterator, Mapping

    from oddly.tournaments.ratings.clusters import Cluster, Seats
    from oddly.tournaments.ratings.ordered_pairs import DatedCounts, Row

    Counts = dict[Row, int]
    PlayedResult = tuple[Game, str, str, int]
    """The game, the players, and who won (0, 1, or 2 for a draw)."""
    StatisticsByTitle = dict[str, dict[str, EngineStatistics]]


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

# Below, the most selective column comes first: rows are sorted, mostly of one game.
GROUPS = """
select game, first, second, winner, termination,
       count(*), sum(first_turns), sum(first_seconds), max(first_slowest),
       sum(second_turns), sum(second_seconds), max(second_slowest),
       max(lag), sum(lag >= ?), min(number)
from summaries where winner is not null group by second, first, winner, termination, game
"""

DEATHS = """
select game, engine, count(*) from deaths join summaries using (id)
where winner is not null group by game, engine
"""

LENGTHS = """
select game, termination, turns, count(*) from summaries where winner is not null
group by game, termination, turns
"""

COUNTS = """
select game, first, second, winner, count(*), count(distinct nullif(digest, 0)) + sum(digest = 0)
from summaries where winner is not null group by second, first, winner, game
order by min(number)
"""

REPEATS = """
select game, one, other, won, lost, drew, other_won, other_lost, other_drew, count(*) from (
    select game, min(first, second) as one, max(first, second) as other,
           sum(first < second and winner = 'first') as won,
           sum(first < second and winner = 'second') as lost,
           sum(first < second and winner = 'draw') as drew,
           sum(first > second and winner = 'first') as other_won,
           sum(first > second and winner = 'second') as other_lost,
           sum(first > second and winner = 'draw') as other_drew
    from summaries where winner is not null and (opening <> '' or digest <> 0)
    group by game, min(first, second), max(first, second), opening,
             case when opening = '' then first end, case when opening = '' then digest end
    having sum(first < second) > 1 or sum(first > second) > 1
) group by game, one, other, won, lost, drew, other_won, other_lost, other_drew
"""

RESULTS = """
select game, first, second, winner from summaries
where winner is not null order by number
"""

DATED = """
select game, first, second, winner, substr(finished, 1, 10) from summaries
where winner is not null order by number
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


class GameCounts(NamedTuple):
    """How often each combination of first player, second player and winner occurred in one game."""

    played: Counts
    distinct: Counts
    """The same without copies of earlier games."""
    repeats: Counter[Cluster]
    """The openings that two engines played repeatedly, see `ratings/clusters.py`."""


class Tallies(NamedTuple):
    """The results of each game in the order of first appearance, and how engines behaved."""

    counts: Mapping[Game, ResultCounts]
    statistics_by_title: StatisticsByTitle

    @property
    def games(self) -> int:
        """The number of games that count."""
        return sum(counts.games for counts in self.counts.values())

    @property
    def engines(self) -> set[str]:
        """The names of all engines that played."""
        return {
            name
            for counts in self.counts.values()
            for result in counts.results
            for name in result[:2]
        }


def tallies_of(connection: sqlite3.Connection, *, with_lengths: bool = False) -> Tallies:
    """Return the tallies of a ledger.

    The lengths of games take a separate pass. Raises ValueError or KeyError for a row that is not
    a game.
    """
    game, name, ending = cache(game_of), cache(engine_name), cache(_ending)
    found: dict[Game, ResultCounts] = {}
    begun: dict[Game, int] = {}
    statistics: dict[Game, dict[str, EngineStatistics]] = {}
    for row in connection.execute(GROUPS, (NOTABLE_LAG,)):
        text, first, second, word, end, number = row[:6]
        times_of_players, lags, earliest = (row[6:9], row[9:12]), row[12:14], row[14]
        kind, (termination, is_forfeit) = game(text), ending(end)
        players, winner = (name(first), name(second)), WINNER_BY_WORD[word]
        if (counts := found.get(kind)) is None:
            counts = found[kind] = ResultCounts()
            begun[kind], statistics[kind] = earliest, {}
        begun[kind] = min(begun[kind], earliest)
        counts.add_results((*players, winner, is_forfeit), termination, number)
        for seat, (player, times) in enumerate(zip(players, times_of_players, strict=True)):
            own = statistics[kind].setdefault(player, EngineStatistics())
            own.add(EngineStatistics(number, *times, *lags))
            if is_forfeit and winner == 1 - seat:
                own.faults[termination] += number
    for text, first, second, winner, _, distinct in connection.execute(COUNTS):
        found[game(text)].distinct[name(first), name(second), winner] += distinct
    for text, repeats in _repeats(connection).items():
        found[game(text)].repeats.update(repeats)
    if with_lengths:
        _add_lengths(connection, found)
    for kind, player, number in connection.execute(DEATHS):
        statistics[game(kind)].setdefault(player, EngineStatistics()).deaths += number
    return Tallies(
        {kind: found[kind] for kind in sorted(found, key=begun.__getitem__)},
        {str(kind): by_name for kind, by_name in statistics.items()},
    )


def _add_lengths(connection: sqlite3.Connection, found: Mapping[Game, ResultCounts]) -> None:
    game, ending = cache(game_of), cache(_ending)
    for kind, termination, turns, number in connection.execute(LENGTHS):
        if not ending(termination)[1]:
            found[game(kind)].lengths[int(turns)] += number


def _ending(text: str) -> tuple[Termination, bool]:
    """Return what ended a game, and whether it was a forfeit."""
    termination = Termination(text)
    return termination, termination.is_forfeit


def _repeats(connection: sqlite3.Connection) -> dict[str, Counter[Cluster]]:
    """Return the openings that two engines played repeatedly, by the JSON of the game."""
    found: dict[str, Counter[Cluster]] = {}
    name = cache(engine_name)
    for game, one, other, *seats, number in connection.execute(REPEATS):
        cluster = name(one), name(other), cast("Seats", tuple(seats))
        found.setdefault(game, Counter())[cluster] += number
    return found


def counts_of(connection: sqlite3.Connection) -> dict[str, GameCounts]:
    """Return the counts of each first player, second player and winner, and of what repeats.

    The counts are by the title of the game. Raises ValueError or KeyError for a row that is not
    a game.
    """
    title, name = cache(lambda game: str(game_of(game))), cache(engine_name)
    # Equal words become one object, and a wrong one raises KeyError.
    word = {word: word for word in WINNER_BY_WORD}
    found: dict[str, GameCounts] = {}
    for game, first, second, winner, number, distinct in connection.execute(COUNTS):
        played, known, _ = found.setdefault(title(game), GameCounts({}, {}, Counter()))
        row = name(first), name(second), word[winner]
        played[row] = played.get(row, 0) + number
        known[row] = known.get(row, 0) + distinct
    for game, repeats in _repeats(connection).items():
        found[title(game)].repeats.update(repeats)
    return found


def each_result(connection: sqlite3.Connection) -> Iterator[PlayedResult]:
    """Yield the results of the games that count, in the order in which they ended.

    Raises ValueError or KeyError for a row that is not a game.
    """
    kind, name = cache(game_of), cache(engine_name)
    for game, first, second, winner in connection.execute(RESULTS):
        won = WINNER_BY_WORD[winner]
        yield kind(game), name(first), name(second), 2 if won is None else won


def dated_counts(connection: sqlite3.Connection) -> dict[str, DatedCounts]:
    """Return the games that count, as dated counts with days in UTC, by the game's title.

    Raises ValueError or KeyError for a row that is not a game.
    """
    from oddly.tournaments.ratings.ordered_pairs import DatedCounts

    counts = cache(lambda game: found.setdefault(str(game_of(game)), DatedCounts()))
    day, name = cache(lambda text: date.fromisoformat(text).toordinal()), cache(engine_name)
    found: dict[str, DatedCounts] = {}
    for game, first, second, winner, finished in connection.execute(DATED):
        counts(game).add(name(first), name(second), winner, day(finished))
    return found

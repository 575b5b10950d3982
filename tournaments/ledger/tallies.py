"""The results of many games, counted by SQLite: no game becomes an object.

A few passes through the summaries yield everything that tables and ratings need. A million games of
200 engines form some ten thousand groups, by who played whom, who won, and how the game ended. A
copy of a game may end in another way, so distinct games are counted in a pass of their own.
"""

from __future__ import annotations

from collections import Counter
from datetime import date
from functools import cache
from typing import TYPE_CHECKING, NamedTuple, cast

from oddly.referee import Termination
from oddly.referee.justice.outcome import NOTABLE_LAG
from oddly.tournaments.ledger.summaries import engine_name, game_of
from oddly.tournaments.results.counts import WINNER_BY_WORD, EngineStatistics, ResultCounts

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterator, Mapping

    from oddly.games import Game
    from oddly.tournaments.ratings.clusters import Cluster, Seats
    from oddly.tournaments.ratings.ordered_pairs import DatedCounts, Row

    Counts = dict[Row, int]
    PlayedResult = tuple[Game, str, str, int]
    """The game, the players, and who won (0, 1, or 2 for a draw)."""

    StatisticsByTitle = dict[str, dict[str, EngineStatistics]]

# In SQL below, the most selective column comes first: rows are sorted, mostly of one game.
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

"""The results to rate, from a ledger, from CSV or from files of games."""

from __future__ import annotations

import sys
from collections import Counter
from typing import TYPE_CHECKING

from oddly.game_records import format_of_file, read_games
from oddly.games import one_line
from oddly.interfaces.command_line.errors import BadInputError
from oddly.referee import RecordError
from oddly.safe_files import is_sqlite_file
from oddly.tournaments import RatedGame, Results, ResultsFile, read_results
from oddly.tournaments.ledger.results_file import sum_of
from oddly.tournaments.ratings.clusters import ClusterCounts
from oddly.tournaments.ratings.ordered_pairs import WINNERS, Row, from_counts, problem

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from oddly.game_records import KeptGame

WITH_PLAYERS = ("abstract-play", "jsonl", "sgf")
"""The formats of games that say who played; a list of turns does not."""


def results_to_rate(path: Path) -> ResultsFile:
    """Return the results in a file.

    Raises ResultsFileError or BadInputError for a file without results, and LedgerError for a
    damaged ledger.
    """
    if not path.is_file() or is_sqlite_file(path) or format_of_file(path) not in WITH_PLAYERS:
        return read_results(path)
    try:
        return _results(read_games(path, notice=_tell), path)
    except (RecordError, OSError) as error:
        raise BadInputError(f"ratings: {path}: {error}") from None


def _tell(sentence: str) -> None:
    print(f"oddly: {one_line(sentence)}", file=sys.stderr)


def _results(games: Iterable[KeptGame], path: Path) -> ResultsFile:
    """Count the games and their repeats, game by game. Raises BadInputError."""
    played: dict[str, Counter[Row]] = {}
    distinct: dict[str, Counter[Row]] = {}
    clusters: dict[str, ClusterCounts] = {}
    seen = set()
    for kept in games:
        record, winner = kept.record, kept.record.outcome.winner
        if record.outcome.is_void:
            continue
        row = RatedGame(*record.players, WINNERS[2 if winner is None else winner])
        if wrong := problem(row):
            raise BadInputError(f"ratings: {path}: {wrong}")
        title, turns = str(record.game), tuple(turn.turn for turn in record.turns)
        played.setdefault(title, Counter())[row] += 1
        content = title, row, record.opening, turns
        is_new = content not in seen
        seen.add(content)
        distinct.setdefault(title, Counter())[row] += is_new
        opening = turns[: record.opening]
        cluster = opening or (record.players[0], turns)
        clusters.setdefault(title, ClusterCounts()).add(*record.players, winner, cluster)
    if not played:
        raise BadInputError(f"ratings: {path} has no finished game")
    found: dict[str, Results] = {
        title: from_counts(counts, (), distinct[title], clusters[title].repeats)
        for title, counts in played.items()
    }
    if len(found) == 1:
        return ResultsFile(next(iter(found.values())), {})
    repeats = sum_of(each.repeats for each in clusters.values())
    everything = from_counts(sum_of(played.values()), (), sum_of(distinct.values()), repeats)
    return ResultsFile(everything, found)

"""Reads the results of games to rate, from a ledger or a CSV file."""

from __future__ import annotations

import csv
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from oddly.games import GAMES, did_you_mean
from oddly.games.untrusted_text import from_csv_cell
from oddly.safe_files import is_sqlite_file
from oddly.tournaments.ledger.rulings import Rulings
from oddly.tournaments.ledger.schema import LedgerError
from oddly.tournaments.ledger.store import Ledger
from oddly.tournaments.ratings.clusters import Cluster, ClusterCounts
from oddly.tournaments.ratings.ordered_pairs import (
    FIRST,
    SECOND,
    WINNERS,
    RatedGame,
    Results,
    Row,
    from_counts,
    problem,
)

if TYPE_CHECKING:
    from _csv import Reader
    from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
    from typing import TextIO


Counted = TypeVar("Counted")


@dataclass(frozen=True, slots=True)
class ResultsFile:
    """The results in a file."""

    everything: Results
    by_game: Mapping[str, Results]
    """The results of each game by its title; empty if there is only one game."""
    rulings: Rulings = field(default_factory=Rulings)
    """The rulings of the arbiter of a ledger."""


def read_results(path: str | Path) -> ResultsFile:
    """Return the results in a ledger or a CSV file.

    Raises ResultsFileError for a file without results, and LedgerError for a damaged ledger.
    """
    path = Path(path)
    if not is_sqlite_file(path):
        return ResultsFile(read_csv(path), {})
    with Ledger(path, read_only=True) as ledger, ledger.at_one_moment():
        facts, by_game = ledger.event() or {}, ledger.all_counts()
        rulings = ledger.rulings()
    if not by_game:
        raise ResultsFileError(f"{path} has no games yet")
    engines = facts.get("engines", ())
    try:
        found = {
            title: from_counts(counts.played, engines, counts.distinct, counts.repeats)
            for title, counts in by_game.items()
        }
        if len(found) == 1:
            return ResultsFile(next(iter(found.values())), {}, rulings)
        everything = from_counts(
            sum_of(counts.played for counts in by_game.values()),
            engines,
            sum_of(counts.distinct for counts in by_game.values()),
            sum_of(counts.repeats for counts in by_game.values()),
        )
        return ResultsFile(everything, found, rulings)
    except ValueError as error:
        raise LedgerError(f"{path} is damaged: {error}") from None


def sum_of(parts: Iterable[Mapping[Counted, int]]) -> Counter[Counted]:
    """Return the counts of several games together."""
    total: Counter[Counted] = Counter()
    for part in parts:
        total.update(part)
    return total


COLUMNS = RatedGame._fields
OTHERS = COPY, OPENING, IDENTITY, TITLE = "copy_of", "opening", "id", "game"
"""Optional columns: for copies of a game, the id of the first; the opening; the game's own id; and
what was played, such as `odd 5`."""
MAX_LINE_LENGTH = 1 << 16


class ResultsFileError(ValueError):
    """A file without results to rate. One sentence with its place."""


def read_csv(path: Path) -> Results:
    """Return the results in a CSV file. Its first line names the columns first, second, winner.

    Games with a value in the column copy_of, if there is one, count as copies, see `_Copies`. Games
    with equal values there, or in a column opening, are a cluster, see `ratings/clusters.py`;
    openings of different games are not equal. Other columns are ignored. Raises ResultsFileError if
    the file cannot be read or has no results.
    """
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            played, copies, repeats = _count(path, file)
            return from_counts(played, (), played - copies, repeats)
    except FileNotFoundError:
        near = did_you_mean(path.name, [p.name for p in path.parent.glob("*.csv")])
        raise ResultsFileError(f"there is no file {path}{near}") from None
    except IsADirectoryError:
        raise ResultsFileError(f"{path} is a directory, not a file of results") from None
    except UnicodeDecodeError:
        raise ResultsFileError(f"{path} is not UTF-8 text") from None
    except OSError as error:
        raise ResultsFileError(f"{path} cannot be read: {error.strerror}") from None


def _count(path: Path, file: TextIO) -> tuple[Counter[Row], Counter[Row], Counter[Cluster]]:
    """Return how often each game occurs, how often as a copy, and the repeated openings.

    Each game is checked at its first occurrence.
    """
    rows = csv.reader(_lines(path, file), strict=True)

    def refuse(sentence: str) -> ResultsFileError:
        return ResultsFileError(f"{path}:{rows.line_num or 1}: {sentence}")

    counts: Counter[Row] = Counter()
    copies = _Copies()
    clusters = ClusterCounts()
    try:
        header = next(_filled(rows), [])
        places = _places(header, refuse)
        others = {name: header.index(name) for name in OTHERS if name in header}
        for row in _filled(rows):
            if len(row) != len(header):
                raise refuse(f"{len(header)} values expected, as in line 1, found {len(row)}")
            game = RatedGame(*[from_csv_cell(row[place]) for place in places])
            if game not in counts and (wrong := problem(game)):
                raise refuse(wrong + _nearest_winner(game))
            counts[game] += 1
            extra = {name: row[place] for name, place in others.items()}
            copies.add(game, extra)
            if (cluster := _cluster(extra)) is not None:
                winner = WINNERS.index(game.winner)
                clusters.add(*game[:2], None if winner == 2 else winner, cluster)
    except csv.Error as error:
        raise refuse(f"not CSV: {error}") from None
    if not counts:
        raise ResultsFileError(f"{path} has no games")
    return counts, copies.counts, clusters.repeats


class _Copies:
    """The games that repeat the turns of another.

    Those that end with another winner than the original are no copies of it, but of each other.
    """

    def __init__(self) -> None:
        self._winners: dict[str, str] = {}
        """The winner of each game by its id."""
        self._marked: Counter[tuple[str, RatedGame]] = Counter()

    def add(self, game: RatedGame, extra: Mapping[str, str]) -> None:
        """Count a game; `extra` has its values in the columns of OTHERS."""
        if original := extra.get(COPY):
            self._marked[original, game] += 1
        elif COPY in extra:
            self._winners[extra.get(IDENTITY, "")] = game.winner

    @property
    def counts(self) -> Counter[Row]:
        """How often each game is a copy."""
        copies: Counter[Row] = Counter()
        for (original, game), number in self._marked.items():
            is_new = self._winners.get(original, game.winner) != game.winner
            copies[game] += number - is_new
        return copies


def _cluster(extra: Mapping[str, str]) -> Hashable:
    """Return what a game shares with those from its opening or with its copies; None for nothing.

    `extra` has its values in the columns of OTHERS.
    """
    if opening := extra.get(OPENING):
        title = extra.get(TITLE, "")
        # In files from elsewhere, this column may number the games.
        return OPENING, opening, title if title.partition(" ")[0] in GAMES else ""
    original = extra.get(COPY) or (COPY in extra and extra.get(IDENTITY))
    return (COPY, original) if original else None


def _lines(path: Path, file: TextIO) -> Iterator[str]:
    """Yield the lines of a file. Raises ResultsFileError for a line that is too long."""
    number = 0
    while line := file.readline(MAX_LINE_LENGTH):
        number += 1
        if len(line) == MAX_LINE_LENGTH:
            raise ResultsFileError(
                f"{path}:{number}: a line has {MAX_LINE_LENGTH} characters or more"
            )
        yield line


def _filled(rows: Reader) -> Iterator[list[str]]:
    """Return the rows without the empty lines."""
    return (row for row in rows if row)


def _places(header: list[str], refuse: Callable[[str], ResultsFileError]) -> list[int]:
    """Return the places of the columns."""
    for column in (*COLUMNS, COPY, OPENING):
        if header.count(column) > 1:
            raise refuse(f"the column {column!r} appears twice")
        if column not in header and column in COLUMNS:
            others = [name for name in header if name not in COLUMNS]
            expected = f"the first line names the columns {', '.join(COLUMNS)}"
            raise refuse(f"there is no column {column!r}: {expected}{_misspelt(column, others)}")
    return [header.index(column) for column in COLUMNS]


def _misspelt(column: str, others: list[str]) -> str:
    """Return `; did you mean 'winner' by 'winer'?` if another column's name is close."""
    for other in others:
        if near := did_you_mean(other.strip(), [column]):
            return near.replace("?", f" by {other!r}?")
    return ""


def _nearest_winner(game: RatedGame) -> str:
    """Return a suggestion if a game has a wrong winner alone: a name, or a word misspelt."""
    if problem(game._replace(winner=FIRST)) is not None:
        return ""
    by_name = {game.first: FIRST, game.second: SECOND}
    if game.winner in by_name:
        return f"; did you mean {by_name[game.winner]!r}?"
    return did_you_mean(game.winner, WINNERS)

"""Reading the results of games to rate, from a ledger or a CSV file."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from oddly.tournaments.ledger.opening import is_ledger
from oddly.tournaments.ledger.rulings import Rulings
from oddly.tournaments.ledger.schema import LedgerError
from oddly.tournaments.ledger.store import Ledger
from oddly.tournaments.ratings.csv_file import ResultsFileError, read_csv
from oddly.tournaments.ratings.ordered_pairs import from_counts

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from oddly.tournaments.ratings.ordered_pairs import Results, Row


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
    if not is_ledger(path):
        return ResultsFile(read_csv(path), {})
    with Ledger(path, read_only=True) as ledger:
        facts, by_game = ledger.event() or {}, ledger.all_counts()
        rulings = ledger.rulings()
    if not by_game:
        raise ResultsFileError(f"{path} has no games yet")
    engines = facts.get("engines", ())
    try:
        found = {
            title: from_counts(distinct, engines, played)
            for title, (played, distinct) in by_game.items()
        }
        if len(found) == 1:
            return ResultsFile(next(iter(found.values())), {}, rulings)
        played, distinct = (sum_of(counts) for counts in zip(*by_game.values(), strict=True))
        everything = from_counts(distinct, engines, played)
        return ResultsFile(everything, found, rulings)
    except ValueError as error:
        raise LedgerError(f"{path} is damaged: {error}") from None


def sum_of(parts: Iterable[Mapping[Row, int]]) -> Counter[Row]:
    """Return the counts of several games together."""
    total: Counter[Row] = Counter()
    for part in parts:
        total.update(part)
    return total

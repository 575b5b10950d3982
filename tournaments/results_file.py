"""Reading the results of games to rate, from a ledger or a CSV file."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from tournaments.ledger.opening import is_ledger
from tournaments.ledger.rulings import Rulings
from tournaments.ledger.schema import LedgerError
from tournaments.ledger.store import Ledger
from tournaments.ratings.csv_file import ResultsFileError, read_csv
from tournaments.ratings.ordered_pairs import from_counts

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tournaments.ratings.ordered_pairs import Results


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
        facts, played = ledger.event() or {}, ledger.counts()
        counts = ledger.counts(distinct=True)
        several = len(facts.get("games", ())) > 1
        played_by_game = ledger.counts_by_game() if several else {}
        by_game = ledger.counts_by_game(distinct=True) if several else {}
        rulings = ledger.rulings()
    if not counts:
        raise ResultsFileError(f"{path} has no games yet")
    engines = facts.get("engines", ())
    try:
        everything = from_counts(counts, engines, played)
        if len(by_game) < 2:
            return ResultsFile(everything, {}, rulings)
        found = {
            title: from_counts(own, engines, played_by_game[title])
            for title, own in by_game.items()
        }
        return ResultsFile(everything, found, rulings)
    except ValueError as error:
        raise LedgerError(f"{path} is damaged: {error}") from None

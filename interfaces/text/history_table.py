"""The table of ratings over time, line by line, since it may be long."""

from __future__ import annotations

from typing import TYPE_CHECKING

from oddly.games import table_cell
from oddly.interfaces.text.summary_tables import elo_text
from oddly.interfaces.text.tables import DEFAULT_FORMAT, aligned_lines

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from oddly.tournaments.ratings.over_time import RatingHistory


def history_lines(
    history: RatingHistory, period: str, format_: str = DEFAULT_FORMAT
) -> Iterator[str]:
    """Yield a table with a row for each engine and period in which it played, as it is printed.

    The engine with the highest last rating comes first. `moved` is the difference from the engine's
    first rating.
    """
    headers = ["", "engine", f"{period} from", "games", "Elo", "+-95 %", "moved", "+-95 %"]
    return aligned_lines(lambda: _history_rows(history, format_), headers, format_)


def _history_rows(history: RatingHistory, format_: str) -> Iterator[Sequence[str]]:
    for place, engine in enumerate(history.engines, start=1):
        number, name = str(place), table_cell(engine.name, format_)
        for index, rating in enumerate(engine.periods):
            yield (
                number,
                name,
                rating.begins.isoformat(),
                str(rating.games),
                elo_text(rating.elo),
                elo_text(rating.error_95),
                elo_text(rating.moved) if index else "-",
                elo_text(rating.moved_error_95) if index else "-",
            )

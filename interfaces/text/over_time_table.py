"""Ratings over time as a text table."""

from __future__ import annotations

from typing import TYPE_CHECKING

from games.untrusted_text import table_cell
from interfaces.text.ratings_table import elo_text
from interfaces.text.tables import DEFAULT_FORMAT, aligned

if TYPE_CHECKING:
    from tournaments.ratings.over_time import RatingHistory


def history_table(history: RatingHistory, period: str, format_: str = DEFAULT_FORMAT) -> str:
    """A row for each engine and period in which it played, the strongest at the end first.

    `moved` is how far the rating is from the engine's first.
    """
    headers = ["", "engine", f"{period} from", "games", "Elo", "+-95 %", "moved", "+-95 %"]
    rows = [
        (
            str(place),
            table_cell(engine.name, format_),
            rating.begins.isoformat(),
            str(rating.games),
            elo_text(rating.elo),
            elo_text(rating.error_95),
            elo_text(rating.moved) if index else "-",
            elo_text(rating.moved_error_95) if index else "-",
        )
        for place, engine in enumerate(history.engines, start=1)
        for index, rating in enumerate(engine.periods)
    ]
    return aligned(rows, headers, format_)

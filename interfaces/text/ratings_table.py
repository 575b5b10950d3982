"""Ratings as a text table."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from tabulate import tabulate

from games.untrusted_text import table_cell
from interfaces.text.tables import DEFAULT_FORMAT

if TYPE_CHECKING:
    from tournaments.ratings.ratings import AdvantageTest, Ratings

HEADERS = ("", "engine", "Elo", "+-95 %", "games", "score", "LOS to next")
SMALLEST_P_VALUE = 0.0001


def rating_table(ratings: Ratings, format_: str = DEFAULT_FORMAT) -> str:
    """One engine a row, strongest first. LOS is the chance to be stronger than the one below."""
    order = ratings.order()
    superiority = [
        f"{100 * ratings.likelihood_of_superiority(above, below):.1f} %"
        for above, below in pairwise(order)
    ]
    rows = [
        (
            str(place),
            table_cell(ratings.names[engine], format_),
            elo_text(ratings.elo[engine]),
            elo_text(ratings.errors_95[engine]),
            str(ratings.games[engine]),
            _score_text(ratings.score(engine)),
            los,
        )
        for place, (engine, los) in enumerate(zip(order, [*superiority, "-"], strict=True), 1)
    ]
    return tabulate(
        rows,
        HEADERS,
        tablefmt=format_,
        colalign=("right", "left", *["right"] * (len(HEADERS) - 2)),
        disable_numparse=True,
    )


def advantage_line(ratings: Ratings, test: AdvantageTest) -> str:
    """The advantage of playing first with its error bar and whether it is real."""
    p_value = test.p_value
    size = f"= {p_value:.4f}" if p_value >= SMALLEST_P_VALUE else f"< {SMALLEST_P_VALUE}"
    return (
        f"first-player advantage: {elo_text(ratings.advantage)} "
        f"+- {elo_text(ratings.advantage_error_95)} Elo (p {size} if there is none)"
    )


def _score_text(score: float | None) -> str:
    return "-" if score is None else f"{100 * score:.1f} %"


def elo_text(elo: float) -> str:
    """One decimal, and 0.0 without a sign."""
    return f"{round(float(elo), 1) + 0.0:.1f}"

"""Ratings as text, through tabulate, and the same facts as plain values for JSON."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

from tabulate import tabulate

from interfaces.text.tables import DEFAULT_FORMAT, shown

if TYPE_CHECKING:
    from tournaments.ratings.ratings import AdvantageTest, Ratings

HEADERS = ("", "engine", "Elo", "+-95 %", "games", "score", "LOS to next")
DECIMALS = 3
"""Of Elo and scores in JSON; what follows is rounding and depends on the machine."""
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
            shown(ratings.names[engine], format_),
            elo_text(ratings.elo[engine]),
            elo_text(ratings.errors_95[engine]),
            str(ratings.games[engine]),
            _score_text(_score(ratings, engine)),
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


def ratings_json(ratings: Ratings) -> dict[str, Any]:
    """The facts: Elo, half the width of the 95 % interval, games, and points per game."""
    return {
        "ratings": [
            {
                "name": ratings.names[engine],
                "elo": rounded(ratings.elo[engine]),
                "error_95": rounded(ratings.errors_95[engine]),
                "games": int(ratings.games[engine]),
                "score": rounded(_score(ratings, engine)),
            }
            for engine in ratings.order()
        ],
        "first_player_advantage": {
            "elo": rounded(ratings.advantage),
            "error_95": rounded(ratings.advantage_error_95),
        },
    }


def _score(ratings: Ratings, engine: int) -> float | None:
    """Points per game; None without games."""
    games = int(ratings.games[engine])
    return float(ratings.points[engine]) / games if games else None


def _score_text(score: float | None) -> str:
    return "-" if score is None else f"{100 * score:.1f} %"


def elo_text(elo: float) -> str:
    """One decimal, and 0.0 without a sign."""
    return f"{round(float(elo), 1) + 0.0:.1f}"


def rounded(value: float | None) -> float | None:
    """To DECIMALS, and 0.0 without a sign."""
    return None if value is None else round(float(value), DECIMALS) + 0.0

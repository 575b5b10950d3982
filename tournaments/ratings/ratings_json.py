"""Ratings as plain values for JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tournaments.ratings.over_time import PeriodRating, RatingHistory
    from tournaments.ratings.ratings import Ratings

DECIMALS = 3
"""Of Elo and scores; what follows is rounding and depends on the machine."""


def ratings_json(ratings: Ratings) -> dict[str, Any]:
    """The facts: Elo, half the width of the 95 % interval, games, and points per game."""
    return {
        "ratings": [
            {
                "name": ratings.names[engine],
                "elo": rounded(ratings.elo[engine]),
                "error_95": rounded(ratings.errors_95[engine]),
                "games": int(ratings.games[engine]),
                "score": rounded(ratings.score(engine)),
            }
            for engine in ratings.order()
        ],
        "first_player_advantage": {
            "elo": rounded(ratings.advantage),
            "error_95": rounded(ratings.advantage_error_95),
        },
    }


def history_json(history: RatingHistory) -> dict[str, Any]:
    """The facts: each engine's ratings by period, and the advantage of playing first."""
    return {
        "engines": [
            {"name": engine.name, "ratings": [_facts(rating) for rating in engine.periods]}
            for engine in history.engines
        ],
        "first_player_advantage": {"elo": rounded(history.advantage)},
    }


def _facts(rating: PeriodRating) -> dict[str, Any]:
    return {
        "from": rating.begins.isoformat(),
        "games": rating.games,
        "elo": rounded(rating.elo),
        "error_95": rounded(rating.error_95),
        "moved": rounded(rating.moved),
        "moved_error_95": rounded(rating.moved_error_95),
    }


def rounded(value: float | None) -> float | None:
    """To DECIMALS, and 0.0 without a sign."""
    return None if value is None else round(float(value), DECIMALS) + 0.0

"""Ratings as plain values for JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from oddly.tournaments.ratings.over_time import PeriodRating, RatingHistory
    from oddly.tournaments.ratings.ratings import Ratings

DECIMALS = 3
"""The decimals of Elo and scores; further digits are rounding and depend on the machine."""


def ratings_json(ratings: Ratings) -> dict[str, Any]:
    """Return each engine with its Elo, half the width of its 95 % interval, games and score."""
    return {
        "ratings": [
            {
                "name": ratings.names[engine],
                **elo_facts(
                    ratings.elo[engine], ratings.errors_95[engine], ratings.unknown(engine)
                ),
                "games": int(ratings.played[engine]),
                "distinct": int(ratings.games[engine]),
                "score": rounded(ratings.score(engine)),
            }
            for engine in ratings.order()
        ],
        "first_player_advantage": elo_facts(
            ratings.advantage, ratings.advantage_error_95, ratings.unknown_advantage
        ),
    }


def elo_facts(elo: float, error: float, unknown: str | None) -> dict[str, Any]:
    """Return a rating with its error bar, or null for both and why they are not known."""
    if unknown is not None:
        return {"elo": None, "error_95": None, "unknown": unknown}
    return {"elo": rounded(elo), "error_95": rounded(error), "unknown": None}


def history_json(history: RatingHistory) -> dict[str, Any]:
    """Return each engine's ratings by period, and the advantage of playing first."""
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
    """Return the value with DECIMALS, and 0.0 without a sign; None for None."""
    return None if value is None else round(float(value), DECIMALS) + 0.0

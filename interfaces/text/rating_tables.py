"""Ratings as text tables: one for each engine, or one for each engine and period."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from oddly.games import table_cell
from oddly.interfaces.text.tables import DEFAULT_FORMAT, aligned

if TYPE_CHECKING:
    from collections.abc import Sequence

    from oddly.tournaments import AdvantageTest, GameSummary, Ratings
    from oddly.tournaments.ratings.over_time import RatingHistory


HEADERS = ("", "engine", "Elo", "+-95 %", "games", "distinct", "score", "LOS to next")
SMALLEST_P_VALUE = 0.0001


def rating_table(ratings: Ratings, format_: str = DEFAULT_FORMAT) -> str:
    """Return ratings, one engine a row, the strongest first.

    LOS is the probability to be stronger than the engine in the next row.
    """
    order = ratings.order()
    superiority = [
        f"{100 * ratings.likelihood_of_superiority(above, below):.1f} %"
        for above, below in pairwise(order)
    ]
    rows = [
        (
            str(place),
            table_cell(ratings.names[engine], format_),
            "-" if ratings.unknown(engine) else elo_text(ratings.elo[engine]),
            ratings.unknown(engine) or elo_text(ratings.errors_95[engine]),
            str(ratings.played[engine]),
            str(ratings.games[engine]),
            _score_text(ratings.score(engine)),
            los,
        )
        for place, (engine, los) in enumerate(zip(order, [*superiority, "-"], strict=True), 1)
    ]
    return aligned(rows, HEADERS, format_)


def history_table(history: RatingHistory, period: str, format_: str = DEFAULT_FORMAT) -> str:
    """Return a row for each engine and period in which it played, the last strongest first.

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


def advantage_line(ratings: Ratings, test: AdvantageTest) -> str:
    """Return the advantage of playing first, with its error bar and whether it is real."""
    if ratings.unknown_advantage is not None:
        return f"first-player advantage: {ratings.unknown_advantage}"
    p_value = test.p_value
    size = f"= {p_value:.4f}" if p_value >= SMALLEST_P_VALUE else f"< {SMALLEST_P_VALUE}"
    return (
        f"first-player advantage: {elo_text(ratings.advantage)} "
        f"+- {elo_text(ratings.advantage_error_95)} Elo (p {size} if there is none)"
    )


def _score_text(score: float | None) -> str:
    return "-" if score is None else f"{100 * score:.1f} %"


def elo_text(elo: float) -> str:
    """Return Elo with one decimal, and 0.0 without a sign."""
    return f"{round(float(elo), 1) + 0.0:.1f}"


def ratings_by_game(summaries: Sequence[GameSummary], format_: str = DEFAULT_FORMAT) -> str:
    """Return the Elo of each engine at each game with its 95 % error, one engine a row.

    The rows are in the order of the last summary, which is the total if there are several games.
    """
    games = [summary for summary in summaries if summary.game is not None]
    headers = ["", "engine", *(f"{each.game.name} {each.game.size}" for each in games if each.game)]
    rows = [
        [str(place), table_cell(name, format_), *(_rating(game, name) for game in games)]
        for place, name in enumerate(summaries[-1].order, start=1)
    ]
    return aligned(rows, headers, format_)


def _rating(summary: GameSummary, name: str) -> str:
    strength = summary.strength
    if strength is None:
        return "-"
    unknown = strength.unknown(name)
    return unknown or f"{strength.elo(name):z.0f} +- {strength.error_95(name):.0f}"

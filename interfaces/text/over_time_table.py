"""Ratings over time as text, and the same facts as plain values for JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from interfaces.text.ratings_table import elo_text, rounded
from interfaces.text.tables import DEFAULT_FORMAT, aligned, shown

if TYPE_CHECKING:
    from tournaments.ratings.over_time import History, Moment


def history_table(history: History, period: str, format_: str = DEFAULT_FORMAT) -> str:
    """A row for each engine and period in which it played, the strongest at the end first.

    `moved` is how far the rating is from the engine's first.
    """
    headers = ["", "engine", f"{period} from", "games", "Elo", "+-95 %", "moved", "+-95 %"]
    rows = [
        (
            str(place),
            shown(course.name, format_),
            moment.begins.isoformat(),
            str(moment.games),
            elo_text(moment.elo),
            elo_text(moment.error_95),
            elo_text(moment.moved) if index else "-",
            elo_text(moment.moved_error_95) if index else "-",
        )
        for place, course in enumerate(history.courses, start=1)
        for index, moment in enumerate(course.moments)
    ]
    return aligned(rows, headers, format_)


def history_json(history: History) -> dict[str, Any]:
    """The facts: each engine's ratings by period, and the advantage of playing first."""
    return {
        "engines": [
            {"name": course.name, "ratings": [_facts(moment) for moment in course.moments]}
            for course in history.courses
        ],
        "first_player_advantage": {"elo": rounded(history.advantage)},
    }


def _facts(moment: Moment) -> dict[str, Any]:
    return {
        "from": moment.begins.isoformat(),
        "games": moment.games,
        "elo": rounded(moment.elo),
        "error_95": rounded(moment.error_95),
        "moved": rounded(moment.moved),
        "moved_error_95": rounded(moment.moved_error_95),
    }

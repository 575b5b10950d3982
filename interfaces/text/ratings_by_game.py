"""The ratings of engines at several games, side by side."""

from __future__ import annotations

from typing import TYPE_CHECKING

from oddly.games.untrusted_text import table_cell
from oddly.interfaces.text.tables import DEFAULT_FORMAT, aligned

if TYPE_CHECKING:
    from collections.abc import Sequence

    from oddly.tournaments.results.game_summary import GameSummary


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

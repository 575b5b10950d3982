"""The table of `oddly play --levels`: each level with its measured strength in each game."""

from __future__ import annotations

from typing import TYPE_CHECKING

from oddly.engines.levels import levels
from oddly.interfaces.human_play.level_words import what_the_ratings_say

if TYPE_CHECKING:
    from collections.abc import Sequence

    from oddly.games.game import Game


def level_table(games: Sequence[Game], engine: str) -> str:
    """Return the levels of an engine, with their Elo in these games."""
    from tabulate import tabulate

    columns = [levels(game) for game in games]
    rows = [
        (
            same[0].number,
            same[0].name,
            *("-" if level.rating is None else f"+{level.rating}" for level in same),
        )
        for same in zip(*columns, strict=True)
    ]
    headers = ("level", "name", *(f"{game.title}, Elo" for game in games))
    notes = (
        "Elo counts from level 1, as measured on the usual boards; on smaller boards the levels\n"
        "are closer to each other."
        if len(games) > 1
        else what_the_ratings_say(games[0])
    )
    align = ("right", "left", *["right"] * len(games))
    table = tabulate(rows, headers, disable_numparse=True, colalign=align)
    return f"The levels of {engine}:\n\n{table}\n\n{notes}"

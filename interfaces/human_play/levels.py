"""The levels in words, and as a table with their measured strength."""

from __future__ import annotations

from typing import TYPE_CHECKING

from oddly.engines.levels import levels

if TYPE_CHECKING:
    from collections.abc import Sequence

    from oddly.engines.levels import Level
    from oddly.games import Game


def level_text(level: Level) -> str:
    """Return `Level 3, learner (+340 Elo)`, or the name alone of a level that is not measured."""
    strength = f" (+{level.rating} Elo)" if level.rating else ""
    return f"Level {level.number}, {level.name}{strength}"


def what_the_ratings_say(game: Game) -> str:
    """Return on which board the levels were measured, and what that means for others."""
    usual = type(game)()
    board = f"base {usual.size}" if usual.board.shape == "hexhex" else f"{usual.size}x{usual.size}"
    return (
        f"Elo counts from level 1, as measured on {usual.title}'s usual board, {board}; on smaller "
        "boards the levels are closer to each other."
    )


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

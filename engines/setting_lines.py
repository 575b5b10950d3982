"""The lines of `list_settings`: the sizes and settings of each game that an engine plays."""

from __future__ import annotations

from oddly.games.catalogue import GAMES, create_game
from oddly.games.errors import GameError
from oddly.games.game import MAX_SIZE
from oddly.games.settings import setting_text, settings_of


def setting_lines(name: str) -> list[str]:
    """Return a line for each setting of a game, and one for the sizes of each shape of board."""
    usual = create_game(name)
    lines = []
    boards = ["hexhex", "square"] if "board" in usual.settings else [""]
    for board in boards:
        sizes = " ".join(map(str, _sizes(name, board)))
        condition = f" if board {board}" if board else ""
        lines.append(f"{name} size type choice default {usual.size} choices {sizes}{condition}")
    for setting, info in settings_of(GAMES[name]).items():
        kind = {int: "integer", bool: "boolean", str: "choice" if info.choices else "text"}
        line = f"{name} {setting} type {kind[info.kind]} default {setting_text(info.default)}"
        if info.unlimited:
            line += " min 1"
        if info.choices and info.kind is str:
            line += f" choices {' '.join(info.choices)}"
        lines.append(line)
    return lines


def _sizes(name: str, board: str) -> list[int]:
    """Return the sizes of a game on boards of a shape, or on all that it has."""
    found = []
    for size in range(1, MAX_SIZE + 1):
        try:
            create_game(name, size, {"board": board} if board else None)
        except GameError:
            continue
        found.append(size)
    return found

"""Games and their settings, read from headings such as `odd 5 (board square, min_group 5)`."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from oddly.games.catalogue import create_game, read_setting
from oddly.games.errors import GameError

if TYPE_CHECKING:
    from oddly.games.game import Game

_NAME = re.compile(r"([a-z]{1,20}) ([0-9]{1,3})(?: \(([a-z0-9_, ]{1,200})\))?", re.ASCII)


def game_named(text: str) -> Game | None:
    """Return the game with that heading, `odd 5 (board square, min_group 5)`, or None."""
    found = _NAME.fullmatch(text.strip())
    if found is None:
        return None
    name, size, listed = found.groups()
    settings: dict[str, object] = {}
    try:
        for words in listed.split(", ") if listed else ():
            setting, _, value = words.partition(" ")
            settings[setting] = read_setting(name, setting, value)
        return create_game(name, int(size), settings)
    except GameError:
        return None

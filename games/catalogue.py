"""The games there are, and how one is made from its name, size and settings."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from games.ayu import Ayu
from games.errors import GameError, did_you_mean
from games.odd import Odd
from games.xodd import Xodd
from games.yodd import Yodd

if TYPE_CHECKING:
    from collections.abc import Mapping

    from games.game import Game

GAMES: dict[str, type[Game]] = {game.name: game for game in (Yodd, Xodd, Odd, Ayu)}

# What each setting is called here, in a game's dataclass, and what it holds.
_SETTINGS: dict[str, dict[str, tuple[str, type]]] = {
    "yodd": {},
    "xodd": {},
    "odd": {"board": ("shape", str), "min_group": ("min_group", int)},
    "ayu": {"pie": ("pie", bool)},
}

_NOUNS: dict[type, str] = {bool: "true or false", int: "a whole number", str: "a word"}


def setting_types(name: str) -> dict[str, type]:
    """The settings of a game besides its size, with the type of their values."""
    return {setting: kind for setting, (_, kind) in _SETTINGS[known_game(name)].items()}


def known_game(name: str) -> str:
    """The name of the game in lower case. Raises GameError if there is none of that name."""
    if name.lower() in GAMES:
        return name.lower()
    raise GameError(
        f"unknown game {name!r}: expected one of {', '.join(GAMES)}{did_you_mean(name, GAMES)}"
    )


def create_game(
    name: str, size: int | None = None, settings: Mapping[str, object] | None = None
) -> Game:
    """The game of that name; what is left out takes its default.

    Raises GameError, in one sentence, for an unknown game or setting, a value of the wrong type
    or a size out of range.
    """
    name = known_game(name)
    fields: dict[str, Any] = {} if size is None else {"size": size}
    for setting, value in (settings or {}).items():
        field, kind = _known_setting(name, setting)
        if type(value) is not kind:
            raise GameError(
                f"setting {setting} of {name} is {_NOUNS[kind]}, not {value!r}", setting
            )
        fields[field] = value
    return GAMES[name](**fields)


def read_setting(name: str, setting: str, text: str) -> object:
    """A setting's value from its text, as the protocol and the command line write it."""
    name = known_game(name)
    _, kind = _known_setting(name, setting)
    if kind is bool and text.lower() in ("true", "false"):
        return text.lower() == "true"
    if kind is int and text.isascii() and text.isdigit() and len(text) <= 9:
        return int(text)
    if kind is str:
        return text.lower()
    raise GameError(f"setting {setting} of {name} is {_NOUNS[kind]}, not {text!r}", setting)


def _known_setting(name: str, setting: str) -> tuple[str, type]:
    known = _SETTINGS[name]
    if setting in known:
        return known[setting]
    expected = f"it has {', '.join(known)}" if known else "it has none"
    raise GameError(
        f"{name} has no setting {setting!r}: {expected}{did_you_mean(setting, known)}", setting
    )

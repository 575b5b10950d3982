"""A game's settings besides its size, and the checks of sizes."""

from __future__ import annotations

from dataclasses import MISSING, dataclass, field, fields
from functools import cache
from typing import TYPE_CHECKING, Any, TypeVar, cast

from oddly.games.turns import GameError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from oddly.games.board import Shape

Setting = int | str | bool
"""A setting's value: a threshold, a word such as a board's shape, or a switch."""

LARGEST_BASE = 13
LARGEST_SQUARE = 19
LARGEST_NUMBER = 10**18 - 1
"""The largest number that a setting holds."""

MAX_WORD = 64
"""The most characters of a word that a setting holds."""
RESERVED = frozenset(("game", "size", "opening_turns", "openings"))
"""The keys beside which a game's settings stand in a tournament file."""

_Value = TypeVar("_Value", bound=Setting)


@dataclass(frozen=True, slots=True)
class SettingInfo:
    """What is known of a setting: where it is kept, what it holds, and how people choose it."""

    name: str
    """As in `--min-group`, `min_group = 5` and `set_game odd min_group=5`."""
    field: str
    """The field of the game's dataclass that holds it."""
    kind: type
    """`int`, `str` or `bool`."""
    default: Setting
    label: str
    """A few words for a form or a help text."""
    choices: Mapping[str, str]
    """The possible values as text, each with its description; empty if any value will do."""
    unlimited: bool = False
    """Whether every number above LARGEST_NUMBER means the same as it."""


def setting(
    default: _Value,
    *,
    name: str = "",
    label: str = "",
    choices: Mapping[str, str] | None = None,
    unlimited: bool = False,
) -> _Value:
    """Return a field of a game's dataclass that says how people choose it.

    `unlimited` says that every larger number means the same as LARGEST_NUMBER. A field without
    this function is a setting too, named and labelled after itself.
    """
    words: dict[str, Any] = {"name": name, "label": label, "choices": choices or {}}
    words["unlimited"] = unlimited
    value: _Value = field(default=default, metadata=words)
    return value


@cache
def settings_of(game: type[Any]) -> Mapping[str, SettingInfo]:
    """Return the settings of a game by name: the fields of its dataclass, apart from its size.

    Raises GameError for a field that has no default, for a default or choice that no setting can
    have, and for a reserved name.
    """
    found: dict[str, SettingInfo] = {}
    for each in fields(cast("Any", game)):
        if each.name == "size":
            continue
        if each.default is MISSING or type(each.default) not in (int, str, bool):
            raise GameError(
                f"setting {each.name} of {game.name} needs a default: a whole number, a word, "
                "True or False"
            )
        words = each.metadata
        name = words.get("name") or each.name
        label = words.get("label") or name.replace("_", " ").capitalize()
        choices = words.get("choices", {})
        if name in RESERVED:
            raise GameError(
                f"setting {name} of {game.name} needs another name: a [[game]] of a tournament "
                f"file has a key {name} of its own"
            )
        if isinstance(each.default, str):
            for word in (each.default, *choices):
                if not is_word(word):
                    raise GameError(
                        f"setting {name} of {game.name} cannot be {word!r}: a word is in lower "
                        f"case, without spaces or #, of at most {MAX_WORD} characters"
                    )
        found[name] = SettingInfo(
            name,
            each.name,
            type(each.default),
            each.default,
            label,
            choices,
            words.get("unlimited", False),
        )
    return found


def is_word(text: str) -> bool:
    """Return whether a setting can hold this text, and the protocol can send it as one word."""
    return (
        0 < len(text) <= MAX_WORD
        and text.isprintable()
        and text == text.lower()
        and not any(character.isspace() or character == "#" for character in text)
    )


def setting_text(value: Setting) -> str:
    """Return a setting as the protocol writes it: booleans are `true` and `false`."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def check_size(name: str, size: int, smallest: int, largest: int, noun: str) -> None:
    """Raise GameError unless `size` lies in the game's range."""
    if not smallest <= size <= largest:
        raise GameError(
            f"unacceptable size {size}: {name.capitalize()} is played on a {noun} "
            f"from {smallest} to {largest}",
            about="size",
        )


def check_board_size(name: str, shape: Shape, size: int) -> None:
    """Raise GameError unless a board of `shape` and `size` fits into 26 letters and our limits."""
    if shape == "hexhex":
        check_size(name, size, 2, LARGEST_BASE, "hexhex board of base")
    else:
        check_size(name, size, 2, LARGEST_SQUARE, "square board of size")

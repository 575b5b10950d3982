"""The games there are, and how one is made from its name, its size and its settings.

Our own games stand in a table here. Other packages bring theirs by an entry point in the group
`oddly.games`, whose name is the game's name and whose value is its class. A game's module is
imported when the game is first asked for, and entry points are looked up when a name is not ours.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import is_dataclass
from functools import cached_property
from importlib import import_module
from typing import TYPE_CHECKING

from oddly.games.errors import GameError, did_you_mean
from oddly.games.game import MAX_SIZE, Game
from oddly.games.settings import LARGEST_NUMBER, settings_of

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

    from oddly.games.settings import SettingInfo

ENTRY_POINTS = "oddly.games"
"""The group of entry points by which other packages bring games."""

_OURS = {
    "yodd": ("oddly.games.yodd", "Yodd"),
    "xodd": ("oddly.games.xodd", "Xodd"),
    "odd": ("oddly.games.odd", "Odd"),
    "ayu": ("oddly.games.ayu", "Ayu"),
}
DEFAULT_GAME = "yodd"
"""What is played where no game is named."""
OWN_GAMES = tuple(_OURS)
"""The names of our own games."""
_NOUNS: dict[type, str] = {bool: "true or false", int: "a whole number", str: "a word"}


class Catalogue(Mapping[str, type[Game]]):
    """Every game's class by the game's name: ours first, then those of other packages.

    Raises GameError, in one sentence, for a game that cannot be loaded, and for two of one name.
    """

    def __init__(self) -> None:
        self._loaded: dict[str, type[Game]] = {}

    def __getitem__(self, name: str) -> type[Game]:
        if name not in self._loaded:
            if name in _OURS:
                module, class_name = _OURS[name]
                self._loaded[name] = getattr(import_module(module), class_name)
            else:
                self._loaded[name] = _load(self._others[name])
        return self._loaded[name]

    def __iter__(self) -> Iterator[str]:
        return iter((*_OURS, *self._others))

    def __len__(self) -> int:
        return len(_OURS) + len(self._others)

    def __contains__(self, name: object) -> bool:
        return name in _OURS or name in self._others

    @cached_property
    def _others(self) -> dict[str, EntryPoint]:
        """The entry points of other packages by name. Raises GameError for a name used twice."""
        from importlib.metadata import entry_points

        found: dict[str, EntryPoint] = {}
        for entry in sorted(entry_points(group=ENTRY_POINTS), key=lambda entry: entry.name):
            if entry.name in _OURS:
                raise GameError(
                    f"{_package(entry)} brings a game named {entry.name!r}, which is the name of a "
                    "game of oddly's own: rename it or uninstall the package"
                )
            rival = found.setdefault(entry.name, entry)
            if rival.value != entry.value:
                raise GameError(
                    f"{_package(rival)} and {_package(entry)} both bring a game named "
                    f"{entry.name!r}: uninstall one of them"
                )
        return found


def _package(entry: EntryPoint) -> str:
    return f"package {entry.dist.name}" if entry.dist else f"entry point {entry.value!r}"


def _load(entry: EntryPoint) -> type[Game]:
    """The class that an entry point names. Raises GameError if there is none, or no game."""
    where = f"game {entry.name!r} of {_package(entry)}"
    try:
        found = entry.load()
    except Exception as error:
        raise GameError(
            f"{where} cannot be loaded from {entry.value!r}: {type(error).__name__}: {error}"
        ) from error
    if not (isinstance(found, type) and issubclass(found, Game)):
        raise GameError(f"{where} is not a game: {entry.value!r} is not a subclass of games.Game")
    if not is_dataclass(found):
        raise GameError(f"{where} is not a dataclass: decorate its class, @dataclass(frozen=True)")
    if getattr(found, "name", None) != entry.name:
        raise GameError(
            f"{where} calls itself {getattr(found, 'name', None)!r}: the entry point and the class "
            "must agree on the name"
        )
    return found


GAMES: Mapping[str, type[Game]] = Catalogue()
"""Every game's class by the game's name."""


def known_game(name: str) -> str:
    """Return the name of the game in lower case. Raises GameError if there is none of that name."""
    if name.lower() in GAMES:
        return name.lower()
    raise GameError(
        f"unknown game {name!r}: expected one of {', '.join(GAMES)}{did_you_mean(name, GAMES)}"
    )


def create_game(
    name: str, size: int | None = None, settings: Mapping[str, object] | None = None
) -> Game:
    """Return the game of that name; what is left out takes its default.

    Raises GameError, in one sentence, for an unknown game or setting, a value of the wrong type
    or a size out of range.
    """
    name = known_game(name)
    fields: dict[str, object] = {} if size is None else {"size": size}
    for setting, value in (settings or {}).items():
        info = _known_setting(name, setting)
        if type(value) is not info.kind:
            raise GameError(
                f"setting {setting} of {name} is {_NOUNS[info.kind]}, not {value!r}", setting
            )
        fields[info.field] = value
        if type(value) is int and abs(value) > LARGEST_NUMBER:
            if not info.unlimited or value < 0:
                raise GameError(f"setting {setting} of {name} has 18 digits at the most", setting)
            fields[info.field] = LARGEST_NUMBER
    try:
        game = GAMES[name](**fields)
    except GameError:
        raise
    except ValueError as error:
        raise GameError(f"{name}: {error}") from None
    if not 1 <= game.size <= MAX_SIZE:
        raise GameError(f"unacceptable size {game.size}: boards have 1 to {MAX_SIZE}", "size")
    return game


def read_setting(name: str, setting: str, text: str) -> object:
    """Return a setting's value from its text, as the protocol and the command line write it.

    Raises GameError for an unknown game or setting, and for text of the wrong type.
    """
    name = known_game(name)
    info = _known_setting(name, setting)
    kind = info.kind
    if kind is bool and text.lower() in ("true", "false"):
        return text.lower() == "true"
    if kind is int and text.isascii() and text.isdigit():
        digits = text.lstrip("0")
        if len(digits) <= len(str(LARGEST_NUMBER)):
            return int(text[-len(digits) :]) if digits else 0
        if info.unlimited:
            return LARGEST_NUMBER
        raise GameError(f"setting {setting} of {name} has 18 digits at the most", setting)
    if kind is str:
        return text.lower()
    raise GameError(f"setting {setting} of {name} is {_NOUNS[kind]}, not {text!r}", setting)


def _known_setting(name: str, setting: str) -> SettingInfo:
    known = settings_of(GAMES[name])
    if setting in known:
        return known[setting]
    expected = f"it has {', '.join(known)}" if known else "it has none"
    raise GameError(
        f"{name} has no setting {setting!r}: {expected}{did_you_mean(setting, known)}", setting
    )

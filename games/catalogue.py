"""The known games, and how to make one from its name, size and settings.

Our own games are in a table here. Other packages add theirs by entry points in the group
`oddly.games`, each with the game's name and its class. A game's module is imported when the game is
first needed, and entry points are looked up when a name is not ours.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import is_dataclass
from functools import cached_property
from importlib import import_module
from operator import index
from typing import TYPE_CHECKING, TypeVar, cast

from oddly.games.game import MAX_SIZE, Game
from oddly.games.settings import LARGEST_NUMBER, MAX_WORD, SettingInfo, is_word, settings_of
from oddly.games.turns import GameError, did_you_mean

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint


ENTRY_POINTS = "oddly.games"
"""The group of entry points by which other packages add games."""

_OURS = {
    "yodd": ("oddly.games.yodd", "Yodd"),
    "xodd": ("oddly.games.xodd", "Xodd"),
    "odd": ("oddly.games.odd", "Odd"),
    "ayu": ("oddly.games.ayu", "Ayu"),
}
DEFAULT_GAME = "yodd"
"""The game that is played if none is named."""
OWN_GAMES = tuple(_OURS)
"""The names of our own games."""
_NOUNS: dict[type, str] = {bool: "true or false", int: "a whole number", str: "a word"}

_Kind = TypeVar("_Kind")


class Catalogue(Mapping[str, type[_Kind]]):
    """Every class of a kind by its name: ours first, then those of other packages.

    `ours` has module and class by name; `group` is the group of other packages' entry points, and
    `base` the module and class that each must subclass. Raises GameError, in one sentence, for a
    class that cannot be loaded, and for two classes of one name.
    """

    def __init__(
        self,
        noun: str,
        group: str,
        base: tuple[str, str],
        ours: Mapping[str, tuple[str, str]],
    ) -> None:
        self._noun = noun
        self._group = group
        self._base = base
        self._ours = ours
        self._loaded: dict[str, type[_Kind]] = {}

    def __getitem__(self, name: str) -> type[_Kind]:
        if name not in self._loaded:
            if name in self._ours:
                module, class_name = self._ours[name]
                self._loaded[name] = getattr(import_module(module), class_name)
            else:
                self._loaded[name] = self._load(self._others[name])
        return self._loaded[name]

    def __iter__(self) -> Iterator[str]:
        return iter((*self._ours, *self._others))

    def __len__(self) -> int:
        return len(self._ours) + len(self._others)

    def __contains__(self, name: object) -> bool:
        return name in self._ours or name in self._others

    @cached_property
    def _others(self) -> dict[str, EntryPoint]:
        """The entry points of other packages by name. Raises GameError for a name used twice."""
        from importlib.metadata import entry_points

        found: dict[str, EntryPoint] = {}
        for entry in sorted(entry_points(group=self._group), key=lambda entry: entry.name):
            if entry.name in self._ours:
                raise GameError(
                    f"{_package(entry)} brings a {self._noun} named {entry.name!r}, which is the "
                    f"name of a {self._noun} of oddly's own: rename it or uninstall the package"
                )
            rival = found.setdefault(entry.name, entry)
            if rival.value != entry.value:
                raise GameError(
                    f"{_package(rival)} and {_package(entry)} both bring a {self._noun} named "
                    f"{entry.name!r}: uninstall one of them"
                )
        return found

    def _load(self, entry: EntryPoint) -> type[_Kind]:
        """Return the class that an entry point names. Raises GameError if there is none."""
        where = f"{self._noun} {entry.name!r} of {_package(entry)}"
        try:
            found = entry.load()
        except Exception as error:
            raise GameError(
                f"{where} cannot be loaded from {entry.value!r}: {type(error).__name__}: {error}"
            ) from error
        module, class_name = self._base
        base: type[_Kind] = getattr(import_module(module), class_name)
        if not (isinstance(found, type) and issubclass(found, base)):
            shown = f"{module.split('.')[1]}.{class_name}"
            raise GameError(
                f"{where} is not a {self._noun}: {entry.value!r} is not a subclass of {shown}"
            )
        if not is_dataclass(found):
            raise GameError(
                f"{where} is not a dataclass: decorate its class, @dataclass(frozen=True)"
            )
        if getattr(found, "name", None) != entry.name:
            raise GameError(
                f"{where} calls itself {getattr(found, 'name', None)!r}: the entry point and the "
                "class must agree on the name"
            )
        return cast("type[_Kind]", found)


def _package(entry: EntryPoint) -> str:
    return f"package {entry.dist.name}" if entry.dist else f"entry point {entry.value!r}"


GAMES: Mapping[str, type[Game]] = Catalogue(
    "game", ENTRY_POINTS, ("oddly.games.game", "Game"), _OURS
)
"""Every game's class by the game's name."""


def is_in_catalogue(game: Game) -> bool:
    """Return whether a game can be made again from its name, as in another process."""
    return game.name in GAMES and GAMES[game.name] is type(game)


def known_game(name: str) -> str:
    """Return the name of the game in lower case. Raises GameError if there is no such game."""
    if isinstance(name, str) and name.lower() in GAMES:
        return name.lower()
    near = did_you_mean(str(name), GAMES)
    raise GameError(f"unknown game {name!r}: expected one of {', '.join(GAMES)}{near}")


def create_game(
    name: str, size: int | None = None, settings: Mapping[str, object] | None = None
) -> Game:
    """Return the game of that name; what is left out takes its default.

    `size` is in cells along an edge. If the settings do not allow the default size, the nearest
    size that they allow takes its place. Raises GameError, in one sentence, for an unknown game or
    setting, a value of the wrong type or a size out of range.

    >>> import oddly
    >>> print(oddly.create_game("yodd", 4))
    yodd 4
    >>> print(oddly.create_game("odd", 3, {"board": "square", "min_group": 2}))
    odd 3 (board square, min_group 2)
    """
    name = known_game(name)
    # The defaults, too, must be settings that can be sent.
    settings_of(GAMES[name])
    fields: dict[str, object] = {} if size is None else {"size": _whole_number(name, size)}
    if not isinstance(settings, Mapping | None):
        raise GameError(f"settings are a mapping from names to values, not {settings!r}")
    for setting, value in (settings or {}).items():
        info = _known_setting(name, setting)
        fields[info.field] = _checked_value(name, info, value)
    try:
        return _game(name, fields)
    except GameError as error:
        if size is not None or not settings or error.about != "size":
            raise
        usual = GAMES[name]().size
        for near in sorted(range(1, MAX_SIZE + 1), key=lambda each: abs(each - usual)):
            with suppress(GameError):
                return _game(name, {**fields, "size": near})
        raise


def _game(name: str, fields: Mapping[str, object]) -> Game:
    """Return a game with these fields of its class. Raises GameError."""
    try:
        game = GAMES[name](**fields)
    except GameError:
        raise
    except ValueError as error:
        raise GameError(f"{name}: {error}") from None
    if not 1 <= game.size <= MAX_SIZE:
        raise GameError(f"unacceptable size {game.size}: boards have 1 to {MAX_SIZE}", "size")
    return game


def _checked_value(name: str, info: SettingInfo, value: object) -> object:
    """Return a setting's value as the game holds it. Raises GameError."""
    setting = info.name
    if type(value) is not info.kind:
        raise GameError(
            f"setting {setting} of {name} is {_NOUNS[info.kind]}, not {value!r}", setting
        )
    if isinstance(value, str):
        return _word(name, setting, value)
    if type(value) is int and abs(value) > LARGEST_NUMBER:
        if info.unlimited and value > 0:
            return LARGEST_NUMBER
        raise GameError(f"setting {setting} of {name} has at most 18 digits", setting)
    return value


def _word(name: str, setting: str, text: str) -> str:
    """Return a word in lower case. Raises GameError for text that is none."""
    word = text.lower()
    if not is_word(word):
        shown = text if len(text) <= MAX_WORD else f"{text[:MAX_WORD]}..."
        raise GameError(
            f"setting {setting} of {name} is one word of at most {MAX_WORD} characters, without "
            f"spaces or #, not {shown!r}",
            setting,
        )
    return word


def _whole_number(name: str, size: int) -> int:
    """Return a size, perhaps a number of numpy, as an int. Raises GameError."""
    if not isinstance(size, bool):
        with suppress(TypeError):
            return index(size)
    raise GameError(f"the size of {name} is a whole number, not {size!r}", "size")


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
            return int(digits or "0")
        if info.unlimited:
            return LARGEST_NUMBER
        raise GameError(f"setting {setting} of {name} has at most 18 digits", setting)
    if kind is str:
        return text.lower()
    raise GameError(f"setting {setting} of {name} is {_NOUNS[kind]}, not {text!r}", setting)


def read_game(name: str, size: int | None, settings: Mapping[str, str]) -> Game:
    """Return the game with settings as `read_setting` reads them. Raises GameError."""
    values = {setting: read_setting(name, setting, text) for setting, text in settings.items()}
    return create_game(name, size, values)


def _known_setting(name: str, setting: str) -> SettingInfo:
    known = settings_of(GAMES[name])
    if setting in known:
        return known[setting]
    expected = f"it has {', '.join(known)}" if known else "it has none"
    near = did_you_mean(str(setting), known)
    raise GameError(f"{name} has no setting {setting!r}: {expected}{near}", str(setting))

"""BOT.toml: who the bot is, where its site is, and which engines think for it."""

from __future__ import annotations

import ipaddress
import os
import re
import tomllib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated
from urllib.parse import urlsplit

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from game_records.abstract_play_games import GAMES_BY_ID
from games.errors import did_you_mean
from games.untrusted_text import one_line
from interfaces.bot.public_key import PublicKeyError, read_public_key
from protocol.errors import NotationError
from protocol.time_control import TimeKind, parse_time_control
from referee.player import EngineConfiguration
from referee.program import ProgramError, find_program
from referee.resources import Resources
from tournaments.toml_lines import TomlLines

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

    from games.game import Game
    from protocol.time_control import TimeControl

LARGEST_FILE = 1 << 20
NICENESS = 5
"""Of engines, so that the site is answered at once while they think."""
PLAYED = tuple(dict.fromkeys(g.name for boards in GAMES_BY_ID.values() for g in boards.values()))
"""Our names of the games that the site has."""
_ENVIRONMENT_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,99}", re.ASCII)
Text = Annotated[str, Field(min_length=1)]


class BotFileError(ValueError):
    """A file that describes no bot. The message has a line for each problem, with its place."""


@dataclass(frozen=True, slots=True)
class Credentials:
    """What the site gave the bot when it was registered."""

    client_id: str
    client_secret: str

    def __repr__(self) -> str:
        """Nothing secret, whatever prints it."""
        return "Credentials(...)"


@dataclass(frozen=True, slots=True)
class BotEngine:
    """An engine, and the games for which it thinks; None stands for every size."""

    name: str
    configuration: EngineConfiguration
    games: frozenset[tuple[str, int | None]]

    def plays(self, game: Game) -> bool:
        """Return whether the engine is to think for a game."""
        return not self.games.isdisjoint(((game.name, None), (game.name, game.size)))


@dataclass(frozen=True, slots=True)
class BotSettings:
    """A bot. `client_id_env` and `client_secret_env` name variables of the environment."""

    name: str
    token_url: str
    query_url: str
    scope: str
    key: Ed25519PublicKey
    client_id_env: str
    client_secret_env: str
    games_at_once: int
    engines: tuple[BotEngine, ...]

    @property
    def is_local(self) -> bool:
        """Whether both addresses of the site are on this machine."""
        return all(_is_loopback(url) for url in (self.token_url, self.query_url))

    def credentials(self, environment: Mapping[str, str] = os.environ) -> Credentials:
        """Return the credentials. Raises BotFileError if the environment lacks them."""
        names = (self.client_id_env, self.client_secret_env)
        missing = [name for name in names if not environment.get(name, "").strip()]
        if missing:
            raise BotFileError(
                f"the environment has no {' and no '.join(missing)}: "
                "set what the site showed when the bot was registered"
            )
        client_id, client_secret = (environment[name].strip() for name in names)
        return Credentials(client_id, client_secret)


class _BotFilePart(BaseModel):
    model_config = ConfigDict(strict=True, extra="forbid", allow_inf_nan=False)


class _BotTable(_BotFilePart):
    name: Annotated[str, Field(min_length=1, max_length=64)] = "oddly"
    token_url: Text
    query_url: Text
    scope: Text
    public_key: Text
    client_id_env: Text
    client_secret_env: Text
    time: Annotated[float, Field(ge=0.001, le=3600)] = 10.0
    games_at_once: Annotated[int, Field(ge=1, le=1000)] = 1


class _BotEngineTable(_BotFilePart):
    name: Annotated[str, Field(min_length=1, max_length=64)] | None = None
    command: list[str] = Field(min_length=1)
    games: list[str] = Field(min_length=1)
    options: dict[str, str | int | float | bool] = {}
    time: Annotated[float, Field(ge=0.001, le=3600)] | None = None
    memory: Annotated[int, Field(ge=0, lt=2**40)] | None = None


class _BotFile(_BotFilePart):
    bot: _BotTable
    engine: list[_BotEngineTable] = Field(min_length=1)


TABLES: Mapping[str, type[BaseModel]] = {"bot": _BotTable, "engine": _BotEngineTable}


def load_bot(path: Path, time: float | None = None) -> BotSettings:
    """Read a file. Raises BotFileError with all that is wrong in it.

    `time`, if given, is the most seconds a turn, whatever the file says.
    """
    text = _read(path)
    try:
        value = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, ValueError, RecursionError) as error:
        place = re.search(r" \(at line (\d+), column \d+\)$", str(error))
        line = f":{place[1]}" if place else ""
        said = str(error)[: place.start()] if place else str(error)
        raise BotFileError(f"{path}{line}: not TOML: {said}") from None
    lines = TomlLines(text)
    try:
        file = _BotFile.model_validate(value)
    except ValidationError as error:
        found = [_problem(problem) for problem in error.errors()]
        raise _error(path, lines, found) from None
    builder = _BotBuilder(file, path, time)
    settings = builder.build()
    if builder.problems or settings is None:
        raise _error(path, lines, builder.problems)
    return settings


Problem = tuple[tuple[str | int, ...], str]


def _error(path: Path, lines: TomlLines, problems: Iterable[Problem]) -> BotFileError:
    numbered = sorted((lines.find(place), said) for place, said in problems)
    return BotFileError("\n".join(f"{path}:{line}: {one_line(said)}" for line, said in numbered))


def _problem(problem: object) -> Problem:
    """One of pydantic's problems, in our words."""
    assert isinstance(problem, dict)  # noqa: S101
    place = tuple(problem["loc"])
    key, table = str(place[-1]), ".".join(str(part) for part in place[:-1])
    name = f"[{table}]" if len(place) == 2 else f"[[{place[0]}]]" if len(place) > 2 else "the file"
    match problem["type"]:
        case "extra_forbidden":
            model = TABLES.get(str(place[0])) if len(place) > 1 else None
            known = list(model.model_fields) if model else list(TABLES)
            near = did_you_mean(key, known)
            return place, f"unknown key {key!r} in {name}{near or f'; it has {_listed(known)}'}"
        case "missing":
            return place, f"{name} lacks the key {key!r}" if len(place) > 1 else (
                f"the file lacks the table {'[[engine]]' if key == 'engine' else f'[{key}]'}"
            )
        case "list_type" if key == "engine":
            return place, "should be written [[engine]]"
    message = re.sub("^(Input|String|List) ", "", problem["msg"])
    return place, f"{'.'.join(map(str, place))} {message[:1].lower()}{message[1:]}"


def _listed(words: Iterable[str]) -> str:
    return ", ".join(words)


class _BotBuilder:
    """Makes our own values of the tables of a file, and notes every problem on the way."""

    def __init__(self, file: _BotFile, path: Path, time: float | None) -> None:
        self._file = file
        self._path = path
        self._most = time
        self.problems: list[Problem] = []

    def build(self) -> BotSettings | None:
        """Return the bot, or None if there are problems."""
        bot = self._file.bot
        for name in ("token_url", "query_url"):
            if said := _wrong_address(getattr(bot, name)):
                self._add(("bot", name), f"{name}: {said}")
        for name in ("client_id_env", "client_secret_env"):
            if not _ENVIRONMENT_NAME.fullmatch(getattr(bot, name)):
                self._add(
                    ("bot", name),
                    f"{name} is the name of a variable of the environment, as in 'AP_CLIENT_ID'; "
                    "the value itself does not belong in a file",
                )
        engines = [self._engine(number, entry) for number, entry in enumerate(self._file.engine)]
        try:
            key = read_public_key(bot.public_key, self._path.parent)
        except PublicKeyError as error:
            self._add(("bot", "public_key"), f"public_key: {error}")
            return None
        if self.problems:
            return None
        return BotSettings(
            bot.name, bot.token_url, bot.query_url, bot.scope, key, bot.client_id_env,
            bot.client_secret_env, bot.games_at_once, tuple(engine for engine in engines if engine),
        )  # fmt: skip

    def _add(self, place: tuple[str | int, ...], sentence: str) -> None:
        self.problems.append((place, sentence))

    def _engine(self, number: int, entry: _BotEngineTable) -> BotEngine | None:
        place = ("engine", number)
        games = [self._game((*place, "games"), text) for text in entry.games]
        try:
            command = find_program(entry.command)
        except ProgramError as error:
            self._add((*place, "command"), str(error))
            return None
        name = entry.name or " ".join(entry.command)[:64]
        options = {key: str(v).lower() if v is True or v is False else str(v)
                   for key, v in entry.options.items()}  # fmt: skip
        for option, value in options.items():
            if len(option.split()) != 1 or not value.isprintable() or "#" in option + value:
                self._add((*place, "options", option), f"option {option!r} cannot be sent")
        seconds = entry.time or self._file.bot.time
        configuration = EngineConfiguration(
            name,
            command,
            _fixed(min(seconds, self._most) if self._most else seconds),
            options,
            Resources(memory=entry.memory, nice=NICENESS),
        )
        return BotEngine(name, configuration, frozenset(game for game in games if game))

    def _game(self, place: tuple[str | int, ...], text: str) -> tuple[str, int | None] | None:
        """A game with its size, None for any, as `yodd` or `yodd 8` say it."""
        words = text.split()
        name, size = words[0].lower() if words else "", words[1:]
        boards = [g for boards in GAMES_BY_ID.values() for g in boards.values() if g.name == name]
        if not boards:
            self._add(
                place,
                f"{text!r} is no game of the site: expected one of {_listed(PLAYED)}"
                f"{did_you_mean(name, PLAYED)}",
            )
            return None
        if not size:
            return name, None
        sizes = sorted(game.size for game in boards)
        if len(size) > 1 or size[0] not in map(str, sizes):
            self._add(place, f"{text!r}: the site's sizes of {name} are {_listed(map(str, sizes))}")
            return None
        return name, int(size[0])


def _fixed(seconds: float) -> TimeControl:
    """The same seconds for every turn."""
    try:
        control = parse_time_control(f"{seconds:.3f}")
    except NotationError:
        raise AssertionError(seconds) from None
    assert control.kind is TimeKind.FIXED  # noqa: S101
    return control


def _wrong_address(url: str) -> str:
    """Return why an address cannot be one of the site's; empty if it can."""
    try:
        parts = urlsplit(url)
        host, _ = parts.hostname, parts.port
    except ValueError:
        return f"{url!r} is no address"
    if parts.scheme not in ("http", "https") or not host:
        return f"{url!r} is no address: one such as https://example.org/path is expected"
    if parts.username is not None:
        return "an address in a file holds no name and no password"
    if parts.scheme == "http" and not _is_loopback(url):
        return f"{url!r} is not encrypted: https:// is expected, except on this machine"
    return ""


def _is_loopback(url: str) -> bool:
    host = urlsplit(url).hostname or ""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _read(path: Path) -> str:
    try:
        with path.open("rb") as file:
            data = file.read(LARGEST_FILE + 1)
        if len(data) > LARGEST_FILE:
            raise BotFileError(f"{path} is larger than {LARGEST_FILE} bytes")
        return data.decode("utf-8-sig").replace("\r\n", "\n")
    except FileNotFoundError:
        near = did_you_mean(path.name, [p.name for p in path.parent.glob("*.toml")])
        raise BotFileError(f"there is no file {path}{near}") from None
    except UnicodeDecodeError as error:
        raise BotFileError(f"{path} is not UTF-8 text, at byte {error.start}") from None
    except OSError as error:
        raise BotFileError(f"{path} cannot be read: {error.strerror}") from None

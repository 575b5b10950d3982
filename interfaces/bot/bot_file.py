"""BOT.toml: who the bot is, where its site is, and which engines think for it."""

from __future__ import annotations

import ipaddress
import os
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated
from urllib.parse import urlsplit

from pydantic import Field, ValidationError

from oddly.engines.engine import option_text
from oddly.game_records.abstract_play_turns import GAMES_BY_ID
from oddly.games import Game, did_you_mean
from oddly.interfaces.bot.admission import (
    OpeningHours,
    OpeningHoursError,
    PublicKeyError,
    read_opening_hours,
    read_public_key,
)
from oddly.protocol import NotationError, TimeControl, TimeKind, parse_time_control
from oddly.referee import EngineConfiguration, ProgramError, Resources, find_program
from oddly.tournaments.toml.checking import (
    MAX_NAME_LENGTH,
    PathText,
    Report,
    Table,
    TomlFileError,
    TomlLines,
    read_toml,
)
from oddly.tournaments.toml.tables import check_options

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey


RAVE = ("oddly", "engine", "rave")
NICENESS = 5
"""The niceness of engines, so that the site is answered at once while they think."""
PLAYED = tuple(dict.fromkeys(g.name for boards in GAMES_BY_ID.values() for g in boards.values()))
"""Our names of the games that the site has."""
_ENVIRONMENT_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,99}", re.ASCII)
Text = Annotated[str, Field(min_length=1)]
Seconds = Annotated[float, Field(ge=0.001, le=3600)]


class BotFileError(TomlFileError):
    """A file that describes no bot. The message has a line for each problem, with its place."""


@dataclass(frozen=True, slots=True)
class Credentials:
    """What the site gave the bot when it was registered."""

    client_id: str
    client_secret: str

    def __repr__(self) -> str:
        """Return nothing secret, whatever prints it."""
        return "Credentials(...)"


@dataclass(frozen=True, slots=True)
class BotEngine:
    """An engine, and the games that it plays; a size of None stands for every size."""

    name: str
    configuration: EngineConfiguration
    games: frozenset[tuple[str, int | None]]
    level: int | None = None
    """The level of our own engine."""

    def plays(self, game: Game) -> bool:
        """Return whether the engine plays a game."""
        return not self.games.isdisjoint(((game.name, None), (game.name, game.size)))


class BotTable(Table):
    """`[bot]`."""

    name: str = Field(
        default="oddly",
        min_length=1,
        max_length=MAX_NAME_LENGTH,
        description="what the log, `GET /` and, once it is registered, the site call the bot",
    )
    token_url: Text = Field(description="the site's address for access tokens, with https://")
    query_url: Text = Field(description="the site's address for moves, with https://")
    scope: Text = Field(description="the scope of its access tokens")
    public_key: Text = Field(
        description="the key with which the site signs: PEM, base64, a line of OpenSSH, or the "
        "name of a file with one of these, beside this one"
    )
    client_id_env: Text = Field(description="the environment variable that holds the client id")
    client_secret_env: Text = Field(
        description="the environment variable that holds the client secret"
    )
    time: Seconds = Field(default=10.0, description="seconds that an engine has for a turn")
    games_at_once: int = Field(
        default=1, ge=1, le=1000, description="turns that engines think about at the same time"
    )
    games_per_opponent: int | None = Field(
        default=None, ge=1, description="games with one opponent; by default no limit"
    )
    games_in_all: int | None = Field(
        default=None, ge=1, description="games at the same time; by default no limit"
    )
    hours: Text | None = Field(
        default=None,
        description="when engines think, in local time, as in 'Mon-Fri 18:00-08:00, Sat-Sun'; by "
        "default always",
    )
    sweep: float = Field(
        default=300.0,
        ge=10,
        le=86_400,
        description="seconds between the sweeps, which ask the site in which games it is our turn",
    )
    public_url: Text | None = Field(
        default=None,
        description="the site's address for public queries; by default `query_url` with `query` in "
        "the place of its last word",
    )
    outbox: PathText | None = Field(
        default=None,
        description="the file that keeps what was decided and sent; by default the name of this "
        "file with the ending .outbox, beside it",
    )

    @property
    def query_address(self) -> str:
        """The site's address for public queries."""
        return self.public_url or self.query_url.rstrip("/").rpartition("/")[0] + "/query"

    @property
    def owner_address(self) -> str:
        """The site's address for queries of a bot's owner."""
        return self.query_address.rpartition("/")[0] + "/authQuery"


@dataclass(frozen=True, slots=True)
class BotSettings:
    """A bot, as its file describes it: the keys of `[bot]`, the site's key, and the engines."""

    bot: BotTable
    key: Ed25519PublicKey
    engines: tuple[BotEngine, ...]
    outbox: Path
    hours: OpeningHours | None = None

    @property
    def is_local(self) -> bool:
        """Whether all addresses of the site are on this machine."""
        bot = self.bot
        return all(map(_is_loopback, (bot.token_url, bot.query_url, bot.query_address)))

    def credentials(self, environment: Mapping[str, str] = os.environ) -> Credentials:
        """Return the credentials. Raises BotFileError if the environment lacks them."""
        names = (self.bot.client_id_env, self.bot.client_secret_env)
        missing = [name for name in names if not environment.get(name, "").strip()]
        if missing:
            raise BotFileError(
                f"the environment has no {' and no '.join(missing)}: "
                "set what the site showed when the bot was registered"
            )
        client_id, client_secret = (environment[name].strip() for name in names)
        return Credentials(client_id, client_secret)


class BotEngineTable(Table):
    """`[[engine]]`."""

    name: str | None = Field(
        default=None,
        min_length=1,
        max_length=MAX_NAME_LENGTH,
        description="a name; by default the command",
    )
    command: list[str] | None = Field(
        default=None,
        min_length=1,
        description="the program and its arguments; no shell sees them; required without `level`",
    )
    level: int | None = Field(
        default=None, ge=1, le=10, description="our `rave` at a level for people, as the engine"
    )
    games: list[str] = Field(
        min_length=1, description="the games it plays, with a size or without: 'ayu', 'yodd 8'"
    )
    options: dict[str, str | int | float | bool] = Field(
        default_factory=dict, description="options, sent with set_option before every game"
    )
    time: Seconds | None = Field(
        default=None, description="its own seconds a turn; by default the bot's"
    )
    memory: int | None = Field(
        default=None, ge=0, lt=2**40, description="MiB of address space; by default no limit"
    )


class BotFile(Table):
    """A whole file."""

    bot: BotTable = Field(description="the bot")
    engine: list[BotEngineTable] = Field(min_length=1, description="an engine; one or more")


def load_bot(path: Path, time: float | None = None) -> BotSettings:
    """Read a file. Raises BotFileError with every problem in it.

    `time`, if given, is the maximum seconds a turn, whatever the file says.
    """
    try:
        text, value = read_toml(path)
    except TomlFileError as error:
        raise BotFileError(str(error)) from None
    report = Report(path, TomlLines(text), BotFile)
    try:
        file = BotFile.model_validate(value)
    except ValidationError as error:
        for problem in error.errors():
            report.schema(problem)
        raise BotFileError(report.text()) from None
    settings = _BotBuilder(file, path, time, report).build()
    if settings is None or report.text():
        raise BotFileError(report.text())
    return settings


class _BotBuilder:
    """Turns the tables of a file into our own values, and reports every problem."""

    def __init__(self, file: BotFile, path: Path, time: float | None, report: Report) -> None:
        self._file = file
        self._path = path
        self._most = time
        self._report = report

    def build(self) -> BotSettings | None:
        """Return the bot, or None if there are problems."""
        bot = self._file.bot
        for name in ("token_url", "query_url", "public_url"):
            url = getattr(bot, name)
            if url is not None and (said := wrong_address(url)):
                self._report.add(("bot", name), f"{name}: {said}")
        for name in ("client_id_env", "client_secret_env"):
            if not _ENVIRONMENT_NAME.fullmatch(getattr(bot, name)):
                self._report.add(
                    ("bot", name),
                    f"{name} is the name of a variable of the environment, as in 'AP_CLIENT_ID'; "
                    "the value itself does not belong in a file",
                )
        engines = [self._engine(number, entry) for number, entry in enumerate(self._file.engine)]
        try:
            key = read_public_key(bot.public_key, self._path.parent)
        except PublicKeyError as error:
            self._report.add(("bot", "public_key"), f"public_key: {error}")
            return None
        hours = self._hours(bot.hours)
        if self._report.text():
            return None
        outbox = self._path.parent / (bot.outbox or self._path.with_suffix(".outbox").name)
        return BotSettings(bot, key, tuple(filter(None, engines)), outbox, hours)

    def _hours(self, text: str | None) -> OpeningHours | None:
        try:
            return None if text is None else read_opening_hours(text)
        except OpeningHoursError as error:
            self._report.add(("bot", "hours"), f"hours: {error}")
            return None

    def _engine(self, number: int, entry: BotEngineTable) -> BotEngine | None:
        place = ("engine", number)
        games = [self._game((*place, "games"), text) for text in entry.games]
        words = entry.command or [*RAVE]
        if entry.command is None and entry.level is None:
            self._report.add(place, "[[engine]] lacks the key 'command', or 'level' for our rave")
        if entry.command is not None and entry.level is not None:
            self._report.add(
                (*place, "level"),
                "a level is one of our rave: leave out the command, or write options = { level = "
                f"{entry.level} }}",
            )
        try:
            command = find_program(words)
        except ProgramError as error:
            self._report.add((*place, "command"), str(error))
            return None
        name = entry.name or " ".join(words)[:64]
        options = {key: option_text(value) for key, value in entry.options.items()}
        if entry.level is not None:
            options["level"] = str(entry.level)
        check_options(options, place, self._report)
        seconds = entry.time or self._file.bot.time
        configuration = EngineConfiguration(
            name,
            command,
            _fixed(min(seconds, self._most) if self._most else seconds),
            options,
            Resources(memory=entry.memory, nice=NICENESS),
        )
        return BotEngine(name, configuration, frozenset(filter(None, games)), entry.level)

    def _game(self, place: tuple[str | int, ...], text: str) -> tuple[str, int | None] | None:
        """Return the game and size of `yodd 8`, or of `yodd` with None for any size."""
        words = text.split()
        name, size = words[0].lower() if words else "", words[1:]
        boards = [g for boards in GAMES_BY_ID.values() for g in boards.values() if g.name == name]
        if not boards:
            self._report.add(
                place,
                f"{text!r} is not a game of the site: expected one of {', '.join(PLAYED)}"
                f"{did_you_mean(name, PLAYED)}",
            )
            return None
        if not size:
            return name, None
        sizes = sorted(game.size for game in boards)
        if len(size) > 1 or size[0] not in map(str, sizes):
            self._report.add(
                place, f"{text!r}: the site's sizes of {name} are {', '.join(map(str, sizes))}"
            )
            return None
        return name, int(size[0])


def _fixed(seconds: float) -> TimeControl:
    """Return a time control with the same seconds for every turn."""
    try:
        control = parse_time_control(f"{seconds:.3f}")
    except NotationError:
        raise AssertionError(seconds) from None
    assert control.kind is TimeKind.FIXED  # noqa: S101
    return control


def wrong_address(url: str) -> str:
    """Return why an address cannot be one of the site's; empty if it can."""
    try:
        parts = urlsplit(url)
        host, _ = parts.hostname, parts.port
    except ValueError:
        return f"{url!r} is not an address"
    if parts.scheme not in ("http", "https") or not host:
        return f"{url!r} is not an address: one such as https://example.org/path is expected"
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

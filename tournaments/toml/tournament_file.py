"""Turns a tournament file into a `Tournament`, or into sentences about what is wrong."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING

from pydantic import ValidationError

from oddly.games import GAMES, Game, GameError, create_game, settings_of
from oddly.games.catalogue import known_game
from oddly.protocol import NO_CLOCK, NotationError, TimeControl, parse_time_control
from oddly.referee import EngineConfiguration, Isolation, ProgramError, Resources, find_program
from oddly.tournaments.formats.format import SettingsError
from oddly.tournaments.formats.spsa import TunedOption
from oddly.tournaments.formats.tournament import PlayingSettings, Tournament
from oddly.tournaments.formats.tuning import SIDES, Tuning
from oddly.tournaments.openings.openings import OpeningsError, read_openings
from oddly.tournaments.toml.checking import Place, Report, TomlFileError, TomlLines, read_toml
from oddly.tournaments.toml.tables import (
    MAX_ENGINES,
    EngineTable,
    File,
    GameTable,
    TuningFile,
    check_options,
    check_process,
    file_of_format,
    format_of,
    key_of_another_format,
    playing_values,
    table_of_format,
)

if TYPE_CHECKING:
    from collections.abc import Container, Mapping

    from oddly.tournaments.results.schedule import Opening


class TournamentFileError(TomlFileError):
    """A file that is not a tournament. The message has a line for each problem, with its place."""


def load_tournament(
    path: str | Path,
    time: TimeControl | None = None,
    retired: Container[str] = (),
    successors: Mapping[str, str] = MappingProxyType({}),
) -> Tournament:
    """Read a tournament file. Raises TournamentFileError with everything wrong in it.

    `time`, if given, replaces the file's clock for engines without their own.
    The programs of the engines that are `retired` need not exist, except for those that play on as
    their `successors`, which the file does not name.

    >>> import oddly
    >>> from pathlib import Path
    >>> written = Path("club.toml").write_text('''
    ... [tournament]
    ... name = "club"
    ... rounds = 1
    ... time = "5"
    ...
    ... [[game]]
    ... game = "xodd"
    ... size = 3
    ...
    ... [[engine]]
    ... name = "Greedy"
    ... command = ["oddly", "engine", "greedy"]
    ...
    ... [[engine]]
    ... name = "Chance"
    ... command = ["oddly", "engine", "random"]
    ... ''')
    >>> club = oddly.load_tournament("club.toml")
    >>> print(club.name, [engine.name for engine in club.engines], club.format)
    club ['Greedy', 'Chance'] RoundRobin(rounds=1)
    """
    path = Path(path)
    try:
        text, value = read_toml(path)
    except TomlFileError as error:
        raise TournamentFileError(str(error)) from None
    engines = value.get("engine")
    if isinstance(engines, list) and len(engines) > MAX_ENGINES:
        raise TournamentFileError(
            f"{path}: {len(engines)} engines: a tournament has at most {MAX_ENGINES}"
        )
    name = format_of(value)
    table = table_of_format(name)
    model = file_of_format(name)

    def explain(key: str, place: Place) -> str | None:
        return key_of_another_format(key, table) if place == ("tournament",) else None

    report = Report(path, TomlLines(text), model, explain)
    try:
        file = model.model_validate(value)
    except ValidationError as error:
        for problem in error.errors():
            report.schema(problem)
        raise TournamentFileError(report.text()) from None
    return _Builder(file, report, retired, successors).build(time)


@dataclass
class _Builder:
    """Converts the tables of a file to our own values, and reports every problem."""

    file: File
    report: Report
    retired: Container[str]
    successors: Mapping[str, str]

    def build(self, time: TimeControl | None) -> Tournament:
        table = self.file.tournament
        self._check_name(table.name, ("tournament", "name"))
        if not any(character.isalnum() for character in table.name):
            self.report.add(
                ("tournament", "name"), f"a letter or digit is missing in {table.name!r}"
            )
        own_time = self._time(table.time, ("tournament", "time"))
        games = [self._game(index, entry) for index, entry in enumerate(self.file.game)]
        self._check_repeats("game", [str(game) if game else None for game in games])
        engines = [
            self._engine(i, entry, time or own_time) for i, entry in enumerate(self.file.engine)
        ]
        self._check_repeats("engine", [engine.name for engine in engines])
        openings = self._openings(games)
        options = self._options()
        if isinstance(self.file, TuningFile):
            self._check_sides([engine.name for engine in engines])
        try:
            format_ = table.settings(len(engines))
        except SettingsError as error:
            self.report.add(("tournament", error.about), str(error))
        settings = PlayingSettings().changed(playing_values(table))
        try:
            settings.early_ends()
        except ProgramError as error:
            self.report.add(
                ("tournament", "adjudicator"), f"adjudicator {settings.adjudicator!r}: {error}"
            )
        if problems := self.report.text():
            raise TournamentFileError(problems)
        if isinstance(format_, Tuning):
            format_ = replace(format_, options=options)
            engines = self._sides(engines)
        turns = [entry.opening_turns for entry in self.file.game]
        return Tournament(
            name=table.name,
            format=format_,
            games=tuple(game for game in games if game),
            engines=tuple(engines),
            seed=table.seed,
            inactive=frozenset(entry.name for entry in self.file.engine if not entry.active),
            settings=settings,
            opening_turns={game: n for game, n in zip(games, turns, strict=True) if game and n},
            openings=openings,
        )

    def _game(self, index: int, entry: GameTable) -> Game | None:
        place = ("game", index)
        try:
            own = settings_of(GAMES[known_game(entry.game)])
            unknown = [key for key in entry.settings if key not in own and not _is_setting(key)]
            for key in unknown:
                self.report.unknown_key((*place, key), [*GameTable.model_fields, *own])
            return None if unknown else create_game(entry.game, entry.size, entry.settings)
        except GameError as error:
            self.report.add((*place, error.about), str(error))
            return None

    def _openings(self, games: list[Game | None]) -> dict[Game, tuple[Opening, ...]]:
        """Return the openings of each game that names a file of them."""
        found = {}
        for index, (game, entry) in enumerate(zip(games, self.file.game, strict=True)):
            if game is None or entry.openings is None:
                continue
            place = ("game", index, "openings")
            if entry.opening_turns:
                self.report.add(place, "a game has either openings or opening_turns, not both")
                continue
            try:
                found[game] = read_openings(Path(entry.openings), game)
            except OpeningsError as error:
                self.report.add(place, str(error))
        return found

    def _options(self) -> tuple[TunedOption, ...]:
        """Return the options of a tuning."""
        if not isinstance(self.file, TuningFile):
            return ()
        found = []
        for index, entry in enumerate(self.file.option):
            try:
                found.append(TunedOption(**entry.model_dump()))
            except ValueError as error:
                self.report.add(("option", index), str(error))
        self._check_repeats("option", [entry.name for entry in self.file.option])
        return tuple(found)

    def _check_sides(self, names: list[str]) -> None:
        """Report what cannot be of the two sides of a tuned engine, and its opponent."""
        for index, entry in enumerate(self.file.engine):
            if not entry.active:
                self.report.add(
                    ("engine", index, "active"),
                    f"a tuning plays all its engines: remove active = false, or {entry.name!r}",
                )
        tuned, *opponents = names
        sides = [f"{tuned} {side}" for side in SIDES]
        for index, name in enumerate(opponents, start=1):
            if name in sides:
                self.report.add(
                    ("engine", index, "name"),
                    f"the two sides of {tuned!r} are called {sides[0]!r} and {sides[1]!r}: "
                    "its opponent needs another name",
                )

    def _sides(self, engines: list[EngineConfiguration]) -> list[EngineConfiguration]:
        """Return the two sides of the engine that is tuned, and its opponent if there is one."""
        tuned, *opponents = engines
        return [*(replace(tuned, name=f"{tuned.name} {side}") for side in SIDES), *opponents]

    def _engine(
        self, index: int, entry: EngineTable, time: TimeControl | None
    ) -> EngineConfiguration:
        place = ("engine", index)
        self._check_name(entry.name, (*place, "name"))
        if entry.time is not None:
            time = self._time(entry.time, (*place, "time"))
        check_options(entry.options, place, self.report)
        check_process(entry.directory, entry.environment, place, self.report)
        return EngineConfiguration(
            name=entry.name,
            command=self._command(place, entry),
            time=time or NO_CLOCK,
            options=dict(entry.options),
            resources=Resources(
                memory=entry.memory,
                cpu_seconds=entry.cpu_seconds,
                nice=entry.nice,
                directory=entry.directory,
                environment=entry.environment,
                isolation=None if entry.isolation is None else Isolation(entry.isolation),
                network=entry.network,
                ponder=entry.ponder,
                processes=entry.processes,
            ),
            pipelining=entry.pipelining,
            requires=tuple(entry.requires),
        )

    def _command(self, place: tuple[str | int, ...], entry: EngineTable) -> tuple[str, ...]:
        if any("\0" in word for word in entry.command):
            self.report.add((*place, "command"), "a command cannot hold the character U+0000")
            return ()
        try:
            return find_program(entry.command)
        except ProgramError as error:
            if not (entry.active and self._plays(entry.name)):
                return tuple(entry.command)
            self.report.add((*place, "command"), f"engine {entry.name!r}: {error}")
            return ()

    def _plays(self, name: str) -> bool:
        """Return whether an engine is not retired, or plays on under another name."""
        later = self.successors.get(name, name)
        return name not in self.retired or all(later != entry.name for entry in self.file.engine)

    def _time(self, spec: str, place: tuple[str | int, ...]) -> TimeControl | None:
        try:
            return parse_time_control(spec)
        except NotationError as error:
            self.report.add(place, str(error))
            return None

    def _check_name(self, name: str, place: tuple[str | int, ...]) -> None:
        if not name.strip() or not name.isprintable():
            self.report.add(place, f"a name has visible characters only, not {name!r}")
        elif name != name.strip():
            self.report.add(place, f"a name must have no spaces around it, not {name!r}")

    def _check_repeats(self, kind: str, names: list[str | None]) -> None:
        first: dict[str, int] = {}
        for index, name in enumerate(names):
            if name is None:
                continue
            if name in first:
                self.report.add(
                    (kind, index, "game" if kind == "game" else "name"),
                    f"two {kind}s are {name!r}: the first is [[{kind}]] number {first[name] + 1}",
                )
            first.setdefault(name, index)


def _is_setting(key: str) -> bool:
    """Return whether any game has a setting of that name."""
    return any(key in settings_of(GAMES[name]) for name in GAMES)

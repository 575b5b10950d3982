"""Before the first game: asks engines who they are, names them, compiles, estimates the duration.

Engines that give themselves the same name show how their commands differ: `oddly engine rave
--threads 2` beside `oddly engine rave` is `rave threads=2` beside `rave`.
"""

from __future__ import annotations

import os
import shlex
import subprocess
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from itertools import chain, islice, pairwise, zip_longest
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import trio

from oddly.engines import ENGINES
from oddly.games import Game, setting_text
from oddly.games.untrusted_text import short_name
from oddly.protocol import TimeControl, TimeKind
from oddly.referee import Player
from oddly.referee.justice.legality import import_grammar
from oddly.referee.match.engine_pool import SelfDescription, ask_who_it_is
from oddly.tournaments.executors.conditions import cores, isolation_of, under
from oddly.tournaments.formats.derived_plans import plan_without_ledger
from oddly.tournaments.formats.tournament import PlayingSettings, Tournament

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Mapping, Sequence

    from oddly.referee import EngineConfiguration, Resources
    from oddly.tournaments.formats.format import Event
    from oddly.tournaments.formats.plan import Plan
    from oddly.tournaments.results.schedule import ScheduledGame


PLACES = ("first", "second", "third")
"""Words that tell apart engines that are alike in everything."""


def told_apart(name: str, commands: Sequence[Sequence[str]]) -> list[str]:
    """Return different names for engines called `name`, from the words of their commands."""
    words = [list(_settings(command)) for command in commands]
    shared = {word for word in words[0] if all(word in each for each in words)}
    own = [[word for word in each if word not in shared] for each in words]
    names: list[str] = []
    for by_file in (True, False):
        names = [short_name(" ".join((name, *_parts(each, own, by_file=by_file)))) for each in own]
        if len(set(names)) == len(names):
            return names
    places = zip_longest(names, PLACES[: len(names)])
    return [f"{name} ({place or number})" for number, (name, place) in enumerate(places, start=1)]


def _settings(command: Sequence[str]) -> Iterator[str]:
    """Yield the words of a command, an option with its value as one: `threads=2`."""
    option = ""
    for word in command:
        if word.startswith("--") and len(word) > 2:
            if option:
                yield option
            option = word.lstrip("-")
            if "=" in option:
                yield option
                option = ""
        elif option:
            yield f"{option}={word}"
            option = ""
        else:
            yield word
    if option:
        yield option


def _parts(own: Sequence[str], of_all: Sequence[Sequence[str]], *, by_file: bool) -> Iterator[str]:
    """Yield the words of an engine; for a path, only the first part that is not in all paths.

    With `by_file`, the name of the file comes before the other parts.
    """
    paths = [Path(word).parts for words in of_all for word in words if os.sep in word]
    shared = {part for part in chain(*paths) if all(part in path for path in paths)}
    for word in own:
        parts = Path(word).parts if os.sep in word else ()
        first = parts[-1:] if by_file else ()
        yield next((part for part in (*first, *parts) if part not in shared), word)


@dataclass(frozen=True, slots=True)
class Arrangement:
    """A tournament that is made when its engines have said who they are.

    Engines that are `asked` play under the names they give themselves. `make` gets the engines, and
    the options that each lists.
    """

    engines: tuple[EngineConfiguration, ...]
    asked: tuple[bool, ...]
    games: tuple[Game, ...]
    make: Callable[[Sequence[EngineConfiguration], Sequence[Sequence[str]]], Tournament]
    settings: PlayingSettings


@dataclass(frozen=True, slots=True)
class Handshakes:
    """What engines have said about themselves."""

    engines: tuple[EngineConfiguration, ...]
    """The engines under their names."""
    options: tuple[tuple[str, ...], ...]
    """The options that each lists."""
    waiting: Mapping[str, Player]
    """The engines that run and wait, by name."""
    unheard: tuple[str, ...]
    """A sentence about each that the machine could not start, so that nobody asked it."""


@asynccontextmanager
async def handshakes(
    engines: Sequence[EngineConfiguration],
    asked: Sequence[bool],
    settings: PlayingSettings | None = None,
) -> AsyncIterator[Handshakes]:
    """Ask engines who they are, all at once; leaving the `async with` block stops them.

    Engines that are `asked` appear under the names they give themselves. If several of these have
    one name, they get names that say how their commands differ. All run as `settings` say, and may
    play at once. Raises IsolationError if they cannot be isolated as required.
    """
    settings = settings or PlayingSettings()
    conditions = settings.conditions()
    run_as = [under(conditions, engine) for engine in engines]
    isolation_of(run_as)
    players = [Player(engine, conditions.limits) for engine in run_as]
    async with trio.open_nursery() as background:
        try:
            said = await _ask_all(players, background)
            named = _named(engines, asked, said)
            waiting = {
                engine.name: player
                for engine, player, each in zip(named, players, said, strict=True)
                if each.is_ready
            }
            unheard = _unheard(named, asked, said)
            yield Handshakes(named, tuple(each.options for each in said), waiting, unheard)
        finally:
            with trio.CancelScope(shield=True):
                async with trio.open_nursery() as nursery:
                    for player in players:
                        nursery.start_soon(player.stop)


async def _ask_all(players: Sequence[Player], background: trio.Nursery) -> list[SelfDescription]:
    """Return what the engines say about themselves."""
    said = [SelfDescription()] * len(players)

    async def ask(place: int) -> None:
        said[place] = await ask_who_it_is(players[place], background)

    async with trio.open_nursery() as nursery:
        for place in range(len(players)):
            nursery.start_soon(ask, place)
        # The first game needs it, and there is time for it now.
        nursery.start_soon(import_grammar)
    return said


def _named(
    engines: Sequence[EngineConfiguration], asked: Sequence[bool], said: Sequence[SelfDescription]
) -> tuple[EngineConfiguration, ...]:
    """Return the engines under the names that they play by."""
    names = [
        (each.name or engine.name) if wanted else engine.name
        for engine, each, wanted in zip(engines, said, asked, strict=True)
    ]
    if all(asked) and len(set(names)) < len(names):
        names = told_apart(names[0], [engine.command for engine in engines])
    return tuple(
        replace(engine, name=name, was_stuck=each.was_stuck)
        for engine, name, each in zip(engines, names, said, strict=True)
    )


def _unheard(
    named: Sequence[EngineConfiguration], asked: Sequence[bool], said: Sequence[SelfDescription]
) -> tuple[str, ...]:
    """Return a sentence about each engine whose own name is unknown since it did not start."""
    return tuple(
        f"{shlex.join(engine.command)!r} did not say who it is and plays as {engine.name}, "
        f"since {each.failure}"
        for engine, wanted, each in zip(named, asked, said, strict=True)
        if wanted and each.failure and not each.name
    )


PROGRAM = "oddly"
"""The word before `engine` in `oddly engine` and `python -m oddly engine`."""

PLAIN = ("--plain", "true")
"""The words that make one of our engines search by the plain rules."""


async def warm_engines(
    configurations: Sequence[EngineConfiguration], games: Iterable[Game]
) -> None:
    """Let each of our engines compile what it needs before a clock runs.

    Other processes compile, so this one needs no Numba. What fails here fails again in the first
    game, which reports it.
    """
    commands: dict[tuple[str, ...], tuple[Resources, set[str]]] = {}
    for configuration in configurations:
        program, name = split_command(configuration.command)
        if name:
            commands.setdefault(program, (configuration.resources, set()))[1].add(name)
    for game in games:
        for program, (resources, names) in commands.items():
            await _run((*program, "warm", *arguments(game, names)), resources)


async def _run(command: Sequence[str], resources: Resources) -> None:
    """Run the program to its end; cancelling kills it."""
    try:
        process = await trio.lowlevel.open_process(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            cwd=resources.directory,
            env={**os.environ, **resources.environment},
        )
    except OSError:
        return
    try:
        await process.wait()
    finally:
        if process.returncode is None:
            process.kill()
            with trio.CancelScope(shield=True):
                await process.wait()


def split_command(command: Sequence[str]) -> tuple[tuple[str, ...], str]:
    """Return our program and the compiled engine that a command line names; both empty if none.

    An engine started with `--plain true` compiles nothing; one that gets the option later may.
    """
    if PLAIN in pairwise(command):
        return (), ""
    for place, (before, word) in enumerate(pairwise(command), start=1):
        if Path(before).name == PROGRAM and word == "engine":
            name = next((word for word in command[place:] if word in ENGINES), "")
            if name and ENGINES[name].is_compiled:
                return tuple(command[:place]), name
    return (), ""


def arguments(game: Game, names: Iterable[str]) -> list[str]:
    """Return the arguments of `oddly warm` for these engines in one game."""
    words = ["--game", game.name, "--size", str(game.size)]
    for setting, value in game.settings.items():
        if isinstance(value, bool):
            words += [f"--{setting}"] * value
        else:
            words += [f"--{setting.replace('_', '-')}", setting_text(value)]
    for name in sorted(names):
        words += ["--engine", name]
    return words


MAX_PREVIEWED = 10
"""How many games of an endless plan are previewed."""


class Duration(NamedTuple):
    """The duration of a tournament if engines use their time; None if that is unknown."""

    games: int | None
    seconds: float | None
    """The time for all games, with the tournament's number of games at once."""
    seconds_a_game: float | None


def preview(plan: Plan) -> list[ScheduledGame]:
    """Return the games that a plan gives before the first result; for an endless plan, some."""
    most = MAX_PREVIEWED if plan.total is None else plan.total
    return list(islice(iter(plan.next, None), most))


def duration(tournament: Tournament, event: Event) -> Duration:
    """Return a rough estimate of the tournament's duration."""
    at_once = tournament.settings.concurrency or cores()
    times = {engine.name: engine.time for engine in tournament.engines}
    # This draws no opening.
    plan = plan_without_ledger(tournament.format, replace(event, openings={}))
    first = preview(plan)
    if not first:
        return Duration(0, 0.0, 0.0)
    seconds = seconds_of(first, times, 1)
    if seconds is None:
        return Duration(plan.total, None, None)
    each = seconds / len(first)
    return Duration(plan.total, each * plan.total / at_once if plan.total else None, each)


def seconds_of(
    schedule: Iterable[ScheduledGame], times: Mapping[str, TimeControl], concurrency: int
) -> float | None:
    """Return the seconds for all games if engines use their time; None if a clock has no limit."""
    total = 0.0
    for game in schedule:
        turns = game.game.turns_per_cell * len(game.game.board) / 2
        for name in (game.first, game.second):
            needed = _seconds_of_turns(times[name], turns)
            if needed is None:
                return None
            total += needed
    return total / concurrency


def _seconds_of_turns(time: TimeControl, turns: float) -> float | None:
    """Return the seconds that a player has for `turns` turns; None without a limit."""
    match time.kind:
        case TimeKind.NONE:
            return None
        case TimeKind.FIXED:
            return time.main_seconds * turns
        case TimeKind.FISCHER:
            return time.main_seconds + time.increment_seconds * turns
        case TimeKind.CANADIAN:
            return time.main_seconds + time.period_seconds * turns / time.turns
        case TimeKind.JAPANESE:
            return time.main_seconds + time.period_seconds * turns


def spelled(seconds: float) -> str:
    """Return a duration as `3 s`, `12 min`, `5 h 10 min` or `2 d 3 h`."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    minutes = round(seconds / 60)
    if minutes < 90:
        return f"{minutes} min"
    hours, minutes = divmod(minutes, 60)
    if hours < 48:
        return f"{hours} h {minutes} min"
    days, hours = divmod(hours, 24)
    return f"{days} d {hours} h"

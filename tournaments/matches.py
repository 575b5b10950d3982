"""Two engines against each other: a match, or a sequential test."""

from __future__ import annotations

import shlex
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import trio

from protocol.time_control import parse_time_control
from referee.match import import_grammar
from referee.player import EngineConfiguration
from referee.probe import introduce
from referee.program import ProgramError, find_program
from tournaments.executor import isolated_as, why_not_isolated
from tournaments.formats.fixed import Match
from tournaments.playing import run_tournament
from tournaments.playing_settings import PlayingSettings
from tournaments.tournament import Tournament

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from games.game import Game
    from tournaments.formats.format import Format
    from tournaments.formats.sprt import Sprt
    from tournaments.observer import Observer
    from tournaments.runner import Run

    Engine = EngineConfiguration | str

DEFAULT_TIME = "10"
"""Seconds a turn."""


def engine(
    command: str,
    time: str = DEFAULT_TIME,
    *,
    name: str | None = None,
    options: Mapping[str, str] | None = None,
) -> EngineConfiguration:
    """Return the engine behind a command line, under the name of its program if none is given.

    Raises ProgramError if there is no such program, and NotationError for a `time` that is no time
    control.
    """
    clock = parse_time_control(time)
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise ProgramError(str(error)) from None
    program = find_program(words)
    return EngineConfiguration(name or Path(words[0]).name, program, clock, dict(options or {}))


def run_match(
    first: Engine,
    second: Engine,
    game: Game,
    *,
    games: int = 10,
    seed: int = 0,
    settings: PlayingSettings | None = None,
    observers: Sequence[Observer] = (),
) -> Run:
    """Play games between two engines, which take turns at opening; the run has their results.

    An engine is a configuration, or a command line, which plays under the name it gives itself and
    with 10 seconds a turn. Raises ProgramError if there is no such program, and ValueError if two
    configurations have one name.
    """
    tournament = tournament_of_two((first, second), game, Match(games), seed, settings)
    return run_tournament(tournament, None, observers)


def run_sprt(
    first: Engine,
    second: Engine,
    game: Game,
    sprt: Sprt,
    *,
    seed: int = 0,
    settings: PlayingSettings | None = None,
    observers: Sequence[Observer] = (),
) -> Run:
    """Play until it is clear whether the first engine is `elo1` or only `elo0` stronger.

    The run's `plan.verdict()` says which, in a sentence. Raises what `run_match` raises, and
    ValueError for hypotheses that cannot be tested.
    """
    _ = sprt.hypotheses
    tournament = tournament_of_two((first, second), game, sprt, seed, settings)
    return run_tournament(tournament, None, observers)


def tournament_of_two(
    engines: tuple[Engine, Engine],
    game: Game,
    format_: Format,
    seed: int = 0,
    settings: PlayingSettings | None = None,
) -> Tournament:
    """Return a tournament of two engines in one game.

    Raises ProgramError if there is no such program, and ValueError if two configurations have one
    name.
    """
    known = [each if isinstance(each, EngineConfiguration) else engine(each) for each in engines]
    asked = [isinstance(each, str) for each in engines]
    if any(asked):
        known = trio.run(introduced, known, asked, settings)
    one, other = known
    if one.name == other.name:
        raise ValueError(f"two engines are {one.name!r}: give one of them another name")
    return Tournament(
        name="",
        format=format_,
        games=(game,),
        engines=(one, other),
        seed=seed,
        settings=settings or PlayingSettings(),
    )


async def introduced(
    engines: Sequence[EngineConfiguration],
    asked: Sequence[bool],
    settings: PlayingSettings | None = None,
) -> list[EngineConfiguration]:
    """Return the engines, those that are asked under the names they give themselves.

    All are asked at once. Engines of one name, all of them asked, are numbered: #1 and #2. They are
    run as `settings` say. Raises IsolationError if they cannot be.
    """
    settings = settings or PlayingSettings()
    limits = settings.limits()
    run_as = [isolated_as(each, settings.isolation) for each in engines]
    names = [each.name for each in run_as]

    async def ask(place: int) -> None:
        names[place] = await introduce(run_as[place], limits) or names[place]

    async with trio.open_nursery() as nursery:
        # The first game needs it, and there is time for it now.
        nursery.start_soon(import_grammar)
        await trio.lowlevel.checkpoint()
        why_not_isolated(run_as)
        for place in range(len(run_as)):
            if asked[place]:
                nursery.start_soon(ask, place)
    if all(asked) and len(set(names)) < len(names):
        names = [f"{name} #{number}" for number, name in enumerate(names, start=1)]
    return [replace(each, name=name) for each, name in zip(engines, names, strict=True)]

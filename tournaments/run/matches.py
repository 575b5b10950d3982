"""Two engines against each other: a match, or a sequential test."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING

from oddly.protocol.time_control import parse_time_control
from oddly.referee.program.configuration import EngineConfiguration, ProgramError, find_program
from oddly.tournaments.executors.playing_settings import PlayingSettings
from oddly.tournaments.formats.fixed import Match
from oddly.tournaments.formats.tournament import Tournament
from oddly.tournaments.openings.random_openings import DEFAULT_TURNS
from oddly.tournaments.run.playing import run_tournament
from oddly.tournaments.run.preparing import Arrangement

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from oddly.games.game import Game
    from oddly.tournaments.formats.format import Format
    from oddly.tournaments.formats.sprt import Sprt
    from oddly.tournaments.results.schedule import Opening
    from oddly.tournaments.run.observer import Observer
    from oddly.tournaments.run.runner import Run

    Engine = EngineConfiguration | str
    Openings = int | Sequence[Opening]

DEFAULT_TIME = "10"
"""Seconds a turn."""


def engine(
    command: str,
    time: str = DEFAULT_TIME,
    *,
    name: str | None = None,
    options: Mapping[str, str] | None = None,
) -> EngineConfiguration:
    """Return the engine of a command line, by default named after its program.

    Raises ProgramError if there is no such program, and NotationError if `time` is not a time
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
    openings: Openings | None = None,
    seed: int = 0,
    settings: PlayingSettings | None = None,
    observers: Sequence[Observer] = (),
) -> Run:
    """Play games between two engines, which take turns to open; return the run with the results.

    An engine is a configuration, or a command line, which plays under its own name and with 10
    seconds a turn. `openings` are openings for the pairs of games, or the number of turns of random
    ones, 0 for none; the default is that of `usual_openings`. Raises ProgramError if there is no
    such program, OpeningsError if there are no such openings, and ValueError if two configurations
    have one name.
    """
    arrangement = match_of_two((first, second), game, Match(games), openings, seed, settings)
    return run_tournament(arrangement, None, observers)


def run_sprt(
    first: Engine,
    second: Engine,
    game: Game,
    sprt: Sprt,
    *,
    openings: Openings | None = None,
    seed: int = 0,
    settings: PlayingSettings | None = None,
    observers: Sequence[Observer] = (),
) -> Run:
    """Play until it is clear whether the first engine is `elo1` or only `elo0` stronger.

    The run's `plan.verdict()` says which, in a sentence. Raises what `run_match` raises, and
    ValueError for hypotheses that cannot be tested.
    """
    _ = sprt.hypotheses
    arrangement = match_of_two((first, second), game, sprt, openings, seed, settings)
    return run_tournament(arrangement, None, observers)


def match_of_two(
    engines: tuple[Engine, Engine],
    game: Game,
    format_: Format,
    openings: Openings | None = None,
    seed: int = 0,
    settings: PlayingSettings | None = None,
    tell: Callable[[int], None] | None = None,
    *,
    are_asked: bool = False,
) -> Tournament | Arrangement:
    """Return a tournament of two engines in one game, with openings as `run_match` takes them.

    It is an arrangement if the engines have to be asked for names or options first. With
    `are_asked`, configurations too play under the names their engines give themselves. `tell` is
    called with the number of turns of the random openings that nobody asked for, if there are any.
    Raises ProgramError if there is no such program, and ValueError if two configurations have one
    name.
    """
    settings = settings or PlayingSettings()
    known = tuple(
        each if isinstance(each, EngineConfiguration) else engine(each) for each in engines
    )
    asked = tuple(are_asked or isinstance(each, str) for each in engines)

    def make(engines: Sequence[EngineConfiguration], have_seeds: Sequence[bool]) -> Tournament:
        if openings is not None:
            return tournament_of_two(engines, game, format_, openings, seed, settings)
        turns = usual_openings(have_seeds, format_)
        if turns and tell is not None:
            tell(turns)
        return tournament_of_two(engines, game, format_, turns, seed, settings, begins_plain=True)

    if openings is not None and not any(asked):
        return make(known, ())
    return Arrangement(known, asked, (game,), make, settings)


def tournament_of_two(
    engines: Sequence[EngineConfiguration],
    game: Game,
    format_: Format,
    openings: Openings,
    seed: int,
    settings: PlayingSettings,
    *,
    begins_plain: bool = False,
) -> Tournament:
    """Return a tournament of two engines in one game; `openings` may be a number of random turns.

    With `begins_plain` the first pair of games begins at the start, before any random opening.
    Raises ValueError if both have one name.
    """
    one, other = engines
    if one.name == other.name:
        raise ValueError(f"two engines are {one.name!r}: give one of them another name")
    turns = openings if isinstance(openings, int) else 0
    listed = openings if not isinstance(openings, int) else ()
    return Tournament(
        opening_turns={game: turns} if turns else {},
        openings={game: tuple(listed)} if listed else {},
        begins_plain=begins_plain,
        name="",
        format=format_,
        games=(game,),
        engines=(one, other),
        seed=seed,
        settings=settings,
    )


def usual_openings(have_seeds: Iterable[bool], format_: Format) -> int:
    """Return the number of turns of a match's default random openings.

    Engines without an option `seed` may be deterministic, and would play the same two games again
    and again. Two such engines get openings of DEFAULT_TURNS turns, if they play more than two
    games and the game has balanced openings. The first pair has none, so it begins at once.
    """
    if any(have_seeds) or (isinstance(format_, Match) and format_.games <= 2):
        return 0
    return DEFAULT_TURNS

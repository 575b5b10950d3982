"""`oddly match`: two engines, some games, a table."""

from __future__ import annotations

import argparse
import shlex
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import trio

from engines.catalogue import ENGINES
from interfaces.command_line.parser import (
    BadInputError,
    add_game_arguments,
    game_from,
    positive,
    whole_number,
)
from interfaces.command_line.playing import add_playing_arguments, play_and_print
from interfaces.command_line.warming import warm_configurations
from protocol.time_control import parse_time_control
from referee.player import EngineConfiguration
from referee.probe import introduce
from referee.program import ProgramError, find_program
from tournaments.formats.event import Event
from tournaments.formats.fixed import Match
from tournaments.formats.sprt import Sprt
from tournaments.ratings.sprt import SCALES

if TYPE_CHECKING:
    from protocol.time_control import TimeControl

DEFAULT_GAMES = 10


def fill(parser: argparse.ArgumentParser) -> None:
    """Add the arguments."""
    parser.add_argument("first", metavar="CMD", help="an engine's command line, in quotes")
    parser.add_argument("second", metavar="CMD", help="the other's; they take turns at opening")
    add_game_arguments(parser)
    parser.add_argument(
        "--games",
        type=positive,
        metavar="N",
        help=f"(default: {DEFAULT_GAMES}; with --sprt the most, by default any number)",
    )
    parser.add_argument(
        "--time",
        default="10",
        metavar="SPEC",
        help="the clock: 5 (seconds a turn), 300+2 (main time and increment), 600+20/300 "
        "(Canadian), 600+5x30 (Japanese), none (default: %(default)s)",
    )
    parser.add_argument(
        "--seed", type=whole_number, default=0, metavar="N", help="decides all seeds (default: 0)"
    )
    sprt = parser.add_argument_group("sequential test")
    sprt.add_argument(
        "--sprt",
        type=elo_bounds,
        metavar="ELO0,ELO1",
        help="play until it is clear whether the first engine is ELO1 or only ELO0 stronger",
    )
    for name, mistake in (("alpha", "ELO1 where ELO0 is true"), ("beta", "the reverse")):
        sprt.add_argument(
            f"--{name}",
            type=probability,
            metavar="P",
            help=f"chance to accept {mistake} (default: 0.05)",
        )
    sprt.add_argument("--scale", choices=list(SCALES), help="what Elo means (default: logistic)")
    add_playing_arguments(parser)
    parser.set_defaults(run=run, parser=parser)


def run(arguments: argparse.Namespace) -> int:
    """Play the match."""
    game = game_from(arguments)
    time = parse_time_control(arguments.time)
    entered = [configuration(command, time) for command in (arguments.first, arguments.second)]
    format_ = format_from(arguments)
    warm_configurations(entered, [game])
    one, other = trio.run(named, entered)
    event = Event("", arguments.seed, (game,), (one.name, other.name))
    title = f"{one.name} against {other.name}"
    return play_and_print(format_.plan(event), (one, other), arguments, title=title)


def format_from(arguments: argparse.Namespace) -> Match | Sprt:
    """A match or a sequential test. Raises BadInputError if the arguments contradict each other."""
    chosen = [name for name in ("alpha", "beta", "scale") if getattr(arguments, name) is not None]
    games = arguments.games
    if arguments.sprt is None:
        if chosen:
            raise BadInputError(f"match: --{chosen[0]} goes with --sprt ELO0,ELO1")
        return Match(games or DEFAULT_GAMES)
    if games is not None and games % 2:
        raise BadInputError(
            f"match: a sequential test is of pairs of games, so --games is even, not {games}"
        )
    elo0, elo1 = arguments.sprt
    sprt = Sprt(
        elo0,
        elo1,
        alpha=arguments.alpha or 0.05,
        beta=arguments.beta or 0.05,
        scale=arguments.scale or "logistic",
        games=games,
    )
    try:
        _ = sprt.hypotheses
    except ValueError as error:
        raise BadInputError(f"match: --sprt: {error}") from None
    return sprt


def elo_bounds(text: str) -> tuple[float, float]:
    """Two numbers of Elo."""
    try:
        elo0, elo1 = map(float, text.split(","))
    except ValueError:
        raise argparse.ArgumentTypeError(
            f"two numbers of Elo apart by a comma are expected, as in 0,10, not {text!r}"
        ) from None
    return elo0, elo1


def probability(text: str) -> float:
    """A number between 0 and 1."""
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0 < value < 1:
        raise argparse.ArgumentTypeError(f"a number between 0 and 1 is expected, not {text!r}")
    return value


def configuration(text: str, time: TimeControl) -> EngineConfiguration:
    """The engine behind a command line. Raises BadInputError if there is no such program."""
    try:
        words = shlex.split(text)
        command = find_program(words)
    except (ValueError, ProgramError) as error:
        hint = ""
        if text.strip() in ENGINES:
            hint = f"; did you mean 'oddly engine {text.strip()}'?"
        raise BadInputError(f"match: engine {text!r}: {error}{hint}") from None
    return EngineConfiguration(Path(words[0]).name, command, time)


async def named(entered: list[EngineConfiguration]) -> list[EngineConfiguration]:
    """The configurations under the names they give themselves, #1 and #2 if those are equal."""
    names = [await introduce(each) or each.name for each in entered]
    if names[0] == names[1]:
        names = [f"{name} #{number}" for number, name in enumerate(names, start=1)]
    return [replace(each, name=name) for each, name in zip(entered, names, strict=True)]

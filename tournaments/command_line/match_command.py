"""`oddly match`: two engines, some games, a table."""

from __future__ import annotations

import shlex
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import trio

from engines.catalogue import ENGINES
from protocol.time_control import parse_time_control
from referee.introduction import introduce
from referee.player import Contestant
from referee.program import ProgramError, find_program
from tournaments.command_line.parser import (
    BadInputError,
    add_game_arguments,
    game_from,
    positive,
    whole_number,
)
from tournaments.command_line.playing import add_playing_arguments, play_and_print
from tournaments.command_line.warming import warm_contestants
from tournaments.formats.plan import FixedPlan
from tournaments.schedule import alternating

if TYPE_CHECKING:
    import argparse

    from protocol.time_control import TimeControl


def fill(parser: argparse.ArgumentParser) -> None:
    """Add the arguments."""
    parser.add_argument("first", metavar="CMD", help="an engine's command line, in quotes")
    parser.add_argument("second", metavar="CMD", help="the other's; they take turns at opening")
    add_game_arguments(parser)
    parser.add_argument(
        "--games", type=positive, default=10, metavar="N", help="(default: %(default)s)"
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
    add_playing_arguments(parser)
    parser.set_defaults(run=run, parser=parser)


def run(arguments: argparse.Namespace) -> int:
    """Play the match."""
    game = game_from(arguments)
    time = parse_time_control(arguments.time)
    entered = [contestant(command, time) for command in (arguments.first, arguments.second)]
    warm_contestants(entered, [game])
    one, other = trio.run(named, entered)
    schedule = alternating(game, (one.name, other.name), arguments.games, arguments.seed)
    title = f"{one.name} against {other.name}"
    return play_and_print(FixedPlan(schedule), (one, other), arguments, title=title)


def contestant(text: str, time: TimeControl) -> Contestant:
    """The engine behind a command line. Raises BadInputError if there is no such program."""
    try:
        words = shlex.split(text)
        command = find_program(words)
    except (ValueError, ProgramError) as error:
        hint = ""
        if text.strip() in ENGINES:
            hint = f"; did you mean 'oddly engine {text.strip()}'?"
        raise BadInputError(f"match: engine {text!r}: {error}{hint}") from None
    return Contestant(Path(words[0]).name, command, time)


async def named(entered: list[Contestant]) -> list[Contestant]:
    """The contestants under the names they give themselves, #1 and #2 if those are equal."""
    names = [await introduce(each) or each.name for each in entered]
    if names[0] == names[1]:
        names = [f"{name} #{number}" for number, name in enumerate(names, start=1)]
    return [replace(each, name=name) for each, name in zip(entered, names, strict=True)]

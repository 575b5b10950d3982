"""`oddly tournament FILE`: all games of a TOML file, then its tables."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from protocol.time_control import parse_time_control
from tournaments.command_line.parser import BadInputError, whole_number
from tournaments.command_line.playing import add_playing_arguments, play_and_print
from tournaments.command_line.warming import warm_contestants
from tournaments.schedule import round_robin
from tournaments.tournament_file import TournamentFileError, load_tournament

if TYPE_CHECKING:
    import argparse


def fill(parser: argparse.ArgumentParser) -> None:
    """Add the arguments."""
    parser.add_argument("file", type=Path, metavar="FILE", help="a TOML file")
    parser.add_argument(
        "--time", metavar="SPEC", help="the clock of all engines without one of their own"
    )
    parser.add_argument("--seed", type=whole_number, metavar="N", help="decides all seeds")
    add_playing_arguments(parser)
    parser.set_defaults(run=run, parser=parser)


def run(arguments: argparse.Namespace) -> int:
    """Play the tournament."""
    time = parse_time_control(arguments.time) if arguments.time is not None else None
    try:
        tournament = load_tournament(arguments.file, time)
    except TournamentFileError as error:
        raise BadInputError(str(error)) from None
    schedule = round_robin(
        tournament.games,
        [engine.name for engine in tournament.engines],
        tournament.rounds,
        tournament.seed if arguments.seed is None else arguments.seed,
    )
    warm_contestants(tournament.engines, tournament.games)
    return play_and_print(schedule, tournament.engines, arguments, tournament.concurrency)

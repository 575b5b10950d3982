"""`oddly tournament FILE`: all games of a TOML file, then its tables."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from oddly.games import one_line
from oddly.interfaces.command_line.command import (
    WHOLE_NUMBER,
    command,
    file_keys,
    only_one,
    tournament_keys,
)
from oddly.interfaces.command_line.declaring import argument, flag, option, options
from oddly.interfaces.command_line.errors import DONE, BadInputError
from oddly.interfaces.command_line.shipped_examples import shipped_examples
from oddly.interfaces.command_line.tournament_run import PlayingOptions, play_and_print
from oddly.protocol import parse_time_control
from oddly.tournaments import (
    Ledger,
    LedgerError,
    OpeningsError,
    TournamentFileError,
    Tuning,
    load_tournament,
    spelled,
)
from oddly.tournaments.executors.capacity import cores
from oddly.tournaments.run.duration import duration, preview
from oddly.tournaments.run.playing import event_of

if TYPE_CHECKING:
    from oddly.tournaments import Plan, Tournament
    from oddly.tournaments.formats.format import Event


TOML_FILE = argument("FILE", "a TOML file")


@options()
class FileOptions:
    """Options that override settings of a tournament file, or that only check it."""

    time: str | None = option("SPEC", "the clock of all engines without one of their own")
    seed: int | None = option("N", "the seed of everything random", kind=WHOLE_NUMBER)
    ledger: Path | None = option(
        "FILE", "the ledger that keeps the games (default: beside the TOML file, as .sqlite)"
    )


@options()
class TournamentOptions(FileOptions):
    """The options of a tournament other than those of playing."""

    no_ledger: bool = flag("keep no ledger")
    as_new: bool = flag("enter an engine that has changed as a new one, such as NAME@2")
    check: bool = flag("only check the file")
    dry_run: bool = flag("only list the games, and estimate their duration")


@command(also=file_keys(tournament_keys))
def run(file: Path = TOML_FILE, *, own: TournamentOptions, options: PlayingOptions) -> int:
    """Play the tournament."""
    only_one(ledger=own.ledger, no_ledger=own.no_ledger)
    only_one(check=own.check, dry_run=own.dry_run)
    time = parse_time_control(own.time) if own.time is not None else None
    # A path such as `.` names no file, which is noticed below.
    beside = file.with_suffix(".sqlite") if file.name else None
    ledger = None if own.no_ledger else own.ledger or beside
    try:
        tournament = options.applied(load_tournament(file, time, retired_in(ledger)))
    except TournamentFileError as error:
        raise BadInputError(_shipped(file) or str(error)) from None
    if isinstance(tournament.format, Tuning):
        raise BadInputError(f"{file}: it is a tuning: 'oddly tune {file}' plays it")
    if own.seed is not None:
        tournament = replace(tournament, seed=own.seed)
    try:
        if own.check or own.dry_run:
            event = event_of(tournament)
            if own.dry_run:
                print_schedule(tournament.format.plan(event))
            print(summary(tournament, event))
            return DONE
        return play_and_print(
            tournament, options, ledger, partial(games_at_once, file, ledger), as_new=own.as_new
        )
    except OpeningsError as error:
        raise BadInputError(f"{file}: {error}") from None


def _shipped(file: Path) -> str:
    """Return how to get a missing file that comes with oddly; empty for any other."""
    name = f"{file.stem}.toml"
    if file.exists() or name not in shipped_examples():
        return ""
    return f"there is no file {file}, but one comes with oddly: 'oddly examples {name}' copies it"


def retired_in(ledger: Path | None) -> frozenset[str]:
    """Return the engines that a ledger has retired; none without a readable ledger."""
    if ledger is not None and ledger.is_file():
        with suppress(LedgerError), Ledger(ledger, read_only=True) as opened:
            return opened.rulings().retired
    return frozenset()


def games_at_once(path: Path, ledger: Path | None) -> int:
    """Return the number of games at once in the current file. Raises ValueError if it is wrong."""
    try:
        return load_tournament(path, None, retired_in(ledger)).settings.concurrency or cores()
    except TournamentFileError as error:
        raise ValueError(str(error)) from None


def print_schedule(plan: Plan) -> None:
    """Print a line for each game."""
    schedule = preview(plan)
    width = len(str(plan.total or len(schedule)))
    for game in schedule:
        opening = f"  {' '.join(game.opening)}" if game.opening else ""
        players = f"{one_line(game.first)} - {one_line(game.second)}"
        print(f"{game.number:>{width}}  {game.game}  {players}{opening}")
    if len(schedule) != plan.total:
        print("... what follows depends on the results")


def summary(tournament: Tournament, event: Event) -> str:
    """Return the size and the expected duration of the tournament, on one line."""
    at_once = tournament.settings.concurrency or cores()
    expected = duration(tournament, event)
    games = [f"{expected.games} games"] if expected.games is not None else []
    if end := tournament.format.end(event):
        games.append(end)
    if expected.seconds is not None:
        how_long = f"about {spelled(expected.seconds)} if engines use their time"
    elif expected.seconds_a_game is not None:
        how_long = f"about {spelled(expected.seconds_a_game)} a game if engines use their time"
    else:
        how_long = "no clock, so the duration is unknown"
    return (
        f"{one_line(tournament.name)}: {len(tournament.engines)} engines, {', '.join(games)}, "
        f"{at_once} at once, {how_long}"
    )

"""`oddly tournament FILE`: all games of a TOML file, then its tables."""

from __future__ import annotations

import sys
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING

from games.untrusted_text import one_line
from interfaces.command_line.command import argument, command, flag, gathered, only_one, option
from interfaces.command_line.errors import BadInputError
from interfaces.command_line.exit_codes import DONE
from interfaces.command_line.playing import play_and_print, playing_options
from interfaces.command_line.values import FILE, WHOLE_NUMBER
from interfaces.command_line.warming import warm_configurations
from protocol.time_control import parse_time_control
from tournaments.estimate import seconds_of, spelled
from tournaments.executor import cores
from tournaments.fingerprint import fingerprint
from tournaments.formats.event import Event
from tournaments.formats.plan import ResumedPlan
from tournaments.ledger.engines import Entrant
from tournaments.ledger.event_facts import event_facts
from tournaments.ledger.schema import LedgerError
from tournaments.ledger.store import Ledger
from tournaments.openings import OpeningsError, openings_of
from tournaments.results.game_summary import RANKED_BY_ELO
from tournaments.tournament_file import TournamentFileError, load_tournament

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from interfaces.command_line.cluster_options import ClusterOptions
    from interfaces.command_line.playing import PlayingOptions
    from referee.player import EngineConfiguration
    from tournaments.formats.plan import Plan
    from tournaments.schedule import ScheduledGame
    from tournaments.tournament_file import Tournament

MANY_OPENINGS = 20
"""So many take long enough to be announced."""

MAX_PREVIEWED = 10
"""Games that `--dry-run` lists of a plan without an end."""


@dataclass(frozen=True, slots=True)
class TournamentOptions:
    """What the command line says besides the file."""

    time: str | None
    seed: int | None
    ledger: Path | None
    no_ledger: bool
    check: bool
    dry_run: bool


@command()
@argument("file", type=FILE, metavar="FILE", help="a TOML file")
@gathered(
    "own",
    TournamentOptions,
    option("--time", metavar="SPEC", help="the clock of all engines without one of their own"),
    option("--seed", type=WHOLE_NUMBER, metavar="N", help="decides all seeds"),
    option(
        "--ledger",
        type=FILE,
        metavar="FILE",
        help="where games are kept, to go on from (default: beside the TOML file, as .sqlite)",
    ),
    flag("--no-ledger", help="keep no games"),
    flag("--check", help="only say whether the file is a tournament"),
    flag("--dry-run", help="only list the games, and about how long they take"),
)
@playing_options
def run(
    file: Path, own: TournamentOptions, options: PlayingOptions, cluster: ClusterOptions
) -> int:
    """Play the tournament."""
    only_one(ledger=own.ledger, no_ledger=own.no_ledger)
    only_one(check=own.check, dry_run=own.dry_run)
    time = parse_time_control(own.time) if own.time is not None else None
    try:
        tournament = load_tournament(file, time)
    except TournamentFileError as error:
        raise BadInputError(str(error)) from None
    seed = tournament.seed if own.seed is None else own.seed
    if tournament.opening_turns and tournament.format.openings >= MANY_OPENINGS:
        number = tournament.format.openings
        print(f"finding {number} balanced openings", file=sys.stderr)
    try:
        openings = openings_of(tournament, seed)
    except OpeningsError as error:
        raise BadInputError(f"{file}: {error}") from None
    names = tuple(engine.name for engine in tournament.engines)
    event = Event(tournament.name, seed, tournament.games, names, openings)
    if own.check or own.dry_run:
        if own.dry_run:
            print_schedule(tournament.format.plan(event))
        print(summary(tournament, event, options.concurrency))
        return DONE
    by_elo, reread = tournament.format.name in RANKED_BY_ELO, partial(games_at_once, file)
    if own.no_ledger:
        warm_configurations(tournament.engines, tournament.games)
        return play_and_print(
            tournament.format.plan(event),
            tournament.engines,
            options,
            cluster,
            tournament.concurrency,
            by_elo=by_elo,
            title=tournament.name,
            reread=reread,
        )
    try:
        with Ledger(own.ledger or file.with_suffix(".sqlite")) as ledger:
            said = ledger.begin(event_facts(tournament, seed, openings))
            said += ledger.enter(map(entrant, tournament.engines))
            known = {game.scheduled.id: game.outcome for game in ledger.each_played()}
            begun = ledger.scheduled() if tournament.format.takes_begun else []
            plan = tournament.format.plan(replace(event, begun=begun))
            rest = ResumedPlan(plan, known)
            tell_of_earlier(ledger.path, rest, len(known), said)
            if not rest.is_done:
                warm_configurations(tournament.engines, tournament.games)
            return play_and_print(
                rest,
                tournament.engines,
                options,
                cluster,
                tournament.concurrency,
                ledger,
                by_elo=by_elo,
                title=tournament.name,
                reread=reread,
            )
    except LedgerError as error:
        raise BadInputError(str(error)) from None


def entrant(configuration: EngineConfiguration) -> Entrant:
    """The engine as it is on this machine now."""
    files = fingerprint(configuration.command, configuration.resources.directory).files
    return Entrant(configuration.name, configuration.command, configuration.options, files)


def games_at_once(path: Path) -> int:
    """What the file says now. Raises ValueError."""
    try:
        return load_tournament(path).concurrency or cores()
    except TournamentFileError as error:
        raise ValueError(str(error)) from None


def tell_of_earlier(path: Path, plan: ResumedPlan, played: int, said: Sequence[str]) -> None:
    """Say on standard error what is known from earlier runs, if anything."""
    for what in said:
        print(f"{path}: {what}", file=sys.stderr)
    if played:
        in_all = "" if plan.total is None else f" of {plan.total}"
        rest = "no game is left" if plan.is_done else "the others follow"
        print(f"{path}: {played}{in_all} games were played before; {rest}", file=sys.stderr)


def print_schedule(plan: Plan) -> None:
    """One line for each game, as it will be told when it has ended."""
    schedule = preview(plan)
    width = len(str(plan.total or len(schedule)))
    for game in schedule:
        opening = f"  {' '.join(game.opening)}" if game.opening else ""
        players = f"{one_line(game.first)} - {one_line(game.second)}"
        print(f"{game.number:>{width}}  {game.game}  {players}{opening}")
    if len(schedule) != plan.total:
        print("... what follows depends on the results")


def preview(plan: Plan) -> list[ScheduledGame]:
    """The games that a plan can tell before the first result; not all, if they have no end."""
    most = MAX_PREVIEWED if plan.total is None else plan.total
    return list(islice(iter(plan.next, None), most))


def summary(tournament: Tournament, event: Event, concurrency: int | None) -> str:
    """What the tournament comes to, on one line."""
    at_once = concurrency or tournament.concurrency or cores()
    times = {engine.name: engine.time for engine in tournament.engines}
    plan = tournament.format.plan(event)
    total, first = plan.total, preview(plan)
    seconds = seconds_of(first, times, at_once)
    if seconds is None:
        how_long = "no clock, so no telling how long"
    elif total is None:
        how_long = (
            f"about {spelled(seconds * at_once / len(first))} a game if engines use their time"
        )
    else:
        how_long = f"about {spelled(seconds * total / len(first))} if engines use their time"
    games = [f"{total} games"] if total is not None else []
    if end := tournament.format.end(event):
        games.append(end)
    engines = len(tournament.engines)
    return (
        f"{one_line(tournament.name)}: {engines} engines, {', '.join(games)}, "
        f"{at_once} at once, {how_long}"
    )

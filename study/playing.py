"""Having the referee play a study's games, kept in a ledger to go on from."""

from __future__ import annotations

import sys
from collections import defaultdict
from typing import TYPE_CHECKING

import trio

from interfaces.terminal.live.progress import progress
from protocol.time_control import parse_time_control
from referee.player import EngineConfiguration
from tournaments.control import Control
from tournaments.executor import Conditions, local_executor
from tournaments.formats.plan import FixedPlan
from tournaments.ledger.keeper import LedgerKeeper
from tournaments.results.standings import PlayedGame
from tournaments.runner import run_attended

if TYPE_CHECKING:
    from collections.abc import Mapping

    from referee.record import GameRecord
    from study.plan import Pairing, Plan
    from tournaments.ledger.event import Facts
    from tournaments.ledger.store import Ledger
    from tournaments.runner import Run

Played = dict["Pairing", list["GameRecord"]]
"""By pairing the games that count, in the order of the schedule."""


def event_facts(plan: Plan) -> Facts:
    """What a ledger remembers of a study; it may grow by games of each pairing."""
    return {
        "name": plan.event,
        "format": "study",
        "seed": plan.seed,
        "rounds": plan.rounds,
        "scheduled": len(plan.schedule()),
        "games": [str(plan.game)],
        "openings": {},
        "engines": {
            entrant.name: {
                "command": ["oddly", "engine", entrant.engine],
                "time": "none",
                "options": dict(entrant.options),
            }
            for entrant in plan.entrants
        },
    }


def configurations(plan: Plan) -> dict[str, EngineConfiguration]:
    """Our engines as programs, by the names they play under; no clock runs."""
    no_clock = parse_time_control("none")
    return {
        entrant.name: EngineConfiguration(
            entrant.name,
            (sys.executable, "-m", "interfaces", "engine", entrant.engine),
            no_clock,
            entrant.options,
        )
        for entrant in plan.entrants
    }


def play(
    plan: Plan, entered: Mapping[str, EngineConfiguration], ledger: Ledger, concurrency: int | None
) -> tuple[Run, str | None]:
    """Play all games that the ledger has not; the run with all of them, and why writing failed."""
    schedule = plan.schedule()
    earlier = ledger.records()
    to_play = [game for game in schedule if game.id not in earlier]
    known = [(game, earlier[game.id]) for game in schedule if game.id in earlier]
    control = Control(concurrency)
    played = [PlayedGame(game, record.outcome) for game, record in known]
    with progress(plan.event, len(schedule), list(entered), control, played) as observer:
        keeper = LedgerKeeper(observer, ledger)
        executor = local_executor(entered, Conditions(concurrency, watch=observer.watch))
        run = trio.run(run_attended, observer, FixedPlan(to_play), executor, keeper, control)
    run.games = len(schedule)
    for game, record in known:
        run.add(game, record)
    run.in_order()
    return run, keeper.failure


def by_pairing(plan: Plan, run: Run) -> Played:
    """The games that count of each pairing; forfeits and void games are none."""
    seats: dict[frozenset[str], Pairing] = {
        frozenset((pairing.one, pairing.other)): pairing for pairing in plan.pairings
    }
    found: Played = defaultdict(list, {pairing: [] for pairing in plan.pairings})
    for record in run.records:
        if not (record.outcome.is_void or record.outcome.is_forfeit):
            found[seats[frozenset(record.players)]].append(record)
    return found

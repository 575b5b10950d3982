"""Playing the games of a study, which a ledger keeps."""

from __future__ import annotations

import sys
from collections import defaultdict
from typing import TYPE_CHECKING, Protocol

import trio

from protocol.time_control import parse_time_control
from referee.player import EngineConfiguration
from tournaments.executor import Conditions, local_executor
from tournaments.formats.plan import FixedPlan
from tournaments.ledger.keeper import LedgerKeeper
from tournaments.runner import Attendant, Observer, run_attended

if TYPE_CHECKING:
    from collections.abc import Callable

    from referee.record import GameRecord
    from referee.snapshot import Snapshot
    from study.plan import StudyPairing, StudyPlan
    from tournaments.control import Control
    from tournaments.ledger.event_facts import Facts
    from tournaments.ledger.store import Ledger
    from tournaments.runner import Run
    from tournaments.schedule import ScheduledGame

GamesByPairing = dict["StudyPairing", list["GameRecord"]]
"""The games of each pairing that count, in the order of the schedule."""


class View(Observer, Attendant, Protocol):
    """An observer that also draws while games are played, and may follow them turn by turn."""

    @property
    def watch(self) -> Callable[[ScheduledGame, Snapshot], None] | None:
        """Called after each turn; None if only whole games are shown."""


def event_facts(plan: StudyPlan) -> Facts:
    """Return what a ledger keeps about a study, which may grow by games of each pairing."""
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
            for entrant in plan.engines
        },
    }


def configurations(plan: StudyPlan) -> dict[str, EngineConfiguration]:
    """Return the engine configurations of a study by name; no clock runs."""
    no_clock = parse_time_control("none")
    return {
        entrant.name: EngineConfiguration(
            entrant.name,
            (sys.executable, "-m", "interfaces", "engine", entrant.engine),
            no_clock,
            entrant.options,
        )
        for entrant in plan.engines
    }


def play_games(
    plan: StudyPlan, ledger: Ledger, control: Control, view: View
) -> tuple[Run, str | None]:
    """Play all games that the ledger does not have yet, while `view` observes them.

    Returns the run with all games of the plan, and why the ledger could not be written, if so.
    """
    schedule, earlier = plan.schedule(), ledger.records()
    to_play = [game for game in schedule if game.id not in earlier]
    keeper = LedgerKeeper(view, ledger)
    conditions = Conditions(control.at_once, watch=view.watch)
    executor = local_executor(configurations(plan), conditions)
    run = trio.run(run_attended, view, FixedPlan(to_play), executor, keeper, control)
    run.games = len(schedule)
    for game in schedule:
        if game.id in earlier:
            run.add(game, earlier[game.id])
    run.in_order()
    return run, keeper.failure


def games_by_pairing(plan: StudyPlan, run: Run) -> GamesByPairing:
    """Return the games of each pairing that count; forfeits and void games do not."""
    seats: dict[frozenset[str], StudyPairing] = {
        frozenset((pairing.one, pairing.other)): pairing for pairing in plan.pairings
    }
    found: GamesByPairing = defaultdict(list, {pairing: [] for pairing in plan.pairings})
    for record in run.records:
        if not (record.outcome.is_void or record.outcome.is_forfeit):
            found[seats[frozenset(record.players)]].append(record)
    return found

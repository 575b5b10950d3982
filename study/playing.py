"""Plays the games of a study, which a ledger keeps."""

from __future__ import annotations

import sys
from dataclasses import replace
from typing import TYPE_CHECKING

import trio

from oddly.protocol import parse_time_control
from oddly.referee import EngineConfiguration
from oddly.study.plan import AGAIN
from oddly.tournaments import LedgerError, PlayedGame, RunStart
from oddly.tournaments.executors.conditions import Conditions
from oddly.tournaments.executors.executor import local_executor
from oddly.tournaments.formats.plan import FixedPlan
from oddly.tournaments.results.schedule import replayed_id, scheduled_id
from oddly.tournaments.run.observer import Observers
from oddly.tournaments.run.preparing import warm_engines
from oddly.tournaments.run.recording import LedgerRecorder
from oddly.tournaments.run.runner import run_plan

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from oddly.referee import GameRecord
    from oddly.study.plan import StudyPairing, StudyPlan
    from oddly.tournaments import Control, Ledger, Observer, Run, ScheduledGame
    from oddly.tournaments.ledger.event_facts import Facts


GamesByPairing = dict["StudyPairing", list["GameRecord"]]

"""The games of each pairing that count, in the order of the schedule."""


def event_facts(plan: StudyPlan) -> Facts:
    """Return what a ledger keeps about a study, whose pairings may get more games later."""
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


def changed_options(old: Facts, plan: StudyPlan) -> list[str]:
    """Return in words which options of `oddly study` contradict the games of an earlier study.

    `old` are the facts of an event; nothing contradicts one that is not a study.
    """
    new = event_facts(plan)
    if old["format"] != new["format"]:
        return []
    game = ", ".join(old["games"])
    engine = old["name"].removeprefix(f"study {game} ")
    pairs = [("--game", game, str(plan.game)), ("--engine", engine, plan.engine)]
    pairs += [("--seed", str(old["seed"]), str(plan.seed))]
    levels, now = _simulations(old), _simulations(new)
    if engine == plan.engine and not set(levels) <= set(now):
        pairs += [("--levels", ",".join(levels), ",".join(now))]
    changes = [f"{option} was {was} and is {now} now" for option, was, now in pairs if was != now]
    if plan.rounds < old["rounds"]:
        changes.append(
            f"a pairing had {2 * old['rounds']} games and has at most {2 * plan.rounds} now "
            "(--games, --equal-games and --first-turn-games may only grow)"
        )
    return changes


def _simulations(facts: Facts) -> list[str]:
    """Return the simulations of the levels, of an engine that searches."""
    every = {name: engine["options"] for name, engine in facts["engines"].items()}
    return [
        options["simulations"]
        for name, options in every.items()
        if "simulations" in options and not name.endswith(AGAIN)
    ]


def configurations(plan: StudyPlan) -> dict[str, EngineConfiguration]:
    """Return the engine configurations of a study by name; no clock runs."""
    no_clock = parse_time_control("none")
    return {
        entrant.name: EngineConfiguration(
            entrant.name,
            (sys.executable, "-P", "-m", "oddly", "engine", entrant.engine),
            no_clock,
            entrant.options,
        )
        for entrant in plan.engines
    }


def play_games(
    plan: StudyPlan, ledger: Ledger, control: Control, observers: Sequence[Observer] = ()
) -> Run:
    """Play all games that the ledger does not have yet; return a run with all games of the plan.

    Raises LedgerError if the ledger has games of something else.
    """
    changes = _begun(ledger, plan)
    schedule, annulled = plan.schedule(), ledger.rulings().annulled
    earlier = {scheduled_id(identity): record for identity, record in ledger.records().items()}
    start = RunStart(
        plan.event,
        len(schedule),
        [engine.name for engine in plan.engines],
        control,
        [PlayedGame(game, earlier[game.id].outcome) for game in schedule if game.id in earlier],
        is_done=all(game.id in earlier for game in schedule),
        ledger=ledger.path,
        changes=changes,
    )
    every = [LedgerRecorder(ledger), *observers]
    with Observers(every).during(start):
        left = [
            replace(game, id=replayed_id(game.id, annulled))
            for game in schedule
            if game.id not in earlier
        ]
        to_play = by_pairing(plan, left)
        run = trio.run(_play, plan, to_play, every, control)
    run.games = len(schedule)
    for game in schedule:
        if game.id in earlier:
            run.add(game, earlier[game.id])
    run.in_order()
    return run


def _begun(ledger: Ledger, plan: StudyPlan) -> list[str]:
    """Begin or resume the study; return in words what was added since. Raises LedgerError."""
    try:
        return ledger.begin(event_facts(plan))
    except LedgerError:
        old = ledger.event()
        wrong = changed_options(old, plan) if old is not None else []
        if not wrong:
            raise
    raise LedgerError(
        f"{ledger.path} has games of another study: {'; '.join(wrong)}. Undo the change, or name "
        "another --output or --ledger"
    )


def by_pairing(plan: StudyPlan, games: Sequence[ScheduledGame]) -> list[ScheduledGame]:
    """Return the games pairing by pairing, so that engines start only once."""
    places = {_key(p.one, p.other, p.opening): place for place, p in enumerate(plan.pairings)}
    return sorted(games, key=lambda game: places[_key(game.first, game.second, game.opening)])


def _key(one: str, other: str, opening: Sequence[str]) -> tuple[frozenset[str], tuple[str, ...]]:
    return frozenset((one, other)), tuple(opening)


async def _play(
    plan: StudyPlan, games: Sequence[ScheduledGame], every: Sequence[Observer], control: Control
) -> Run:
    by_name = configurations(plan)
    if games:
        await warm_engines(list(by_name.values()), [plan.game])
    informed = Observers(every)
    on_turn = informed.turned if informed.follows_turns else None
    conditions = Conditions(control.at_once, on_turn=on_turn, say=control.say)
    return await run_plan(FixedPlan(games), local_executor(by_name, conditions), every, control)


def games_by_pairing(plan: StudyPlan, records: Iterable[GameRecord]) -> GamesByPairing:
    """Return the games of each pairing that count; forfeits and void games do not."""
    pairings = {_key(p.one, p.other, p.opening): p for p in plan.pairings}
    found: GamesByPairing = {pairing: [] for pairing in plan.pairings}
    for record in records:
        if not (record.outcome.is_void or record.outcome.is_forfeit):
            opening = [played.turn for played in record.turns[: record.opening]]
            found[pairings[_key(*record.players, opening)]].append(record)
    return found

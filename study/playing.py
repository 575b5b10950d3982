"""The games of a study, which a ledger keeps: which ones, and how they are played.

Engines of rising strength play, each against itself and the one below.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass, replace
from enum import Enum
from itertools import pairwise
from typing import TYPE_CHECKING

import trio

from oddly.engines import engine_class
from oddly.engines.search_engine import SearchEngine
from oddly.games import Drops, Exchange
from oddly.protocol import parse_time_control
from oddly.referee import EngineConfiguration
from oddly.study.game_properties import first_turn_kinds
from oddly.tournaments import LedgerError, PlayedGame, RunStart
from oddly.tournaments.executors.conditions import Conditions
from oddly.tournaments.executors.executor import local_executor
from oddly.tournaments.formats.plan import FixedPlan
from oddly.tournaments.results.schedule import replayed_id, scheduled, scheduled_id
from oddly.tournaments.run.observer import Observers
from oddly.tournaments.run.preparing import warm_engines
from oddly.tournaments.run.recording import LedgerRecorder
from oddly.tournaments.run.runner import run_plan

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from oddly.games import Game
    from oddly.referee import GameRecord
    from oddly.tournaments import Control, Ledger, Observer, Run, ScheduledGame
    from oddly.tournaments.ledger.event_facts import Facts
    from oddly.tournaments.results.schedule import Opening


MAX_GAMES = 1_000_000
"""The most games of a study; a file with more is not read to its end."""

RANDOM = "random"

AGAIN = " again"

"""The suffix of the name of the second of two equal players."""


class Purpose(Enum):
    """Why a pairing is played."""

    EQUAL = "equal strength"
    LADDER = "strong against weak"
    FIRST_TURN = "equal strength from a first turn"
    MIRROR = "copying"


@dataclass(frozen=True, slots=True)
class StudyEngine:
    """One of our engines with its options and its name in the study."""

    name: str
    engine: str
    options: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class StudyPairing:
    """Two engines that play each other, the stronger or the copying one first.

    In each round they play two games, one in either seat, after the turns of `opening`.
    """

    purpose: Purpose
    one: str
    other: str
    rounds: int
    opening: Opening = ()


@dataclass(frozen=True, slots=True)
class StudyPlan:
    """Everything that a study of `game` plays. `levels` are names of engines, weakest first."""

    game: Game
    engine: str
    levels: tuple[str, ...]
    engines: tuple[StudyEngine, ...]
    pairings: tuple[StudyPairing, ...]
    seed: int

    @property
    def event(self) -> str:
        """The name of the tournament that its games form."""
        return f"study {self.game} {self.engine}"

    @property
    def rounds(self) -> int:
        """The number of rounds of the pairing that plays most."""
        return max(pairing.rounds for pairing in self.pairings)

    def schedule(self) -> list[ScheduledGame]:
        """Return all games round by round; in each pairing, both sides move first in turn."""
        found: list[ScheduledGame] = []
        for round_ in range(1, self.rounds + 1):
            for pairing in self.pairings:
                if pairing.rounds < round_:
                    continue
                seats = (pairing.one, pairing.other)
                for first, second in (seats, seats[::-1]):
                    where = len(found) + 1, self.game, round_
                    game = scheduled(*where, first, second, self.seed, self.event, pairing.opening)
                    found.append(game)
        return found

    def of(self, purpose: Purpose) -> list[StudyPairing]:
        """Return the pairings of that purpose; those of equals are in order of strength."""
        return [pairing for pairing in self.pairings if pairing.purpose is purpose]

    @property
    def most_played(self) -> StudyPairing:
        """The pairing of equals with a search that plays most; among several, the strongest."""
        equal = self.of(Purpose.EQUAL)
        return max(equal[1:] or equal, key=lambda pairing: (pairing.rounds, equal.index(pairing)))


def make_plan(
    game: Game,
    engine: str,
    simulations: Sequence[int],
    games: int,
    seed: int,
    equal_games: Sequence[int] = (),
    first_turn_games: int = 0,
) -> StudyPlan:
    """Return the plan for one of our engines, with rising simulations if it searches.

    Each pairing plays `games` games, rounded up to pairs. `equal_games` are the games that each
    player plays against itself, weakest first; a single number is for all players. The player with
    the most games against itself also plays `first_turn_games` from every first turn up to
    symmetry. Raises UnknownEngineError if there is no engine of that name, ValueError if
    `equal_games` has neither one number nor one for each player, or for more than MAX_GAMES games.
    """
    steps = list(_steps(engine, simulations))
    levels = tuple(step.name for step in steps)
    of_equals = list(equal_games) or [games]
    if len(of_equals) == 1:
        of_equals *= len(levels)
    if len(of_equals) != len(levels):
        raise ValueError(
            f"{len(of_equals)} numbers of games between equals for {len(levels)} players: "
            f"{', '.join(levels)}"
        )
    twins = [StudyEngine(step.name + AGAIN, step.engine, step.options) for step in steps]
    copiers = list(_copiers(game))
    # No copying strategy beats an engine that searches, so the weakest one suffices.
    opponent = levels[1] if len(levels) > 1 else levels[0]
    pairings = [
        StudyPairing(Purpose.EQUAL, name, name + AGAIN, _rounds(number))
        for name, number in zip(levels, of_equals, strict=True)
    ]
    rounds = _rounds(games)
    pairings += [
        StudyPairing(Purpose.LADDER, strong, weak, rounds) for weak, strong in pairwise(levels)
    ]
    pairings += [StudyPairing(Purpose.MIRROR, copier.name, opponent, rounds) for copier in copiers]
    engines = (*steps, *twins, *copiers)
    plan = StudyPlan(game, engine, levels, engines, tuple(pairings), seed)
    if first_turn_games:
        first = _first_turns(plan, _rounds(first_turn_games))
        plan = replace(plan, pairings=(*plan.pairings, *first))
    number = 2 * sum(pairing.rounds for pairing in plan.pairings)
    if number > MAX_GAMES:
        raise ValueError(f"{number:,} games are too many: at most {MAX_GAMES:,} are expected")
    return plan


def _first_turns(plan: StudyPlan, rounds: int) -> list[StudyPairing]:
    most = plan.most_played
    openings = [(str(min(images, key=str)),) for images in first_turn_kinds(plan.game)]
    return [
        StudyPairing(Purpose.FIRST_TURN, most.one, most.other, rounds, opening)
        for opening in openings
    ]


def _rounds(games: int) -> int:
    return (games + 1) // 2


def searches(engine: str) -> bool:
    """Return whether the engine of that name takes a number of simulations."""
    return issubclass(engine_class(engine), SearchEngine)


def _steps(engine: str, simulations: Sequence[int]) -> list[StudyEngine]:
    bottom = [StudyEngine(RANDOM, RANDOM, {})]
    if engine == RANDOM:
        return bottom
    if not searches(engine):
        return [*bottom, StudyEngine(engine, engine, {})]
    return [
        *bottom,
        *(
            StudyEngine(f"{engine} {number}", engine, {"simulations": str(number), "memory": "64"})
            for number in simulations
        ),
    ]


def _copiers(game: Game) -> list[StudyEngine]:
    """Return the copying strategies, some of which reverse the colour of a drop."""
    found = []
    has_colours = game.exchange is not Exchange.NOTHING and Drops in game.turn_kinds
    exchanges = (True, False) if has_colours else (False,)
    for symmetry in game.mirrors:
        for exchange in exchanges:
            name = f"mirror {symmetry}" + " exchanged" * exchange
            options = {"symmetry": symmetry, "exchange": str(exchange).lower()}
            found.append(StudyEngine(name, "mirror", options))
    return [*found, StudyEngine("mirror copy", "mirror", {"symmetry": "copy", "exchange": "false"})]


GamesByPairing = dict[StudyPairing, list["GameRecord"]]

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

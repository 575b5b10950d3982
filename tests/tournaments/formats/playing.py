"""Playing plans without engines: outcomes follow from a game's seed, the order from a die."""

from random import Random

from oddly.games import create_game
from oddly.referee import Termination
from oddly.tournaments import PlayedGame
from oddly.tournaments.formats.derived_plans import ResumedPlan
from oddly.tournaments.formats.format import Event
from tests.tournaments.results.outcomes import outcome

ODD = create_game("odd", 2)
AYU = create_game("ayu", 5)

DRAW = outcome(None, Termination.REPETITION)
VOID = outcome(None, Termination.VOID)


def event(
    engines: int,
    games=(ODD,),
    begun=(),
    openings=None,
    seed=1,
    retired=frozenset(),
    withdraw_after=None,
) -> Event:
    """An event of engines that are called a, b, c and so on; the first ones are the strongest."""
    names = tuple(chr(ord("a") + number) for number in range(engines))
    return Event(
        "club",
        seed,
        tuple(games),
        names,
        openings or {},
        begun,
        retired=retired,
        withdraw_after=withdraw_after,
    )


def by_strength(scheduled):
    """The engine that comes first in the alphabet wins in most games; some are drawn."""
    die = Random(scheduled.seed)
    if die.random() < 0.1:
        return DRAW
    return outcome(int((scheduled.first < scheduled.second) != (die.random() < 0.8)))


def always_split(scheduled):
    """The first player wins every game."""
    return outcome(0)


def never_upset(scheduled):
    """The engine that comes first in the alphabet wins every game."""
    return outcome(int(scheduled.first > scheduled.second))


def played(plan, seats=1, seed=0, result=by_strength, most=10_000) -> dict:
    """The games that were begun by id, each with its outcome, or None if `most` ended before.

    They end in an order that follows from the seed; `seats` of them run at once.
    """
    die, running, begun, ended = Random(seed), [], {}, 0
    while True:
        while len(running) < seats and (scheduled := plan.next()) is not None:
            assert scheduled.id not in begun
            begun[scheduled.id] = (scheduled, None)
            running.append(scheduled)
        if not running or ended == most:
            return begun
        scheduled = running.pop(die.randrange(len(running)))
        begun[scheduled.id] = (scheduled, result(scheduled))
        plan.learn(PlayedGame(scheduled, begun[scheduled.id][1]))
        ended += 1


def facts_of(plan) -> dict:
    """What the plan of the only game reports."""
    (facts,) = plan.facts().values()
    return facts


def resumed(make, first_run: dict) -> ResumedPlan:
    """The plan of a second run, after one that began those games; `make` has its begun ones."""
    known = {
        name: PlayedGame(scheduled, ended)
        for name, (scheduled, ended) in first_run.items()
        if ended is not None
    }
    return ResumedPlan(make([scheduled for scheduled, _ in first_run.values()]), known)

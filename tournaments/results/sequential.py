"""Where a sequential test of two engines stands, by the pairs of games that a tournament has."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING

from tournaments.ratings.pairs import PairCounts
from tournaments.ratings.sprt import SCALES, Hypotheses, SprtState

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from tournaments.results.standings import PlayedGame


@dataclass(frozen=True, slots=True)
class Question:
    """Whether an engine is elo0 above another, or elo1, on one of SCALES."""

    hypotheses: Hypotheses
    scale: str = "logistic"


@dataclass(frozen=True, slots=True)
class PairTest:
    """The question whether `one` is so far above `other`, and where its answer stands."""

    one: str
    other: str
    question: Question
    counts: PairCounts
    state: SprtState


def sequential_tests(
    engines: Sequence[str], played: Iterable[PlayedGame], question: Question
) -> list[PairTest]:
    """A test of every two engines that have finished a pair; the one named first is tested.

    Who is tested must not depend on results: to test whoever is ahead finds differences where there
    are none. What is told is where the ratio is now; a test that was to stop at its first verdict
    would have stopped when the ratio first crossed a bound.
    """
    by_pair: dict[frozenset[str], list[PlayedGame]] = defaultdict(list)
    for game in played:
        by_pair[frozenset((game.scheduled.first, game.scheduled.second))].append(game)
    hypotheses, ratio = question.hypotheses, SCALES[question.scale]
    tests = []
    for one, other in combinations(engines, 2):
        counts = pair_counts(one, other, by_pair.get(frozenset((one, other)), ()))
        if counts.pairs:
            llr = ratio(counts, hypotheses)
            state = SprtState(hypotheses.decide(llr), llr, hypotheses.lower, hypotheses.upper)
            tests.append(PairTest(one, other, question, counts, state))
    return tests


def pair_counts(one: str, other: str, played: Iterable[PlayedGame]) -> PairCounts:
    """The pairs of the two engines: games of one round and opening in which either opened.

    Where rounds are not known (0), games are paired as they come. What has no partner yet, or a
    void one, does not count.
    """
    legs: dict[tuple[object, ...], tuple[list[float], list[float]]]
    legs = defaultdict(lambda: ([], []))
    for game in played:
        scheduled = game.scheduled
        if game.outcome.is_void or {scheduled.first, scheduled.second} != {one, other}:
            continue
        seat = (scheduled.first, scheduled.second).index(one)
        key = (scheduled.game, scheduled.round, scheduled.opening)
        legs[key][seat].append(game.points[seat])
    counts = PairCounts()
    for as_first, as_second in legs.values():
        for first, second in zip(as_first, as_second, strict=False):
            counts = counts.plus(first + second)
    return counts

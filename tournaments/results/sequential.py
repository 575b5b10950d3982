"""Sequential tests of two engines, by the pairs of games of an event.

Pairs are taken in the order of their schedule, not of their ends: otherwise short games would come
before long ones, and the verdict would depend on the number of games at once. For the same reason,
a pair that has not ended delays those after it. The test is decided when its ratio first crosses a
bound; later pairs are reported as not counted.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from itertools import combinations
from typing import TYPE_CHECKING, NamedTuple

from oddly.games.wording import counted
from oddly.tournaments.ratings.sprt import (
    SCALES,
    GameOfPair,
    Hypotheses,
    PairCounts,
    SequentialTest,
    SprtState,
)
from oddly.tournaments.results.schedule import PlayedGame, ScheduledGame, cluster_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence


@dataclass(frozen=True, slots=True)
class Question:
    """The question of whether an engine is elo0 or elo1 above another, on one of SCALES."""

    hypotheses: Hypotheses
    scale: str = "logistic"


USUAL_QUESTION = Question(Hypotheses(0, 50))
"""The default question of a test."""


@dataclass(frozen=True, slots=True)
class PairTest:
    """The question of whether `one` is stronger than `other`, and the state of its answer.

    `counts` are the pairs up to the verdict, `ratios` the log-likelihood ratio after each of them,
    and `not_counted` the number of later complete pairs. `openings` is how many openings the pairs
    are worth; `is_exhausted` says that more games from these openings could not decide.
    """

    one: str
    other: str
    question: Question
    counts: PairCounts
    state: SprtState
    ratios: Sequence[float]
    not_counted: int = 0
    openings: float = 0.0
    is_exhausted: bool = False

    @property
    def is_decided(self) -> bool:
        """Whether a hypothesis is accepted."""
        return self.state.decision != "continue"


def openings_text(openings: float) -> str:
    """Return `3 openings`."""
    return counted(round(openings), "opening")


def half_points_text(counts: PairCounts) -> str:
    """Return the pairs by their points, `0 1, 0.5 0, 1 7, 1.5 2, 2 3`; empty if all are whole."""
    if not (counts.counts[1] or counts.counts[3]):
        return ""
    return ", ".join(f"{place / 2:g} {number}" for place, number in enumerate(counts.counts))


def sequential_tests(
    engines: Sequence[str],
    played: Iterable[PlayedGame],
    question: Question,
    unfinished: Iterable[ScheduledGame] = (),
) -> list[PairTest]:
    """Return a test of every two engines that finished a pair; the engine named first is tested.

    The choice of the tested engine must not depend on results: a test of the engine that is ahead
    would find differences where there are none. `unfinished` are games that began and have no
    result yet.
    """
    by_pair: dict[frozenset[str], list[PlayedGame]] = defaultdict(list)
    for game in played:
        by_pair[frozenset((game.scheduled.first, game.scheduled.second))].append(game)
    open_by_pair: dict[frozenset[str], list[ScheduledGame]] = defaultdict(list)
    for scheduled in unfinished:
        open_by_pair[frozenset((scheduled.first, scheduled.second))].append(scheduled)
    tests = []
    for one, other in combinations(engines, 2):
        pair = frozenset((one, other))
        if games := by_pair.get(pair):
            ready, waiting = pairs_between(one, other, games, open_by_pair.get(pair, ()))
            if ready or waiting:
                tests.append(_test(one, other, question, ready, waiting))
    return tests


def _test(
    one: str, other: str, question: Question, ready: Sequence[PlayedPair], waiting: int
) -> PairTest:
    """Return the test after these pairs, which stops at its first verdict."""
    test = SequentialTest(question.hypotheses, SCALES[question.scale])
    for pair in ready:
        test.add(pair.points, pair.games)
    return PairTest(
        one=one,
        other=other,
        question=question,
        counts=test.counts,
        state=test.state,
        ratios=test.ratios,
        not_counted=test.not_counted + waiting,
        openings=test.openings,
        is_exhausted=test.is_exhausted,
    )


class PlayedPair(NamedTuple):
    """A complete pair: the tested engine's points, the game that it opened, and the other."""

    points: float
    games: tuple[GameOfPair, GameOfPair]


def played_pair(first: PlayedGame, second: PlayedGame) -> PlayedPair:
    """Return the pair of two games, the first of which the tested engine opened."""
    legs = (
        GameOfPair(first.points[0], cluster_of(first)),
        GameOfPair(second.points[1], cluster_of(second)),
    )
    return PlayedPair(legs[0].points + legs[1].points, legs)


@dataclass(slots=True)
class _Legs:
    """The games of one round and opening, with the tested engine as first and as second player."""

    as_first: list[PlayedGame] = field(default_factory=list)
    as_second: list[PlayedGame] = field(default_factory=list)
    ended: int = 0
    """The place of the last of these games among all games played."""
    is_open: bool = False
    """Whether one of these games has begun and has no result."""

    @property
    def pairs(self) -> list[PlayedPair]:
        """The complete pairs."""
        return [
            played_pair(first, second)
            for first, second in zip(self.as_first, self.as_second, strict=False)
        ]


def pairs_between(
    one: str, other: str, played: Iterable[PlayedGame], unfinished: Iterable[ScheduledGame] = ()
) -> tuple[list[PlayedPair], int]:
    """Return the pairs of `one` with `other`, and how many more pairs must wait.

    A pair is two games of one round and opening, one opened by each engine. Pairs are in the
    order of rounds, up to the first that began and is not complete; a void game is played again, so
    its pair is not complete either. Where rounds are not known (0), games are paired as they ended,
    and no pair waits for another.
    """
    both = {one, other}
    legs: dict[tuple[object, ...], _Legs] = defaultdict(_Legs)
    for place, game in enumerate(played):
        scheduled = game.scheduled
        if {scheduled.first, scheduled.second} == both:
            found = legs[_key(scheduled)]
            if game.outcome.is_void:
                found.is_open = True
            else:
                seat = (scheduled.first, scheduled.second).index(one)
                (found.as_first, found.as_second)[seat].append(game)
                found.ended = place
    for scheduled in unfinished:
        if {scheduled.first, scheduled.second} == both:
            legs[_key(scheduled)].is_open = True
    return _in_order(legs)


def _key(scheduled: ScheduledGame) -> tuple[int, object, object]:
    return scheduled.round, scheduled.game, scheduled.opening


def _in_order(legs: Mapping[tuple[object, ...], _Legs]) -> tuple[list[PlayedPair], int]:
    """Return pairs in the order of rounds, and the number of those that wait."""
    ready: list[PlayedPair] = []
    waiting = 0
    is_held_up = False
    for (round_, *_), found in sorted(legs.items(), key=lambda item: (item[0][0], item[1].ended)):
        pairs = found.pairs
        if round_ and (found.is_open or len(found.as_first) != len(found.as_second)):
            is_held_up = True
        if is_held_up:
            waiting += len(pairs)
        else:
            ready += pairs
    return ready, waiting

"""Leagues of every shape, of which it is known what is true, and their simulated games."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations, product
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from oddly.games.wording import counted
from oddly.tournaments.ratings.elo import expected_score
from oddly.tournaments.ratings.ordered_pairs import WINNERS, from_counts

if TYPE_CHECKING:
    from oddly.tournaments import Results

ADVANTAGE = 35.0
"""What playing first is worth, in Elo, unless something else is said."""


class Meeting(NamedTuple):
    """Two engines by their numbers, and how many games they play in either seat."""

    one: int
    other: int
    games: int


@dataclass(frozen=True)
class Shape:
    """A league with what is true of it."""

    truth: np.ndarray
    """The true ratings, with the mean 0."""
    meetings: list[Meeting]
    draws: float = 0.0
    """The share of games that are drawn, of those that the better engine might lose."""
    effects: float = 0.0
    """The standard deviation, in Elo, of what each pair has of its own."""


def _round_robin(
    engines: int, gap: float, games: int, draws: float = 0.0, effects: float = 0.0
) -> Shape:
    truth = gap * (np.arange(engines) - (engines - 1) / 2)
    meetings = [Meeting(*two, games) for two in combinations(range(engines), 2)]
    return Shape(truth, meetings, draws, effects)


def _chain(engines: int, gap: float, games: int) -> Shape:
    truth = gap * (np.arange(engines) - (engines - 1) / 2)
    return Shape(truth, [Meeting(n, n + 1, games) for n in range(engines - 1)])


def _bridge(apart: float, joined: int) -> Shape:
    """Two round robins of five equals; one of each meets the other."""
    inside = [Meeting(*two, 20) for two in combinations(range(5), 2)]
    there = [Meeting(one + 5, other + 5, games) for one, other, games in inside]
    truth = np.repeat([-apart / 2, apart / 2], 5)
    return Shape(truth, [*inside, *there, Meeting(0, 5, joined)])


def _champion(games: int) -> Shape:
    truth = np.append(np.zeros(9), 1000.0)
    meetings = [Meeting(*two, games) for two in combinations(range(10), 2)]
    return Shape(truth - truth.mean(), meetings)


SHAPES = {
    "a chain of 20, 150 apart": _chain(20, 150, 50),
    "a chain of 50, 30 apart": _chain(50, 30, 50),
    "a chain of 100, 20 apart": _chain(100, 20, 50),
    "a chain of 200, 20 apart": _chain(200, 20, 50),
    "two fives 800 apart, joined by 10 games": _bridge(800, 5),
    "two fives 300 apart, joined by 40 games": _bridge(300, 20),
    "nine equals, one 1000 above, 8 games a pair": _champion(4),
    "nine equals, one 1000 above, 40 games a pair": _champion(20),
    "a round robin of 8": _round_robin(8, 100, 20),
    "with half the games drawn": _round_robin(8, 100, 20, draws=0.5),
    "with nearly all games drawn": _round_robin(8, 100, 20, draws=0.9),
    "60 Elo between pairs, 4 engines": _round_robin(4, 100, 50, effects=60),
    "60 Elo between pairs, 8 engines": _round_robin(8, 50, 100, effects=60),
    "60 Elo between pairs, 20 engines": _round_robin(20, 20, 20, effects=60),
}
"""Leagues of every kind; a round robin is one in which all engines meet equally often."""

ENGINES = (2, 3, 5, 8)
GAPS = (0, 100, 300, 600, 800)
GAMES = (1, 4, 20, 100)


def _round_robin_name(engines: int, gap: int, games: int) -> str:
    often = counted(games, "game")
    return f"a round robin of {engines}, {gap} apart, {often} of each ordered pair"


SHAPES |= {
    _round_robin_name(*numbers): _round_robin(*numbers) for numbers in product(ENGINES, GAPS, GAMES)
}


def simulated(rng: np.random.Generator, shape: Shape, advantage: float = ADVANTAGE) -> Results:
    """Return the results of a league of this shape."""
    counts = {}
    for one, other, games in shape.meetings:
        effect = rng.normal(0, shape.effects) if shape.effects else 0.0
        for first, second, sign in ((one, other, 1), (other, one, -1)):
            ahead = shape.truth[first] - shape.truth[second] + sign * effect + advantage
            win = expected_score(ahead)
            draw = 2 * shape.draws * min(win, 1 - win)
            numbers = rng.multinomial(games, [win - draw / 2, 1 - win - draw / 2, draw])
            for winner, number in zip(WINNERS, numbers, strict=True):
                if number:
                    counts[f"e{first:03}", f"e{second:03}", winner] = int(number)
    return from_counts(counts, (f"e{number:03}" for number in range(len(shape.truth))))


CROWDS = ((20, 8, 300), (50, 8, 300), (200, 2, 300), (200, 8, 100), (200, 8, 300), (200, 8, 600))
"""Engines, the opponents of each, and what playing first is worth in Elo."""


def crowd(engines: int, opponents: int) -> Shape:
    """Return a league in which each engine meets some of the others, in two games each.

    The true ratings have a standard deviation of 200 Elo.
    """
    truth = np.random.default_rng(engines).normal(0, 200, engines)
    meetings = [
        Meeting(one, (one + away) % engines, 1)
        for one in range(engines)
        for away in range(1, opponents // 2 + 1)
    ]
    return Shape(truth - truth.mean(), meetings)


GAUNTLETS = (
    *((8, 4, 300), (8, 20, 600), (10, 10, 300), (30, 1, 300), (30, 1, 600)),
    *((30, 5, 900), (60, 1, 300), (60, 1, 700), (60, 1, 900)),
)
"""The opponents, all equal, the games in either seat, and how far the challenger is above them."""


def gauntlet(opponents: int, games: int, above: float) -> Shape:
    """Return a gauntlet; the challenger is engine number 0."""
    truth = np.append(above, np.zeros(opponents))
    return Shape(truth - truth.mean(), [Meeting(0, n, games) for n in range(1, opponents + 1)])


WITHOUT_ADVANTAGE = {
    "200 engines, 4 games of each": crowd(200, 2),
    "200 engines, 8 games of each": crowd(200, 4),
    "200 engines, 16 games of each": crowd(200, 8),
    "20 engines, 8 games of each": crowd(20, 4),
    "a gauntlet of 30 equals, 2 games each": gauntlet(30, 1, 0),
} | {
    _round_robin_name(*numbers): _round_robin(*numbers)
    for numbers in ((8, 100, 1), (8, 100, 4), (8, 300, 1), (2, 100, 8), (2, 600, 20))
}
"""Leagues in which no advantage should be found."""

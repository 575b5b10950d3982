"""Tests are wrong no more often than agreed, however much chance there is in the engines.

A game of two engines is made up from its opening and from what chance each engine puts into it: a
deterministic one none, so that the opening decides. Engines may have as many openings as they need,
as by default, or a book that comes again, or none.
"""

import random
from dataclasses import dataclass

import pytest

from oddly.tournaments.ratings.elo import expected_score
from oddly.tournaments.ratings.sprt import MAX_DESIGN_EFFECT, GameOfPair, Hypotheses, SequentialTest
from tests.tournaments.ratings.test_sprt import most_by_chance

MAX_PAIRS = 2000
VARIANTS = 3
"""The ways in which an engine with a little chance may play a game."""
ENGINES = {"deterministic": (0, 0), "half": (0, 1), "random": (1, 1)}
BOOKS = {"endless": None, "a book of 50": 50, "a book of 10": 10, "none": 1}


@dataclass
class Match:
    """Two engines whose first scores `expected_score(elo)` over both seats and all openings."""

    elo: float
    chance: tuple[int, int]
    openings: int | None
    seed: int

    def pair(self, number, die):
        """The first engine's points from a pair, and its games with what they share."""
        opening = number if self.openings is None else number % self.openings
        games = []
        for leg in (0, 1):
            ways = [die.randrange(VARIANTS) if free else 0 for free in self.chance]
            if self.chance == (1, 1):
                ways = [die.random()]
            game = f"{self.seed} {opening} {leg} {ways}"
            # Who opens wins more often.
            share = expected_score(self.elo) + (0.15 if leg == 0 else -0.15)
            points = float(random.Random(game).random() < share)
            # Games from the start share something with their copies alone.
            games.append(GameOfPair(points, (leg, game) if self.openings == 1 else opening))
        return games[0].points + games[1].points, tuple(games)


def decisions(runs, elo, engines, book, hypotheses, *, as_independent=False):
    """The decision of each of a number of tests between two other engines."""
    found = []
    for seed in range(runs):
        match, die = Match(elo, ENGINES[engines], BOOKS[book], seed), random.Random(seed)
        test = SequentialTest(hypotheses)
        for number in range(MAX_PAIRS):
            points, games = match.pair(number, die)
            test.add(points, None if as_independent else games)
            if test.is_over:
                break
        found.append(test.state.decision)
    return found


def wrong(runs, engines, book, hypotheses):
    """How often H1 is accepted where H0 is true, and H0 where H1 is."""
    return (
        decisions(runs, hypotheses.elo0, engines, book, hypotheses).count("H1"),
        decisions(runs, hypotheses.elo1, engines, book, hypotheses).count("H0"),
    )


@pytest.mark.parametrize("kind", ["deterministic", "half", "random"])
@pytest.mark.parametrize("openings", [1, 2, 5])
def test_a_book_of_few_openings_decides_nothing(kind, openings):
    for seed in range(20):
        match, die = Match(150, ENGINES[kind], openings, seed), random.Random(seed)
        test = SequentialTest(Hypotheses(0, 20))
        while not test.is_over:
            number = test.counts.pairs
            points, games = match.pair(number, die)
            book = [each._replace(cluster=number % openings) for each in games]
            test.add(points, tuple(book))
        assert not test.is_decided
        assert test.openings <= openings + 0.01 or test.design_effect >= MAX_DESIGN_EFFECT


@pytest.mark.sampled
@pytest.mark.parametrize("book", BOOKS)
@pytest.mark.parametrize("engines", ENGINES)
def test_a_sample_of_tests_is_wrong_no_more_often_than_agreed(engines, book):
    runs = 60
    assert max(wrong(runs, engines, book, Hypotheses(0, 100))) <= most_by_chance(runs, 0.065)


def test_with_openings_without_end_deterministic_engines_get_their_verdict():
    for elo, verdict in ((0, "H0"), (100, "H1")):
        found = decisions(40, elo, "deterministic", "endless", Hypotheses(0, 100))
        assert found.count(verdict) >= 33


@pytest.mark.sampled
def test_copies_that_counted_as_independent_would_decide_anything():
    """What this is about: equal deterministic engines and a book that comes again."""
    book, hypotheses = "a book of 50", Hypotheses(0, 40)
    copied = decisions(40, 0, "deterministic", book, hypotheses, as_independent=True)
    assert copied.count("H1") >= 8
    assert decisions(40, 0, "deterministic", book, hypotheses).count("H1") <= most_by_chance(
        40, 0.065
    )


@pytest.mark.soak
@pytest.mark.parametrize("book", BOOKS)
@pytest.mark.parametrize("engines", ENGINES)
@pytest.mark.parametrize("bounds", [(0, 50), (-50, 0), (0, 100)])
def test_tests_are_wrong_in_at_most_1_5_percent_more_than_agreed(engines, book, bounds):
    runs = 1000
    assert max(wrong(runs, engines, book, Hypotheses(*bounds))) / runs <= 0.065


@pytest.mark.soak
def test_equal_deterministic_engines_are_rarely_found_10_elo_apart(monkeypatch):
    monkeypatch.setattr(f"{__name__}.MAX_PAIRS", 40_000)
    found = decisions(200, 0, "deterministic", "endless", Hypotheses(0, 10))
    assert found.count("H1") <= most_by_chance(200, 0.05)
    assert found.count("H0") >= 180

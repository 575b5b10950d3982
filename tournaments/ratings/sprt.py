"""Sequential tests by colour-swapped pairs of games.

An engine scores 0, 1/2, 1, 3/2 or 2 points in a pair. If the first player or the opening position
has an advantage, the games of a pair are not independent. Pairs are, so tests use pairs.

The sequential probability ratio test of H0 against H1 stops as soon as the logarithm of the
likelihood ratio leaves the interval (log(beta / (1 - alpha)), log((1 - beta) / alpha)): Wald,
"Sequential tests of statistical hypotheses", Annals of Mathematical Statistics 16 (1945). It
accepts H1 where H0 is true with a probability of about alpha at most, and H0 where H1 is true with
about beta. There are three ratios, with three scales of Elo:

- `pair_ratio` uses the mean score of pairs. Its Elo is *logistic Elo*: a difference d stands
  for a mean score of 1 / (1 + 10^(-d/400)) points per game over both seats.
- `normalised_pair_ratio` uses the mean score in standard deviations. Its Elo is *normalised
  Elo*, see `elo.py`.
- `decisive_pair_ratio` uses the pairs that one engine won twice. Its Elo is that of *Bradley-Terry*
  with a first-player advantage, the same as in `bradley_terry.py`.

Without an advantage of playing first and without draws the scales agree for small differences. The
greater the advantage, the closer the mean score of a better engine is to 1/2, and the smaller its
logistic Elo compared with Bradley-Terry's.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal, NamedTuple

from oddly.tournaments.ratings.clusters import ClusterCounts, design_effect, residuals
from oddly.tournaments.ratings.elo import ELO_PER_NAT, MAX_ELO, expected_score
from oddly.tournaments.ratings.pair_likelihoods import log_likelihood, normalised_ratio

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable

    Ratio = Callable[["PairCounts", "Hypotheses"], float]


OUTCOMES = 5


@dataclass(frozen=True, slots=True)
class PairCounts:
    """The numbers of pairs that gave the tested engine 0, 1/2, 1, 3/2 and 2 points.

    Raises ValueError unless there are five counts, none negative.
    """

    counts: tuple[int, int, int, int, int] = (0, 0, 0, 0, 0)

    def __post_init__(self) -> None:
        """Check the counts. Raises ValueError if they are wrong."""
        if len(self.counts) != OUTCOMES or min(self.counts) < 0:
            raise ValueError(f"{OUTCOMES} counts from 0 expected, not {self.counts}")

    @property
    def pairs(self) -> int:
        """The number of pairs of any outcome."""
        return sum(self.counts)

    @property
    def won(self) -> int:
        """The pairs in which the tested engine won both games (WW)."""
        return self.counts[4]

    @property
    def lost(self) -> int:
        """The pairs in which the tested engine lost both games (LL)."""
        return self.counts[0]

    def plus(self, points: float) -> PairCounts:
        """Return the counts with one more pair, of 0, 1/2, 1, 3/2 or 2 points.

        Raises ValueError for other points.
        """
        outcome = 2 * points
        if outcome not in range(OUTCOMES):
            raise ValueError(f"a pair has 0, 0.5, 1, 1.5 or 2 points, not {points}")
        zero, half, one, three_halves, two = (
            count + (outcome == index) for index, count in enumerate(self.counts)
        )
        return PairCounts((zero, half, one, three_halves, two))


Decision = Literal["continue", "H0", "H1"]

ERROR_RATE = 0.05
"""The usual probability of each wrong decision."""


@dataclass(frozen=True, slots=True)
class Hypotheses:
    """H0, that an engine is `elo0` above its opponent, and H1, that it is `elo1`, both in Elo.

    `alpha` is the probability of accepting H1 where H0 is true, `beta` of H0 where H1 is. Raises
    ValueError unless elo0 < elo1, unless both are from -10,000 to 10,000, and unless alpha and beta
    are above 0 with a sum below 1.
    """

    elo0: float
    elo1: float
    alpha: float = ERROR_RATE
    beta: float = ERROR_RATE

    def __post_init__(self) -> None:
        if not self.elo0 < self.elo1:
            raise ValueError(f"elo0 must be below elo1, not {self.elo0} and {self.elo1}")
        if not -MAX_ELO <= self.elo0 < self.elo1 <= MAX_ELO:
            raise ValueError(
                f"elo0 and elo1 must be from {-MAX_ELO} to {MAX_ELO}, "
                f"not {self.elo0} and {self.elo1}"
            )
        if not (self.alpha > 0 and self.beta > 0 and self.alpha + self.beta < 1):
            raise ValueError(
                "alpha and beta must be above 0 and below 1 together, "
                f"not {self.alpha} and {self.beta}"
            )

    @property
    def lower(self) -> float:
        """Wald's bound at which H0 is accepted."""
        return math.log(self.beta) - math.log1p(-self.alpha)

    @property
    def upper(self) -> float:
        """Wald's bound at which H1 is accepted."""
        # The quotient of Wald's logarithm overflows if alpha is tiny.
        return math.log1p(-self.beta) - math.log(self.alpha)

    def decide(self, ratio: float) -> Decision:
        """Return the decision at this log-likelihood ratio."""
        if ratio <= self.lower:
            return "H0"
        return "H1" if ratio >= self.upper else "continue"


def pair_ratio(counts: PairCounts, hypotheses: Hypotheses) -> float:
    """Return the generalised log-likelihood ratio of the mean score of pairs, in logistic Elo.

    Each hypothesis fixes the mean score and otherwise leaves the five probabilities of a pair's
    outcomes free; the ratio compares how likely the counts are under the best of each. So neither
    draws nor the advantage of playing first needs a model. Where no game is drawn, the five
    outcomes are three: LL, WL, WW. Li, Liu and Ying, "Generalized sequential probability ratio test
    for separate families of hypotheses", Sequential Analysis 33 (2014); Van den Bergh's method, see
    `pair_likelihoods.py`.
    """
    if not counts.pairs:
        return 0.0
    return _log_likelihood(counts, hypotheses.elo1) - _log_likelihood(counts, hypotheses.elo0)


def _log_likelihood(counts: PairCounts, elo: float) -> float:
    """Return the greatest log-likelihood of pairs if the mean score is that of `elo`.

    It is found from the weaker side, whose mean is exact where the other's is rounded to 1.
    """
    weaker = counts.counts[::-1] if elo > 0 else counts.counts
    return log_likelihood(weaker, expected_score(-abs(elo)))


def normalised_pair_ratio(counts: PairCounts, hypotheses: Hypotheses) -> float:
    """Return the generalised log-likelihood ratio of the mean score of pairs, in normalised Elo.

    Each hypothesis fixes how many standard deviations the mean score is above 1/2, see
    `pair_likelihoods.py`.
    """
    if not counts.pairs:
        return 0.0
    return normalised_ratio(counts.counts, hypotheses.elo0, hypotheses.elo1)


def decisive_pair_ratio(counts: PairCounts, hypotheses: Hypotheses) -> float:
    """Return the log-likelihood ratio of WW against LL, in the Elo of Bradley-Terry.

    If an engine is d above the other and playing first is worth a, both in log-odds, it wins both
    games with probability f(d + a) f(d - a) and loses both with f(-d - a) f(-d + a), f being the
    logistic function. As f(z) / f(-z) = e^z, the odds of WW against LL are e^(2d), whatever a is.
    So among pairs that one engine won twice, WW and LL are tosses of one coin, which shows WW with
    probability 1 / (1 + 10^(-2 d / 400)) if d is in Elo, and Wald's test of a coin applies
    unchanged. McNemar, "Note on the sampling error of the difference between correlated proportions
    or percentages", Psychometrika 12 (1947), leaves out split pairs in the same way.
    """
    win0, win1 = (2 * elo / ELO_PER_NAT for elo in (hypotheses.elo0, hypotheses.elo1))
    won = _log_logistic(win1) - _log_logistic(win0)
    lost = _log_logistic(-win1) - _log_logistic(-win0)
    return counts.won * won + counts.lost * lost


def _log_logistic(odds: float) -> float:
    """Return log(1 / (1 + e^-odds)), exact in both tails."""
    return min(odds, 0.0) - math.log1p(math.exp(-abs(odds)))


SEATS = (("one", "other"), ("other", "one"))
"""The tested engine, and the other, in either seating."""

OUTCOME_OF_FIRST = {1.0: 0, 0.0: 1, 0.5: 2}
"""The place of a result among wins, losses and draws, by the points of the first player."""


class GameOfPair(NamedTuple):
    """The tested engine's points from a game, and what games from the same opening share."""

    points: float
    cluster: Hashable = None


@dataclass(frozen=True, slots=True)
class SprtState:
    """The state of a test: its decision so far, the log-likelihood ratio (LLR) and the bounds."""

    decision: Decision
    llr: float
    lower: float
    upper: float


MIN_OPENINGS = 8
"""The fewest openings with which a test can be decided once they repeat."""

MAX_DESIGN_EFFECT = 20.0
"""A test ends at this design effect, since more games from the same openings would leave at least
95 % of its variance.
"""
MAX_PAIRS_PER_OPENING = 20
"""A test with too few openings ends at this many pairs from each."""


class SequentialTest:
    """A test that takes pairs in their order, up to its first verdict.

    `ratio` is one of those of SCALES. It is divided by the design effect of the openings, see
    `clusters.py`, so that every pair counts, but none for more than it tells. Pairs after the
    verdict, or when none is possible, do not count: games that were running then change neither the
    verdict nor the ratio.
    """

    def __init__(self, hypotheses: Hypotheses, ratio: Ratio = pair_ratio) -> None:
        self.hypotheses = hypotheses
        self.ratio = ratio
        self.counts = PairCounts()
        self.state = SprtState("continue", 0.0, hypotheses.lower, hypotheses.upper)
        self.ratios: list[float] = []
        """The log-likelihood ratio after each pair that counts."""
        self.not_counted = 0
        """The number of pairs after the verdict."""
        self.design_effect = 1.0
        """The factor by which the variance of the score exceeds that of independent pairs."""
        self.is_exhausted = False
        """Whether the test ended because more games from the same openings could not decide it."""
        self._clusters = ClusterCounts()
        self._seats = [[0, 0, 0], [0, 0, 0]]
        """Wins, losses and draws of the first player: the tested engine, then the other."""

    @property
    def is_decided(self) -> bool:
        """Whether a hypothesis is accepted."""
        return self.state.decision != "continue"

    @property
    def is_over(self) -> bool:
        """Whether further pairs do not count."""
        return self.is_decided or self.is_exhausted

    @property
    def openings(self) -> float:
        """The effective number of openings: the number of pairs, or less if openings repeat."""
        games, squares, single = 2 * self.counts.pairs, 0, 2 * self.counts.pairs
        for (_, _, seats), number in self._clusters.repeats.items():
            squares += number * sum(seats) ** 2
            single -= number * sum(seats)
        return games**2 / (squares + 2 * single) if games else 0.0

    @property
    def has_too_few_openings(self) -> bool:
        """Whether openings repeat and are too few to decide anything."""
        return bool(self._clusters.repeats) and self.openings < MIN_OPENINGS

    def add(self, points: float, games: tuple[GameOfPair, GameOfPair] | None = None) -> SprtState:
        """Add a pair, with the tested engine's points from it, and return the test's state.

        `games` are the game that the tested engine opened, and the other. None means that they have
        nothing in common with other games. Raises ValueError unless the points are 0, 1/2, 1, 3/2
        or 2.
        """
        counts = self.counts.plus(points)
        if self.is_over:
            self.not_counted += 1
            return self.state
        self.counts = counts
        for seat, game in enumerate(games or ()):
            first = game.points if seat == 0 else 1 - game.points
            self._seats[seat][OUTCOME_OF_FIRST[first]] += 1
            if game.cluster is not None:
                winner = (0, 1, None)[OUTCOME_OF_FIRST[first]]
                self._clusters.add(*SEATS[seat], winner, game.cluster)
        self.design_effect = self._design_effect()
        llr = self.ratio(counts, self.hypotheses) / self.design_effect
        self.ratios.append(llr)
        # From few openings, the design effect is a guess.
        decision = "continue" if self.has_too_few_openings else self.hypotheses.decide(llr)
        self.state = replace(self.state, decision=decision, llr=llr)
        self.is_exhausted = not self.is_decided and self._is_exhausted()
        return self.state

    def _is_exhausted(self) -> bool:
        most = MAX_PAIRS_PER_OPENING * self.openings
        has_most = self.has_too_few_openings and self.counts.pairs >= most
        return has_most or self.design_effect >= MAX_DESIGN_EFFECT

    def _design_effect(self) -> float:
        """Return the design effect by the mean scores so far, as if one more game were drawn."""
        if not (repeats := self._clusters.repeats):
            return 1.0
        chances, squares = [], 0.0
        for seat in self._seats:
            wins, losses, draws = seat
            chances.append((wins + (draws + 1) / 2) / (wins + losses + draws + 1))
            squares += residuals(seat, chances[-1])[1]
        openings = max(2.0, self.openings)
        clusters = [(seats, number) for (_, _, seats), number in repeats.items()]
        return design_effect(clusters, chances, squares) * openings / (openings - 1)


SCALES = {
    "logistic": pair_ratio,
    "normalised": normalised_pair_ratio,
    "bradley-terry": decisive_pair_ratio,
}
"""The scales of Elo for hypotheses, each with its ratio."""


def sprt(
    pairs: Iterable[float],
    elo0: float,
    elo1: float,
    alpha: float = ERROR_RATE,
    beta: float = ERROR_RATE,
    scale: str = "logistic",
) -> SprtState:
    """Return the state of a sequential test after `pairs`, with its decision.

    `pairs` are the points, 0 to 2, of the tested engine from each pair of games with the colours
    swapped, in the order in which the pairs were played; those after the decision do not count. The
    decision is H0, that the engine is `elo0` above its opponent, H1, that it is `elo1`, or
    `continue`. `alpha` is the probability of accepting H1 where H0 is true, `beta` of H0 where H1
    is. `scale` says what Elo means, see SCALES. Raises ValueError for other points, an unknown
    scale, and hypotheses that cannot be tested.

    >>> import oddly
    >>> oddly.sprt([2, 1, 1, 2], elo0=0, elo1=100).decision
    'continue'
    >>> state = oddly.sprt([2, 1, 2, 2, 1, 2, 2, 1] * 4, elo0=0, elo1=100)
    >>> print(state.decision, round(state.llr, 2), round(state.upper, 2))
    H1 2.96 2.94
    """
    if scale not in SCALES:
        raise ValueError(f"unknown scale {scale!r}: expected one of {', '.join(SCALES)}")
    test = SequentialTest(Hypotheses(elo0, elo1, alpha, beta), SCALES[scale])
    for points in pairs:
        test.add(points)
    return test.state

"""What a tuning's games say: where the optimum is, and what it gains over the start.

The interval of an option holds the values at which the surface may be greatest, the other options
being at their best there. If the optimum is above a value, the surface rises there. So the interval
begins where the surface, seen from the low end of the range, no longer rises for certain, and ends
likewise. This is Fieller's method ("Some problems in interval estimation", Journal of the Royal
Statistical Society B 16, 1954). No error of the optimum itself is needed, which would be infinite
if the option did not matter: the interval is then the whole range. Nor does it begin before values
that are certainly weaker than the best one.

The error of a slope includes the error of where the other options are best: if d is the error of
the gradient, that of the slope along the ridge is d_j - H_jF H_FF^-1 d_F, with the second
derivatives H and the other options F that are not at an end of their range.

The gain has an error bar that holds for all places at once (Working and Hotelling, "Applications of
the theory of error to the interpretation of trends", Journal of the American Statistical
Association 24, 1929), and therefore also for a place that was chosen because it looks best. Its
length, in standard errors, comes from simulated surfaces.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from oddly.tournaments.formats.tuning_surface import centred, features, fitted, gradient_rows
from oddly.tournaments.ratings.elo import ELO_PER_NAT, QUANTILE_975

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from oddly.tournaments.formats.spsa import PairAtPlaces, Places
    from oddly.tournaments.formats.tuning_surface import Array, Surface

CERTAIN = 2.25
"""A slope this many standard errors from 0 differs from 0 for certain.

That is more than the 1.96 of independent games. Chance leads the search, and its games then look as
if they had been pulled back: a curvature appears where there is none. This is the bias of
regressions on a random walk (Dickey and Fuller, "Distribution of the estimators for autoregressive
time series with a unit root", Journal of the American Statistical Association 74, 1979). With 1.96
the intervals hold the optimum in 82 to 94 % of simulated tunings, and least often where the option
matters little and the games are many.
"""

STRETCH = CERTAIN / QUANTILE_975
"""The factor of the same allowance, for values excluded because they are weaker than the best."""

LEVEL = 0.975
"""The confidence in the lower end of a gain's interval."""

GRID = 101
"""The number of values of an option at which the slope is examined."""

TINY = 1e-12
"""Replaces the error of a difference of 0, which is certain."""

PLACES = 400
DRAWS = 1000
"""How many places and simulated surfaces give the width of the gain's interval."""


class Gain(NamedTuple):
    """A difference from the start in Elo, with the ends of its interval."""

    elo: float
    low: float
    high: float

    @property
    def is_shown(self) -> bool:
        """Whether a gain is certain."""
        return self.low > 0


class Optimum(NamedTuple):
    """What the games say."""

    best: Places
    """The place, from 0 to 1 for each option, whose gain is most certain."""
    between: tuple[tuple[float, float], ...]
    """The 95 % interval of the optimum of each option."""
    gain: Gain
    """The gain of `best`."""


def optimum_of(
    pairs: Sequence[PairAtPlaces],
    start: Places,
    searched: Places,
    as_sent: Callable[[Places], Places] = tuple,
) -> Optimum:
    """Return what one pair or more say about the optimum and its gain over `start`.

    `searched` is where the search ended. It and the top of the surface are the candidates for the
    best place; `as_sent` returns the place of the values that an engine gets for a place.
    """
    surface = fitted(pairs)
    points = centred([start, searched, (0.5,) * len(start)])
    tops = surface.climbed(points)
    top = tops[int(surface.heights(tops).argmax())]
    candidates = [as_sent(tuple((1 + float(u)) / 2 for u in top)), as_sent(searched)]
    wide = _width(surface, start, centred(candidates))
    gains = [_gain(surface, _contrasts(start, centred([place])), wide) for place in candidates]
    best, gain = max(zip(candidates, gains, strict=True), key=lambda found: found[1].low)
    ends = _Ends(surface, points, centred([best]), wide)
    return Optimum(best, tuple(ends.of(option) for option in range(len(start))), gain)


def _gain(surface: Surface, row: Array, wide: float) -> Gain:
    """Return the gain of one place, with an interval that reaches `wide` errors each way."""
    gain = ELO_PER_NAT * float((row @ surface.coefficients)[0])
    error = ELO_PER_NAT * float(_errors(surface, row)[0])
    return Gain(gain, gain - wide * error, gain + wide * error)


def _width(surface: Surface, start: Places, candidates: Array) -> float:
    """Return the errors, each way, of an interval that holds for all places at once."""
    random = np.random.default_rng(0)
    centre = centred([start])
    anywhere = random.uniform(-1, 1, (PLACES, surface.options))
    # Near the start the direction alone matters, so places there cover them all.
    near = centre + (anywhere - centre) * random.uniform(0, 1, (PLACES, 1))
    rows = _contrasts(start, np.vstack([candidates, near, anywhere]))
    errors = _errors(surface, rows)
    # A candidate may be the start, whose gain is certain.
    rows, errors = rows[errors > 0], errors[errors > 0]
    factor = np.linalg.cholesky(surface.covariance)
    drawn = (rows @ factor) @ random.standard_normal((factor.shape[1], DRAWS)) / errors[:, None]
    return float(np.quantile(drawn.max(axis=0), LEVEL))


def _contrasts(start: Places, points: Array) -> Array:
    """Return the rows that turn coefficients into gains over the start, in log-odds."""
    return features(points) - features(centred([start]))


def _errors(surface: Surface, rows: Array) -> Array:
    errors: Array = np.sqrt(np.einsum("ij,jk,ik->i", rows, surface.covariance, rows))
    return errors


class _Ends(NamedTuple):
    """Everything that the ends of the intervals depend on."""

    surface: Surface
    starts: Array
    """Where to climb from, to find the best values of the other options."""
    best: Array
    wide: float

    def of(self, option: int) -> tuple[float, float]:
        """Return the ends of the interval of one option's optimum, from 0 to 1."""
        values = np.linspace(-1, 1, GRID)
        ridge = self._ridge(option, values)
        slopes = np.array([_slope_in_errors(self.surface, option, point) for point in ridge])
        rows = features(self.best) - features(ridge)
        behind = rows @ self.surface.coefficients / np.maximum(_errors(self.surface, rows), TINY)
        weaker = behind - STRETCH * self.wide + CERTAIN
        below = values < self.best[0, option]
        low = _end(np.where(below, np.maximum(slopes, weaker), slopes), values)
        falls = np.where(below, -slopes, np.maximum(-slopes, weaker))
        high = -_end(falls[::-1], values)
        low, high = min(low, high), max(low, high)
        return (1 + low) / 2, (1 + high) / 2

    def _ridge(self, option: int, values: Array) -> Array:
        """Return the highest point for each value of one option."""
        climbed = []
        for start in self.starts:
            points = np.tile(start, (len(values), 1))
            points[:, option] = values
            climbed.append(self.surface.climbed(points, option))
        heights = np.array([self.surface.heights(points) for points in climbed])
        highest: Array = np.array(climbed)[heights.argmax(axis=0), np.arange(len(values))]
        return highest


def _end(slopes: Array, values: Array) -> float:
    """Return the value up to which the surface rises for certain, from the first value on."""
    uncertain = np.flatnonzero(slopes <= CERTAIN)
    if not len(uncertain):
        return float(values[-1])
    at = int(uncertain[0])
    if at == 0:
        return float(values[0])
    before, after = slopes[at - 1] - CERTAIN, CERTAIN - slopes[at]
    return float(values[at - 1] + (values[at] - values[at - 1]) * before / (before + after))


def _slope_in_errors(surface: Surface, option: int, point: Array) -> float:
    """Return the slope along the ridge at one of its points, in standard errors."""
    rows = gradient_rows(point)
    row = rows[option]
    inside = [j for j in range(len(point)) if j != option and abs(point[j]) < 1]
    if inside:
        curvature = surface.curvature
        moved = np.linalg.lstsq(
            curvature[np.ix_(inside, inside)], curvature[inside, option], rcond=1e-6
        )[0]
        row = row - moved @ rows[inside]
    return float(row @ surface.coefficients / np.sqrt(row @ surface.covariance @ row))

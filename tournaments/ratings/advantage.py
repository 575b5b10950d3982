"""How far beyond the truth the advantage of playing first is expected to be.

All games tell of the advantage, but only an engine's own games tell of its rating. If these are
few, the most likely ratings lie too far apart, and with them the most likely advantage is too
great, however many engines there are: Neyman and Scott, "Consistent Estimates Based on Partially
Consistent Observations", Econometrica 16 (1948). How much too great follows, to the first order,
from what is open about each game: Cox and Snell, "A General Definition of Residuals", Journal of
the Royal Statistical Society B 30 (1968). Error bars allow for it as for a further error.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from oddly.tournaments.ratings.ordered_pairs import Array
    from oddly.tournaments.ratings.posterior import LogPosterior, Product


def variances_of_odds(posterior: LogPosterior, covariance: Array) -> Array:
    """Return the variances of the log-odds of each ordered pair."""
    first, second, own = posterior.first, posterior.second, np.diag(covariance)
    between = own[first] + own[second] - 2 * covariance[first, second]
    variances: Array = between + own[-1] + 2 * (covariance[first, -1] - covariance[second, -1])
    return variances


def bias_of_advantage(
    posterior: LogPosterior, peak: Array, covariance: Product, variances: Array
) -> float:
    """Return the bias of the advantage, in units of log-odds.

    `covariance` is the inverse of the information at the peak, and `variances` are those of the
    log-odds of each ordered pair.
    """
    chance = 1 / (1 + np.exp(-posterior.log_odds(peak)))
    pushed = posterior.weights(peak) * variances * (chance - 0.5)
    return float((covariance @ posterior.taken(pushed))[-1])

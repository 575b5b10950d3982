"""Games made up by the model: engines of known strength, and an advantage of playing first."""

from dataclasses import dataclass

import numpy as np

from oddly.tournaments.ratings.ordered_pairs import DRAW, FIRST, SECOND, Results, from_counts


def expected(difference: float) -> float:
    """The expected score by the model, written again."""
    return float(1 / (1 + 10 ** (-difference / 400)))


def play(elo, advantage: float, games: int, rng: np.random.Generator, draws: float = 0.0):
    """Counts of a league in which each ordered pair plays `games` games.

    A share `draws` of the games in which the better side might have failed is drawn; the expected
    score stays that of the model.
    """
    counts = {}
    for first in range(len(elo)):
        for second in range(len(elo)):
            if first == second:
                continue
            win = expected(elo[first] - elo[second] + advantage)
            draw = 2 * draws * min(win, 1 - win)
            won, lost, drawn = rng.multinomial(games, [win - draw / 2, 1 - win - draw / 2, draw])
            names = f"e{first:03}", f"e{second:03}"
            for winner, count in ((FIRST, won), (SECOND, lost), (DRAW, drawn)):
                counts[(*names, winner)] = int(count)
    return counts


@dataclass(frozen=True)
class League:
    """A league with what is true of it. True ratings have the mean 0, as estimates have."""

    elo: np.ndarray
    advantage: float
    results: Results


def league(
    rng: np.random.Generator,
    engines: int,
    spread: float,
    games: int,
    advantage: float = 35.0,
    draws: float = 0.0,
) -> League:
    """A league of engines whose ratings have the standard deviation `spread`."""
    elo = rng.normal(0, spread, engines)
    elo -= elo.mean()
    return League(elo, advantage, from_counts(play(elo, advantage, games, rng, draws)))


def superiority_matrix(ratings):
    """The LOS of each row's engine over each column's."""
    engines = range(len(ratings.names))
    return np.array(
        [[ratings.likelihood_of_superiority(row, column) for column in engines] for row in engines]
    ).reshape(len(engines), len(engines))

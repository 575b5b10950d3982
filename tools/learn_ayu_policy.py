"""Learn which moves random games of Ayu prefer: `python -m tools.learn_ayu_policy 11`.

`rave` plays itself as for `learn_ayu_shapes.py`. Every position that it had to think about is an
example: the surroundings of the ends of each legal move, as `ayu_playout.py` has them, and the part
of the search's visits that went to it. A softmax over the moves, of one number for each
surroundings of an origin and of a destination, is fitted to these parts by the least cross entropy
(Adam, "Adam: a method for stochastic optimization", 2015). What can be turned or reflected into
each other has one number. It writes `ayu_policy.npz` and `ayu_policy.toml` to the folder that it is
run in.
"""

from __future__ import annotations

import argparse
import platform
import shlex
import sys
from datetime import date
from functools import cache
from pathlib import Path
from random import Random
from typing import NamedTuple

import numpy as np

from oddly.engines.kernels.ayu_playout import SURROUNDINGS, UNIT, surroundings_of
from oddly.engines.rave_engine import tuned_for
from oddly.engines.search.searcher import Searcher
from oddly.games import Ayu, GameError
from oddly.games.installation import VERSION
from tools.learn_ayu_shapes import counting, opening, searched

HELD_OUT = 8
"""One game in HELD_OUT is held out."""

EPOCHS, BATCH, RATE, SLOWER = 5, 256, 0.02, 0.6
MOMENTUM, SPREAD, TINY = 0.9, 0.999, 1e-8


class Examples(NamedTuple):
    """Positions in a row.

    Of each legal move the surroundings of its ends, shape (moves, 2), and its part of the visits,
    shape (moves,); of each position its first move and its game.
    """

    ends: np.ndarray
    parts: np.ndarray
    first: np.ndarray
    game: np.ndarray

    def some(self, positions: np.ndarray) -> Examples:
        """Return those positions."""
        after = np.append(self.first, len(self.parts))
        counts = after[positions + 1] - after[positions]
        first = np.append(0, np.cumsum(counts))[:-1]
        moves = np.arange(counts.sum()) + np.repeat(after[positions] - first, counts)
        return Examples(self.ends[moves], self.parts[moves], first, self.game[positions])


def main() -> None:
    """Play, learn, and write what was learnt."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("size", type=int, help="board")
    parser.add_argument("--games", type=int, default=1000, help="games (1000)")
    parser.add_argument("--simulations", type=int, default=2000, help="simulations a move (2000)")
    parser.add_argument("--unguided", action="store_true", help="draw all moves alike")
    parser.add_argument("--seed", type=int, default=1, help="of the games and of learning (1)")
    options = parser.parse_args()
    if options.games < HELD_OUT:
        parser.error(f"--games: at least {HELD_OUT} are expected, not {options.games}")
    try:
        game = Ayu(size=options.size)
    except GameError as error:
        parser.error(str(error))
    examples = play(game, options.games, options.simulations, options.unguided, options.seed)
    held = examples.game % HELD_OUT == HELD_OUT - 1
    learnt_from, held_out = (examples.some(np.nonzero(part)[0]) for part in (~held, held))
    weights = learn(learnt_from, options.seed)
    losses = [loss(held_out, known) for known in (np.zeros_like(weights), weights)]
    np.savez_compressed("ayu_policy.npz", preferences=preferences(weights))
    card = {
        "game": str(game),
        "command": "python -m tools.learn_ayu_policy " + shlex.join(sys.argv[1:]),
        "program": f"oddly {VERSION}, Python {platform.python_version()}, {platform.machine()}",
        "date": date.today().isoformat(),
    }
    lines = [f'{key} = "{value}"' for key, value in card.items()]
    lines.append(f"positions = {len(learnt_from.first)}")
    lines.append(f"loss = [{losses[0]:.3f}, {losses[1]:.3f}]  # knowing nothing, and as learnt")
    Path("ayu_policy.toml").write_text("\n".join(lines) + "\n", encoding="utf-8")
    print(*lines, sep="\n")


def play(game: Ayu, games: int, simulations: int, unguided: bool, seed: int) -> Examples:
    """The positions of `games` games; says on standard error how long it will take."""
    searcher, settings = Searcher(game, megabytes=128), tuned_for(game, is_long=not unguided)
    ends, parts, owner = [], [], []
    for number in counting(game, games):
        random = Random(f"{seed} {number}")
        searcher.forget(random.randrange(1 << 30))
        searcher.load(opening(game, random))
        for finding, votes in searched(searcher, random, settings, simulations):
            if not finding.is_proven and len(votes) > 1:
                seen, part = example(searcher, {a: vote.visits for a, vote in votes.items()})
                ends.append(seen)
                parts.append(part)
                owner.append(number)
    counts = [len(part) for part in parts]
    first = np.append(0, np.cumsum(counts))[:-1]
    return Examples(np.concatenate(ends), np.concatenate(parts), first, np.array(owner))


def example(searcher: Searcher, visits: dict[int, float]) -> tuple[np.ndarray, np.ndarray]:
    """Of each legal move, a swap apart: the surroundings of its ends and its part of the visits."""
    cells = len(searcher.game.board)
    actions = np.array([a for a in searcher.safe_actions() if a < cells * cells], np.int64)
    seen = np.zeros((len(actions), 2), np.int64)
    surroundings_of(searcher.root, actions, len(actions), seen)
    tried = np.array([visits.get(int(action), 0.0) for action in actions])
    return seen.astype(np.uint16), (tried / max(tried.sum(), 1e-9)).astype(np.float32)


def learn(examples: Examples, seed: int) -> np.ndarray:
    """Return the weights, shape (2, classes): of origins and of destinations."""
    classes, count = classes_of_surroundings()
    random = np.random.default_rng(seed)
    weights = np.zeros((2, count))
    mean, square = np.zeros_like(weights), np.zeros_like(weights)
    step, rate = 0, RATE
    for _ in range(EPOCHS):
        order = random.permutation(len(examples.first))
        for batch in np.array_split(order, max(len(order) // BATCH, 1)):
            slope = gradient(examples.some(np.sort(batch)), weights, classes)
            step += 1
            mean += (1 - MOMENTUM) * (slope - mean)
            square += (1 - SPREAD) * (slope**2 - square)
            unbiased = mean / (1 - MOMENTUM**step), square / (1 - SPREAD**step)
            weights -= rate * unbiased[0] / (np.sqrt(unbiased[1]) + TINY)
        rate *= SLOWER
    return weights


def gradient(examples: Examples, weights: np.ndarray, classes: np.ndarray) -> np.ndarray:
    """Return the slope of the mean cross entropy, of the shape of the weights."""
    wrong = (shares(examples, weights, classes) - examples.parts) / len(examples.first)
    ends = classes[examples.ends]
    return np.stack(
        [np.bincount(ends[:, end], wrong, minlength=weights.shape[1]) for end in (0, 1)]
    )


def shares(examples: Examples, weights: np.ndarray, classes: np.ndarray) -> np.ndarray:
    """Return the share that the softmax gives each move, shape (moves,)."""
    ends = classes[examples.ends]
    score = weights[0, ends[:, 0]] + weights[1, ends[:, 1]]
    counts = np.diff(np.append(examples.first, len(score)))
    score = np.exp(score - np.repeat(np.maximum.reduceat(score, examples.first), counts))
    total: np.ndarray = score / np.repeat(np.add.reduceat(score, examples.first), counts)
    return total


def loss(examples: Examples, weights: np.ndarray) -> float:
    """Return the mean cross entropy of a position, in nats."""
    classes, _ = classes_of_surroundings()
    given = shares(examples, weights, classes)
    return float(-(examples.parts * np.log(given)).sum() / len(examples.first))


@cache
def classes_of_surroundings() -> tuple[np.ndarray, int]:
    """Return the class of each, shape (SURROUNDINGS,), and their number.

    What can be turned or reflected into each other has the same class.
    """
    codes = np.arange(SURROUNDINGS)
    around = [(row, column) for row in (-1, 0, 1) for column in (-1, 0, 1) if row or column]
    lowest = codes.copy()
    for turned in range(8):
        image = np.zeros_like(codes)
        for bit, (row, column) in enumerate(around):
            to_row, to_column = (column, row) if turned & 1 else (row, column)
            to_row = -to_row if turned & 2 else to_row
            to_column = -to_column if turned & 4 else to_column
            to = around.index((to_row, to_column))
            image |= (codes >> bit & 1) << to | (codes >> bit + 8 & 1) << to + 8
        lowest = np.minimum(lowest, image)
    names, classes = np.unique(lowest, return_inverse=True)
    return classes, len(names)


def preferences(weights: np.ndarray) -> np.ndarray:
    """Return the table of `ayu_policy.npz`: int16 in 1/UNIT log-odds, shape (2, SURROUNDINGS)."""
    classes, _ = classes_of_surroundings()
    table: np.ndarray = np.round(UNIT * weights[:, classes]).astype(np.int16)
    return table


if __name__ == "__main__":
    main()

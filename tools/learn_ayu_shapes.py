"""Learn what Ayu's judge goes by: `python -m tools.learn_ayu_shapes 9 11 > ayu_shapes.toml`.

`rave` plays itself, from openings of up to eight random moves and with some variety after them.
Every position that it had to think about is an example, with who won the game; its features are who
is to move, how much nearer Black is to having joined his units than White, and how often each
window of 2 x 3 points lies on the board, less how often its exchanged colours do. A logistic
regression tells what each is worth in log-odds: maximum likelihood by Newton's method, with a
little ridge so that windows hardly ever seen are worth nothing.
"""

from __future__ import annotations

import argparse
import sys
from itertools import product
from random import Random
from time import monotonic
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from oddly.engines.kernels.ayu_playout import EXCHANGED, LETTERS, images, number_of, steps_to_join
from oddly.engines.kernels.interface import is_over, reward, side_to_move
from oddly.engines.rave_engine import TUNED
from oddly.engines.search.searcher import Searcher
from oddly.games import Ayu, DropPosition, GameError, random_turn

if TYPE_CHECKING:
    from collections.abc import Iterator

    from oddly.engines.search.settings import Finding, Settings, Vote
    from oddly.games import Game

OPENING = 8
"""Random moves before a game, at most."""

VARIED, VARIETY = 12, 0.25
"""The moves of `rave` that are varied, and how often: drawn by how often the search tried each."""

RIDGE = 10.0
OFF_BOARD = LETTERS.index("#")


class Examples(NamedTuple):
    """Positions: points by the letters' numbers, shape (n, size, size); the others, shape (n,).

    `to_move` is 1 for Black and -1 for White; `nearer` counts steps, as Black's lead.
    """

    points: np.ndarray
    to_move: np.ndarray
    nearer: np.ndarray
    black_won: np.ndarray


def main() -> None:
    """Learn for each size and print what was learnt."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("sizes", type=int, nargs="+", help="boards")
    parser.add_argument("--games", type=int, default=4000, help="games on each (4000)")
    parser.add_argument("--simulations", type=int, default=300, help="simulations a move (300)")
    options = parser.parse_args()
    try:
        boards = [Ayu(size=size) for size in options.sizes]
    except GameError as error:
        parser.error(str(error))
    print("# Written by `python -m tools.learn_ayu_shapes`; ayu_playout.py says what it means.")
    for game in boards:
        examples = play(game, options.games, options.simulations)
        windows, features = counted(examples)
        worths = regression(features, examples.black_won)
        print(f"\n# {options.games} games, {len(features)} positions")
        print(f"[[board]]\nsize = {game.size}\nturn = {worths[0]:.3f}\nstep = {worths[1]:.3f}\n")
        print("[board.shapes]")
        for window, worth in zip(windows, worths[2:], strict=True):
            print(f'"{window[:3]}/{window[3:]}" = {worth:.3f}', flush=True)


def play(game: Ayu, games: int, simulations: int) -> Examples:
    """The positions of `games` games; says on standard error how long it will take."""
    random, searcher = Random(game.size), Searcher(game)
    rows: list[tuple[np.ndarray, int, int, float]] = []
    for _ in counting(game, games):
        rows += play_game(searcher, random, simulations)
    columns = zip(*rows, strict=True)
    return Examples(*(np.array(column) for column in columns))


def play_game(
    searcher: Searcher, random: Random, simulations: int
) -> list[tuple[np.ndarray, int, int, float]]:
    """The examples of one game."""
    position = opening(searcher.game, random)
    searcher.forget(random.randrange(1 << 30))
    searcher.load(position)
    rows, root = [], searcher.root
    for _ in searched(searcher, random, TUNED[Ayu], simulations):
        nearer = steps_to_join(root, 1) - steps_to_join(root, 0)
        rows.append((points_of(root, searcher.game.board.size), int(side_to_move(root)), nearer))
    won = float(reward(root))
    return [(points, 1 - 2 * white, nearer, won) for points, white, nearer in rows]


def counting(game: Game, games: int) -> Iterator[int]:
    """Yield the numbers of the games from 0; says on standard error how long they will take."""
    began = monotonic()
    for number in range(games):
        yield number
        left = (monotonic() - began) / (number + 1) * (games - number - 1)
        if sys.stderr.isatty() or number % 100 == 0:
            told = f"\r{game}: game {number + 1} of {games}, {left:.0f} s left "
            print(told, end="", file=sys.stderr)
    print(file=sys.stderr)


def opening(game: Game, random: Random) -> DropPosition:
    """Return the position after up to OPENING random moves."""
    position = game.start()
    for _ in range(random.randrange(OPENING + 1)):
        if not position.is_over:
            position = position.play(random_turn(position, random))
    return DropPosition(position)


def searched(
    searcher: Searcher, random: Random, settings: Settings, simulations: int
) -> Iterator[tuple[Finding, dict[int, Vote]]]:
    """Search each position from the searcher's to the end, yield what was found, and play on."""
    moves = 0
    while not is_over(searcher.root):
        finding = searcher.think(settings, simulations=simulations)
        votes, action = searcher.votes(), finding.action
        yield finding, votes
        if moves < VARIED and random.random() < VARIETY:
            (action,) = random.choices(list(votes), [vote.visits + 0.1 for vote in votes.values()])
        searcher.play(action)
        moves += 1


def points_of(state: object, size: int) -> np.ndarray:
    """The letters' numbers of a state's points, shape (size, size)."""
    rows = np.asarray(state.rows).reshape(2, size + 2)[:, 1:-1]  # type: ignore[attr-defined]
    bits = rows[:, :, None] >> np.arange(1, size + 1, dtype=np.uint64) & np.uint64(1)
    return (bits[0] + 2 * bits[1]).astype(np.int8)


def counted(examples: Examples) -> tuple[list[str], np.ndarray]:
    """The windows that occur, and the features of each example, shape (n, 2 + windows)."""
    windows, place, sign = numbered()
    count, size, _ = examples.points.shape
    features = np.zeros((count, 2 + len(windows)), np.float32)
    features[:, 0], features[:, 1] = examples.to_move, examples.nearer
    padded = np.full((count, size + 2, size + 2), OFF_BOARD, np.int16)
    padded[:, 1:-1, 1:-1] = examples.points
    every = np.arange(count)
    for board in (padded, padded.transpose(0, 2, 1)):
        for row, column in product(range(size + 1), range(size)):
            window = board[:, row : row + 2, column : column + 3].reshape(count, 6)
            number = window @ (4 ** np.arange(5, -1, -1, dtype=np.int16))
            np.add.at(features, (every, 2 + place[number]), sign[number])
    occurs = np.any(features != 0, axis=0)
    names = [window for window, kept in zip(windows, occurs[2:], strict=True) if kept]
    return names, np.ascontiguousarray(features[:, occurs | (np.arange(len(occurs)) < 2)])


def numbered() -> tuple[list[str], np.ndarray, np.ndarray]:
    """A window for each set of images; of every window by number, its place there and its sign.

    The sign is -1 where the colours are exchanged, 0 where that makes no difference.
    """
    places: dict[str, int] = {}
    place, sign = np.zeros(4**6, np.int64), np.zeros(4**6, np.float32)
    for points in product(LETTERS, repeat=6):
        window = "".join(points)
        plain, exchanged = min(images(window)), min(images(window.translate(EXCHANGED)))
        if plain != exchanged:
            number = number_of(window)
            place[number] = places.setdefault(min(plain, exchanged), len(places))
            sign[number] = 1 if plain < exchanged else -1
    return list(places), place, sign


def regression(features: np.ndarray, won: np.ndarray) -> np.ndarray:
    """The log-odds that each feature adds, by Newton's method."""
    worths = np.zeros(features.shape[1])
    for _ in range(20):
        chance = 1 / (1 + np.exp(-(features @ worths.astype(np.float32))))
        slope = features.T @ (won - chance).astype(np.float32) - RIDGE * worths
        weight = (chance * (1 - chance)).astype(np.float32)
        curvature = features.T @ (features * weight[:, None]) + RIDGE * np.eye(len(worths))
        step = np.linalg.solve(curvature.astype(float), slope)
        worths += step
        if np.abs(step).max() < 1e-4:
            break
    return worths


if __name__ == "__main__":
    main()

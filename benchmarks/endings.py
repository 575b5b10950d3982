"""Proven wins that `rave` throws away near the end, on all kinds of boards, in one process.

    python -m benchmarks.endings --positions 40 --simulations 1000
    python -m benchmarks.endings --positions 40 --seconds 1

On each board random drops (in Ayu random moves) lead to positions with 9 to 12 empty cells (in Ayu:
units of both players). Those that the solver proves to be won by the side to move are given to
`rave`, each in a game of its own, and the solver judges its turn. The last columns are the
processor time of a turn, in milliseconds. Without databases, which know small boards by heart.
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass, field
from enum import Enum
from random import Random
from statistics import fmean
from time import thread_time
from typing import TYPE_CHECKING

from tabulate import tabulate

from oddly.engines.engine import KnownTime, create_engine
from oddly.engines.rave_engine import tuned_for
from oddly.engines.search.searcher import Searcher
from oddly.engines.solver.solution import without_databases
from oddly.engines.solver.solve import Solver, prepare
from oddly.engines.solver.tables import Lanes
from oddly.games import EMPTY, Ayu, Colour, Drop, DropPosition, create_game
from oddly.protocol import TimeControl, TimeKind
from oddly.study.estimates import share

if TYPE_CHECKING:
    from oddly.engines.engine import Engine
    from oddly.games import Game, Position, Turn

BOARDS = ("yodd 3", "yodd 4", "yodd 8", "xodd 4", "xodd 5", "xodd 12", "odd 3", "odd 4", "odd 5",
          "ayu 5", "ayu 7", "ayu 11")  # fmt: skip
LEAST, MOST = 9, 12
SIMULATIONS_IN_ORDER = 1000
NODES = 2_000_000
"""The effort of a proof: positions that take more are left out."""
TABLE_ENTRIES = 1 << 22


class Proof(Enum):
    """The result of a proof that names no winner."""

    TOO_HARD = "too hard"


@dataclass
class Board:
    """What was found on a board."""

    name: str
    wins: int = 0
    unknown: int = 0
    thrown: list[str] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)

    def row(self) -> list[str]:
        """Return the row of the table."""
        rate = share(len(self.thrown), self.wins)
        told = "" if rate is None else f"{rate.value:.1%} [{rate.low:.1%}-{rate.high:.1%}]"
        mean, most = (1000 * fmean(self.seconds), 1000 * max(self.seconds)) if self.wins else (0, 0)
        counts = [str(self.wins), str(self.unknown), str(len(self.thrown))]
        return [self.name, *counts, told, f"{mean:.0f}", f"{most:.0f}"]


class Judge:
    """Proves who wins, with the order of a short search."""

    def __init__(self, game: Game) -> None:
        prepare(game)
        self.searcher = Searcher(game, megabytes=16)
        self.solver = Solver(game, TABLE_ENTRIES, Lanes.NONE)
        self.settings = tuned_for(game)

    def winner(self, position: Position) -> Colour | Proof | None:
        """Return the winner, None for a draw, or that this is too hard to prove."""
        at = DropPosition(position)
        self.searcher.load(at)
        self.searcher.think(self.settings, simulations=SIMULATIONS_IN_ORDER)
        found = self.solver.solve(at, NODES, promise=self.searcher.promise())
        return Proof.TOO_HARD if found is None else found.winner


def random_ending(game: Game, random: Random) -> Position:
    """Return a position that is not over, reached by chance."""
    most = random.randint(LEAST, MOST)
    while True:
        at = DropPosition(game.start())
        while not at.is_over and (at.drops or left(at.start) > most):
            actions = list(at.actions())
            at = at.act(
                random.choice([each for each in actions if isinstance(each, Drop)] or actions)
            )
        if not at.is_over:
            return at.start


def left(position: Position) -> int:
    """Return how far the end is: empty cells, in Ayu units."""
    if isinstance(position.game, Ayu):
        return sum(position.group_counts)
    return position.stones.count(EMPTY)


def measured(game: Game, engine: Engine, judge: Judge, wins: int, seed: int) -> Board:
    """Ask the engine about that many won positions of the board."""
    board, random = Board(str(game)), Random(f"{game} {seed}")
    while board.wins < wins:
        position = random_ending(game, random)
        winner = judge.winner(position)
        if winner is not position.to_move:
            board.unknown += winner is Proof.TOO_HARD
            continue
        engine.new_game()
        began = thread_time()
        turn = engine.choose(position)
        board.seconds.append(thread_time() - began)
        board.wins += 1
        if not keeps(position, turn, judge):
            board.thrown.append(f"{position.stones} {turn}")
    return board


def keeps(position: Position, turn: Turn, judge: Judge) -> bool:
    """Return False only if the turn provably throws the win away."""
    after = position.play(turn)
    winner = after.result.winner if after.result is not None else judge.winner(after)
    return winner in (position.to_move, Proof.TOO_HARD)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--positions", type=int, default=100, help="won ones, on each board")
    parser.add_argument("--simulations", type=int, default=1000)
    parser.add_argument("--seconds", type=float, default=0.0, help="a turn, instead of simulations")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--boards", nargs="*", default=BOARDS, metavar="'GAME SIZE'")
    chosen = parser.parse_args()
    boards = []
    for name in chosen.boards:
        word, size = name.split()
        game, engine = create_game(word, int(size)), create_engine("rave")
        engine.set_option("memory", "16")
        if chosen.seconds:
            engine.time = KnownTime(TimeControl(TimeKind.FIXED, chosen.seconds))
        else:
            engine.set_option("simulations", str(chosen.simulations))
        engine.prepare(game)
        with without_databases():
            boards.append(measured(game, engine, Judge(game), chosen.positions, chosen.seed))
        print(boards[-1].row(), *boards[-1].thrown, sep="\n  ", flush=True)
    total = Board("all", sum(each.wins for each in boards), sum(each.unknown for each in boards))
    for each in boards:
        total.thrown += each.thrown
        total.seconds += each.seconds
    heads = ["board", "wins", "left out", "thrown away", "share", "ms a turn", "most"]
    print(tabulate([each.row() for each in [*boards, total]], heads, tablefmt="github",
                   disable_numparse=True))  # fmt: skip


if __name__ == "__main__":
    main()

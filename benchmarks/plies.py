"""What a ply costs by the plain rules, without Numba: `python -m benchmarks.plies`.

In random games it measures, in processor time, what a program pays that lists what is legal and
plays one of it: as turns (`legal_turns`, `play`), as actions (`DropPosition`: `actions`, `act`), as
numbers of actions (`legal_actions`, `play_action`), and what `random_turn` costs. The yardstick is
Odd 5 as one would write it in ten lines: list the empty cells twice, copy a list, put a stone. It
is measured before and after each board, so that the ratio means the same on other machines.
"""

from __future__ import annotations

from random import Random
from time import process_time
from typing import TYPE_CHECKING, Any, NamedTuple

from oddly.games import DropPosition, create_game, random_turn

if TYPE_CHECKING:
    from collections.abc import Callable

    from oddly.games import Game

BOARDS = (("odd", 5), ("ayu", 11), ("yodd", 4), ("xodd", 5), ("yodd", 8))
PLIES = 3000
"""Of each measurement, at least; games are played to their ends."""
CELLS = 61
"""Of Odd 5."""


class PlainOdd:
    """Odd as one would write it for a first experiment; nothing is checked."""

    __slots__ = ("side", "stones")

    def __init__(self, stones: list[int], side: int) -> None:
        self.stones = stones
        self.side = side

    def legal(self) -> list[tuple[int, int]]:
        """Either colour on every empty cell."""
        return [
            (cell, colour) for cell, at in enumerate(self.stones) if not at for colour in (1, 2)
        ]

    def play(self, cell: int, colour: int) -> PlainOdd:
        """The position with one more stone."""
        stones = self.stones.copy()
        stones[cell] = colour
        return PlainOdd(stones, 3 - self.side)

    @property
    def is_over(self) -> bool:
        """Whether the board is full."""
        return 0 not in self.stones


class Way(NamedTuple):
    """A way to play: how a game begins, what is legal, and the position after one of it."""

    start: Callable[[Game], Any]
    legal: Callable[[Any], list[Any]]
    play: Callable[[Any, Any], Any]


WAYS = {
    "turns": Way(lambda g: g.start(), lambda p: list(p.legal_turns()), lambda p, t: p.play(t)),
    "actions": Way(
        lambda g: DropPosition(g.start()), lambda p: list(p.actions()), lambda p, a: p.act(a)
    ),
    "numbers": Way(lambda g: g.start(), lambda p: p.legal_actions(), lambda p, n: p.play_action(n)),
}
YARDSTICK = Way(
    lambda _: PlainOdd([0] * CELLS, 1), lambda p: p.legal(), lambda p, drop: p.play(*drop)
)


def main() -> None:
    """Measure every board and print one line for each."""
    print(f"{'us a ply':<10}" + "".join(f"{name:>16}" for name in (*WAYS, "random_turn")))
    for name, size in BOARDS:
        game = create_game(name, size)
        before = plain_odd()
        costs = [cost(game, way, PLIES) for way in WAYS.values()]
        costs.append(cost_of_random_turns(game, PLIES))
        yardstick = (before + plain_odd()) / 2
        cells = "".join(f"{1e6 * each:>9.1f}{each / yardstick:>6.1f}x" for each in costs)
        print(f"{name + ' ' + str(size):<10}{cells}   plain Odd {1e6 * yardstick:.1f}")


def plain_odd() -> float:
    """Return the seconds of a ply of the yardstick."""
    return cost(create_game("odd", 5), YARDSTICK, 2 * PLIES)


def cost(game: Game, way: Way, plies: int) -> float:
    """Return the seconds of processor time of a ply in random games played that way."""
    random, spent, played = Random(1), 0.0, 0
    while played < plies:
        position = way.start(game)
        while True:
            began = process_time()
            if position.is_over:
                break
            legal = way.legal(position)
            position = way.play(position, legal[random.randrange(len(legal))])
            spent += process_time() - began
            played += 1
    return spent / played


def cost_of_random_turns(game: Game, plies: int) -> float:
    """Return the seconds of processor time that `random_turn` takes in random games."""
    random, spent, played = Random(1), 0.0, 0
    while played < plies:
        position = game.start()
        while not position.is_over:
            began = process_time()
            turn = random_turn(position, random)
            spent += process_time() - began
            played += 1
            position = position.play(turn)
    return spent / played


if __name__ == "__main__":
    main()

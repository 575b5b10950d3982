"""What a referee pays for the rules: `python -m benchmarks.rules`.

Random games are generated first. Then the same turns are validated and applied by `games/`, and,
interleaved turn by turn, the groups are counted by flood fill from scratch, as a reference that
needs no bookkeeping. Printed are microseconds per turn and the ratio of the two.
"""

from __future__ import annotations

from random import Random
from time import perf_counter
from typing import TYPE_CHECKING

from oddly.games import Colour, create_game, random_turn
from oddly.games.ayu_units import units

if TYPE_CHECKING:
    from oddly.games import Game, Position, Turn

GAMES_EACH = 5
BOARDS = (("yodd", 8), ("yodd", 10), ("yodd", 13), ("xodd", 12), ("odd", 5), ("ayu", 11))


def main() -> None:
    """Measure every board and print one line for each."""
    print(f"{'game':<10}{'turns':>7}{'rules µs':>10}{'flood fill µs':>15}{'ratio':>8}")
    for name, size in BOARDS:
        game = create_game(name, size)
        turns, rules, flood = measure(game, Random(1))
        print(
            f"{name + ' ' + str(size):<10}{turns:>7}{1e6 * rules / turns:>10.1f}"
            f"{1e6 * flood / turns:>15.1f}{flood / rules:>8.1f}"
        )


def measure(game: Game, random: Random) -> tuple[int, float, float]:
    """Turns played, and the seconds that the rules and a flood fill took for them."""
    turns, rules, flood = 0, 0.0, 0.0
    for _ in range(GAMES_EACH):
        for position, turn in random_game(game, random):
            began = perf_counter()
            after = position.play(turn)
            played = perf_counter()
            for colour in Colour:
                units(game.board, after.stones, colour)
            rules += played - began
            flood += perf_counter() - played
            turns += 1
    return turns, rules, flood


def random_game(game: Game, random: Random) -> list[tuple[Position, Turn]]:
    """A uniformly random game, as the positions and the turns played in them."""
    position = game.start()
    steps = []
    while not position.is_over:
        turn = random_turn(position, random)
        steps.append((position, turn))
        position = position.play(turn)
    return steps


if __name__ == "__main__":
    main()

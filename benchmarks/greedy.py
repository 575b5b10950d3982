"""What `greedy` saves where it need not make every turn: `python -m benchmarks.greedy`.

In each position of a game of `greedy` with itself the engine chooses its turn, and then every turn
is made and scored, as the engine is defined. It prints milliseconds a turn, and the ratio.
"""

from __future__ import annotations

from time import process_time
from typing import TYPE_CHECKING

from oddly.engines.plain_engines import GreedyEngine
from oddly.games import create_game

if TYPE_CHECKING:
    from oddly.games import Game

BOARDS = (("yodd", 8), ("yodd", 13), ("xodd", 12), ("odd", 5), ("ayu", 11))


def main() -> None:
    """Measure every board and print one line for each."""
    print(f"{'game':<10}{'turns':>7}{'greedy ms':>12}{'every turn ms':>15}{'ratio':>8}")
    for name, size in BOARDS:
        turns, choosing, scoring = measure(create_game(name, size))
        print(
            f"{name + ' ' + str(size):<10}{turns:>7}{1e3 * choosing / turns:>12.2f}"
            f"{1e3 * scoring / turns:>15.2f}{scoring / choosing:>8.1f}"
        )


def measure(game: Game) -> tuple[int, float, float]:
    """Turns played, and the processor seconds for choosing them and for scoring every turn."""
    engine, position = GreedyEngine(), game.start()
    turns, choosing, scoring = 0, 0.0, 0.0
    while not position.is_over:
        began = process_time()
        turn = engine.choose(position)
        chosen = process_time()
        for _, counts in position.outcomes():
            game.score(counts, position.to_move)
        choosing += chosen - began
        scoring += process_time() - chosen
        turns += 1
        position = position.play(turn)
    return turns, choosing, scoring


if __name__ == "__main__":
    main()

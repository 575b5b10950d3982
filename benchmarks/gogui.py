"""What a click in GoGui costs: `python -m benchmarks.gogui`.

GoGui clears the board and plays the whole game again after every click, several times over, and
asks for the legal points. Random games are played by the random engine, tap by tap; then the same
commands are sent as GoGui sends them, and answered in process. Printed are, per game: the taps;
microseconds for `clear_board` with one `play`, and for a `play` within the game; milliseconds for
`clear_board` with the whole game, and for `gogui-rules_legal_moves` at the start of a turn in the
middle of the game.
"""

from __future__ import annotations

from statistics import median
from time import perf_counter
from typing import TYPE_CHECKING, NamedTuple

from oddly.engines.plain_engines import RandomEngine
from oddly.games import create_game
from oddly.interfaces.gogui.dispatcher import GoguiDispatcher
from oddly.protocol import Command, Reply

if TYPE_CHECKING:
    from oddly.games import Game

BOARDS = (("yodd", 8), ("yodd", 13), ("xodd", 12), ("odd", 5), ("ayu", 11))
TAPS = 200
ROUNDS = 20


class Figures(NamedTuple):
    """Seconds, each a median."""

    taps: int
    first_play: float
    play: float
    game: float
    legal_moves: float


def main() -> None:
    """Measure every board and print one line for each."""
    print(
        f"{'game':<10}{'taps':>6}{'clear + play µs':>17}"
        f"{'play µs':>9}{'game ms':>9}{'legal ms':>10}"
    )
    for name, size in BOARDS:
        found = measure(create_game(name, size), TAPS, ROUNDS)
        print(
            f"{name + ' ' + str(size):<10}{found.taps:>6}{1e6 * found.first_play:>17.0f}"
            f"{1e6 * found.play:>9.0f}{1e3 * found.game:>9.1f}{1e3 * found.legal_moves:>10.1f}"
        )


def measure(game: Game, taps: int, rounds: int) -> Figures:
    """Play a random game of at most `taps` taps, and replay it `rounds` times."""
    dispatcher = GoguiDispatcher(RandomEngine(), game)
    plays = random_game(dispatcher, taps)
    clear = [Command("clear_board")]
    middle = clear + plays[: turn_in_the_middle(dispatcher, plays)]
    legal = [Command("gogui-rules_legal_moves")]
    first_plays, games, answers = [], [], []
    for _ in range(rounds):
        first_plays.append(seconds(dispatcher, clear + plays[:1]))
        games.append(seconds(dispatcher, clear + plays))
        seconds(dispatcher, middle)
        answers.append(seconds(dispatcher, legal))
    whole = median(games)
    return Figures(len(plays), median(first_plays), whole / len(plays), whole, median(answers))


def random_game(dispatcher: GoguiDispatcher, taps: int) -> list[Command]:
    """The `play` commands of a game that the engine plays with itself."""
    plays: list[Command] = []
    while len(plays) < taps and not dispatcher.session.position.is_over:
        side = dispatcher.answer(Command("gogui-rules_side_to_move")).text
        tap = checked(dispatcher.answer(Command("genmove", (side,)))).text
        plays.append(Command("play", (side, tap)))
    return plays


def turn_in_the_middle(dispatcher: GoguiDispatcher, plays: list[Command]) -> int:
    """The number of plays after which, past the middle, a turn begins."""
    dispatcher.answer(Command("clear_board"))
    for number, play in enumerate(plays, start=1):
        checked(dispatcher.answer(play))
        if number >= len(plays) // 2 and not dispatcher.session.partial.is_begun:
            return number
    return len(plays)


def seconds(dispatcher: GoguiDispatcher, commands: list[Command]) -> float:
    """How long the answers to these commands take, all of which succeed."""
    began = perf_counter()
    replies = [dispatcher.answer(command) for command in commands]
    took = perf_counter() - began
    for reply in replies:
        checked(reply)
    return took


def checked(reply: Reply) -> Reply:
    """The reply, if it is a success."""
    if not reply.ok:
        raise RuntimeError(reply.text)
    return reply


if __name__ == "__main__":
    main()

"""What sharing out the time is worth: a match against fixed parts of it.

    python -m benchmarks.clock yodd 5 --games 200 --time 1+0

Both sides are the search of `rave` with the same settings and no solver, in one process, and take
turns to open. One shares out its time as `search/thinking_time.py` does. The other does as earlier
versions did: it thinks for a fixed part of what is left, 60 % of that about the first drop of a
turn, and never stops early. The clock counts simulations, so that it does not matter how fast or
how busy a machine is.
"""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from oddly.engines.rave_engine import tuned_for
from oddly.engines.search.searcher import Searcher
from oddly.engines.search.thinking_time import FIRST_DROP_PART, allotment, fixed, turns_to_come
from oddly.games import Colour, Drop, DropPosition, create_game
from oddly.protocol import TimeKind, parse_time_control
from oddly.study.estimates import share

if TYPE_CHECKING:
    from oddly.engines.search.thinking_time import Allotment
    from oddly.games import Game, Position, Turn
    from oddly.protocol import TimeControl

MEGABYTES = 64
PARTS = {"new": FIRST_DROP_PART, "fixed": 0.6}
"""The part of a turn's time for its first drop."""


class Player:
    """A search whose clock shows its simulations."""

    def __init__(self, way: str, game: Game, control: TimeControl, pace: float) -> None:
        self.way = way
        self.control = control
        self.pace = pace
        self.settings = tuned_for(game)
        self.searcher = Searcher(game, megabytes=MEGABYTES)
        self.searcher.clock = self.now
        self.earlier = 0
        self.left = 0.0

    def now(self) -> float:
        """Return the seconds that all simulations so far would have taken."""
        return (self.earlier + self.searcher.workers[0].simulations) / self.pace

    def begin(self, seed: int) -> None:
        """Begin a game."""
        self.searcher.forget(seed)
        self.left = self.control.main_seconds

    def turn(self, position: Position) -> Turn:
        """Return the turn that the search chooses, and take its time off the clock.

        Raises RuntimeError if that runs out.
        """
        began = self.now()
        time = self.time(position)
        at = DropPosition(position)
        self.searcher.load(at)
        while True:
            self.earlier += self.searcher.workers[0].simulations
            self.searcher.workers[0].simulations = 0
            thinking = time
            if position.most_drops > 1 and not at.drops:
                thinking = time.for_first_drop(PARTS[self.way])
            thinking = thinking.less(self.now() - began)
            if self.way == "fixed":
                simulations = max(int(thinking.wished * self.pace), 1)
                found = self.searcher.think(self.settings, simulations=simulations)
            else:
                found = self.searcher.think(self.settings, time=thinking)
            action = self.searcher.action_of(found.action)
            if isinstance(action, Drop) and (after := at.act(action)).drops:
                self.searcher.play(found.action)
                at = after
                continue
            if self.control.kind is not TimeKind.FIXED:
                self.left -= self.now() - began
                if self.left < 0:
                    raise RuntimeError(f"{self.way} ran out of time")
                self.left += self.control.increment_seconds
            return at.turn_with(action)

    def time(self, position: Position) -> Allotment:
        """Return the time for a turn. Raises ValueError without a clock."""
        if self.way == "new" or self.control.kind is TimeKind.FIXED:
            given = allotment(self.control, (self.left, 0), turns_to_come(position))
            if given is None:
                raise ValueError("a match against the clock needs one")
            return given
        increment = self.control.increment_seconds
        turns = 25 if position.most_drops == 0 else 3
        if position.most_drops:
            turns += int(position.stones.count(0) / (3 if position.most_drops > 1 else 2))
        part = min(self.left / turns, self.left / 4) + increment
        wished = min(part, self.left)
        return fixed(max(0.9 * wished - 0.001, 0.2 * wished))


def black_points(black: Player, white: Player, game: Game) -> float:
    """Play a game and return Black's points."""
    position = game.start()
    while not position.is_over:
        player = black if position.to_move is Colour.BLACK else white
        position = position.play(player.turn(position))
    winner = position.result.winner if position.result else None
    return 0.5 if winner is None else float(winner is Colour.BLACK)


def main() -> None:
    """Play the match and print its score."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("game")
    parser.add_argument("size", type=int)
    parser.add_argument("--games", type=int, default=200)
    parser.add_argument("--time", default="1+0", help="a fixed time, or main time and increment")
    parser.add_argument("--pace", type=float, default=50_000, help="simulations a second")
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    game, control = create_game(arguments.game, arguments.size), parse_time_control(arguments.time)
    new, old = (Player(way, game, control, arguments.pace) for way in ("new", "fixed"))
    points = 0.0
    for number in range(arguments.games):
        # All seeds of a match differ.
        for player, salt in ((new, 1), (old, 50)):
            player.begin(1000 * arguments.seed + 194 * number + salt)
        if number % 2 == 0:
            points += black_points(new, old, game)
        else:
            points += 1 - black_points(old, new, game)
        won = share(points, number + 1)
        if won is not None:
            score = f"{won.value:.0%} [{won.low:.0%}-{won.high:.0%}]"
            print(f"{points:g} of {number + 1}: {score}", flush=True)


if __name__ == "__main__":
    main()

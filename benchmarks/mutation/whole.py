"""The engine that mutants are made of: examples/python/full.py with all commands of the protocol.

It lies beside a copy of that file when it runs.
"""

from __future__ import annotations

from full import (  # type: ignore[import-not-found]
    OTHER,
    Engine,
    Failure,
    Position,
    Turn,
    choose,
    player_of,
    serve,
    whole,
    written,
)

GIVEN = 5_000


class TooManyError(Exception):
    """More positions than the search was given."""


class Solver:
    """Perfect play by looking at everything that may follow."""

    def __init__(self, limit: int) -> None:
        self.left = limit

    def best(self, position: Position) -> tuple[int, Turn | None]:
        """Return 1, 0 or -1 for the side to move, and a turn that comes to it."""
        if position.is_over():
            score = position.score()
            return (0 if score == "0" else 1 if score[0] == position.to_move else -1), None
        self.left -= 1
        if self.left < 0:
            raise TooManyError
        best, kept = -2, None
        for turn in position.legal_turns():
            after = position.after(turn)
            value = self.best(after)[0]
            value = value if after.to_move == position.to_move else -value
            if value > best:
                best, kept = value, turn
            if best == 1:
                break
        return best, kept


class Whole(Engine):  # type: ignore[misc]
    """All commands of the protocol."""

    def chosen(self, colour: str) -> Turn:
        """Return a turn for the player to move. Raises Failure as genmove does."""
        player, position = player_of(colour), self.position
        if position.is_over():
            raise Failure("the game is over")
        if player != position.to_move:
            raise Failure("it is the other player's turn")
        return choose(position, 1e18)

    def do_reg_genmove(self, colour: str) -> str:
        """Answer a turn and play nothing."""
        return str(written(self.chosen(colour), self.position.board))

    def do_showboard(self) -> str:
        """Draw the stones in one line."""
        return "\n" + "".join(self.position.stones)

    def do_time_settings(self, main: str, period: str, stones: str) -> str:
        """Take GTP's clock."""
        values = [whole(word) for word in (main, period, stones)]
        self.clock.set(f"{values[0]}+{values[1]}" if values[1] else f"{values[0]}+0")
        return ""

    def do_solve(self, limit: str = "5000") -> str:
        """Answer who wins, and how."""
        position: Position = self.position
        if position.is_over():
            raise Failure("the game is over")
        try:
            value, turn = Solver(whole(limit)).best(position)
        except (TooManyError, RecursionError):
            return "unknown"
        winner = "0" if value == 0 else position.to_move if value > 0 else OTHER[position.to_move]
        return winner if value < 0 else f"{winner} {written(turn, position.board)}"

    def do_evaluate(self, drops: str = "") -> str:
        """Answer an even chance, and one candidate where that is simple."""
        if self.position.is_over():
            raise Failure("the game is over")
        if drops or self.position.game.name in ("yodd", "xodd"):
            raise Failure("no evaluation")
        turn = next(self.position.legal_turns())
        return f"0.5000 1\n{written(turn, self.position.board)} 1.0000 0.5000"


if __name__ == "__main__":
    serve(Whole())

"""The engine that mutants are made of: examples/python/full.py with all commands of the protocol.

It lies beside a copy of that file when it runs.
"""

from __future__ import annotations

import queue
import re
import sys
import threading
import time
from dataclasses import replace

from full import (  # type: ignore[import-not-found]
    CONTROL,
    OTHER,
    Engine,
    Failure,
    Position,
    Turn,
    choose,
    is_id,
    player_of,
    serve,
    whole,
    written,
)

GIVEN = 5_000
OPTIONS = (
    "noise type number default 0.5 min -2.5 max 3.25",
    "style type choice default calm choices calm wild",
)
SETTINGS = """yodd size type choice default 8 choices 2 3 4 5 6 7 8 9 10 11 12 13
xodd size type choice default 12 choices 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19
odd size type choice default 5 choices 2 3 4 5 6 7 8 9 10 11 12 13 if board hexhex
odd size type choice default 5 choices 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 if board square
odd board type choice default hexhex choices hexhex square
odd min_group type integer default 5 min 1
ayu size type choice default 11 choices 3 5 7 9 11 13 15 17 19
ayu pie type boolean default false"""


class Input:
    """Standard input, read by a thread, so that a search sees what comes next."""

    def __init__(self) -> None:
        self.lines: queue.Queue[str] = queue.Queue()
        self.current = ""
        self.has_ended = False
        self.source = sys.stdin
        self.source.reconfigure(errors="replace", newline="\n")  # type: ignore[union-attr]
        threading.Thread(target=self.read, daemon=True).start()

    def reconfigure(self, **_: str) -> None:
        """Do nothing: it is done already."""

    def read(self) -> None:
        """Keep the lines that come, and an empty text at the end."""
        for line in self.source:
            self.lines.put(line)
        self.has_ended = True
        self.lines.put("")

    def __iter__(self) -> Input:
        return self

    def __next__(self) -> str:
        self.current = self.lines.get()
        if not self.current:
            raise StopIteration
        return self.current

    def has_more(self) -> bool:
        """Whether a further command has come, or the end."""
        return self.has_ended or any(line.partition("#")[0].split() for line in self.ahead())

    def has_stop(self) -> bool:
        """Whether a `stop` has come."""
        return any("stop" in line.partition("#")[0].split()[:2] for line in self.ahead())

    def ahead(self) -> list[str]:
        """The lines that wait."""
        return list(self.lines.queue)


class Output:
    """Standard output, from which the head of a reply can be left out that was written before."""

    def __init__(self) -> None:
        self.target = sys.stdout
        self.left_out = 0

    def write(self, text: str) -> None:
        """Write a text; behind a head that was left out, one line feed only."""
        if self.left_out == 2:
            text = ""
        elif self.left_out == 1:
            text = "\n"
        self.left_out = max(0, self.left_out - 1)
        self.target.write(text)

    def flush(self) -> None:
        """Flush it."""
        self.target.flush()


class TooManyError(Exception):
    """More positions than the search was given, or a stop."""


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
        if self.left < 0 or source.has_stop():
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


def is_reachable(position: Position, kind: str) -> bool:
    """Whether a game may come to a position, as far as the protocol asks for it."""
    game, start = position.game, position.game.start()
    if game.name == "ayu":
        has_all = sorted(position.stones) == sorted(start.stones)
        return has_all and position.passes == 0 and (kind != "swap" or is_first(position))
    if kind == "swap" or position.passes > (0 if game.name == "odd" else 1):
        return False
    if position.stones == start.stones:
        return position.to_move == "B" and position.passes == 0
    if game.name == "odd":
        stones = len(position.stones) - len(position.empty())
        return stones % 2 == (position.to_move == "W")
    return sum(position.counts().values()) % 2 == 1


def is_first(position: Position) -> bool:
    """Whether Black's first move leads to a position, with the pie rule."""
    start = position.game.start()
    after = (start.after(turn).stones for turn in start.legal_turns())
    return position.game.pie and position.to_move == "W" and position.stones in after


class Whole(Engine):  # type: ignore[misc]
    """All commands of the protocol."""

    expected = ""

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

    def do_genmove(self, colour: str) -> str:
        """Answer a turn; with a minute for it, think for a while or until `stop`."""
        end = time.monotonic() + (8.0 if self.clock.control == "60" else 0.0)
        while time.monotonic() < end and not source.has_stop():
            time.sleep(0.005)
        turn: str = super().do_genmove(colour)
        self.expected = "win_rate 0.5000 depth 1 visits 1"
        return turn

    def do_stop(self) -> str:
        """Answer nothing: what was to be stopped has seen it."""
        return ""

    def do_ponder(self) -> str:
        """Answer nothing, and think of nothing."""
        return ""

    def do_opponent(self, control: str, *name: str) -> str:
        """Take note of the opponent."""
        if not CONTROL.fullmatch(control):
            raise Failure("syntax error: no time control")
        return ""

    def do_game_over(self, score: str, *reason: str) -> str:
        """Take note of the end."""
        return ""

    def do_last_evaluation(self) -> str:
        """Answer what was expected of the last turn."""
        if not self.expected:
            raise Failure("no evaluation")
        return self.expected

    def begin(self, game: object) -> str:
        """Forget the last turn."""
        self.expected = ""
        return str(super().begin(game))

    def do_list_settings(self) -> str:
        """List the sizes and settings of all games."""
        return SETTINGS

    def do_list_options(self) -> str:
        """List a number and a choice besides the seed."""
        return "\n".join((super().do_list_options(), *OPTIONS))

    def do_set_option(self, name: str, value: str) -> str:
        """Take an option that changes nothing, or the seed."""
        if name == "noise" and re.fullmatch(r"-?[0-9]+(\.[0-9]+)?", value):
            if -2.5 <= float(value) <= 3.25:
                return ""
            raise Failure("noise is out of range")
        if name == "style" and value in ("calm", "wild"):
            return ""
        return str(super().do_set_option(name, value))

    def do_analyze(self, interval: str) -> str:
        """Write lines until the next command comes."""
        if not re.fullmatch(r"[0-9]{1,7}(\.[0-9]{1,3})?", interval) or not (
            0.01 <= float(interval) <= 1e6
        ):
            raise Failure("syntax error: no interval")
        position: Position = self.position
        if position.is_over():
            raise Failure("the game is over")
        words = source.current.split()
        turn = written(next(position.legal_turns()), position.board)
        print(f"={words[0] if is_id(words[0]) else ''}", flush=True)
        count = 0
        while not source.has_more():
            count += 1
            info = f"info turn {turn} visits {count} win_rate 0.5000 variation {turn}"
            print(info, flush=True)
            time.sleep(min(float(interval), 0.05))
        sink.left_out = 2
        return ""

    def do_setup(self, colour: str, stones: str, kind: str = "", number: str = "") -> str:
        """Come to a position."""
        player = player_of(colour)
        if kind not in ("", "passes", "swap") or (kind == "passes") != bool(number):
            raise Failure("syntax error: passes N or swap")
        passes = whole(number) if number else 0
        start = self.position.game.start()
        if len(stones) != len(start.stones) or not re.fullmatch("[BW.]*", stones):
            raise Failure("illegal position")
        turns = (1 if player == "W" else 2) if kind == "swap" else 3 if set(stones) != {"."} else 0
        position = replace(
            start, stones=list(stones), to_move=player, turns_played=turns, passes=passes
        )
        if not is_reachable(position, kind):
            raise Failure("illegal position")
        self.begin(position.game)
        self.position = replace(position, seen=frozenset([position.key()]))
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


source, sink = Input(), Output()

if __name__ == "__main__":
    sys.stdin, sys.stdout = source, sink  # type: ignore[assignment]
    serve(Whole())

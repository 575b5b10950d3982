#!/usr/bin/env python3
"""A first engine: Odd on hexhex boards. docs/write-an-engine.md builds it step by step."""

from __future__ import annotations

import random
import re
import sys
import time
from collections.abc import Callable

COMMANDS: dict[str, Callable[..., str]] = {}
PLAYERS = {"b": "b", "black": "b", "w": "w", "white": "w"}


class Failure(Exception):
    """What stands after the `?` of a reply."""


def command(function: Callable[..., str]) -> Callable[..., str]:
    """Make a function a command of the protocol: words in, the reply's text out."""
    COMMANDS[function.__name__] = function
    return function


@command
def name() -> str:
    return "tiny-python"


@command
def version() -> str:
    return "1"


@command
def list_commands() -> str:
    return "\n".join(COMMANDS)


@command
def quit() -> str:
    return ""


def answer(words: list[str]) -> str:
    """Carry out one command."""
    if words[0] not in COMMANDS:
        raise Failure("unknown command")
    try:
        return COMMANDS[words[0]](*words[1:])
    except (TypeError, ValueError, KeyError) as error:
        raise Failure(f"syntax error: {error}") from error


class Board:
    """A hexhex board and its stones: `stones["c3"]` is "b" or "w"."""

    def __init__(self, size: int) -> None:
        inside = range(1 - size, size)
        names = {
            (q, r): f"{chr(ord('a') + q + size - 1)}{r + size}"
            for q in inside
            for r in inside
            if abs(q + r) < size
        }
        steps = (1, 0), (-1, 0), (0, 1), (0, -1), (1, -1), (-1, 1)
        self.size = size
        self.neighbours = {
            name: [names[q + x, r + y] for x, y in steps if (q + x, r + y) in names]
            for (q, r), name in names.items()
        }
        self.stones: dict[str, str] = {}

    def empty(self) -> list[str]:
        return [vertex for vertex in self.neighbours if vertex not in self.stones]

    def to_move(self) -> str:
        return "bw"[len(self.stones) % 2]


board = Board(5)
TURN = re.compile(
    r"pass|swap|[a-z][1-9]\d?-[a-z][1-9]\d?|[bw][a-z][1-9]\d?(,[bw][a-z][1-9]\d?)*", re.IGNORECASE
)


@command
def boardsize(size: str) -> str:
    global board
    if not 2 <= int(size) <= 13:
        raise Failure("unacceptable size")
    board = Board(int(size))
    return ""


@command
def clear_board() -> str:
    return boardsize(str(board.size))


@command
def play(player: str, turn: str) -> str:
    wrong_player = PLAYERS[player.lower()] != board.to_move()
    if not TURN.fullmatch(turn):
        raise ValueError(f"{turn!r} is no turn")
    if wrong_player:
        raise Failure("illegal move: it is the other player's turn")
    stone, vertex = turn[0].lower(), turn[1:].lower()
    if vertex not in board.empty():
        raise Failure("illegal move: expected a stone and an empty vertex, as in Bc3")
    board.stones[vertex] = stone
    return ""


@command
def undo() -> str:
    if not board.stones:
        raise Failure("cannot undo")
    board.stones.popitem()
    return ""


@command
def genmove(player: str) -> str:
    if PLAYERS[player.lower()] != board.to_move():
        raise Failure("it is the other player's turn")
    if not board.empty():
        raise Failure("the game is over")
    stone, vertex = choose()
    board.stones[vertex] = stone
    return stone.upper() + vertex


seconds_left = 10.0
share = 1.0


@command
def time_control(control: str) -> str:
    global seconds_left, share
    number = r"\d+(\.\d+)?"
    if not re.fullmatch(rf"none|{number}(\+(\d+[/x])?{number})?", control):
        raise ValueError(f"{control!r} is no time control")
    share = 0.03 if "+" in control else 0.8
    seconds_left = 60.0 if control == "none" else float(control.split("+")[0])
    return ""


@command
def time_left(player: str, seconds: str, turns: str = "0") -> str:
    global seconds_left
    left = float(seconds)
    if PLAYERS[player.lower()] == board.to_move():
        seconds_left = left
    return ""


@command
def list_options() -> str:
    return "seed type integer default 0 min 0 max 9223372036854775807"


@command
def set_option(name: str, value: str) -> str:
    if name != "seed" or not 0 <= int(value) < 2**63:
        raise Failure("no such option, or no such value")
    random.seed(int(value))
    return ""


def count_groups(stones: dict[str, str], least: int = 5) -> int:
    """Groups of at least so many stones, both colours together."""
    found, seen = 0, set()
    for start in stones:
        if start in seen:
            continue
        group = [start]
        seen.add(start)
        for vertex in group:
            for near in board.neighbours[vertex]:
                if near not in seen and stones.get(near) == stones[start]:
                    seen.add(near)
                    group.append(near)
        found += len(group) >= least
    return found


def choose(fillings: int = 400) -> tuple[str, str]:
    """The drop that is in most of the random ends of this game that we win.

    A random end of Odd is the board with every empty cell filled by lot, and tells something about
    each of its drops at once.
    """
    deadline = time.monotonic() + seconds_left * share
    empty = board.empty()
    wins = {(stone, vertex): 1 for vertex in empty for stone in "bw"}
    tries = dict.fromkeys(wins, 2)
    we_want_odd = board.to_move() == "b"
    for _ in range(fillings):
        if time.monotonic() > deadline:
            break
        drops = list(zip(random.choices("bw", k=len(empty)), empty, strict=True))
        end = board.stones | {vertex: stone for stone, vertex in drops}
        won = (count_groups(end) % 2 == 1) == we_want_odd
        for drop in drops:
            tries[drop] += 1
            wins[drop] += won
    return max(wins, key=lambda drop: wins[drop] / tries[drop])


def serve() -> None:
    """Answer the lines of standard input until `quit` or the end."""
    sys.stdin.reconfigure(errors="replace", newline="\n")  # type: ignore[union-attr]
    for line in sys.stdin:
        clean = re.sub(r"[\x00-\x08\x0b-\x1f\x7f]", "", line.partition("#")[0])
        words = clean.split()
        if not words:
            continue
        id = words.pop(0) if re.fullmatch(r"\d{1,10}", words[0], re.ASCII) else ""
        try:
            mark, text = "=", answer(words)
        except Failure as failure:
            mark, text = "?", str(failure)
        print(f"{mark}{id} {text}".rstrip(), end="\n\n", flush=True)
        if words == ["quit"]:
            break


serve()

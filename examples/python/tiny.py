#!/usr/bin/env python3
"""A first engine: Odd on hexhex boards. docs/tutorials/write-an-engine.md builds it by steps."""

import io
import random
import re
import sys
import time

COMMANDS = {}


class Failure(Exception):
    """The text after the `?` of a reply."""


def command(function):
    """Make a function a command of the protocol: words in, the reply's text out."""
    COMMANDS[function.__name__] = function
    return function


@command
def name():
    return "tiny-python"


@command
def version():
    return "1"


@command
def list_commands():
    return "\n".join(COMMANDS)


@command
def quit():
    return ""


class Board:
    """A hexhex board and its stones: `stones["c3"]` is "b" or "w"."""

    def __init__(self):
        self.resize(5)

    def resize(self, size):
        """An empty board of that size."""
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
            vertex: [names[q + x, r + y] for x, y in steps if (q + x, r + y) in names]
            for (q, r), vertex in names.items()
        }
        self.stones = {}

    def empty(self):
        """The empty cells."""
        return [vertex for vertex in self.neighbours if vertex not in self.stones]

    def to_move(self):
        """Whose turn it is: every turn of Odd is one stone."""
        return "bw"[len(self.stones) % 2]


board = Board()
PLAYERS = {"b": "b", "black": "b", "w": "w", "white": "w"}
VERTEX = "[a-z][1-9][0-9]?"
TURN = re.compile(
    "pass|swap|V-V|[bw]V(,[bw]V)*".replace("V", VERTEX), re.IGNORECASE
)  # of any of the games: those of the others are illegal here, and not malformed


@command
def boardsize(size):
    if not 2 <= int(size) <= 13:
        raise Failure("unacceptable size")
    board.resize(int(size))
    return ""


@command
def clear_board():
    board.resize(board.size)
    return ""


@command
def play(player, turn):
    is_to_move = PLAYERS[player.lower()] == board.to_move()
    if not TURN.fullmatch(turn):
        raise Failure(f"syntax error: {turn!r} is not a turn")
    if not is_to_move:
        raise Failure("illegal move: it is the other player's turn")
    if turn[1:].lower() not in board.empty():
        raise Failure("illegal move: expected a stone and an empty cell, as in Bc3")
    board.stones[turn[1:].lower()] = turn[0].lower()
    return ""


@command
def undo():
    if not board.stones:
        raise Failure("cannot undo")
    board.stones.popitem()
    return ""


@command
def genmove(player):
    is_to_move = PLAYERS[player.lower()] == board.to_move()
    if not board.empty():
        raise Failure("the game is over")
    if not is_to_move:
        raise Failure("it is the other player's turn")
    stone, vertex = choose()
    board.stones[vertex] = stone
    return stone.upper() + vertex


def count_groups(stones, least=5):
    """Count the groups of at least `least` stones, of either colour."""
    found, seen = 0, set()
    for start, stone in stones.items():
        if start in seen:
            continue
        group = [start]
        seen.add(start)
        for vertex in group:
            for near in board.neighbours[vertex]:
                if near not in seen and stones.get(near) == stone:
                    seen.add(near)
                    group.append(near)
        found += len(group) >= least
    return found


def choose(most_ends=400):
    """Return the drop whose random games were won most often."""
    deadline = time.monotonic() + clock.seconds_left * clock.share
    empty = board.empty()
    wins = {(stone, vertex): 1 for vertex in empty for stone in "bw"}
    tries = dict.fromkeys(wins, 2)
    wants_odd = board.to_move() == "b"
    for _ in range(most_ends):
        if time.monotonic() > deadline:
            break
        drops = list(zip(random.choices("bw", k=len(empty)), empty, strict=True))
        end = board.stones | {vertex: stone for stone, vertex in drops}
        won = (count_groups(end) % 2 == 1) == wants_odd
        for drop in drops:
            tries[drop] += 1
            wins[drop] += won
    return max(wins, key=lambda drop: wins[drop] / tries[drop])


class Clock:
    """What the controller has said about time."""

    seconds_left = 1.0
    share = 0.8
    """How much of it to spend on this turn."""


clock = Clock()
SECONDS = "[0-9]+(\\.[0-9]+)?"
CONTROL = re.compile("none|S(\\+([0-9]+[/x])?S)?".replace("S", SECONDS))


@command
def time_control(control):
    if not CONTROL.fullmatch(control):
        raise Failure(f"syntax error: {control!r} is not a time control")
    main_time = control.partition("+")[0]
    clock.share = 0.03 if "+" in control else 0.8
    clock.seconds_left = 60.0 if control == "none" else float(main_time)
    return ""


@command
def time_left(player, seconds, turns="0"):
    if not re.fullmatch(SECONDS, seconds) or not turns.isdecimal():
        raise Failure("syntax error: expected a colour, seconds, and perhaps turns")
    if PLAYERS[player.lower()] == board.to_move():
        clock.seconds_left = float(seconds)
    return ""


@command
def list_options():
    return "seed type integer default 0 min 0 max 9223372036854775807"


@command
def set_option(option, value):
    if option != "seed" or not 0 <= int(value) < 2**63:
        raise Failure("no such option, or no such value")
    random.seed(int(value))
    return ""


def answer(words):
    """Carry out one command."""
    if not words or words[0] not in COMMANDS:
        raise Failure("unknown command")
    function = COMMANDS[words[0]]
    try:
        return function(*words[1:])
    except (TypeError, ValueError, KeyError) as error:  # too few words, or wrong ones
        raise Failure(f"syntax error: {error}") from error


def serve():
    """Answer the lines of standard input until `quit` or the end."""
    lines = io.TextIOWrapper(sys.stdin.buffer, encoding="utf-8", errors="replace", newline="\n")
    for line in lines:
        if not line.endswith("\n"):  # cut off by the end
            break
        clean = re.sub(r"[\x00-\x08\x0b-\x1f\x7f]", "", line.partition("#")[0])
        words = clean.split()
        if not words:
            continue
        is_id = re.fullmatch("[0-9]{1,10}", words[0]) and int(words[0]) < 2**31
        number = words.pop(0) if is_id else ""
        try:
            mark, text = "=", answer(words)
        except Failure as failure:
            mark, text = "?", str(failure)
        print(f"{mark}{number} {text}".rstrip(), end="\n\n", flush=True)
        if words == ["quit"]:
            break


serve()

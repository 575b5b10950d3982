#!/usr/bin/env python3
"""An engine for all four games, Yodd, Xodd, Odd and Ayu, that looks one turn ahead.

Plain Python, no packages. From the top: the board, the rules, choosing a turn, the clock, the
protocol. Nothing here knows anything about what stands further down.
"""

from __future__ import annotations

import inspect
import random
import re
import sys
import time
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

EMPTY, BLACK, WHITE = ".", "B", "W"
OTHER = {BLACK: WHITE, WHITE: BLACK}
FULL_NAME = {BLACK: "Black", WHITE: "White"}


class Failure(Exception):
    """What stands after the `?` of a reply."""


# --- The board ------------------------------------------------------------------------------------


class Board:
    """Cells are numbers, lower rows first, so that the order of cells is that of written drops."""

    def __init__(self, shape: str, size: int) -> None:
        if shape == "hexhex":
            inside = range(1 - size, size)
            points = [(q, r) for r in inside for q in inside if abs(q + r) < size]
            names = [f"{letter(q + size)}{r + size}" for q, r in points]
            steps = [(1, 0), (-1, 0), (0, 1), (0, -1), (1, -1), (-1, 1)]
        else:
            points = [(x, y) for y in range(1, size + 1) for x in range(1, size + 1)]
            names = [f"{letter(x)}{y}" for x, y in points]
            steps = [(1, 0), (-1, 0), (0, 1), (0, -1)]
        cell_at = {point: cell for cell, point in enumerate(points)}
        self.points = points
        self.names = names
        self.index = {name: cell for cell, name in enumerate(names)}
        self.neighbours = [
            [cell_at[x + dx, y + dy] for dx, dy in steps if (x + dx, y + dy) in cell_at]
            for x, y in points
        ]

    def group_at(self, stones: list[str], start: int) -> list[int]:
        """The cells of the group that a stone belongs to."""
        group, seen = [start], {start}
        for cell in group:
            for near in self.neighbours[cell]:
                if near not in seen and stones[near] == stones[start]:
                    seen.add(near)
                    group.append(near)
        return group

    def groups(self, stones: list[str]) -> list[list[int]]:
        """All groups of both colours, each a list of cells."""
        found: list[list[int]] = []
        seen: set[int] = set()
        for cell, stone in enumerate(stones):
            if stone != EMPTY and cell not in seen:
                found.append(self.group_at(stones, cell))
                seen.update(found[-1])
        return found

    def distance(self, stones: list[str], unit: list[int]) -> int | None:
        """Empty points between a unit and the closest friendly one; None without a path."""
        colour, seen, frontier, empty_points = stones[unit[0]], set(unit), unit, 0
        while frontier:
            reached = []
            for cell in frontier:
                for near in self.neighbours[cell]:
                    if near in seen:
                        continue
                    if stones[near] == colour:
                        return empty_points
                    if stones[near] == EMPTY:
                        seen.add(near)
                        reached.append(near)
            frontier, empty_points = reached, empty_points + 1
        return None


def letter(number: int) -> str:
    """`a` for 1."""
    return chr(ord("a") + number - 1)


# --- Turns ----------------------------------------------------------------------------------------


class Drop(NamedTuple):
    """A stone on its way to a cell."""

    cell: int
    colour: str


class Drops(NamedTuple):
    """One drop or two, the lower cell first."""

    drops: tuple[Drop, ...]


class Move(NamedTuple):
    """A piece on its way."""

    origin: int
    destination: int


Turn = Drops | Move | str
"""Drops, a move, "pass" or "swap"."""

VERTEX = r"[a-z][1-9][0-9]?"
DROPS = re.compile(rf"[bw]{VERTEX}(,[bw]{VERTEX})*")
MOVE = re.compile(rf"{VERTEX}-{VERTEX}")


def read_turn(text: str, board: Board) -> Turn:
    """A turn, legal or not. Fails if this is none, or one off the board."""
    text = text.lower()
    if text in ("pass", "swap"):
        return text
    if not DROPS.fullmatch(text) and not MOVE.fullmatch(text):
        raise Failure(f"syntax error: malformed turn {text!r}")
    if outside := [
        name for name in re.findall(rf"{VERTEX}(?=$|[,-])", text) if name not in board.index
    ]:
        raise Failure(f"illegal move: {outside[0]} is off the board")
    if MOVE.fullmatch(text):
        return Move(*(board.index[name] for name in text.split("-")))
    drops = (Drop(board.index[drop[1:]], drop[0].upper()) for drop in text.split(","))
    return Drops(tuple(sorted(drops)))


def written(turn: Turn, board: Board) -> str:
    """A turn in the notation of the protocol."""
    if isinstance(turn, Drops):
        return ",".join(colour + board.names[cell] for cell, colour in turn.drops)
    if isinstance(turn, Move):
        return f"{board.names[turn.origin]}-{board.names[turn.destination]}"
    return turn


# --- The rules ------------------------------------------------------------------------------------

SIZES = {"hexhex": range(2, 14), "square": range(2, 20)}
DEFAULT_SIZES = {"yodd": 8, "xodd": 12, "odd": 5, "ayu": 11}


@dataclass(frozen=True)
class Game:
    """A game with its settings."""

    name: str
    size: int
    shape: str
    min_group: int = 5
    pie: bool = False

    def start(self) -> Position:
        """The position before the first turn."""
        board = Board(self.shape, self.size)
        stones = [EMPTY] * len(board.points)
        if self.name == "ayu":
            for cell, (x, y) in enumerate(board.points):
                if (x + y) % 2 == 1:
                    stones[cell] = BLACK if y % 2 == 1 else WHITE
        position = Position(self, board, stones)
        return replace(position, seen=frozenset([position.key()]))


@dataclass(frozen=True)
class Position:
    """Stones, whose turn it is, and what of the past the rules ask about."""

    game: Game
    board: Board
    stones: list[str]
    to_move: str = BLACK
    turns_played: int = 0
    passes: int = 0
    is_draw: bool = False
    seen: frozenset[tuple[str, str]] = field(default=frozenset(), repr=False)

    def key(self) -> tuple[str, str]:
        """What makes a position of Ayu the same as an earlier one."""
        return "".join(self.stones), self.to_move

    def empty(self) -> list[int]:
        """The empty cells."""
        return [cell for cell, stone in enumerate(self.stones) if stone == EMPTY]

    def counts(self) -> dict[str, int]:
        """Groups of each colour, of those that the game counts."""
        least = self.game.min_group if self.game.name == "odd" else 1
        counts = {BLACK: 0, WHITE: 0}
        for group in self.board.groups(self.stones):
            counts[self.stones[group[0]]] += len(group) >= least
        return counts

    def is_over(self) -> bool:
        """Whether the rules have ended the game."""
        if self.game.name == "odd":
            return EMPTY not in self.stones
        if self.game.name == "ayu":
            return self.is_draw or next(self.legal_turns(), None) is None
        return self.passes == 2

    def score(self) -> str:
        """The result of a game that is over."""
        counts = self.counts()
        if self.game.name == "odd":
            return "B+" if sum(counts.values()) % 2 == 1 else "W+"
        if self.game.name == "ayu":
            return "0" if self.is_draw else f"{self.to_move}+"
        margin = counts[WHITE] - counts[BLACK]
        return f"B+{margin}" if margin > 0 else f"W+{-margin}"

    def play(self, turn: Turn) -> Position:
        """The position after a turn. Fails if the turn is illegal."""
        if problem := self.problem_with(turn):
            raise Failure(f"illegal move: {problem}")
        return self.after(turn)

    def after(self, turn: Turn) -> Position:
        """The position after a legal turn."""
        if turn == "swap":
            return replace(self, turns_played=self.turns_played + 1)
        stones = self.stones.copy()
        if isinstance(turn, Drops):
            for cell, colour in turn.drops:
                stones[cell] = colour
        elif isinstance(turn, Move):
            stones[turn.origin], stones[turn.destination] = EMPTY, self.to_move
        following = replace(
            self,
            stones=stones,
            to_move=OTHER[self.to_move],
            turns_played=self.turns_played + 1,
            passes=self.passes + 1 if turn == "pass" else 0,
        )
        if self.game.name != "ayu":
            return following
        key = following.key()
        return replace(following, is_draw=key in self.seen, seen=self.seen | {key})

    def problem_with(self, turn: Turn) -> str:
        """Why a turn is illegal; empty if it is not."""
        if self.is_over():
            return "the game is over"
        if self.game.name == "ayu":
            if isinstance(turn, Move):
                return self.problem_with_move(turn)
            may_swap = self.game.pie and self.turns_played == 1
            return "" if turn == "swap" and may_swap else "a turn is a move"
        if turn == "pass" and self.game.name != "odd":
            return self.problem_with_drops(())
        if isinstance(turn, Drops):
            return self.problem_with_drops(turn.drops)
        return "no such turn in this game"

    def problem_with_drops(self, drops: tuple[Drop, ...]) -> str:
        """Why drops, none of them for a pass, are illegal."""
        if len(drops) > 2 or (len(drops) != 1 and self.takes_one_drop()):
            return "a wrong number of drops"
        if any(self.stones[cell] != EMPTY for cell, _ in drops):
            return "an occupied cell"
        if len({cell for cell, _ in drops}) < len(drops):
            return "two drops on one cell"
        if self.game.name == "odd":
            return ""
        total = sum(self.after(Drops(drops)).counts().values())
        return "" if total % 2 == 1 else f"that would leave {total} groups, an even number"

    def takes_one_drop(self) -> bool:
        """Whether the turn must be exactly one drop."""
        return self.game.name == "odd" or self.turns_played == 0

    def problem_with_move(self, move: Move) -> str:
        """Why a move in Ayu is illegal."""
        if self.stones[move.origin] != self.to_move:
            return "no piece of yours to move"
        if self.stones[move.destination] != EMPTY:
            return "an occupied destination"
        unit = self.board.group_at(self.stones, move.origin)
        if not any(move.destination in self.board.neighbours[cell] for cell in unit):
            return "not a point next to the unit"
        before = self.board.distance(self.stones, unit)
        if before is None:
            return "no path to a friendly unit"
        stones = self.stones.copy()
        stones[move.origin], stones[move.destination] = EMPTY, self.to_move
        moved = [move.destination, *(cell for cell in unit if cell != move.origin)]
        if not set(moved).issubset(self.board.group_at(stones, move.destination)):
            return "that would split the group"
        after = self.board.distance(stones, moved)
        if after is None or after >= before:
            return "no closer to the closest friendly unit"
        return ""

    def legal_turns(self) -> Iterator[Turn]:
        """All legal turns, each once."""
        if self.game.name == "ayu":
            if not self.is_draw:
                yield from self.legal_in_ayu()
        elif self.game.name == "odd":
            yield from (Drops((Drop(cell, c),)) for cell in self.empty() for c in OTHER)
        elif self.passes < 2:
            yield from (turn for turn, _ in self.group_turns())

    def legal_in_ayu(self) -> Iterator[Turn]:
        """The legal turns of Ayu, draws apart."""
        if self.game.pie and self.turns_played == 1:
            yield "swap"
        for origin, stone in enumerate(self.stones):
            if stone == self.to_move:
                unit = self.board.group_at(self.stones, origin)
                for destination in sorted({n for c in unit for n in self.board.neighbours[c]}):
                    if not self.problem_with_move(Move(origin, destination)):
                        yield Move(origin, destination)

    def group_turns(self) -> Iterator[tuple[Turn, int]]:
        """The legal turns of Yodd and Xodd, with White's groups less Black's after each.

        Only a first drop asks for the groups of the whole board; a second one changes them by what
        it touches.
        """
        counts = self.counts()
        total, margin = sum(counts.values()), counts[WHITE] - counts[BLACK]
        if total % 2 == 1:
            yield "pass", margin
        empty, stones = self.empty(), self.stones.copy()
        labels = self.labels(stones)
        for place, first in enumerate(empty):
            for colour in OTHER:
                change = self.change(labels, stones, first, colour)
                one = margin + change if colour == WHITE else margin - change
                if (total + change) % 2 == 1:
                    yield Drops((Drop(first, colour),)), one
                if self.takes_one_drop():
                    continue
                stones[first] = colour
                after = self.labels(stones)
                for second in empty[place + 1 :]:
                    for other in OTHER:
                        more = self.change(after, stones, second, other)
                        if (total + change + more) % 2 == 1:
                            two = one + more if other == WHITE else one - more
                            yield Drops((Drop(first, colour), Drop(second, other))), two
                stones[first] = EMPTY

    def labels(self, stones: list[str]) -> list[int]:
        """For each cell the number of its group."""
        labels = [-1] * len(stones)
        for number, group in enumerate(self.board.groups(stones)):
            for cell in group:
                labels[cell] = number
        return labels

    def change(self, labels: list[int], stones: list[str], cell: int, colour: str) -> int:
        """What a drop adds to the number of groups: one, less those that it joins."""
        neighbours = self.board.neighbours[cell]
        return 1 - len({labels[near] for near in neighbours if stones[near] == colour})


# --- Choosing a turn ------------------------------------------------------------------------------

FILLINGS = 300
"""Random ends of Odd that are looked at for a turn."""


def choose(position: Position, deadline: float) -> Turn:
    """The best legal turn that is found until then; among equals one by lot."""
    if position.game.name == "odd":
        return choose_by_fillings(position, deadline)
    rated = rated_moves(position) if position.game.name == "ayu" else rated_drops(position)
    best: list[Turn] = []
    best_rating = -1e9
    for turn, rating in rated:
        if rating > best_rating:
            best, best_rating = [], rating
        if rating == best_rating:
            best.append(turn)
        if time.monotonic() > deadline:
            break
    return random.choice(best)


def rated_drops(position: Position) -> Iterator[tuple[Turn, float]]:
    """The turns of Yodd and Xodd: the fewer of one's own groups, the more of the opponent's."""
    sign = 1 if position.to_move == BLACK else -1
    for turn, margin in position.group_turns():
        ahead = sign * margin
        if turn == "pass":
            # Two passes end the game: good news for whoever is ahead, and for nobody else.
            yield turn, 1000 if ahead > 0 and position.passes else ahead - 1000 * (ahead < 0)
        else:
            yield turn, ahead


def rated_moves(position: Position) -> Iterator[tuple[Turn, float]]:
    """The moves of Ayu: whoever has less way to go runs out of moves first, and wins."""
    turns = [turn for turn in position.legal_turns() if turn != "swap"]
    random.shuffle(turns)
    me = position.to_move
    for turn in turns:
        after = position.after(turn)
        yield turn, way_to_go(after, OTHER[me]) - way_to_go(after, me)


def way_to_go(position: Position, colour: str) -> int:
    """The sum of the distances of all units to their closest friends."""
    board, stones = position.board, position.stones
    units = (group for group in board.groups(stones) if stones[group[0]] == colour)
    return sum(board.distance(stones, unit) or 0 for unit in units)


def choose_by_fillings(position: Position, deadline: float) -> Turn:
    """The drop of Odd that is in most of the won ones among random ends of the game.

    A random end is the board with every empty cell filled by lot; it tells something about each of
    its drops at once.
    """
    empty = position.empty()
    wins = {Drop(cell, colour): 1 for cell in empty for colour in OTHER}
    tries = dict.fromkeys(wins, 2)
    for _ in range(FILLINGS):
        if time.monotonic() > deadline:
            break
        drops = [Drop(cell, random.choice("BW")) for cell in empty]
        won = position.after(Drops(tuple(drops))).score() == f"{position.to_move}+"
        for drop in drops:
            tries[drop] += 1
            wins[drop] += won
    return Drops((max(wins, key=lambda drop: wins[drop] / tries[drop]),))


# --- The clock ------------------------------------------------------------------------------------

SECONDS = r"[0-9]+(?:\.[0-9]+)?"
CONTROL = re.compile(rf"none|({SECONDS})(\+(?:[0-9]+/|[0-9]+x)?{SECONDS})?")


@dataclass
class Clock:
    """What the controller said of time."""

    control: str = "none"
    left: dict[str, float] = field(default_factory=dict)
    turns: dict[str, int] = field(default_factory=dict)

    def set(self, control: str) -> None:
        """A time control begins for both players. Fails if this is none."""
        matched = CONTROL.fullmatch(control)
        if not matched:
            raise Failure(f"syntax error: malformed time control {control!r}")
        self.control = control
        self.left = dict.fromkeys(OTHER, float(matched[1] or 0))
        self.turns = dict.fromkeys(OTHER, 0)

    def seconds_for_a_turn(self, colour: str) -> float:
        """How long to think, with something left for the way there and back."""
        if self.control == "none":
            return 60.0
        if "+" not in self.control:
            return 0.8 * self.left[colour]
        share = self.turns[colour] if "/" in self.control and self.turns[colour] else 30
        return 0.8 * self.left[colour] / share


# --- The protocol ---------------------------------------------------------------------------------


class Engine:
    """The commands: a method `do_NAME` for each, words in, the reply's text out."""

    def __init__(self) -> None:
        self.clock = Clock()
        self.past: list[Position] = []
        self.position = Game("yodd", 8, "hexhex").start()

    def commands(self) -> list[str]:
        """The names of all commands."""
        return [name.removeprefix("do_") for name in dir(self) if name.startswith("do_")]

    def answer(self, words: list[str]) -> str:
        """Carry out one command. Fails with what stands after the `?`."""
        if not words or words[0] not in self.commands():
            raise Failure("unknown command")
        method: Callable[..., str] = getattr(self, f"do_{words[0]}")
        try:
            inspect.signature(method).bind(*words[1:])
        except TypeError as error:
            raise Failure(f"syntax error: {error}") from error
        return method(*words[1:])

    def begin(self, game: Game) -> str:
        """Come to the start of a game."""
        self.past, self.position = [], game.start()
        return ""

    def advance(self, turn: Turn) -> None:
        """Play a turn and remember the position before it."""
        following = self.position.play(turn)
        self.past.append(self.position)
        self.position = following

    def do_protocol_version(self) -> str:
        return "2"

    def do_oddly_version(self) -> str:
        return "1"

    def do_name(self) -> str:
        return "full-python"

    def do_version(self) -> str:
        return "1"

    def do_known_command(self, name: str) -> str:
        return "true" if name in self.commands() else "false"

    def do_list_commands(self) -> str:
        return "\n".join(self.commands())

    def do_quit(self) -> str:
        return ""

    def do_list_games(self) -> str:
        return "\n".join(DEFAULT_SIZES)

    def do_set_game(self, name: str, *settings: str) -> str:
        if name not in DEFAULT_SIZES:
            raise Failure(f"unknown game {name!r}")
        if len(settings) % 2:
            raise Failure("syntax error: expected pairs of setting and value")
        shape = "hexhex" if name in ("yodd", "odd") else "square"
        game = Game(name, DEFAULT_SIZES[name], shape)
        for setting, value in zip(settings[::2], settings[1::2], strict=True):
            if (name, setting) == ("odd", "board") and value in SIZES:
                game = replace(game, shape=value)
            elif (name, setting) == ("odd", "min_group") and re.fullmatch("0*[1-9][0-9]*", value):
                # Beyond the largest board all numbers are the same.
                game = replace(game, min_group=int(value.lstrip("0")[:9]))
            elif (name, setting) == ("ayu", "pie") and value in ("true", "false"):
                game = replace(game, pie=value == "true")
            else:
                raise Failure(f"{name} has no setting {setting!r} that can be {value!r}")
        return self.begin(game)

    def do_boardsize(self, size: str) -> str:
        game = replace(self.position.game, size=whole(size))
        if game.size not in SIZES[game.shape] or (game.name == "ayu" and game.size % 2 == 0):
            raise Failure("unacceptable size")
        return self.begin(game)

    def do_clear_board(self) -> str:
        return self.begin(self.position.game)

    def do_play(self, colour: str, turn: str) -> str:
        player, read = player_of(colour), read_turn(turn, self.position.board)
        if player != self.position.to_move:
            raise Failure(f"illegal move: it is {FULL_NAME[self.position.to_move]}'s turn")
        self.advance(read)
        return ""

    def do_genmove(self, colour: str) -> str:
        began = time.monotonic()
        player = player_of(colour)
        if self.position.is_over():
            raise Failure("the game is over")
        if player != self.position.to_move:
            raise Failure(f"it is {FULL_NAME[self.position.to_move]}'s turn")
        turn = choose(self.position, began + self.clock.seconds_for_a_turn(player))
        self.advance(turn)
        return written(turn, self.position.board)

    def do_undo(self) -> str:
        if not self.past:
            raise Failure("cannot undo")
        self.position = self.past.pop()
        return ""

    def do_legal_turns(self, limit: str = "100000") -> str:
        turns = zip(range(whole(limit)), self.position.legal_turns(), strict=False)
        return "\n".join(written(turn, self.position.board) for _, turn in turns)

    def do_group_counts(self) -> str:
        counts = self.position.counts()
        return f"{counts[BLACK]} {counts[WHITE]}"

    def do_final_score(self) -> str:
        if not self.position.is_over():
            raise Failure("game is not over")
        return self.position.score()

    def do_list_options(self) -> str:
        return f"seed type integer default 0 min 0 max {2**63 - 1}"

    def do_set_option(self, name: str, value: str) -> str:
        if name != "seed":
            raise Failure(f"unknown option {name!r}")
        if whole(value) >= 2**63:
            raise Failure("seed is too large")
        random.seed(whole(value))
        return ""

    def do_time_control(self, control: str) -> str:
        self.clock.set(control)
        return ""

    def do_time_left(self, colour: str, seconds: str, turns: str = "0") -> str:
        player = player_of(colour)
        if not re.fullmatch(SECONDS, seconds):
            raise Failure(f"syntax error: {seconds!r} is not a number of seconds")
        self.clock.turns[player] = whole(turns)
        self.clock.left[player] = float(seconds)
        return ""


def player_of(word: str) -> str:
    """Black or White."""
    if word.lower() not in ("b", "black", "w", "white"):
        raise Failure(f"syntax error: {word!r} is no colour")
    return word[0].upper()


def whole(word: str) -> int:
    """A whole number."""
    if not re.fullmatch("[0-9]{1,19}", word):
        raise Failure(f"syntax error: {word!r} is not a whole number")
    return int(word)


def is_id(word: str) -> bool:
    """Whether a command's first word is its id."""
    return re.fullmatch("[0-9]{1,10}", word) is not None and int(word) < 2**31


def serve(engine: Engine) -> None:
    """Answer the lines of standard input until `quit` or the end."""
    sys.stdin.reconfigure(errors="replace", newline="\n")  # type: ignore[union-attr]
    for line in sys.stdin:
        if not line.endswith("\n"):  # cut off by the end
            break
        words = re.sub(r"[\x00-\x08\x0b-\x1f\x7f]", "", line.partition("#")[0]).split()
        if not words:
            continue
        number = words.pop(0) if is_id(words[0]) else ""
        try:
            mark, text = "=", engine.answer(words)
        except Failure as failure:
            mark, text = "?", str(failure)
        print(f"{mark}{number} {text}".rstrip(), end="\n\n", flush=True)
        if words == ["quit"]:
            break


if __name__ == "__main__":
    serve(Engine())

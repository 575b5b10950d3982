"""The four games played the slow and obvious way, to prove the rules of `games/` against.

Written from the rules texts alone. Nothing is shared with `games/` or `protocol/`: a position is a
dictionary of stones, a turn is its text, groups are flood-filled from scratch each time, and the
legal turns are found by judging every turn one can think of.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from itertools import combinations, product
from math import inf
from string import ascii_lowercase

Stones = dict[str, str]
"""The colour, `B` or `W`, of every vertex that has a stone."""

Neighbours = dict[str, list[str]]
"""Every vertex of a board with those next to it."""

OTHER = {"B": "W", "W": "B"}


@cache
def square(size: int) -> Neighbours:
    """The square board: letter = column, number = row, from a1 in the lower left."""
    points = [(column, row) for column in range(1, size + 1) for row in range(1, size + 1)]
    return _linked({name(*p): p for p in points}, [(1, 0), (-1, 0), (0, 1), (0, -1)])


@cache
def hexhex(base: int) -> Neighbours:
    """The hexagon: cell (q, r) has letter q + base and number r + base."""
    axis = range(-base + 1, base)
    cells = [(q, r) for q in axis for r in axis if abs(q + r) < base]
    steps = [(1, 0), (-1, 0), (0, 1), (0, -1), (1, -1), (-1, 1)]
    return _linked({name(q + base, r + base): (q, r) for q, r in cells}, steps)


def name(letter: int, number: int) -> str:
    return f"{ascii_lowercase[letter - 1]}{number}"


def _linked(places: dict[str, tuple[int, int]], steps: list[tuple[int, int]]) -> Neighbours:
    names = {place: vertex for vertex, place in places.items()}
    return {
        vertex: [names[x + dx, y + dy] for dx, dy in steps if (x + dx, y + dy) in names]
        for vertex, (x, y) in places.items()
    }


def group_of(neighbours: Neighbours, stones: Stones, vertex: str) -> set[str]:
    """All stones joined to the one on `vertex`, itself included."""
    group = {vertex}
    frontier = [vertex]
    while frontier:
        for near in neighbours[frontier.pop()]:
            if near not in group and stones.get(near) == stones[vertex]:
                group.add(near)
                frontier.append(near)
    return group


def groups(neighbours: Neighbours, stones: Stones, colour: str) -> list[set[str]]:
    """The groups of one colour."""
    found: list[set[str]] = []
    for vertex, stone in stones.items():
        if stone == colour and not any(vertex in group for group in found):
            found.append(group_of(neighbours, stones, vertex))
    return found


def canonical(vertices: list[str] | Neighbours) -> list[str]:
    """Vertices in the order in which a turn is written: by number, then by letter."""
    return sorted(vertices, key=lambda vertex: (int(vertex[1:]), vertex[0]))


@dataclass(frozen=True, eq=False)
class Naive(ABC):
    """A position of any of the games, at the start of a turn."""

    neighbours: Neighbours
    stones: Stones = field(default_factory=dict)
    to_move: str = "B"

    @abstractmethod
    def conceivable_turns(self) -> list[str]:
        """Every turn that might be legal somewhere, canonically written, each once."""

    @abstractmethod
    def broken_rules(self, turn: str) -> set[str]:
        """Names of `Illegality` for each rule that the turn breaks; none if it is legal.

        A rule that can only be judged once others are kept is left out.
        """

    @abstractmethod
    def after(self, turn: str) -> Naive:
        """The position after a legal turn."""

    @property
    @abstractmethod
    def result(self) -> str | None:
        """As `final_score` writes it, or None before the end."""

    @property
    @abstractmethod
    def identity(self) -> object:
        """Equal for two positions of one game iff they are the same."""

    @cached_property
    def legal_turns(self) -> list[str]:
        return [turn for turn in self.conceivable_turns() if not self.broken_rules(turn)]

    @property
    def counts(self) -> tuple[int, int]:
        """Black's and White's groups, those that the game counts."""
        black, white = (groups(self.neighbours, self.stones, colour) for colour in "BW")
        return len(black), len(white)

    def play(self, turn: str) -> Naive:
        assert not self.broken_rules(turn), turn
        return self.after(turn)

    def _broken_by_drops(self, drops: list[str]) -> set[str]:
        """The rules of placement: on the board, on empty vertices, on different ones."""
        vertices = [drop[1:] for drop in drops]
        broken = set()
        if any(vertex not in self.neighbours for vertex in vertices):
            broken.add("OFF_BOARD")
        if any(vertex in self.stones for vertex in vertices):
            broken.add("OCCUPIED")
        if len(set(vertices)) < len(vertices):
            broken.add("SAME_VERTEX")
        return broken

    def _with_drops(self, drops: list[str]) -> Stones:
        return self.stones | {drop[1:]: drop[0] for drop in drops}


def drops_of(turn: str) -> list[str]:
    return turn.split(",") if turn else []


@dataclass(frozen=True, eq=False)
class NaiveOddGroups(Naive):
    """Yodd on the hexhex board, Xodd on the square one."""

    passes: int = 0

    def conceivable_turns(self) -> list[str]:
        vertices = canonical(self.neighbours)
        single = [f"{colour}{vertex}" for vertex in vertices for colour in "BW"]
        pairs = [
            f"{colour}{vertex},{colour2}{vertex2}"
            for vertex, vertex2 in combinations(vertices, 2)
            for colour, colour2 in product("BW", repeat=2)
        ]
        return ["pass", *single, *pairs]

    def broken_rules(self, turn: str) -> set[str]:
        if self.passes == 2:
            return {"GAME_OVER"}
        if turn == "swap" or "-" in turn:
            return {"WRONG_KIND"}
        black_opens = not self.stones
        if turn == "pass":
            # The empty board has no group at all, an even number: the text gives this reason.
            return {"FIRST_TURN", "PARITY"} if black_opens else set()
        drops = drops_of(turn)
        broken = self._broken_by_drops(drops)
        if len(drops) not in (1, 2):
            broken.add("DROP_COUNT")
        if black_opens and len(drops) != 1:
            broken.add("FIRST_TURN")
        if not broken and sum(replace(self, stones=self._with_drops(drops)).counts) % 2 == 0:
            broken.add("PARITY")
        return broken

    def after(self, turn: str) -> NaiveOddGroups:
        if turn == "pass":
            return replace(self, to_move=OTHER[self.to_move], passes=self.passes + 1)
        stones = self._with_drops(drops_of(turn))
        return replace(self, stones=stones, to_move=OTHER[self.to_move], passes=0)

    @property
    def result(self) -> str | None:
        if self.passes < 2:
            return None
        black, white = self.counts
        return f"B+{white - black}" if black < white else f"W+{black - white}"

    @property
    def identity(self) -> object:
        return frozenset(self.stones.items()), self.to_move, self.passes


@dataclass(frozen=True, eq=False)
class NaiveOdd(Naive):
    """Odd: one stone a turn until the board is full."""

    min_group: int = 5

    def conceivable_turns(self) -> list[str]:
        return [f"{colour}{vertex}" for vertex in self.neighbours for colour in "BW"]

    def broken_rules(self, turn: str) -> set[str]:
        if self.result is not None:
            return {"GAME_OVER"}
        if turn in ("pass", "swap") or "-" in turn:
            return {"WRONG_KIND"}
        drops = drops_of(turn)
        broken = self._broken_by_drops(drops)
        if len(drops) != 1:
            broken.add("DROP_COUNT")
        return broken

    def after(self, turn: str) -> NaiveOdd:
        return replace(self, stones=self._with_drops([turn]), to_move=OTHER[self.to_move])

    @property
    def counts(self) -> tuple[int, int]:
        sizes = [[len(g) for g in groups(self.neighbours, self.stones, c)] for c in "BW"]
        black, white = (sum(size >= self.min_group for size in sizes) for sizes in sizes)
        return black, white

    @property
    def result(self) -> str | None:
        if len(self.stones) < len(self.neighbours):
            return None
        return "B+" if sum(self.counts) % 2 == 1 else "W+"

    @property
    def identity(self) -> object:
        return frozenset(self.stones.items()), self.to_move


@dataclass(frozen=True, eq=False)
class NaiveAyu(Naive):
    """Ayu, with the pie rule or without."""

    swap_open: bool = False
    pie: bool = False
    earlier: tuple[object, ...] = ()

    def conceivable_turns(self) -> list[str]:
        pairs = product(self.neighbours, repeat=2)
        return ["swap", *(f"{origin}-{destination}" for origin, destination in pairs)]

    def broken_rules(self, turn: str) -> set[str]:
        if self.result is not None:
            return {"GAME_OVER"}
        if turn == "swap":
            return set() if self.swap_open else {"NO_SWAP", "WRONG_KIND"}
        if turn == "pass" or "-" not in turn:
            return {"WRONG_KIND"}
        return self._broken_by_move(*turn.split("-"))

    def _broken_by_move(self, origin: str, destination: str) -> set[str]:
        broken = set()
        if origin not in self.neighbours or destination not in self.neighbours:
            broken.add("OFF_BOARD")
        elif origin not in self.stones:
            broken.add("NO_PIECE")
        elif self.stones[origin] != self.to_move:
            broken.add("WRONG_PIECE")
        if destination in self.stones:
            broken.add("OCCUPIED")
        return broken or self._broken_by_unit(origin, destination)

    def _broken_by_unit(self, origin: str, destination: str) -> set[str]:
        """The rules about the unit of `origin`, when its piece moves to an empty point."""
        unit = group_of(self.neighbours, self.stones, origin)
        friends = {v for v, stone in self.stones.items() if stone == self.to_move} - unit
        moved_unit = (unit - {origin}) | {destination}
        moved_stones = dict(self.stones)
        del moved_stones[origin]
        moved_stones[destination] = self.to_move

        broken = set()
        beside = unit.intersection(self.neighbours[destination])
        if not beside or (beside == {origin} and len(unit) > 1):
            broken.add("NOT_ADJACENT")
        if not moved_unit <= group_of(self.neighbours, moved_stones, destination):
            broken.add("SPLITS_GROUP")
        before = self._distance(self.stones, unit, friends)
        if not self._distance(moved_stones, moved_unit, friends) < before:
            broken.add("NOT_CLOSER")
        return broken

    def _distance(self, stones: Stones, unit: set[str], friends: set[str]) -> float:
        """Empty points on the shortest path from the unit to a friend; infinite without a path."""
        reached = set(unit)
        frontier = set(unit)
        distance = 0
        while frontier:
            near = {v for vertex in frontier for v in self.neighbours[vertex]}
            if near & friends:
                return distance
            frontier = {v for v in near if v not in stones} - reached
            reached |= frontier
            distance += 1
        return inf

    def after(self, turn: str) -> NaiveAyu:
        earlier = (*self.earlier, self.identity)
        if turn == "swap":
            return replace(self, swap_open=False, earlier=earlier)
        origin, destination = turn.split("-")
        stones = {v: stone for v, stone in self.stones.items() if v != origin}
        stones[destination] = self.to_move
        opens_swap = self.pie and not self.earlier
        return replace(
            self, stones=stones, to_move=OTHER[self.to_move], swap_open=opens_swap, earlier=earlier
        )

    @cached_property
    def result(self) -> str | None:
        if self.identity in self.earlier:
            return "0"
        own = [vertex for vertex, stone in self.stones.items() if stone == self.to_move]
        for origin, destination in product(own, self.neighbours):
            if not self._broken_by_move(origin, destination):
                return None
        return f"{self.to_move}+"

    @property
    def identity(self) -> object:
        return frozenset(self.stones.items()), self.to_move, self.swap_open


def start(
    name: str, size: int, *, board: str = "hexhex", min_group: int = 5, pie: bool = False
) -> Naive:
    """The initial position of a game."""
    if name == "yodd":
        return NaiveOddGroups(hexhex(size))
    if name == "xodd":
        return NaiveOddGroups(square(size))
    if name == "odd":
        return NaiveOdd(hexhex(size) if board == "hexhex" else square(size), min_group=min_group)
    neighbours = square(size)
    stones = {}
    for vertex in neighbours:
        even_column = ascii_lowercase.index(vertex[0]) % 2 == 1
        even_row = int(vertex[1:]) % 2 == 0
        if even_column and not even_row:
            stones[vertex] = "B"
        elif even_row and not even_column:
            stones[vertex] = "W"
    return NaiveAyu(neighbours, stones, pie=pie)

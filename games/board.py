"""Board topology: vertices, their names, their neighbours, and the symmetries of a board."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from string import ascii_lowercase
from typing import TYPE_CHECKING, Any, Literal, SupportsIndex

from oddly.games.turns import EMPTY, Illegality, IllegalTurn, Vertex

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


Shape = Literal["hexhex", "square"]
"""The shape of a board."""

Points = int
"""A set of indices of a board, as an integer whose bit i stands for index i."""

_SQUARE_STEPS = ((1, 0), (-1, 0), (0, 1), (0, -1))
_HEXHEX_STEPS = (*_SQUARE_STEPS, (1, -1), (-1, 1))


@dataclass(frozen=True, eq=False)
class Board:
    """An empty board. Its vertices are indexed row by row from the lowest, left to right.

    `vertices[i]` is the name of index `i`, `index` the reverse, `neighbours[i]` the indices
    adjacent to `i`, `near[i]` the same as a set of points, and `coordinates[i]` its (column, row),
    both counted from 1.
    """

    shape: Shape
    size: int
    vertices: tuple[Vertex, ...]
    coordinates: tuple[tuple[int, int], ...]
    neighbours: tuple[tuple[int, ...], ...]
    near: tuple[Points, ...]
    index: dict[Vertex, int]

    def __reduce_ex__(self, protocol: SupportsIndex) -> str | tuple[Any, ...]:
        """Return how a copy is made, in another process too: it is the shared board.

        A board that `make_board` does not make is copied whole.
        """
        if make_board(self.shape, self.size) is self:
            return make_board, (self.shape, self.size)
        return super().__reduce_ex__(protocol)

    def index_of(self, vertex: Vertex) -> int:
        """Return the index of a vertex. Raises IllegalTurn if it is off the board."""
        index = self.index.get(vertex)
        if index is None:
            raise IllegalTurn(Illegality.OFF_BOARD, f"{vertex} is off the {self}")
        return index

    def empty_index(self, vertex: Vertex, stones: Sequence[int]) -> int:
        """Return the index of a vertex without a stone. Raises IllegalTurn for any other."""
        index = self.index_of(vertex)
        if stones[index] != EMPTY:
            raise IllegalTurn(Illegality.OCCUPIED, f"{vertex} is occupied")
        return index

    def __len__(self) -> int:
        return len(self.vertices)

    def __contains__(self, vertex: Vertex) -> bool:
        return vertex in self.index

    def __str__(self) -> str:
        if self.shape == "hexhex":
            return f"hexhex board of base {self.size}"
        return f"{self.size}x{self.size} board"


@cache
def square_board(size: int) -> Board:
    """Return a square board with orthogonal neighbours; `a1` is its lower left corner."""
    cells = [(column, row) for row in range(1, size + 1) for column in range(1, size + 1)]
    return _board("square", size, cells, _SQUARE_STEPS)


@cache
def hexhex_board(base: int) -> Board:
    """Return a hexagon of hexagonal cells with `base` cells on each edge.

    In axial coordinates (q, r) a cell exists iff |q|, |r| and |q+r| are all below `base`;
    its column is q + base and its row r + base.
    """
    axis = range(1 - base, base)
    cells = [(q + base, r + base) for r in axis for q in axis if abs(q + r) < base]
    return _board("hexhex", base, cells, _HEXHEX_STEPS)


def make_board(shape: Shape, size: int) -> Board:
    """Return the (shared) empty board of that shape and size."""
    return hexhex_board(size) if shape == "hexhex" else square_board(size)


def _board(
    shape: Shape,
    size: int,
    cells: list[tuple[int, int]],
    steps: tuple[tuple[int, int], ...],
) -> Board:
    vertices = tuple(f"{ascii_lowercase[column - 1]}{row}" for column, row in cells)
    at = {cell: index for index, cell in enumerate(cells)}
    neighbours = tuple(
        tuple(at[x + dx, y + dy] for dx, dy in steps if (x + dx, y + dy) in at) for x, y in cells
    )
    index = {vertex: i for i, vertex in enumerate(vertices)}
    near = tuple(sum(1 << each for each in around) for around in neighbours)
    return Board(shape, size, vertices, tuple(cells), neighbours, near, index)


def indices_of(points: Points) -> Iterator[int]:
    """Return the indices in a set of points, ascending."""
    while points:
        lowest = points & -points
        points ^= lowest
        yield lowest.bit_length() - 1


Permutation = tuple[int, ...]
"""A symmetry of a board: for every index, the index that it goes to."""


@cache
def permutations(board: Board) -> tuple[Permutation, ...]:
    """Return every symmetry of `board`, the identity first."""
    turned, mirrored = (
        _hexhex_generators(board) if board.shape == "hexhex" else _square_generators(board)
    )
    found = [tuple(range(len(board)))]
    for permutation in found:
        for generator in (turned, mirrored):
            image = tuple(generator[index] for index in permutation)
            if image not in found:
                found.append(image)
    return tuple(found)


def _hexhex_generators(board: Board) -> tuple[Permutation, Permutation]:
    """Return a sixth of a turn and a reflection, in axial coordinates (q, r)."""
    base = board.size
    at = {cell: index for index, cell in enumerate(board.coordinates)}
    axial = [(column - base, rank - base) for column, rank in board.coordinates]
    turned = tuple(at[-r + base, q + r + base] for q, r in axial)
    mirrored = tuple(at[r + base, q + base] for q, r in axial)
    return turned, mirrored


def _square_generators(board: Board) -> tuple[Permutation, Permutation]:
    """Return a quarter of a turn and a reflection."""
    at = {cell: index for index, cell in enumerate(board.coordinates)}
    turned = tuple(at[board.size + 1 - rank, column] for column, rank in board.coordinates)
    mirrored = tuple(at[rank, column] for column, rank in board.coordinates)
    return turned, mirrored

"""Who wins Odd when up to 19 cells are empty: all fillings of them, from the full board down.

This takes no search and no luck: the time depends on the number of empty cells alone. A word holds
the fillings of three cells, a bit each; the words stand for the fillings of the other cells, in
the numbers of `engines/database/opening_table.py`. So a drop leads to a smaller number, and one
pass through the words in increasing order finds all values (`framed_layers.py`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from oddly.engines.database.framed_layers import ALL_PACKED, PACKED_CELLS, solve_core
from oddly.engines.kernels.jit import HAS_NUMBA, compiled
from oddly.games import EMPTY, Colour, Drop, Drops, Odd, Position, Turn
from oddly.games.groups import groups_in, points_with

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


MAX_EMPTY = 19
"""20 empty cells would take 0.5 GB, and 1.5 seconds or more."""
FILLINGS_A_SECOND = 2e9
"""About what one core does."""
BLOCK_CELLS = 5
STEPS_AT_ONCE, WORDS_AT_ONCE = 1 << 17, 3**11
"""Each takes some thousandths of a second."""


def is_an_ending(position: Position) -> bool:
    """Return whether `winning_drop` takes a position."""
    return HAS_NUMBA and type(position.game) is Odd and position.stones.count(EMPTY) <= MAX_EMPTY


def seconds_for(position: Position) -> float:
    """Return about how long `winning_drop` takes."""
    return float(3 ** position.stones.count(EMPTY)) / FILLINGS_A_SECOND


def winning_drop(position: Position, progress: Callable[[int], None] | None = None) -> Turn | None:
    """Return a turn that wins a position of Odd with at most MAX_EMPTY empty cells.

    None if every turn loses. `progress` receives the number of fillings done, many times a second,
    and may end it by an exception. Raises MemoryError if there is no room for 4 bytes a word.
    """
    empty = [cell for cell, stone in enumerate(position.stones) if stone == EMPTY]
    cells, packed = empty[:-PACKED_CELLS], empty[-PACKED_CELLS:]
    values = np.full(3 ** len(cells), ALL_PACKED, dtype=np.uint32)
    steps = np.zeros((4, len(empty)), dtype=np.int64)
    joinable, top, level = _joinable(position, empty), 0, 0
    while level >= 0:
        top, level = _judge_full_boards(joinable, steps, 3 ** len(packed), values, top, level)
        if progress is not None:
            progress(0)
    block = 3 ** min(BLOCK_CELLS, len(cells))
    for first in range(0, len(values), WORDS_AT_ONCE):
        last = min(first + WORDS_AT_ONCE, len(values))
        solve_core(values, first, last, block, True)
        if progress is not None:
            progress(last * 3**PACKED_CELLS)
    for turn, mover_wins in _after_drops(position, cells, packed, values):
        if not mover_wins:
            return turn
    return None


def rehearse() -> None:
    """Call everything once, so that it is compiled."""
    winning_drop(Odd(2).start())


class _Joinable(NamedTuple):
    """What can still be joined: each empty cell, and each group with an empty cell beside it.

    These are the nodes, the cells first. Joined ones are a tree (union-find by size).
    """

    near: np.ndarray
    """The groups beside each empty cell, and the cells before it: (cells, most), int64."""
    nears: np.ndarray
    """How many: (cells,), int64."""
    colours: np.ndarray
    """0 for black, 1 for white: (nodes,), int64."""
    sizes: np.ndarray
    """The stones of a node and of all below it: (nodes,), int64."""
    parents: np.ndarray
    """The node above, or the node itself: (nodes,), int64."""
    joined: np.ndarray
    """The nodes that were put below another, in order: (nodes,), int64."""
    counting: int
    """1 if an odd number of the groups on the board count."""
    threshold: int
    winning: int
    """1 if the player to move on a full board wins with an odd number, 0 if with an even one."""


def _joinable(position: Position, empty: list[int]) -> _Joinable:
    board, threshold = position.game.board, int(str(position.game.settings["min_group"]))
    near = [
        [place for place, other in enumerate(empty[:end]) if board.near[cell] >> other & 1]
        for end, cell in enumerate(empty)
    ]
    colours, sizes, counting = [0] * len(empty), [1] * len(empty), 0
    for number, colour in enumerate(Colour):
        for group in groups_in(board, points_with(bytes(position.stones), colour)):
            size = group.stones.bit_count()
            counting ^= size >= threshold
            beside = [each for each, cell in enumerate(empty) if group.beside >> cell & 1]
            for place in beside:
                near[place].append(len(sizes))
            if beside:
                colours.append(number)
                sizes.append(size)
    table = np.zeros((len(empty), max(1, *map(len, near))), dtype=np.int64)
    for place, beside in enumerate(near):
        table[place, : len(beside)] = beside
    return _Joinable(
        table,
        np.array([len(beside) for beside in near], dtype=np.int64),
        np.array(colours, dtype=np.int64),
        np.array(sizes, dtype=np.int64),
        np.arange(len(sizes)),
        np.zeros(len(sizes), dtype=np.int64),
        counting,
        threshold,
        # With an even number of cells that player is Black.
        1 - len(board) % 2,
    )


def _after_drops(
    position: Position, cells: list[int], packed: list[int], values: np.ndarray
) -> Iterator[tuple[Turn, bool]]:
    """Yield each drop, and whether the side then to move wins."""
    vertices, top = position.game.board.vertices, 3 ** len(packed) - 1
    for part, is_packed in ((cells, False), (packed, True)):
        for place, cell in enumerate(part, start=1):
            for colour, less in ((Colour.BLACK, 2), (Colour.WHITE, 1)):
                down = less * 3 ** (len(part) - place)
                word, bit = (-1, top - down) if is_packed else (-1 - down, top)
                drop = Drop(colour, vertices[cell])
                yield Drops((drop,)), bool(int(values[word]) >> bit & 1)


@compiled
def _judge_full_boards(groups, steps, packed, values, top, level):  # type: ignore[no-untyped-def]
    """Write the complement of who wins each full board to its bit; a word has `packed` fillings.

    A call takes STEPS_AT_ONCE steps. It returns the number of joins and of the cell that the next
    call begins with, first 0 and 0; the cell is -1 at the end.

    The boards come in the order of their numbers, and what consecutive ones share stays joined: a
    cell takes back what it joined before it takes the other colour. `steps` has four numbers for
    each cell: its next colour, the first join of its own, whether an odd number of groups counted
    before it, and the number of the cells before it; (4, cells), int64, zeros.
    """
    colours, tops, odd, numbers = steps[0], steps[1], steps[2], steps[3]
    last = len(groups.nears) - 1
    odd[0] = groups.counting
    for _ in range(STEPS_AT_ONCE):
        if level < 0:
            break
        top = _part(groups, top, tops[level])
        colour = colours[level]
        if colour > 1:
            colours[level] = 0
            level -= 1
            continue
        colours[level] += 1
        top, now = _join(groups, top, level, colour, odd[level])
        number = 3 * numbers[level] + colour
        if level < last:
            level += 1
            tops[level], odd[level], numbers[level] = top, now, number
        elif now == groups.winning:
            values[number // packed] &= ~(np.int64(1) << number % packed)
    return top, level


@compiled
def _join(groups, top, cell, colour, odd):  # type: ignore[no-untyped-def]
    """Join a cell with the groups of its colour beside it.

    Return the number of joins now, and 1 if an odd number of groups count.
    """
    parents, sizes, least = groups.parents, groups.sizes, groups.threshold
    groups.colours[cell] = colour
    odd ^= least <= 1
    root = cell
    for place in range(groups.nears[cell]):
        node = groups.near[cell, place]
        if groups.colours[node] != colour:
            continue
        while parents[node] != node:
            node = parents[node]
        if node == root:
            continue
        size = sizes[node] + sizes[root]
        odd ^= (sizes[node] >= least) ^ (sizes[root] >= least) ^ (size >= least)
        if sizes[node] > sizes[root]:
            node, root = root, node
        parents[node], sizes[root] = root, size
        groups.joined[top] = node
        top += 1
    return top, odd


@compiled
def _part(groups, top, end):  # type: ignore[no-untyped-def]
    """Take back the joins from the newest, number `top`, down to number `end`; return `end`."""
    while top > end:
        top -= 1
        node = groups.joined[top]
        groups.sizes[groups.parents[node]] -= groups.sizes[node]
        groups.parents[node] = node
    return end

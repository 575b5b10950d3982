"""Solving a square board layer by layer on a GPU."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

HERE = Path(__file__).parent
THREADS = 1024
BLACK, WHITE, EMPTY = 0, 1, 2
LARGEST_LOW = 10


@dataclass(frozen=True)
class Blocks:
    """How the positions of a square board are split into blocks; cell 0 is a1, cell 1 b1."""

    side: int

    @property
    def cells(self) -> int:
        """The number of cells."""
        return self.side**2

    @property
    def low(self) -> int:
        """The cells whose stones tell the place in a block."""
        return min(LARGEST_LOW, self.cells // 2)

    @property
    def high(self) -> int:
        """The cells whose stones tell the block."""
        return self.cells - self.low

    @property
    def words(self) -> int:
        """The words of 32 bits for a bit of each position in a block."""
        return -(-(3**self.low) // 32)

    @cached_property
    def digits(self) -> np.ndarray:
        """The stones of each place in a block, shape (low, 3^low)."""
        places = np.arange(3**self.low)
        return np.stack([places // 3**cell % 3 for cell in range(self.low)])

    def mask(self, stone: int) -> np.ndarray:
        """Where a stone lies, as a bit for each low cell, shape (3^low,)."""
        bits = (self.digits == stone) << np.arange(self.low)[:, None]
        return bits.sum(0).astype(np.uint16)

    @cached_property
    def exchanged(self) -> np.ndarray:
        """The place with all colours exchanged, shape (3^low,)."""
        stones = np.array([WHITE, BLACK, EMPTY])[self.digits]
        return (stones * 3 ** np.arange(self.low)[:, None]).sum(0).astype(np.uint16)

    @cached_property
    def empty(self) -> np.ndarray:
        """The number of empty low cells at each place, shape (3^low,)."""
        return np.sum(self.digits == EMPTY, axis=0)

    def subsets(self, size: int) -> np.ndarray:
        """All sets of that many high cells, as masks, in increasing order."""
        return np.flatnonzero(np.bitwise_count(np.arange(1 << self.high)) == size)

    @cached_property
    def rank(self) -> np.ndarray:
        """The number of each set of high cells among those of its size, shape (2^high,)."""
        rank = np.zeros(1 << self.high, np.int32)
        for size in range(self.high + 1):
            rank[self.subsets(size)] = np.arange(len(self.subsets(size)))
        return rank

    def first_stones(self) -> list[tuple[int, int, int, int, int]]:
        """Return the place of each position with one stone.

        That is its cell, its colour, the empty high cells, the block, and the place in the block.
        """
        last = 3**self.low - 1
        found = [
            (cell, colour, self.high, 0, last - (EMPTY - colour) * 3**cell)
            for cell in range(self.low)
            for colour in (BLACK, WHITE)
        ]
        full = (1 << self.high) - 1
        for cell in range(self.high):
            rank = int(self.rank[full & ~(1 << cell)])
            found += [
                (self.low + cell, colour, self.high - 1, rank << 1 | colour, last)
                for colour in (BLACK, WHITE)
            ]
        return found


class Solved(NamedTuple):
    """What is known of a board."""

    counts: np.ndarray
    """Numbers of positions by empty cells, as the game's kernel counts them."""
    start: int
    """The first bit of the empty board."""
    first_stones: dict[tuple[int, int], int]
    """The last bit of each position with one stone, by its cell and colour."""


def solve(game: str, blocks: Blocks, min_group: int = 0) -> Solved:
    """Solve a board of `odd` or `xodd`. Raises ImportError without CuPy."""
    import cupy

    source = (HERE / "common.cuh").read_text() + (HERE / f"{game}.cu").read_text()
    module = cupy.RawModule(code=source)
    bits = 1 if game == "odd" else 2
    parities = _parities(cupy, module, blocks) if game == "odd" else cupy.zeros(1, cupy.uint32)
    kernel = module.get_function("solve_layer")
    shared = bits * blocks.words * 32
    kernel.max_dynamic_shared_size_bytes = shared
    order = np.argsort(blocks.empty, kind="stable").astype(np.uint16)
    offsets = np.searchsorted(blocks.empty[order], np.arange(blocks.low + 2)).astype(np.int32)
    numbers = blocks.mask(EMPTY), blocks.mask(WHITE), blocks.exchanged
    tables = [cupy.asarray(each) for each in (order, offsets, *numbers)]
    rank = cupy.asarray(blocks.rank)
    counts = cupy.zeros((blocks.cells + 1, bits), cupy.uint64)
    values = cupy.zeros(1, cupy.uint32)
    stones: dict[tuple[int, int], int] = {}
    for empty in range(blocks.high + 1):
        subsets = cupy.asarray(blocks.subsets(empty).astype(np.uint16))
        number = len(subsets) << blocks.high - empty
        fuller, values = values, cupy.empty(number * bits * blocks.words, cupy.uint32)
        grid = number if bits == 1 else max(1, number // 2)
        plan = map(np.int32, (blocks.high, blocks.low, empty, blocks.words))
        rest = (np.int32(blocks.side), parities, np.int32(min_group), counts)
        arguments = (values, fuller, subsets, rank, *plan, *tables, *rest)
        kernel((grid,), (THREADS,), arguments, shared_mem=shared)
        for cell, colour, layer, block, place in blocks.first_stones():
            if layer == empty:
                row = (block + 1) * bits - 1
                stones[cell, colour] = _bit(values, row * blocks.words, place)
        del fuller
        cupy.get_default_memory_pool().free_all_blocks()
    start = _bit(values, 0, 3**blocks.low - 1)
    return Solved(cupy.asnumpy(counts), start, stones)


def _bit(values: Any, row: int, place: int) -> int:  # noqa: ANN401 - CuPy has no types
    return int(values[row + place // 32]) >> place % 32 & 1


def _parities(cupy: Any, module: Any, blocks: Blocks) -> Any:  # noqa: ANN401 - CuPy has no types
    parities = cupy.empty(1 << blocks.cells, cupy.uint32)
    grid = -(-len(parities) // THREADS)
    arguments = (parities, np.int32(blocks.cells), np.int32(blocks.side))
    module.get_function("odd_numbers_of_groups")((grid,), (THREADS,), arguments)
    return parities

"""Yodd's and Xodd's rules on a state's arrays, and the tables of their boards.

A board lies row by row in flat arrays, with a rim of points that never hold a stone, so that no
step off the board needs a test. A *point* is an index into such an array. Of the eight points
around one, numbered anticlockwise from the east, six are neighbours on the hexhex board (all but
north-east and south-west) and four on the square board (those with an even number).

A *pattern* is the mask of the eight points with a stone of one colour, times 256, plus the mask of
those with one of the other; a point off the board counts as both.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from oddly.engines.kernels.jit import compiled

if TYPE_CHECKING:
    from oddly.games import Board


U = np.uint64

EMPTIES, BLACK, WHITE, NEXT_NAME, SIDE, PASSES, DROPS = range(7)
"""Places in `numbers`: empty points, groups of each colour, the next unused name of a group, the
side to move, passes in a row, drops made so far in this turn."""

AREA, STRIDE, IS_SQUARE, CELLS = range(4)
"""Places in `sizes`."""


@compiled
def merge(names, keep, gone, area):  # type: ignore[no-untyped-def]
    """Rename group `gone` to `keep`. A function of its own, or the loop is not vectorised."""
    for point in range(area):
        name = names[point]
        names[point] = keep if name == gone else name


@compiled
def copy_array(target, source):  # type: ignore[no-untyped-def]
    """Copy element by element: Numba's own slices cost more than the copying."""
    for item in range(len(target)):
        target[item] = source[item]


@compiled
def flip(ring, at, stride, is_square):  # type: ignore[no-untyped-def]
    """Put the stone at `at` (colour * area + point) into its neighbours' masks, or take it out."""
    one = U(1)
    ring[at + one] ^= 16
    ring[at + stride] ^= 64
    ring[at + stride - one] ^= 128
    ring[at - one] ^= 1
    ring[at - stride] ^= 4
    ring[at + one - stride] ^= 8
    if is_square:
        ring[at + stride + one] ^= 32
        ring[at - stride - one] ^= 2


@compiled
def touched(state, point, colour):  # type: ignore[no-untyped-def]
    """Return how many groups of `colour` are next to the empty `point`."""
    names, runs = state.names, state.runs
    row = U(state.ring[U(colour * state.sizes[AREA]) + point]) * U(4)
    first = names[point + U(runs[row])]
    second = names[point + U(runs[row + U(1)])]
    third = names[point + U(runs[row + U(2)])]
    fourth = names[point + U(runs[row + U(3)])]
    return (
        np.int64(first != 0)
        + np.int64(second != first)
        + np.int64((third != first) & (third != second))
        + np.int64((fourth != first) & (fourth != second) & (fourth != third))
    )


@compiled
def place(state, point, colour):  # type: ignore[no-untyped-def]
    """Put a stone on the board; the caller updates the list of empty points."""
    names, runs, numbers = state.names, state.runs, state.numbers
    area = state.sizes[AREA]
    at = U(colour * area) + point
    row = U(state.ring[at]) * U(4)
    flip(state.ring, at, U(state.sizes[STRIDE]), state.sizes[IS_SQUARE] == 1)
    keep = names[point + U(runs[row])]
    if keep == 0:
        names[point] = numbers[NEXT_NAME]
        numbers[NEXT_NAME] += 1
        numbers[BLACK + colour] += 1
        return
    names[point] = keep
    for run in range(1, 4):
        other = names[point + U(runs[row + U(run)])]
        if other != keep:
            merge(names, keep, other, area)
            numbers[BLACK + colour] -= 1


@compiled
def copy_state(target, source):  # type: ignore[no-untyped-def]
    """Make `target` equal to `source`, a state of the same game."""
    copy_array(target.ring, source.ring)
    copy_array(target.names, source.names)
    copy_array(target.empty, source.empty)
    copy_array(target.slot, source.slot)
    copy_array(target.numbers, source.numbers)
    target.stones_hash[0] = source.stones_hash[0]


@compiled
def side_to_move(state):  # type: ignore[no-untyped-def]
    """Return 0 for Black, 1 for White."""
    return state.numbers[SIDE]


@compiled
def is_over(state):  # type: ignore[no-untyped-def]
    """Return whether both players have passed in succession."""
    return state.numbers[PASSES] >= 2


@compiled
def reward(state):  # type: ignore[no-untyped-def]
    """Return 1.0 if Black has fewer groups, else 0.0. The total is odd: there are no draws."""
    return 1.0 if state.numbers[BLACK] < state.numbers[WHITE] else 0.0


@compiled
def position_hash(state):  # type: ignore[no-untyped-def]
    """Return the Zobrist hash of stones, side to move, passes in a row and drops of this turn."""
    numbers, keys = state.numbers, state.keys
    value = state.stones_hash[0]
    after_stones = 2 * state.sizes[AREA]
    if numbers[SIDE] == 1:
        value ^= keys[after_stones]
    if numbers[DROPS] == 1:
        value ^= keys[after_stones + 1]
    if numbers[PASSES] > 0:
        value ^= keys[after_stones + 1 + min(numbers[PASSES], 2)]
    return value


@compiled
def play_action(state, action):  # type: ignore[no-untyped-def]
    """Play a legal action: 2 * index + colour for a drop, then a pass, then an end of turn."""
    numbers = state.numbers
    drops = 2 * state.sizes[CELLS]
    if action >= drops:
        numbers[PASSES] = numbers[PASSES] + 1 if action == drops else 0
        _end_turn(numbers)
        return
    point, colour = U(state.points[action >> 1]), action & 1
    is_first_turn = numbers[EMPTIES] == state.sizes[CELLS]
    place(state, point, colour)
    _fill(state, point)
    state.stones_hash[0] ^= state.keys[U(2) * point + U(colour)]
    numbers[PASSES] = 0
    if is_first_turn or numbers[DROPS] == 1:
        _end_turn(numbers)
    else:
        numbers[DROPS] = 1


play_through = play_action


@compiled
def survey(state):  # type: ignore[no-untyped-def]
    """Do nothing: what is known of a position is always up to date."""


@compiled
def _end_turn(numbers):  # type: ignore[no-untyped-def]
    numbers[DROPS] = 0
    numbers[SIDE] = 1 - numbers[SIDE]


@compiled
def _fill(state, point):  # type: ignore[no-untyped-def]
    """Take `point` out of the list of empty points; the last of them takes its slot."""
    last = state.numbers[EMPTIES] - 1
    slot = state.slot[point]
    moved = state.empty[last]
    state.empty[slot] = moved
    state.slot[moved] = slot
    state.numbers[EMPTIES] = last


@compiled
def legal_actions(state, actions):  # type: ignore[no-untyped-def]
    """Write every legal action to `actions` once, and return how many there are."""
    numbers = state.numbers
    empties = numbers[EMPTIES]
    parity = (numbers[BLACK] + numbers[WHITE]) & 1
    pass_action = 2 * state.sizes[CELLS]
    count = 0
    if numbers[PASSES] >= 2:
        return 0
    is_first_turn = empties == state.sizes[CELLS]
    if numbers[DROPS] == 1 or is_first_turn:
        if parity == 1:
            actions[0] = pass_action + 1
            count = 1
        for slot in range(empties):
            point = U(state.empty[slot])
            for colour in range(2):
                if (touched(state, point, colour) & 1) == parity or parity + empties == state.sizes[
                    CELLS
                ]:
                    actions[count] = 2 * np.int64(state.indices[point]) + colour
                    count += 1
        return count
    actions[0] = pass_action
    return _first_drops(state, actions, 1)


@compiled
def safe_actions(state, actions):  # type: ignore[no-untyped-def]
    """Like `legal_actions`, without a pass of the side behind: it loses to a second pass."""
    count = legal_actions(state, actions)
    numbers = state.numbers
    side = numbers[SIDE]
    may_pass = count > 1 and actions[0] == 2 * state.sizes[CELLS]
    if may_pass and numbers[BLACK + side] > numbers[BLACK + 1 - side]:
        count -= 1
        actions[0] = actions[count]
    return count


@compiled
def _first_drops(state, actions, count):  # type: ignore[no-untyped-def]
    """Append the first drops that some legal turn contains, where the total is odd now.

    A drop that touches an odd number of groups keeps the parity and may end the turn. Any other
    needs a second one that changes it again. A stone of one colour does nothing to the groups of
    the other, so a parity-changing drop of the other colour on another point will do, and there
    nearly always is one; only where there is none are all second drops tried.
    """
    empties = state.numbers[EMPTIES]
    changing = state.changing
    total0 = 0
    total1 = 0
    for slot in range(empties):
        point = U(state.empty[slot])
        black = 1 - (touched(state, point, 0) & 1)
        white = 1 - (touched(state, point, 1) & 1)
        changing[slot] = black + 2 * white
        total0 += black
        total1 += white
    for slot in range(empties):
        drop = 2 * np.int64(state.indices[U(state.empty[slot])])
        black = changing[slot] & 1
        white = changing[slot] >> 1
        if black == 0 or total1 > white or _is_mended(state, slot, 0):
            actions[count] = drop
            count += 1
        if white == 0 or total0 > black or _is_mended(state, slot, 1):
            actions[count] = drop + 1
            count += 1
    return count


@compiled
def _is_mended(state, slot, colour):  # type: ignore[no-untyped-def]
    """Return whether some second drop mends the parity after that first one; tries them all."""
    point = U(state.empty[slot])
    numbers = state.numbers
    groups, next_name = numbers[BLACK + colour], numbers[NEXT_NAME]
    copy_array(state.saved, state.names)
    place(state, point, colour)
    mended = False
    for other in range(numbers[EMPTIES]):
        if other != slot:
            second = U(state.empty[other])
            if touched(state, second, 0) & 1 == 0 or touched(state, second, 1) & 1 == 0:
                mended = True
                break
    at = U(colour * state.sizes[AREA]) + point
    flip(state.ring, at, U(state.sizes[STRIDE]), state.sizes[IS_SQUARE] == 1)
    copy_array(state.names, state.saved)
    numbers[BLACK + colour], numbers[NEXT_NAME] = groups, next_name
    return mended


HEXHEX_RING = (0, 2, 3, 4, 6, 7)
SQUARE_RING = (0, 1, 2, 3, 4, 5, 6, 7)
SQUARE_NEIGHBOURS = (0, 2, 4, 6)
MAX_RUNS = 4
LANES = 64
"""Areas are multiples of it: the stones that one vector instruction compares."""


class GroupTables(NamedTuple):
    """Tables of a board: `points[i]` is the point of its index `i`, `indices` the way back."""

    area: int
    stride: int
    points: np.ndarray
    indices: np.ndarray
    runs: np.ndarray
    keys: np.ndarray


@cache
def tables(board: Board) -> GroupTables:
    """Return the tables of `board`."""
    width = max(column for column, _ in board.coordinates)
    stride = width + 1
    area = -(-((width + 2) * stride + 2) // LANES) * LANES
    points = np.array([row * stride + column for column, row in board.coordinates], dtype=np.int16)
    keys = np.random.default_rng(len(board)).integers(
        1, 1 << 63, size=2 * area + 5, dtype=np.uint64, endpoint=True
    )
    indices = np.zeros(area, np.int16)
    indices[points] = np.arange(len(points))
    runs = run_table(board.shape == "square", stride)
    return GroupTables(area, stride, points, indices, runs, keys)


def run_table(is_square: bool, stride: int) -> np.ndarray:
    """Return, for each mask of stones around a point, a step to one stone of every run.

    A run is a set of neighbours of one colour that hang together around the point. Shape
    (256 * MAX_RUNS,), int16. Missing runs repeat the first; where there is none, the step is 0,
    to the empty point itself.
    """
    steps = (1, stride + 1, stride, stride - 1, -1, -stride - 1, -stride, 1 - stride)
    ring = SQUARE_RING if is_square else HEXHEX_RING
    neighbours = SQUARE_NEIGHBOURS if is_square else HEXHEX_RING
    table = np.zeros((256, MAX_RUNS), dtype=np.int16)
    for mask in range(256):
        found = [steps[run] for run in _runs(mask, ring, neighbours)]
        if found:
            table[mask] = (found + found[:1] * MAX_RUNS)[:MAX_RUNS]
    return table.ravel()


def _runs(mask: int, ring: tuple[int, ...], neighbours: tuple[int, ...]) -> list[int]:
    """Return one neighbour of each run."""
    found: list[int] = []
    seen: set[int] = set()
    for neighbour in neighbours:
        if mask >> neighbour & 1 and neighbour not in seen:
            found.append(neighbour)
            for way in (1, -1):
                place = ring.index(neighbour)
                while mask >> ring[place] & 1:
                    seen.add(ring[place])
                    place = (place + way) % len(ring)
                    if ring[place] == neighbour:
                        break
    return found


MASKS = 1 << 8

"""The kernel of Ayu: states, actions, and the functions that `interface.py` lists.

`ayu_rules.py` says how legal moves are found, `ayu_moves.py` makes them, `ayu_playout.py` plays
random games.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from oddly.engines.kernels.ayu_moves import (
    find_beside,
    may_swap,
    move,
    position_hash,
    remember,
    swap,
)
from oddly.engines.kernels.ayu_playout import judge_table, playout, policy_table, reward, rollout
from oddly.engines.kernels.ayu_rules import (
    BLOCK,
    CELLS,
    COLOUR,
    EULER,
    IS_DRAW,
    IS_EXCHANGED,
    MAX_PAST_LENGTH,
    MOST,
    PAST,
    PIE,
    PIECES,
    ROOM,
    SIDE_KEY,
    SLOTS,
    SWAP_KEY,
    TURNS,
    UNITS,
    aligned_zeros,
    as_words,
    euler_table,
    legal_moves,
    survey,
    tables,
    words_of,
)
from oddly.engines.kernels.jit import compiled, unaliased
from oddly.engines.kernels.numbers import U
from oddly.games import EMPTY, Colour, DropPosition
from oddly.games.ayu_units import units

if TYPE_CHECKING:
    from collections.abc import Sequence

    from oddly.games import Ayu, AyuPosition, Board, Game

__all__ = [
    "AyuState",
    "copy_state",
    "is_over",
    "legal_actions",
    "load",
    "new_state",
    "play_action",
    "play_through",
    "playout",
    "position_hash",
    "reward",
    "rollout",
    "safe_actions",
    "side_to_move",
    "survey",
]


class AyuState(NamedTuple):
    """A position of Ayu, with room for the work on it. No two of its arrays overlap.

    A point is an index of the board. For each colour `pieces` lists the points of the pieces and
    `unit` their units, by slot; `rows` has a word for each row, bit i + 1 for column i, with an
    empty row below and above. `stones`, `beside` and `beside_two` are sets for each colour and
    unit: its pieces, the points next to one of them, and to two or more; word `w` of unit `u` of
    colour `c` lies at (c * words + w) * room + u. `empty` is the set of empty points.

    For the colour to move, `targets` (laid out likewise), `choices` (how many those are) and
    `special` (not 0 where a move might keep a unit joined in a way that takes a closer look) hold
    what the survey found; every function but `play_through` leaves it up to date.

    `numbers` and `sizes` are named in `ayu_rules.py`; `past` are the hashes of the positions that
    may come again. `alone`, `around`, `wave`, `rest` and `columns` are scratch; `judge` is the
    table of `ayu_playout.py`, `policy` that of its moves; the others are tables of the board.
    `unrolled` has an empty tuple for each word if there are two, else none: its length is part of
    the type, so that the compiler knows it and unrolls loops over two words.
    """

    pieces: np.ndarray
    unit: np.ndarray
    slot_at: np.ndarray
    rows: np.ndarray
    stones: np.ndarray
    beside: np.ndarray
    beside_two: np.ndarray
    empty: np.ndarray
    targets: np.ndarray
    choices: np.ndarray
    special: np.ndarray
    alone: np.ndarray
    numbers: np.ndarray
    stones_hash: np.ndarray
    past: np.ndarray
    around: np.ndarray
    wave: np.ndarray
    rest: np.ndarray
    sizes: np.ndarray
    left_edge: np.ndarray
    right_edge: np.ndarray
    row: np.ndarray
    column: np.ndarray
    euler: np.ndarray
    keys: np.ndarray
    columns: np.ndarray
    judge: np.ndarray
    policy: np.ndarray
    unrolled: tuple[tuple[()], ...]


def new_state(game: Game) -> AyuState:
    """Return the starting position."""
    board = game.board
    table = tables(board)
    cells, words, room = len(board), table.words, table.room
    unit_type = np.uint8 if room <= np.iinfo(np.uint8).max else np.uint16
    state = AyuState(
        pieces=np.zeros(2 * table.slots, np.uint16),
        unit=aligned_zeros(2 * table.slots, unit_type),
        slot_at=np.zeros(cells, np.uint16),
        rows=np.zeros(2 * (board.size + 2), np.uint64),
        stones=aligned_zeros((2 * words + 1) * room, np.uint64),
        beside=aligned_zeros(2 * words * room, np.uint64),
        beside_two=aligned_zeros(2 * words * room, np.uint64),
        empty=np.zeros(words, np.uint64),
        targets=aligned_zeros(words * room, np.uint64),
        choices=aligned_zeros(room, np.uint64),
        special=aligned_zeros(room, np.uint64),
        alone=np.zeros(room, np.uint16),
        numbers=np.zeros(13, np.int64),
        stones_hash=np.zeros(1, np.uint64),
        past=np.zeros(MAX_PAST_LENGTH, np.uint64),
        around=np.zeros(words, np.uint64),
        wave=np.zeros(words + 1, np.uint64),
        rest=np.zeros(words, np.uint64),
        sizes=np.array([board.size, words, room, cells, table.slots], np.int64),
        left_edge=table.left_edge,
        right_edge=table.right_edge,
        row=table.row,
        column=table.column,
        euler=euler_table(),
        keys=table.keys,
        columns=np.zeros(board.size + 2, np.uint64),
        judge=judge_table(board.size),
        policy=policy_table(),
        unrolled=((),) * 2 if words == 2 else (),
    )
    load(state, DropPosition(game.start()))
    return state


def load(state: AyuState, position: DropPosition) -> None:
    """Put `position` into `state`."""
    at: AyuPosition = position.start  # type: ignore[assignment]
    numbers = state.numbers
    numbers[:] = 0
    state.stones_hash[0] = hash_of(at.game, at.stones)
    for colour in Colour:
        _set_up(state, at, colour)
    numbers[COLOUR] = int(at.to_move is Colour.WHITE)
    numbers[TURNS], numbers[PIE] = at.turns, at.game.pie
    state.empty[:] = as_words(np.nonzero(np.array(list(at.stones)) == EMPTY)[0], len(state.empty))
    _load_past(state, at)
    survey(state)


def hash_of(game: Ayu, pieces: Sequence[int]) -> np.uint64:
    """Return the Zobrist hash of the pieces alone."""
    keys = tables(game.board).keys
    stones = np.array(list(pieces))
    black, white = (np.nonzero(stones == colour)[0] for colour in Colour)
    return U(np.bitwise_xor.reduce(keys[np.concatenate([black, white + len(stones)])]))


def _set_up(state: AyuState, at: AyuPosition, colour: Colour) -> None:
    """Put the pieces of one colour into `state`."""
    numbers, board = state.numbers, at.game.board
    table = tables(board)
    words, room = table.words, table.room
    white = int(colour is Colour.WHITE)
    rows = state.rows[white * (board.size + 2) :][: board.size + 2]
    rows[:] = 0
    state.beside[white * words * room : (white + 1) * words * room] = 0
    first_slot = slot = white * table.slots
    found = units(board, at.stones, colour)
    for number, unit in enumerate(found):
        for point in sorted(unit):
            state.pieces[slot], state.unit[slot] = point, number
            state.slot_at[point] = slot - first_slot
            slot += 1
            column, row = board.coordinates[point]
            rows[row] |= U(1 << column)
        first = white * words * room + number
        points = as_words(np.array(sorted(unit)), words)
        state.stones[first : first + words * room : room] = points
        find_beside(state, white, number)
    numbers[UNITS + white] = len(found)
    numbers[PIECES + white] = slot - first_slot
    numbers[EULER + white] = euler_number(at, colour)


def euler_number(at: AyuPosition, colour: Colour) -> int:
    """Return the number of pieces, minus pairs of neighbours, plus full squares of 2 x 2 points."""
    board = at.game.board
    cells = {board.coordinates[i] for i, stone in enumerate(at.stones) if stone == colour}
    pairs = sum(((x + 1, y) in cells) + ((x, y + 1) in cells) for x, y in cells)
    squares = sum({(x + 1, y), (x, y + 1), (x + 1, y + 1)} <= cells for x, y in cells)
    return len(cells) - pairs + squares


def _load_past(state: AyuState, at: AyuPosition) -> None:
    """Remember the earlier positions that may come again: those with as many units as now."""
    numbers, keys, board = state.numbers, state.keys, at.game.board
    first_key = 2 * len(board)
    now = tuple(numbers[UNITS : UNITS + 2].tolist())
    earlier: Any = at.earlier
    for pieces, to_move, swap_was_open in earlier:
        if now != unit_counts(board, pieces):
            continue
        value = hash_of(at.game, tuple(pieces))
        if to_move is Colour.WHITE:
            value ^= keys[first_key + SIDE_KEY]
        if swap_was_open:
            value ^= keys[first_key + SWAP_KEY]
        if numbers[PAST] < MAX_PAST_LENGTH:
            state.past[numbers[PAST]] = value
            numbers[PAST] += 1
    remember(state)


@lru_cache(maxsize=4096)
def unit_counts(board: Board, pieces: bytes) -> tuple[int, int]:
    """Return how many units each colour has.

    Counts are cached: a position is asked for again on every later turn of its game.
    """
    black, white = (len(units(board, pieces, colour)) for colour in Colour)
    return black, white


@compiled
def copy_state(target, source):  # type: ignore[no-untyped-def]
    """Make `target` equal to `source`, a state of the same game."""
    numbers, sizes = source.numbers, source.sizes
    words, room = words_of(source), U(sizes[ROOM])
    for place in range(len(numbers)):
        target.numbers[place] = numbers[place]
    target.stones_hash[0] = source.stones_hash[0]
    _copy(target.past, source.past, U(0), U(numbers[PAST]))
    _copy(target.slot_at, source.slot_at, U(0), U(len(source.slot_at)))
    _copy(target.rows, source.rows, U(0), U(len(source.rows)))
    _copy(target.empty, source.empty, U(0), words)
    for colour in range(2):
        first = U(colour * sizes[SLOTS])
        count = U(numbers[PIECES + colour])
        _copy(target.pieces, source.pieces, first, count)
        _copy(target.unit, source.unit, first, count)
        # Beyond the last unit, to the end of its block, all is 0.
        count = (U(numbers[UNITS + colour]) + U(BLOCK - 1)) & ~U(BLOCK - 1)
        for word in range(words):
            first = (U(colour) * words + word) * room
            _copy(target.stones, source.stones, first, count)
            _copy(target.beside, source.beside, first, count)
            _copy(target.beside_two, source.beside_two, first, count)
    count = U(numbers[UNITS + numbers[COLOUR]])
    _copy(target.choices, source.choices, U(0), count)
    _copy(target.special, source.special, U(0), count)
    for word in range(words):
        _copy(target.targets, source.targets, word * room, count)


@unaliased
def _copy(target, source, first, count):  # type: ignore[no-untyped-def]
    """Copy `count` elements from `first` on."""
    for place in range(first, first + count):
        target[place] = source[place]


@compiled
def legal_actions(state, actions):  # type: ignore[no-untyped-def]
    """Write every legal action to `actions` once, and return how many there are."""
    if is_over(state):
        return 0
    count = legal_moves(state, actions)
    if may_swap(state):
        actions[count] = state.sizes[CELLS] * state.sizes[CELLS]
        count += 1
    return count


safe_actions = legal_actions
"""Every legal action: none is known to lose at once."""


@compiled
def play_action(state, action):  # type: ignore[no-untyped-def]
    """Play a legal action: origin * cells + destination for a move, cells * cells for the swap."""
    play_through(state, action)
    survey(state)


@compiled
def play_through(state, action):  # type: ignore[no-untyped-def]
    """Play a legal action and leave the position to be surveyed."""
    cells = state.sizes[CELLS]
    origin = action // cells
    if origin == cells:
        swap(state)
        return
    slot = state.numbers[COLOUR] * state.sizes[SLOTS] + state.slot_at[origin]
    move(state, slot, U(action - origin * cells))


@compiled
def side_to_move(state):  # type: ignore[no-untyped-def]
    """Return 0 for Black, 1 for White; after a swap, as the players were before it."""
    return state.numbers[COLOUR] ^ state.numbers[IS_EXCHANGED]


@compiled
def is_over(state):  # type: ignore[no-untyped-def]
    """Return whether the game has ended, by a repetition or for want of a move.

    After `play_through` only a repetition is seen: MOST is still that of the position before, which
    had a move.
    """
    return state.numbers[IS_DRAW] == 1 or state.numbers[MOST] == 0

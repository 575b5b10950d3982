"""The complexity of a game: the size of its tree, and the number of its positions.

The positions that a few actions reach are counted exactly, by kernel or by the plain rules.
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass
from random import Random
from statistics import fmean
from typing import TYPE_CHECKING, Any

import numpy as np

from oddly.engines import action_count, copy_state, has_kernel, new_state, play_action, warm
from oddly.engines.kernels.interface import (
    load,
    next_hashes,
    position_hash,
)
from oddly.games import EMPTY, SWAP, Colour, Drop, DropPosition, Drops, Game, Groups, Move, Parity
from oddly.study.document import Column, StudyTable, columns_of
from oddly.study.estimates import (
    Estimate,
    IntervalMethod,
    bootstrap,
    exactly,
    mean_or_none,
    share,
    transformed,
)
from oddly.study.game_properties import (
    ReplayedGame,
    Symmetry,
    has_pairs,
    has_passes,
    has_swap,
    image,
    stone_images,
    symmetries_of,
)
from oddly.tournaments import QUANTILE_975

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Sequence

    from oddly.study.game_course import LegalCounts


FILLINGS = 1000


def tree_by_product(logs: Sequence[float]) -> Estimate | None:
    """Return log10 of the size of the game tree, from the logarithms of single games.

    The logarithm of Knuth's product of branching factors, "Estimating the efficiency of backtrack
    programs", Mathematics of Computation 29 (1975), averaged as a logarithm.
    """
    return mean_or_none(logs)


def _log_power(games: Sequence[tuple[int, ...]]) -> float:
    """Return log10 of b^d, with the mean width b and the mean length d, in turns or actions.

    Allis, *Searching for Solutions in Games and Artificial Intelligence* (1994), section 6.2.4.
    """
    length = fmean(map(len, games))
    return length * math.log10(sum(map(sum, games)) / (length * len(games)))


def log_positions(game: Game, seed: int) -> Estimate | None:
    """Return log10 of an upper bound on the number of positions that the rules permit.

    If a turn always leaves an odd number of groups, it is the game's own bound times the share of
    random fillings with an odd number.
    """
    whole = game.log10_positions()
    if game.parity is not Parity.ENDS_TURNS:
        return exactly(whole)
    odd = sum(_is_odd(game, Random(f"{seed} {number}")) for number in range(FILLINGS))
    return transformed(share(odd, FILLINGS), lambda part: whole + math.log10(part))


def _is_odd(game: Game, random: Random) -> bool:
    stones = random.choices((EMPTY, *Colour), k=len(game.board))
    return Groups.of(game.board, stones).total % 2 == 1


def positions_in_play(games: Sequence[ReplayedGame]) -> Estimate | None:
    """Return a lower bound on the positions, up to symmetry, that games like these reach.

    Chao's lower bound from the positions seen in just one game and in just two: "Estimating the
    population size for capture-recapture data with unequal catchability", Biometrics 43 (1987),
    with the bias-corrected form and the log-normal interval given there.
    """
    if not games:
        return None
    seen: Counter[bytes] = Counter()
    for game in games:
        images = stone_images(game.game)
        seen.update({min(take(position.stones) for take in images) for position in game.positions})
    return chao(list(seen.values()), len(games))


def chao(counts: Sequence[int], samples: int) -> Estimate:
    """Return Chao's estimate of the number of kinds.

    `counts` has, for each kind, the number of samples that contain it.
    """
    once, twice = counts.count(1), counts.count(2)
    unseen = once * (once - 1) / (2 * (twice + 1))
    value = len(counts) + unseen
    if unseen == 0:
        return Estimate(value, value, value, IntervalMethod.CHAO, samples)
    variance = (
        unseen
        + once * (2 * once - 1) ** 2 / (4 * (twice + 1) ** 2)
        + once**2 * twice * (once - 1) ** 2 / (4 * (twice + 1) ** 4)
    )
    spread = math.exp(QUANTILE_975 * math.sqrt(math.log1p(variance / unseen**2)))
    low, high = len(counts) + unseen / spread, len(counts) + unseen * spread
    return Estimate(value, low, high, IntervalMethod.CHAO, samples)


def complexity_table(
    game: Game, widths: Sequence[LegalCounts], games: Sequence[ReplayedGame], seed: int
) -> StudyTable:
    """Return the decimal logarithms of the sizes of the tree and the position space."""
    rows: list[tuple[str, str, Estimate | None]] = []
    for what in ("turns", "actions"):
        counts = [each.turns if what == "turns" else each.actions for each in widths]
        product = tree_by_product([sum(map(math.log10, each)) for each in counts])
        rows += [
            (f"game tree, by {what}", "product of branching factors", product),
            (f"game tree, by {what}", "b^d", bootstrap(counts, _log_power)),
        ]
    in_play = transformed(positions_in_play(games), math.log10)
    rows += [
        ("positions", "an upper bound", log_positions(game, seed)),
        ("positions that play comes to", "Chao's lower bound", in_play),
    ]
    columns = columns_of("of what", "how", Column("log10", digits=2))
    return StudyTable("complexity", "Complexity", columns, rows)


MAX_POSITIONS = 1_500_000
"""The maximum number of positions to examine for the next depth."""

DEEPEST = 8


@dataclass(frozen=True, slots=True)
class Depth:
    """The number of positions at `depth` actions, and how many of them end the game.

    `up_to_symmetry` counts positions that are symmetric to each other only once.
    """

    depth: int
    positions: int
    up_to_symmetry: int
    over: int


def depths(game: Game, most: int = MAX_POSITIONS) -> list[Depth]:
    """Return the counts for each depth that requires at most `most` positions.

    Hashes of 64 bits distinguish positions. The count up to symmetry is by Burnside's lemma: the
    number of orbits is the mean, over all symmetries, of the number of positions left unchanged.
    """
    if not has_kernel(game):
        return _depths_by_rules(game, most // 10)
    search = _Search(game)
    seen = np.array([position_hash(search.start)], np.uint64)
    paths = np.zeros((1, 0), np.int32)
    found = [Depth(0, 1, 1, 0)]
    widest = 1
    while len(paths) and len(found) <= DEEPEST and len(paths) * widest <= most:
        paths, hashes, over, widest = search.next(paths)
        is_new = ~np.isin(hashes, seen)
        paths, hashes, over = paths[is_new], hashes[is_new], over[is_new]
        seen = np.concatenate([seen, hashes])
        orbits = _orbits(game, paths)
        found.append(Depth(len(found), len(hashes), orbits, int(np.count_nonzero(over))))
        paths = paths[~over]
    return found


class _Search:
    def __init__(self, game: Game) -> None:
        self.start, self._state, self._scratch = (new_state(game) for _ in range(3))
        count = action_count(game)
        self._actions = np.zeros(count, np.int32)
        self._hashes, self._over = np.zeros(count, np.uint64), np.zeros(count, np.bool_)
        warm("hashes", self.start, lambda: self._after(np.zeros(0, np.int32)))
        self._swap: int | None = None
        if has_swap(game):
            self._swap = game.action_number(SWAP)
            self._mark_of_swap = self._find_mark(game)

    def next(self, paths: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, int]:
        """Return paths to the positions one action on, their hashes, which are over, the width."""
        longer: list[np.ndarray] = []
        hashes: list[np.ndarray] = []
        over: list[np.ndarray] = []
        widest = 0
        for path in paths:
            count = self._after(path)
            widest = max(widest, count)
            actions = self._actions[:count, None]
            longer.append(np.hstack([np.tile(path, (count, 1)), actions]))
            hashes.append(self._hashes[:count].copy())
            over.append(self._over[:count].copy())
        all_paths, all_hashes = np.concatenate(longer), np.concatenate(hashes)
        if self._swap is not None:
            all_hashes[(all_paths == self._swap).any(axis=1)] ^= self._mark_of_swap
        all_hashes, first = np.unique(all_hashes, return_index=True)
        return all_paths[first], all_hashes, np.concatenate(over)[first], widest

    def _find_mark(self, game: Game) -> np.uint64:
        """Return what a past swap changes in a hash, for it changes nothing in a position."""
        position = DropPosition(game.start())
        copy_state(self._state, self.start)
        for action in (next(iter(position.actions())), SWAP):
            position = position.act(action)
            play_action(self._state, game.action_number(action))
        load(self._scratch, position)
        return np.uint64(position_hash(self._state) ^ position_hash(self._scratch))

    def _after(self, path: np.ndarray) -> int:
        """Try all actions after `path`, and return their number."""
        copy_state(self._state, self.start)
        for action in path:
            play_action(self._state, action)
        arrays = (self._actions, self._hashes, self._over)
        return int(next_hashes(self._state, self._scratch, *arrays))


def _orbits(game: Game, paths: np.ndarray) -> int:
    """Return the number of positions that the paths lead to, up to symmetry."""
    if not len(paths):
        return 0
    used, places = np.unique(paths, return_inverse=True)
    places = places.reshape(paths.shape)
    keys = np.random.default_rng(1).integers(1, 2**63, (2, action_count(game)), np.uint64)
    colours = _colours(game, used, places)
    group = symmetries_of(game)
    here = _stones(keys, used, places, colours, game, group[0])
    fixed = [
        np.count_nonzero(_stones(keys, used, places, colours, game, symmetry) == here)
        for symmetry in group
    ]
    return int(sum(fixed)) // len(group)


def _colours(game: Game, used: np.ndarray, places: np.ndarray) -> np.ndarray:
    """Return the owner of the piece that each action of each path moves: 0 Black, 1 White.

    A drop names its own colour, so its entry does not matter.
    """
    is_move = np.array([isinstance(game.action_of(int(a)), Move) for a in used], np.int64)[places]
    before: np.ndarray = np.cumsum(is_move, axis=1) - is_move
    return before % 2


def _stones(
    keys: np.ndarray,
    used: np.ndarray,
    places: np.ndarray,
    colours: np.ndarray,
    game: Game,
    symmetry: Symmetry,
) -> np.ndarray:
    """Return a hash of the change in stones that each path makes under `symmetry`."""
    values: Any = np.zeros((2, len(used)), np.uint64)
    for place, number in enumerate(used):
        action = game.action_of(int(number))
        if isinstance(action, Drop):
            (dropped,) = image(game, Drops((action,)), symmetry).drops  # type: ignore[union-attr]
            values[:, place] = keys[0, game.action_number(dropped)]
        elif isinstance(action, Move):
            moved: Any = image(game, action, symmetry)
            ends = [game.board.index[vertex] for vertex in (moved.origin, moved.destination)]
            values[:, place] = keys[:, ends[0]] ^ keys[:, ends[1]]
    hashes: np.ndarray = np.bitwise_xor.reduce(values[colours, places], axis=1)
    return hashes


def distinct_table(game: Game, found: list[Depth]) -> StudyTable:
    """Return the number of positions at each depth and up to it."""
    rows = []
    positions = up_to_symmetry = over = 0
    for depth in found[1:]:
        positions += depth.positions
        up_to_symmetry += depth.up_to_symmetry
        over += depth.over
        rows.append((depth.depth, depth.positions, positions, up_to_symmetry, over))
    columns = columns_of(
        "actions", "positions after so many", "after up to so many", "up to symmetry",
        "of finished games",
    )  # fmt: skip
    note = (
        f"Counted exactly, action by action. A position is its stones and the side to move"
        f"{', with passes in a row' if has_passes(game) else ''}"
        f"{' and drops made in this turn' if has_pairs(game) else ''}"
        f"{', and whether a swap is open' if has_swap(game) else ''}. The three right columns "
        "add up all depths so far, without the start."
    )
    return StudyTable("distinct", "Distinct positions by depth", columns, rows, note)


def _depths_by_rules(game: Game, most: int) -> list[Depth]:
    images = stone_images(game)
    start = DropPosition(game.start())
    level, seen = [start], {start.key}
    found = [Depth(0, 1, 1, 0)]
    widest = 1
    while level and len(found) <= DEEPEST and len(level) * widest <= most:
        following: dict[Hashable, DropPosition] = {}
        widest = 0
        for at in level:
            actions = list(at.actions())
            widest = max(widest, len(actions))
            for after in map(at.act, actions):
                if after.key not in seen:
                    following.setdefault(after.key, after)
        seen |= following.keys()
        alike = {_up_to_symmetry(at, images) for at in following.values()}
        over = sum(at.is_over for at in following.values())
        found.append(Depth(len(found), len(following), len(alike), over))
        level = [at for at in following.values() if not at.is_over]
    return found


def _up_to_symmetry(
    at: DropPosition, images: Sequence[Callable[[Sequence[int]], bytes]]
) -> Hashable:
    """Return a key that is equal for positions that are the same up to symmetry."""
    if len(images) == 1:
        return at.key
    stones = list(at.start.stones)
    for drop in at.drops:
        stones[at.start.game.board.index[drop.vertex]] = drop.colour
    smallest = min(take(stones) for take in images)
    return smallest, at.start.to_move, at.start.status, len(at.drops)

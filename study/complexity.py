"""The complexity of a game: the size of its tree, and the number of its positions."""

from __future__ import annotations

import math
from collections import Counter
from random import Random
from statistics import fmean
from typing import TYPE_CHECKING

from oddly.games import EMPTY, Colour, Groups, Parity
from oddly.study.document import Column, StudyTable
from oddly.study.estimates import (
    Estimate,
    IntervalMethod,
    bootstrap,
    exactly,
    mean,
    share,
    transformed,
)
from oddly.study.game_properties import stone_images
from oddly.tournaments import QUANTILE_975

if TYPE_CHECKING:
    from collections.abc import Sequence

    from oddly.games import Game
    from oddly.study.game_course import LegalCounts
    from oddly.study.measured_games import ReplayedGame

FILLINGS = 1000


def tree_by_product(logs: Sequence[float]) -> Estimate | None:
    """Return log10 of the size of the game tree, from the logarithms of single games.

    The logarithm of Knuth's product of branching factors, "Estimating the efficiency of backtrack
    programs", Mathematics of Computation 29 (1975), averaged as a logarithm.
    """
    return mean(logs)


def tree_by_power(widths: Sequence[LegalCounts]) -> Estimate | None:
    """Return log10 of b^d, with the mean number b of legal turns and the mean length d in turns.

    Allis, *Searching for Solutions in Games and Artificial Intelligence* (1994), section 6.2.4.
    """
    return bootstrap([game.turns for game in widths], _log_power)


def actions_by_power(widths: Sequence[LegalCounts]) -> Estimate | None:
    """Return log10 of b^d in actions instead of turns."""
    return bootstrap([game.actions for game in widths], _log_power)


def _log_power(games: Sequence[tuple[int, ...]]) -> float:
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

    Chao's lower bound from the positions seen in one game only and in two: "Estimating the
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
    """Return the decimal logarithms of the sizes of tree and position space."""
    product = "product of branching factors"
    by_turns = tree_by_product([game.log_turns for game in widths])
    by_actions = tree_by_product([game.log_actions for game in widths])
    in_play = transformed(positions_in_play(games), math.log10)
    rows = [
        ("game tree, by turns", product, by_turns),
        ("game tree, by turns", "b^d", tree_by_power(widths)),
        ("game tree, by actions", product, by_actions),
        ("game tree, by actions", "b^d", actions_by_power(widths)),
        ("positions", "an upper bound", log_positions(game, seed)),
        ("positions that play comes to", "Chao's lower bound", in_play),
    ]
    columns = (Column("of what"), Column("how"), Column("log10", digits=2))
    return StudyTable("complexity", "Complexity", columns, rows)

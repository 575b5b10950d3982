"""Good and bad actions, by how often they are chosen and how a search rates them."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from oddly.games import PASS, Action, DropPosition, End, Game, Move, Pass
from oddly.study.document import Column, StudyTable, columns_of, in_percent
from oddly.study.estimates import (
    Estimate,
    bootstrap_error,
    exactly,
    mean_or_none,
    share,
    share_by_game,
)
from oddly.study.game_properties import ReplayedGame, has_pairs

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from random import Random

    from oddly.study.evaluator import Evaluator

GOOD = 0.1
"""A good action's value is at most this far below the best."""

BAD = 0.3
"""A bad action's value is at least this far below the best."""

THIRDS = ("first third", "second third", "last third")


def chosen(game: ReplayedGame) -> Counter[Action]:
    """Return how often each action was made in a game; the end of a turn counts as a pass."""
    return Counter(
        PASS if isinstance(action, End) else action for made in game.actions() for action in made
    )


def chosen_above_average(games: Sequence[np.ndarray], distinct: int) -> float:
    """Return how many of the distinct actions were made more often than the average one.

    Each game is an array of how often each action was made: shape (actions made in some game,).
    """
    total = np.sum(games, axis=0)
    return float(np.count_nonzero(total > total.sum() / distinct))


def _rows(games: Sequence[Counter[Action]]) -> list[np.ndarray]:
    """Return the games as `chosen_above_average` takes them."""
    actions = list({action: None for game in games for action in game})
    return [np.array([game[action] for action in actions], np.int32) for game in games]


def by_lot(games: Sequence[Counter[Action]], distinct: int) -> Estimate | None:
    """Return how many actions chance alone would put above the average; None without games.

    Chance means that every action is equally likely, and made at most once in a game.
    """
    number = len(games)
    if not number or not distinct:
        return None
    average = sum(game.total() for game in games) / distinct
    likely = min(average / number, 1.0)
    above = sum(
        math.comb(number, times) * likely**times * (1 - likely) ** (number - times)
        for times in range(number + 1)
        if times > average
    )
    return exactly(round(distinct * above))


def distinct_actions(game: Game) -> int | None:
    """Return the number of actions in any position; None if that is undefined."""
    if Move in game.turn_kinds:
        return None
    return 2 * len(game.board) + (Pass in game.turn_kinds)


def chosen_table(game: Game, games: Sequence[ReplayedGame]) -> StudyTable:
    """Return how many actions the engine chooses more and less often than the average."""
    counts = [chosen(each) for each in games]
    made = _rows(counts)
    distinct = distinct_actions(game) or (len(made[0]) if made else 0)
    above = bootstrap_error(made, lambda some: chosen_above_average(some, distinct))
    below = bootstrap_error(made, lambda some: distinct - chosen_above_average(some, distinct))
    rows = [
        ("distinct actions" + (" made" if Move in game.turn_kinds else ""), distinct),
        ("chosen more often than the average", above),
        ("chosen less often", below),
        ("chosen more often, by chance", by_lot(counts, distinct)),
    ]
    note = (
        f"Over {len(games)} games. An action counts as the same in every position"
        f"{'; an end of a turn counts as a pass' if has_pairs(game) else ''}. By chance: how many "
        "would be above the average if all actions were equally likely and none were made twice "
        "in a game."
    )
    columns = columns_of("actions", Column("how many", digits=0))
    return StudyTable("chosen", "Good and bad actions, by choice", columns, rows, note)


@dataclass(frozen=True, slots=True)
class JudgedPosition:
    """One position with the shares of its legal actions that are good and bad.

    `game` is the number of its game, `third` the part of that game, 0 to 2; `only` says that
    exactly one action is good.
    """

    game: int
    third: int
    actions: int
    good: float
    bad: float
    only: bool


def judge(
    at: DropPosition,
    game: int,
    third: int,
    evaluator: Evaluator,
    seed: int,
    step: Callable[[], None],
) -> JudgedPosition:
    """Return a position with its actions judged; call `step` when done.

    Every legal action is searched twice: once to find the best, once to compare all with it. A
    single search would overrate the best of many noisy values, and make the others look worse.
    """
    legal = list(at.actions())
    half = max(evaluator.simulations // 2, 1)
    choosing = [evaluator.after(at, action, 2 * seed, half) for action in legal]
    values = [evaluator.after(at, action, 2 * seed + 1, half) for action in legal]
    best = values[choosing.index(max(choosing))]
    good = sum(value >= best - GOOD for value in values)
    bad = sum(value <= best - BAD for value in values)
    step()
    return JudgedPosition(
        game, third, len(legal), good / len(legal), bad / len(legal), good <= 1 < len(legal)
    )


def sampled(games: Sequence[ReplayedGame], number: int, random: Random) -> list[tuple[int, int]]:
    """Return `number` different pairs of game and turn, each third of a game equally often."""
    places: list[list[tuple[int, int]]] = [[], [], []]
    for index, game in enumerate(games):
        for turn in range(len(game.turns)):
            places[3 * turn // len(game.turns)].append((index, turn))
    for third in places:
        random.shuffle(third)
    ordered = [third.pop() for _ in range(number) for third in places if third]
    return ordered[:number]


def quality_table(judged: Sequence[JudgedPosition], simulations: int) -> StudyTable:
    """Return the shares of good and bad actions by thirds of the game."""
    rows: list[
        tuple[str, int, Estimate | None, Estimate | None, Estimate | None, Estimate | None]
    ] = []
    for number, title in enumerate((*THIRDS, "all")):
        some = [each for each in judged if number in (3, each.third)]
        rows.append(
            (
                title,
                len(some),
                mean_or_none([float(each.actions) for each in some]),
                _by_game(some, "good"),
                _by_game(some, "bad"),
                share(sum(each.only for each in some), len(some)),
            )
        )
    columns = columns_of(
        "of the game", "positions", "legal actions", in_percent("good"), in_percent("bad"),
        in_percent("only one good action"),
    )  # fmt: skip
    note = (
        f"An action's value is the expected points after it, by a search of "
        f"{max(simulations // 2, 1)} simulations. A good action is at most {100 * GOOD:.0f} "
        f"percentage points below the best, a bad one at least {100 * BAD:.0f}."
    )
    return StudyTable("quality", "Good and bad actions, by search", columns, rows, note)


def _by_game(judged: Sequence[JudgedPosition], kind: str) -> Estimate | None:
    """Return the share of actions of that kind; positions of one game are not independent."""
    games: dict[int, list[JudgedPosition]] = defaultdict(list)
    for each in judged:
        games[each.game].append(each)
    pairs = [
        (sum(float(getattr(each, kind)) for each in some), float(len(some)))
        for some in games.values()
    ]
    return share_by_game(pairs)

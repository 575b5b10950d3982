"""The course of games: their length, legal turns and actions, groups and kinds of turns."""

from __future__ import annotations

from dataclasses import dataclass
from statistics import fmean
from typing import TYPE_CHECKING

import numpy as np

from oddly.engines import action_count, has_kernel, new_state, play_action, warm
from oddly.engines.kernels.interface import legal_actions, legal_turns
from oddly.games import DropPosition, Drops, Game, Pass, Swap, Turn
from oddly.study.document import Chart, Line, StudyTable, columns_of, in_percent
from oddly.study.estimates import (
    Estimate,
    bootstrap,
    mean_or_none,
    means_by_turn,
    ratio_of_sums,
    share_by_game,
)
from oddly.study.game_properties import RandomGame, ReplayedGame, action_words, has_pairs, replayed

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from oddly.referee import GameRecord


TURNS_A_ROW = 10


@dataclass(frozen=True, slots=True)
class LegalCounts:
    """The numbers of legal turns before each turn, and of legal actions before each action."""

    turns: tuple[int, ...]
    actions: tuple[int, ...]


class BranchingCounter:
    """Counts legal turns and actions along games with given rules and size, with the kernels."""

    def __init__(self, game: Game) -> None:
        self.game = game
        if not has_kernel(game):
            return
        self._state, self._scratch = new_state(game), new_state(game)
        self._firsts, self._seconds = (np.zeros(action_count(game), np.int32) for _ in range(2))
        self._no_turns = np.zeros((0, 2), np.int32)
        warm("turns", self._state, self._turns)

    def widths(self, replayed: ReplayedGame) -> LegalCounts:
        """Return how many turns and actions were legal along a game."""
        if not has_kernel(self.game):
            return _widths_by_rules(replayed)
        self._state = new_state(self.game)
        turns, actions = [], []
        for made in replayed.actions():
            turns.append(self._turns())
            for action in made:
                actions.append(int(legal_actions(self._state, self._firsts)))
                play_action(self._state, self.game.action_number(action))
        return LegalCounts(tuple(turns), tuple(actions))

    def _turns(self) -> int:
        """Return the number of legal turns in the current state."""
        arrays = (self._scratch, self._firsts, self._seconds, self._no_turns)
        return int(legal_turns(self._state, *arrays))


def _widths_by_rules(replayed: ReplayedGame) -> LegalCounts:
    turns, actions = [], []
    for position, made in zip(replayed.positions, replayed.actions(), strict=True):
        turns.append(sum(1 for _ in position.legal_turns()))
        at = DropPosition(position)
        for action in made:
            actions.append(sum(1 for _ in at.actions()))
            at = at.act(action)
    return LegalCounts(tuple(turns), tuple(actions))


def mean_width(counts: Sequence[tuple[int, ...]]) -> Estimate | None:
    """Return the mean over all turns, or actions, of all games; None without games."""
    return bootstrap([(sum(game), len(game)) for game in counts], ratio_of_sums)


def branching_table(game: Game, widths: Sequence[LegalCounts]) -> StudyTable:
    """Return the branching factor for every ten turns of the game, and over whole games."""
    longest = max((len(each.turns) for each in widths), default=0)
    rows = []
    for start in range(0, longest, TURNS_A_ROW):
        parts = [each.turns[start : start + TURNS_A_ROW] for each in widths]
        reached = [part for part in parts if part]
        last = min(start + TURNS_A_ROW, longest)
        title = f"{start + 1} to {last}" if last > start + 1 else str(last)
        rows.append((title, len(reached), mean_or_none([fmean(part) for part in reached])))
    rows.append(("all turns", len(widths), mean_width([each.turns for each in widths])))
    rows.append(("all actions", len(widths), mean_width([each.actions for each in widths])))
    columns = columns_of("turns", "games that long", "branching factor")
    pairs = ", a pair of drops counted once" if has_pairs(game) else ""
    note = (
        f"The number of legal turns{pairs}; the last line has that of legal actions. An "
        f"action is {action_words(game)}."
    )
    return StudyTable("branching", "Branching factor by turn", columns, rows, note)


def branching_chart(widths: Sequence[LegalCounts]) -> Chart:
    """Return the mean number of legal turns before each turn, as a chart."""
    points = means_by_turn([game.turns for game in widths])
    return Chart(
        "branching_by_turn",
        "Legal turns before each turn",
        "turn",
        "legal turns",
        (Line("legal turns", points),),
    )


@dataclass(frozen=True, slots=True)
class GameLength:
    """The length of one game; actions are its drops, ends of turns, passes, moves and swaps."""

    turns: int
    actions: int


def lengths_of(records: Sequence[GameRecord]) -> list[GameLength]:
    """Return the length of each game."""
    return [
        GameLength(len(game.turns), sum(map(len, game.actions()))) for game in replayed(records)
    ]


def random_lengths(games: Sequence[RandomGame]) -> list[GameLength]:
    """Return the length of each random game."""
    return [GameLength(game.turns, len(game.choices)) for game in games]


def length_table(game: Game, measured: Mapping[str, Sequence[GameLength]]) -> StudyTable:
    """Return the mean lengths of games by the name of both players."""
    rows = [
        (
            name,
            len(lengths),
            mean_or_none([float(each.turns) for each in lengths]),
            mean_or_none([float(each.actions) for each in lengths]),
        )
        for name, lengths in measured.items()
    ]
    columns = columns_of("both players", "games", "turns", "actions")
    note = f"An action is {action_words(game)}. "
    if has_pairs(game):
        note += (
            "'random actions' draws among actions, the engine 'random' among whole turns, hardly "
            "any of which are passes."
        )
    else:
        note += (
            "Every turn is one action, so 'random actions' and the engine 'random' play alike; the "
            "kernel plays the games of the first, the referee those of the second."
        )
    return StudyTable("length", "Game length", columns, rows, note)


KINDS: dict[str, Callable[[Turn], bool]] = {
    "one drop": lambda turn: isinstance(turn, Drops) and len(turn.drops) == 1,
    "two drops": lambda turn: isinstance(turn, Drops) and len(turn.drops) == 2,
    "pass": lambda turn: isinstance(turn, Pass),
    "swap": lambda turn: isinstance(turn, Swap),
}


def group_chart(games: Sequence[ReplayedGame]) -> Chart:
    """Return the mean number of groups of each colour after each turn, as a chart."""
    courses = [[*game.positions[1:], game.last] for game in games]
    black, white = (
        means_by_turn([[float(position.group_counts[side]) for position in c] for c in courses])
        for side in (0, 1)
    )
    lines = [Line("black groups", black), Line("white groups", white)]
    return Chart("groups_by_turn", "Groups after each turn", "turn", "groups", lines)


def kind_table(games: Sequence[ReplayedGame]) -> StudyTable | None:
    """Return the kinds of turns by thirds of the game; None if all are of one kind."""
    rows = []
    for title, is_kind in KINDS.items():
        if not any(is_kind(turn) for game in games for turn in game.turns):
            continue
        shares = []
        for third in range(3):
            pairs = []
            for game in games:
                last = len(game.turns)
                part = game.turns[third * last // 3 : (third + 1) * last // 3]
                pairs.append((float(sum(map(is_kind, part))), float(len(part))))
            shares.append(share_by_game(pairs))
        rows.append((title, *shares))
    if len(rows) < 2:
        return None
    thirds = (in_percent(f"{which} third") for which in ("first", "second", "last"))
    columns = columns_of("turn", *thirds)
    return StudyTable("kinds", "Kinds of turns, by thirds of the game", columns, rows)

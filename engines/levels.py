"""The ten levels of `rave` for people, and how strong each was measured to be.

The numbers are those of `level_lists.json`, which `python -m benchmarks.level_lists` writes and
docs/explanation/engines.md explains. There is one list for each board, which says nothing about
other boards.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from functools import cache
from math import exp, log
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, NamedTuple

from oddly.games import (
    PASS,
    Ayu,
    AyuPosition,
    Colour,
    Game,
    Odd,
    Position,
    Turn,
    Xodd,
    Yodd,
    create_game,
    did_you_mean,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from random import Random

    from oddly.engines.search.analysing import AnySearcher
    from oddly.engines.search.settings import Finding, Settings, Vote


FILE = Path(__file__).with_name("level_lists.json")


class Rated(NamedTuple):
    """A rating with its 95 % error, both in Elo; 1,000 is the mean of the list."""

    elo: int
    error: int

    def __str__(self) -> str:
        """Return `1,050 ± 90`."""
        return f"{self.elo:,} ± {self.error}"


class LevelList(NamedTuple):
    """The ratings of the levels and other engines on one board, by name: `level 3`, `random`."""

    game: Game
    games: int
    """Games that were played for it."""
    ratings: Mapping[str, Rated]

    @property
    def board(self) -> str:
        """The game and its board in a few words: `Yodd 8`."""
        return f"{self.game.title} {self.game.size}"

    def of(self, number: int) -> Rated:
        """Return the rating of a level."""
        return self.ratings[f"level {number}"]

    def above_the_lowest(self, number: int) -> int:
        """Return by how many Elo a level is stronger than level 1, to the nearest ten."""
        return round(self.of(number).elo - self.of(1).elo, -1)


@cache
def level_lists() -> tuple[LevelList, ...]:
    """Return the lists of all boards that were measured."""
    facts = json.loads(FILE.read_text(encoding="utf-8"))
    return tuple(
        LevelList(
            create_game(each["game"], each["size"]),
            each["games"],
            {name: Rated(*rating) for name, rating in each["ratings"].items()},
        )
        for each in facts["lists"]
    )


def usual_list(game: Game) -> LevelList | None:
    """Return the list of a game on its usual board; None if it was not measured."""
    return level_list(type(game)())


def level_list(game: Game) -> LevelList | None:
    """Return the list of exactly this game, board and settings; None if it was not measured."""
    return next((each for each in level_lists() if each.game == game), None)


NAMES = (
    "first game", "beginner", "learner", "improver", "regular",
    "skilled", "strong", "expert", "master", "champion",
)  # fmt: skip
HIGHEST = len(NAMES)


@dataclass(frozen=True, slots=True)
class Level:
    """One level in one game."""

    number: int
    simulations: int
    """For each drop or move; 0: as many as `SECONDS_AT_THE_HIGHEST` allow."""
    temperature: float
    """Of the softmax by which it chooses: at 0.5, an action with half the visits has a quarter of
    the chance; 0: it plays what it finds."""
    rating: int | None
    """Elo above level 1 on the game's default board; None if the game was not measured."""

    @property
    def name(self) -> str:
        """What people call the level."""
        return NAMES[self.number - 1]

    def __str__(self) -> str:
        """Return the number and the name, as people choose from them."""
        return f"level {self.number}, {self.name}"


SIMULATIONS: dict[type[Game], tuple[int, ...]] = {
    Yodd: (2, 8, 18, 30, 48, 75, 140, 330, 800),
    Xodd: (2, 11, 18, 31, 56, 95, 245, 600, 1900),
    Odd: (10, 58, 216, 750, 2450, 6800, 16500, 25000, 88000),
    Ayu: (4, 9, 19, 40, 78, 200, 900, 4700, 32000),
}
"""Simulations of a drop or move, from level 1 to level 9 (how found:
docs/explanation/engines.md)."""

SAME = (0.5,) * 9
FALLING = (0.5, 0.5, 0.5, 0.5, 0.5, 0.45, 0.4, 0.3, 0.2)
TEMPERATURES: dict[type[Game], tuple[float, ...]] = {
    Yodd: SAME,
    Xodd: SAME,
    Odd: FALLING,
    Ayu: FALLING,
}
"""Temperatures, from level 1 to level 9. In Odd and Ayu the higher levels choose less by chance,
which brings level 9 near level 10."""


def level_number(text: str) -> int:
    """Return the level that a number or a name stands for. Raises ValueError."""
    if text.lower() in NAMES:
        return NAMES.index(text.lower()) + 1
    if text in map(str, range(1, HIGHEST + 1)):
        return int(text)
    raise ValueError(
        f"a level from 1 ({NAMES[0]}) to {HIGHEST} ({NAMES[-1]}) is expected, not {text!r}"
        + did_you_mean(text, NAMES)
    )


@cache
def levels(game: Game) -> tuple[Level, ...]:
    """Return the levels of a game, from the weakest to the strongest."""
    kind = type(game) if type(game) in SIMULATIONS else Yodd
    strengths = zip((*SIMULATIONS[kind], 0), (*TEMPERATURES[kind], 0.0), strict=True)
    rated = usual_list(game)
    return tuple(
        Level(
            number,
            simulations,
            temperature,
            None if rated is None else rated.above_the_lowest(number),
        )
        for number, (simulations, temperature) in enumerate(strengths, 1)
    )


SECONDS_AT_THE_HIGHEST = 1.0
"""For a turn at the highest level, which is the engine at full strength for that long."""

SECONDS_AN_ACTION = 0.4
"""The most for an action, by the plain rules too: people wait less than a second."""
SECONDS_AN_ACTION_PLAINLY = 0.25
"""The same while kernels are compiled, which needs the processor too."""

UNITS_BEFORE_THE_LAST_MOVE = 5
"""In Ayu: one move joins units on at most four sides."""


def think_briefly(
    searcher: AnySearcher,
    settings: Settings,
    simulations: int,
    seconds: float,
    is_stopped: Callable[[], bool] = lambda: False,
) -> Finding:
    """Return what this many simulations find, or fewer if time runs out or it `is_stopped`.

    The first ones, up to the searcher's `simulations_at_a_time`, are made in any case.
    """
    began = monotonic()
    done = 0
    while True:
        wanted = min(searcher.simulations_at_a_time, simulations - done)
        found = searcher.think(settings, simulations=wanted)
        done += found.simulations
        is_late = is_stopped() or monotonic() - began >= seconds
        if done >= simulations or found.simulations < wanted or is_late:
            return replace(found, simulations=done)


def sampled(votes: dict[int, Vote], temperature: float, random: Random) -> int | None:
    """Return an action drawn by softmax over the logarithms of the visits; None if all are lost."""
    tried = {action: v.visits for action, v in votes.items() if v.visits >= 1 and not v.is_lost}
    if not tried:
        return None
    most = max(tried.values())
    weights = [exp(log(visits / most) / temperature) for visits in tried.values()]
    return random.choices(list(tried), weights)[0]


def obvious_win(position: Position) -> Turn | None:
    """Return a turn that wins at once, if even a beginner sees it."""
    if position.is_legal(PASS) and _wins(position, PASS):
        return PASS
    if isinstance(position, AyuPosition):
        return _joins_all(position)
    return None


def _wins(position: Position, turn: Turn) -> bool:
    result = position.play(turn).result
    return result is not None and result.winner is position.to_move


def _joins_all(position: AyuPosition) -> Turn | None:
    """Return a move after which the mover has one unit, and so no legal move on its next turn."""
    mover = position.to_move
    if position.group_counts[mover - Colour.BLACK] > UNITS_BEFORE_THE_LAST_MOVE:
        return None
    for turn in position.legal_turns():
        after = position.play(turn)
        if after.group_counts[mover - Colour.BLACK] == 1 and not after.is_over:
            return turn
    return None

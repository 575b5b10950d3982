"""The ten levels of `rave` for people: their names, how each plays, and how strong it is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from oddly.games import Ayu, Odd, Xodd, Yodd, did_you_mean

if TYPE_CHECKING:
    from oddly.games import Game

NAMES = (
    "first game", "beginner", "learner", "improver", "regular",
    "skilled", "strong", "expert", "master", "champion",
)  # fmt: skip
HIGHEST = len(NAMES)

TEMPERATURE = 0.5
"""Of the softmax by which all levels choose: an action with half the visits has a quarter of the
chance."""


@dataclass(frozen=True, slots=True)
class Level:
    """One level in one game."""

    number: int
    simulations: int
    """For each drop or move."""
    rating: int | None
    """Elo above level 1 on the game's default board; None if the game was not measured."""

    @property
    def name(self) -> str:
        """Return what people call the level."""
        return NAMES[self.number - 1]

    def __str__(self) -> str:
        """Return the number and the name, as people choose from them."""
        return f"level {self.number}, {self.name}"


SIMULATIONS: dict[type[Game], tuple[int, ...]] = {
    Yodd: (2, 6, 9, 11, 14, 17, 21, 25, 29, 33),
    Xodd: (2, 5, 8, 10, 12, 15, 19, 23, 27, 32),
    Odd: (2, 6, 15, 34, 77, 166, 353, 745, 1571, 3343),
    Ayu: (2, 4, 6, 12, 21, 39, 74, 141, 272, 534),
}
"""For each drop or move, from level 1 to level 10 (how found: docs/explanation/engines.md)."""

RATINGS: dict[type[Game], tuple[int, ...]] = {
    Yodd: (0, 150, 340, 460, 620, 770, 940, 1100, 1250, 1380),
    Xodd: (0, 130, 340, 470, 600, 760, 940, 1100, 1240, 1390),
    Odd: (0, 160, 310, 460, 620, 770, 930, 1080, 1240, 1390),
    Ayu: (0, 190, 290, 470, 620, 770, 930, 1080, 1240, 1390),
}
"""Elo above level 1 on the default boards, off a fitted curve (docs/explanation/engines.md)."""


def level_number(text: str) -> int:
    """Return the level that a number or a name stands for; 0 is none. Raises ValueError."""
    if text.lower() in NAMES:
        return NAMES.index(text.lower()) + 1
    if text in map(str, range(HIGHEST + 1)):
        return int(text)
    raise ValueError(
        f"a level from 1 ({NAMES[0]}) to {HIGHEST} ({NAMES[-1]}) is expected, not {text!r}"
        + did_you_mean(text, NAMES)
    )


def levels(game: Game) -> tuple[Level, ...]:
    """Return the levels of a game, from the weakest to the strongest."""
    simulations = SIMULATIONS.get(type(game), SIMULATIONS[Yodd])
    ratings = RATINGS.get(type(game), (None,) * HIGHEST)
    return tuple(
        Level(number, simulations[number - 1], ratings[number - 1])
        for number in range(1, HIGHEST + 1)
    )

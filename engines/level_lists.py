"""The measured strength of `rave`'s levels and of other engines: one list for each board.

The numbers are those of `level_lists.json`, which `python -m benchmarks.level_lists` writes and
docs/explanation/engines.md explains. A list says nothing about other boards.
"""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from oddly.games import create_game

if TYPE_CHECKING:
    from collections.abc import Mapping

    from oddly.games import Game

FILE = Path(__file__).with_name("level_lists.json")


class Rated(NamedTuple):
    """A rating with its 95 % error, both in Elo; 1,000 is the mean of the list."""

    elo: int
    error: int

    def __str__(self) -> str:
        """Return `1,050 ± 90`."""
        return f"{self.elo:,} ± {self.error}"


class LevelList(NamedTuple):
    """The levels and other engines on one board, by their names: `level 3`, `random`."""

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
    told = json.loads(FILE.read_text(encoding="utf-8"))
    return tuple(
        LevelList(
            create_game(each["game"], each["size"]),
            each["games"],
            {name: Rated(*rating) for name, rating in each["ratings"].items()},
        )
        for each in told["lists"]
    )


def usual_list(game: Game) -> LevelList | None:
    """Return the list of a game on its usual board; None if it was not measured."""
    return level_list(type(game)())


def level_list(game: Game) -> LevelList | None:
    """Return the list of exactly this game, board and settings; None if it was not measured."""
    return next((each for each in level_lists() if each.game == game), None)

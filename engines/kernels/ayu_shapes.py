"""What is known of Ayu's shapes: how much each pattern of six points tells of who will win.

A *window* is 2 x 3 points of the board, lying or upright, and may reach over the edge by one. It is
spelled in two rows of three letters, `b` and `w` for pieces, `.` for an empty point and `#` for one
off the board: `bw./..b`. Turned windows are worth the same; with the colours exchanged, the
opposite. `ayu_shapes.toml` holds what `python -m benchmarks.ayu_judge` has learnt, in log-odds.
"""

from __future__ import annotations

import tomllib
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable

LETTERS = ".bw#"
"""Of a point by its number: 1 for Black, 2 for White, both for a point off the board."""

WINDOWS = 4**6
TURN, STEPS, LYING, UPRIGHT = 0, 1, 2, 2 + WINDOWS
"""Places in `judge_table`: the worth of being to move, of a step that the opponent is farther from
having joined all units, and from where on the windows' stand, by their numbers."""

EXCHANGED = str.maketrans("bw", "wb")


@cache
def judge_table(size: int) -> np.ndarray:
    """Return what the judge goes by on a board of that size, or what was learnt on the nearest.

    Log-odds for Black; float32, shape (2 + 2 * 4096,). The number of a window has two bits for each
    point, column by column, the lower point first.
    """
    learnt = tomllib.loads(files(__package__).joinpath("ayu_shapes.toml").read_text("ascii"))
    board = min(learnt["board"], key=lambda board: abs(board["size"] - size))
    table = np.zeros(2 + 2 * WINDOWS, np.float32)
    table[TURN], table[STEPS] = board["turn"], board["step"]
    for shape, worth in board["shapes"].items():
        window = shape.replace("/", "")
        for sign, coloured in ((1, window), (-1, window.translate(EXCHANGED))):
            for image in images(coloured):
                table[LYING + number_lying(image)] = sign * worth
                table[UPRIGHT + number_of(image)] = sign * worth
    return table


def images(window: str) -> set[str]:
    """Return all turned and reflected images of a window of six letters."""
    lower, upper = window[:3], window[3:]
    return {
        lower + upper,
        upper + lower,
        lower[::-1] + upper[::-1],
        upper[::-1] + lower[::-1],
    }


def number_lying(window: str) -> int:
    """Return the number of a window whose two rows of three lie on top of each other."""
    return number_of(a + b for a, b in zip(window[:3], window[3:], strict=True))


def number_of(points: Iterable[str]) -> int:
    """Return the number with two bits for each of these points, the last one lowest."""
    number = 0
    for letter in "".join(points):
        number = number << 2 | LETTERS.index(letter)
    return number

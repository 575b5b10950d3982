"""Which games have a kernel. Nothing heavy is imported here.

A kernel plays one class of game by its own machine code, so a class derived from ours, whose rules
may differ, has none. What has no kernel is played, searched and solved by its plain rules.
"""

from __future__ import annotations

import sys
from functools import cache
from typing import TYPE_CHECKING

from oddly.games import Ayu, Odd, Xodd, Yodd

if TYPE_CHECKING:
    from oddly.games import Game

KERNEL_MODULES: dict[type[Game], str] = {
    Yodd: "oddly.engines.kernels.group_kernel",
    Xodd: "oddly.engines.kernels.group_kernel",
    Odd: "oddly.engines.kernels.odd_kernel",
    Ayu: "oddly.engines.kernels.ayu_kernel",
}


def has_kernel(game: Game) -> bool:
    """Return whether machine code plays `game`."""
    return type(game) in KERNEL_MODULES


def tell_of_plain_rules(game: Game) -> None:
    """Say once, on standard error, that `game` has no kernel."""
    tell_once(f"{game.name} has no kernel, so its plain rules are used: far slower, but the same")


@cache
def tell_once(sentence: str) -> None:
    """Print a sentence on standard error, unless this process has printed it before."""
    print(f"oddly: {sentence}", file=sys.stderr, flush=True)

"""The number of games that this machine can run at once, which may be fewer than wanted."""

from __future__ import annotations

import math
import os
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

import trio

from oddly.referee.program.configuration import (
    DESCRIPTORS_OF_A_GAME,
    descriptor_limit,
    descriptors_for_a_game,
    games_that_fit,
    raise_descriptor_limit,
)

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable

MIN_GAMES_OF_A_PROCESS = 3
"""If a process has descriptors for fewer games at once, one process plays them all."""


def say_nothing(_: str) -> None:
    """Hear a sentence about how games are run, and pass it on to nobody."""


class CapacityError(Exception):
    """This machine cannot play a single game. The message says what it lacks."""


def check_capacity(engines: int = 0) -> None:
    """Raise CapacityError if this process has too few descriptors for one game.

    `engines` is how many of its engines are already running.
    """
    raise_descriptor_limit()
    if games_that_fit(engines) == 0:
        needed = descriptors_for_a_game(engines)
        raise CapacityError(
            f"no game can be played: one needs {needed} descriptors, and the system grants "
            f"us {descriptor_limit()} (see ulimit -n)"
        )


class Room:
    """The places for games, shared evenly by several processes.

    `games` is the number at once: `wanted`, or fewer if descriptors are scarce, and a sentence then
    says so. A process has descriptors for `in_a_process` games. `engines` are already running.
    """

    def __init__(
        self, wanted: int, processes: int, say: Callable[[str], None], engines: int = 0
    ) -> None:
        raise_descriptor_limit()
        fitting = games_that_fit(engines)
        self.in_a_process: float = math.inf if fitting is None else max(1, fitting)
        most = processes * self.in_a_process
        self.games = wanted if most >= wanted else int(most)
        self._places = trio.CapacityLimiter(most)
        self._reductions = 0
        self._say = say
        if self.games < wanted:
            self._say(
                f"games at once: {self.games}, not {wanted}, since each needs "
                f"{DESCRIPTORS_OF_A_GAME} descriptors and the system grants us no more "
                "(see ulimit -n)"
            )

    @property
    def taken(self) -> int:
        """The number of places in use."""
        return self._places.borrowed_tokens

    @asynccontextmanager
    async def place(self) -> AsyncIterator[Callable[[str], None]]:
        """Wait for a place, and free it at the end of the `async with` block.

        The block gets a function to call, with the reason, if the machine is exhausted: it cuts the
        places to half the games then running. Games that run at the same time cut them only once.
        """
        async with self._places:
            reductions = self._reductions

            def exhausted(reason: str) -> None:
                if self._reductions == reductions:
                    self._shrink(reason)

            yield exhausted

    def _shrink(self, reason: str) -> None:
        self._reductions += 1
        at_once = self._places.borrowed_tokens
        if at_once > 1:
            self._places.total_tokens = at_once // 2
            self._say(f"games at once: {at_once // 2}, since {reason}")


def cores() -> int:
    """Return the number of processors that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def referees_for(wanted: int | None, at_once: int | None, games: int | None) -> int:
    """Return the number of referee processes: `wanted` or one per core, but no more than games.

    `at_once` of None means one game per core, and `games` of None any number. If descriptors are
    scarce, there is one process, because each needs some of its own.
    """
    raise_descriptor_limit()
    fitting = games_that_fit()
    if fitting is not None and fitting < MIN_GAMES_OF_A_PROCESS:
        return 1
    at_once = at_once or cores()
    return min(wanted or cores(), at_once, at_once if games is None else max(1, games))

"""An executor whose games are played by several referee processes on this machine.

Each game goes to the process that plays the fewest. Until the first process is up, the planning
process itself plays one game at a time, so the first move waits for no other process, and a short
match needs none. If no process stays alive, the planning process plays all games.
"""

from __future__ import annotations

from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from math import ceil
from typing import TYPE_CHECKING

import trio

from oddly.games.catalogue import is_in_catalogue
from oddly.tournaments.executors.conditions import FaultCount, Room, cores
from oddly.tournaments.executors.executor import local_executor
from oddly.tournaments.executors.referee_process import RefereeProcess

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Iterable, Mapping, Sequence

    from oddly.referee import EngineConfiguration, GameRecord, Player
    from oddly.tournaments.executors.conditions import Conditions
    from oddly.tournaments.executors.executor import Ended, LocalExecutor
    from oddly.tournaments.results.schedule import ScheduledGame

HEAD_START = 0.2
"""Seconds before other processes are started: a short match may be over by then."""
MAX_DEATHS = 3
"""A process that ended this often in a row without a finished game is not replaced."""
PAUSE = 0.1
"""Seconds before a process is replaced."""


@dataclass(slots=True)
class _Post:
    """The place of a referee process, refilled when the process dies."""

    referee: RefereeProcess | None = None
    """The process, if it can play."""
    running: int = 0
    known: set[str] = field(default_factory=set)
    """The engines that run there, or did."""
    deaths: int = 0
    """The number of processes in a row that ended here without a finished game."""

    @property
    def is_given_up(self) -> bool:
        """Whether this post starts no more processes."""
        return self.deaths >= MAX_DEATHS


@asynccontextmanager
async def referees_executor(
    configurations: Mapping[str, EngineConfiguration],
    conditions: Conditions,
    referees: int,
    waiting: Mapping[str, Player] | None = None,
) -> AsyncIterator[RefereesExecutor]:
    """Open an executor with this many processes; leaving the `async with` block ends them all.

    Engines that are `waiting`, by name, are already running, and play the first game.
    """
    own = replace(conditions, concurrency=1)
    async with (
        local_executor(configurations, own, waiting) as local,
        trio.open_nursery() as nursery,
    ):
        start = partial(RefereeProcess, configurations, conditions)
        stuck = [name for name, each in configurations.items() if each.was_stuck]
        running = len(waiting or {})
        executor = RefereesExecutor(local, conditions, referees, start, stuck, running)
        nursery.start_soon(executor.keep_all)
        try:
            yield executor
        finally:
            nursery.start_soon(local.pool.stop)
            nursery.cancel_scope.cancel()


class RefereesExecutor:
    """An executor that hands games to referee processes, which run while `keep_all` does."""

    def __init__(
        self,
        local: LocalExecutor,
        conditions: Conditions,
        referees: int,
        start: Callable[[], RefereeProcess],
        stuck: Iterable[str] = (),
        running: int = 0,
    ) -> None:
        self._local = local
        self._local_games = 0
        self._failure: str | None = None
        self._say = conditions.say
        self._start = start
        self._posts = [_Post() for _ in range(referees)]
        self._room = Room(conditions.concurrency or cores(), referees, conditions.say, running)
        self.slots = self._room.games
        self._faults = FaultCount(conditions)
        self._stuck = set(stuck)
        self._hindrances: set[str] = set()
        """Why the processes that were given up did not start."""
        self._changed = trio.lowlevel.ParkingLot()

    @property
    def failure(self) -> str | None:
        """What went wrong in any process without costing a game, such as a log."""
        return self._failure or self._local.failure

    async def keep_all(self) -> None:
        """Keep a referee process at every post, until cancelled."""
        await trio.sleep(HEAD_START)
        async with trio.open_nursery() as nursery:
            for post in self._posts:
                nursery.start_soon(self._keep, post)

    async def _keep(self, post: _Post) -> None:
        """Keep a referee process here until too many in a row have died without a finished game."""
        while not post.is_given_up:
            referee = self._start()
            how = await referee.attend(partial(self._fill, post, referee))
            was_up, post.referee = post.referee is not None, None
            post.known.clear()
            post.deaths += 1
            # A failure common to all is reported once, when no more attempts are made.
            if was_up or (post.is_given_up and how not in self._hindrances):
                self._say(f"a referee process {how}{'; it is not replaced' * post.is_given_up}")
            if not was_up and post.is_given_up:
                self._hindrances.add(how)
            self._changed.unpark_all()
            await trio.sleep(PAUSE)

    def _fill(self, post: _Post, referee: RefereeProcess) -> None:
        post.referee = referee
        self._changed.unpark_all()

    async def play(self, scheduled: ScheduledGame, ended: Ended | None = None) -> GameRecord:
        """Play one game, in the process with the most room."""

        def counted(record: GameRecord) -> None:
            self._faults.count(record)
            if ended is not None:
                ended(record)

        async with self._room.place() as exhausted:
            while (post := self._free(scheduled)) is None and not self._may_play_here(scheduled):
                await self._changed.park()
            if post is None:
                return await self._play_here(scheduled, counted)
            return await self._play_at(post, scheduled, counted, exhausted)

    def _free(self, scheduled: ScheduledGame) -> _Post | None:
        """Return the post that plays the fewest games, if any has room for one more.

        Among equals, one where these engines already run is preferred.
        """
        if not is_in_catalogue(scheduled.game):
            return None
        kept = sum(not post.is_given_up for post in self._posts)
        # A process that is starting gets its share of the games.
        share = ceil(max(self.slots, self._room.taken) / kept) if kept else 0
        most = min(share, self._room.in_a_process)
        open_posts = [
            post for post in self._posts if post.referee is not None and post.running < most
        ]
        engines = {scheduled.first, scheduled.second}
        return min(
            open_posts, key=lambda post: (post.running, len(engines - post.known)), default=None
        )

    def _may_play_here(self, scheduled: ScheduledGame) -> bool:
        """Return whether a game may be played in this process."""
        if not is_in_catalogue(scheduled.game):
            return True
        if any(post.referee is not None for post in self._posts):
            return False
        return not self._local_games or all(post.is_given_up for post in self._posts)

    async def _play_here(self, scheduled: ScheduledGame, ended: Ended) -> GameRecord:
        """Play a game in this process, which keeps the engines until a referee process can play."""
        pool = self._local.pool
        for name, faults in self._faults.of((scheduled.first, scheduled.second)).items():
            pool.learn(name, faults, is_stuck=name in self._stuck)
        self._local_games += 1
        try:
            record = await self._local.play(scheduled, ended)
        finally:
            self._local_games -= 1
            self._changed.unpark_all()
        self._note_stuck(scheduled, tuple(filter(pool.is_stuck, record.players)))
        if not self._local_games and any(post.referee is not None for post in self._posts):
            await pool.stop()
        return record

    async def _play_at(
        self, post: _Post, scheduled: ScheduledGame, ended: Ended, exhausted: Callable[[str], None]
    ) -> GameRecord:
        """Have a game played by the referee process of a post."""
        assert post.referee is not None  # noqa: S101 - it is free
        names = (scheduled.first, scheduled.second)
        post.running += 1
        post.known.update(names)
        stuck = tuple(name for name in names if name in self._stuck)
        try:
            record, free = await post.referee.play(scheduled, self._faults.of(names), stuck, ended)
        finally:
            post.running -= 1
            self._changed.unpark_all()
        if free is not None:
            post.deaths = 0
            self._note_stuck(scheduled, free.stuck)
            self._failure = self._failure or free.failure
            if record.outcome.is_exhaustion:
                exhausted(record.outcome.reason)
        return record

    def _note_stuck(self, scheduled: ScheduledGame, stuck: Sequence[str]) -> None:
        self._stuck.difference_update((scheduled.first, scheduled.second))
        self._stuck.update(stuck)

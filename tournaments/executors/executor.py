"""Executors play games: the local one plays them on this machine."""

from __future__ import annotations

import gc
from contextlib import asynccontextmanager
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Protocol

import trio

from oddly.games.untrusted_text import file_name
from oddly.protocol import parse_turn
from oddly.referee import EarlyEnds, GameRecord
from oddly.referee.justice.outcome import abandoned, failure_text
from oddly.referee.match.adjudication import EngineAdjudicator
from oddly.referee.match.engine_pool import EnginePool
from oddly.referee.match.game import play_pooled_game
from oddly.referee.match.wire_log import WireLog, open_log
from oddly.safe_files import json_object
from oddly.tournaments.executors.conditions import Conditions, Room, cores, isolation_of, under
from oddly.tournaments.results.schedule import ScheduledGame, scheduled_id

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Mapping
    from pathlib import Path

    from oddly.referee import EngineConfiguration, Outcome, Player

    Ended = Callable[[GameRecord], None]


MAX_HEADER_LENGTH = 1 << 16
"""The characters of a log's first line that are read to find out whose log it is."""


class Executor(Protocol):
    """Plays single games, up to one in each slot at once."""

    @property
    def slots(self) -> int:
        """How many games may run at once."""

    @property
    def failure(self) -> str | None:
        """What failed without costing a game, such as a log, in one sentence."""

    async def play(self, scheduled: ScheduledGame, ended: Ended | None = None) -> GameRecord:
        """Play one game to its end; several calls may run at once. Cancelling gives the game up.

        `ended` gets the record as soon as there is one; the caller gets it when there is room for
        another game.
        """


@asynccontextmanager
async def local_executor(
    configurations: Mapping[str, EngineConfiguration],
    conditions: Conditions | None = None,
    waiting: Mapping[str, Player] | None = None,
) -> AsyncIterator[LocalExecutor]:
    """Open an executor on this machine; leaving the `async with` block stops every engine.

    Engines in `waiting`, by name, are already running, and play the first games.
    """
    async with trio.open_nursery() as background:
        conditions = conditions or Conditions()
        executor = LocalExecutor(configurations, conditions, background, len(waiting or {}))
        for name, player in (waiting or {}).items():
            executor.pool.welcome(name, player)
        # If cancelled, it stops idle engines while games are still being abandoned.
        background.start_soon(executor.pool.stop_when_cancelled)
        # Imported objects stay: a full collection that visits them would delay every game.
        gc.freeze()
        try:
            yield executor
        finally:
            if executor.adjudicator is not None:
                await executor.adjudicator.stop()
            await executor.pool.stop()
            background.cancel_scope.cancel()


class LocalExecutor:
    """An executor on this machine, whose engines keep running between games.

    `running` is the number that run already.
    """

    def __init__(
        self,
        configurations: Mapping[str, EngineConfiguration],
        conditions: Conditions,
        background: trio.Nursery,
        running: int = 0,
    ) -> None:
        self.configurations = {
            name: under(conditions, configuration) for name, configuration in configurations.items()
        }
        self.conditions = conditions
        isolation_of(self.configurations.values())
        self._room = Room(conditions.concurrency or cores(), 1, conditions.say, running)
        self.slots = self._room.games
        self._failure: str | None = None
        self.adjudicator = self._adjudicator(background)
        ends = conditions.early_ends
        self._ends = (
            EarlyEnds(ends.max_turns, ends.at_limit, self.adjudicator)
            if ends.max_turns is not None or self.adjudicator is not None
            else None
        )
        self.pool = EnginePool(
            background,
            conditions.limits,
            conditions.restart,
            conditions.withdraw_after,
            faults=conditions.faults,
            stuck=[name for name, each in configurations.items() if each.was_stuck],
        )

    @property
    def failure(self) -> str | None:
        """The first thing that failed without costing a game, such as a log or an announcement."""
        return self._failure or self.pool.failure

    async def play(self, scheduled: ScheduledGame, ended: Ended | None = None) -> GameRecord:
        """Play one game as soon as there is room for it, and write its log."""
        async with self._room.place() as exhausted:
            record = await self.play_now(scheduled, ended)
            if record.outcome.is_exhaustion:
                exhausted(record.outcome.reason)
        return record

    async def play_now(self, scheduled: ScheduledGame, ended: Ended | None = None) -> GameRecord:
        """Play one game, even if there is no room for it, and write its log.

        If we fail unexpectedly, the game is abandoned.
        """
        is_recorded = False
        players = configured(self.configurations, scheduled)
        log = self._open_log(scheduled, players)
        on_turn = self.conditions.on_turn and partial(self.conditions.on_turn, scheduled)

        def note(record: GameRecord) -> None:
            nonlocal is_recorded
            is_recorded = True
            if log is not None and log.failure is not None:
                self._note(scheduled, log.failure)
            if ended is not None:
                ended(record)

        try:
            return await play_pooled_game(
                self.pool,
                scheduled.game,
                players,
                seed=scheduled.seed,
                on_turn=on_turn,
                log=log,
                opening=[parse_turn(turn) for turn in scheduled.opening],
                ended=note,
                ends=self._ends,
            )
        except Exception as error:
            if is_recorded:
                raise
            why = f"the referee failed: {failure_text(error)}"
            record = unplayed(scheduled, abandoned(why))
            note(record)
            return record

    def _adjudicator(self, background: trio.Nursery) -> EngineAdjudicator | None:
        """Return the adjudicator, if there is one."""
        ends = self.conditions.early_ends
        if ends.adjudicator is None:
            return None
        return EngineAdjudicator(
            under(self.conditions, ends.adjudicator),
            background,
            self.conditions.limits,
            positions=ends.positions,
            seconds=ends.seconds,
            first_turn=ends.first_turn,
            say=self._note_adjudicator,
        )

    def _note_adjudicator(self, sentence: str) -> None:
        """Remember why adjudication stopped."""
        self._failure = self._failure or sentence
        self.conditions.say(sentence)

    def _open_log(
        self, scheduled: ScheduledGame, players: tuple[EngineConfiguration, EngineConfiguration]
    ) -> WireLog | None:
        if self.conditions.log_directory is None:
            return None
        facts = {
            "id": scheduled.id,
            "game": scheduled.game.name,
            "size": scheduled.game.size,
            "settings": dict(scheduled.game.settings),
            "players": [scheduled.first, scheduled.second],
            "seed": scheduled.seed,
            "opening": list(scheduled.opening),
            "controls": [str(player.time) for player in players],
            "margin": self.conditions.limits.margin,
        }
        try:
            log = open_log(log_path(self.conditions.log_directory, scheduled))
            log.header(facts)
        except OSError as error:
            self._note(scheduled, error.strerror)
        except Exception as error:
            self._note(scheduled, failure_text(error))
        else:
            return log
        return None

    def _note(self, scheduled: ScheduledGame, reason: str | None) -> None:
        """Remember the first reason why a log could not be written."""
        place = (
            f"cannot write logs to {self.conditions.log_directory} from game {scheduled.number} on"
        )
        self._failure = self._failure or f"{place}: {reason}"


def log_path(directory: Path, scheduled: ScheduledGame) -> Path:
    """Return the path of a game's log, named after the game; unsafe characters become hyphens.

    If another game has that name, as in a folder with logs of several events, it ends in the id.
    """
    players = f"{scheduled.first} {scheduled.second}"
    replay = scheduled.id.removeprefix(scheduled_id(scheduled.id))
    stem = file_name(f"{scheduled.number:05} {scheduled.game} {players} {replay}")
    path = directory / f"{stem}.log"
    if _identity_in(path) in (None, scheduled.id):
        return path
    return directory / f"{stem}-{file_name(scheduled.id)}.log"


def _identity_in(log: Path) -> str | None:
    """Return the id of the game of a log, empty if the file is no log; None if nothing is there."""
    try:
        with log.open(encoding="utf-8", errors="replace") as file:
            line = file.readline(MAX_HEADER_LENGTH)
    except FileNotFoundError:
        return None
    try:
        return str(json_object(line.removeprefix("# ")).get("id", "")) if line else None
    except ValueError:
        return ""


def configured(
    configurations: Mapping[str, EngineConfiguration], scheduled: ScheduledGame
) -> tuple[EngineConfiguration, EngineConfiguration]:
    """Return the engines of a game, with the options for that game."""
    one, other = configurations[scheduled.first], configurations[scheduled.second]
    first, second = scheduled.options
    return (
        replace(one, options={**one.options, **dict(first)}) if first else one,
        replace(other, options={**other.options, **dict(second)}) if second else other,
    )


def unplayed(scheduled: ScheduledGame, outcome: Outcome) -> GameRecord:
    """Return a record for a game of which we know only the outcome."""
    names = (scheduled.first, scheduled.second)
    return GameRecord(scheduled.game, names, ("", ""), scheduled.seed, (), outcome)

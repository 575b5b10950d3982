"""A referee process as the planning process sees it: started, heard, and ended."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

import trio

from oddly.protocol import parse_turn
from oddly.referee import GameRecord, PlayedTurn, Snapshot
from oddly.referee.justice.outcome import abandoned
from oddly.referee.program.channel import ExitWatch, ending_text
from oddly.referee.program.orphans import adopt_orphans, know_engine
from oddly.referee.program.starting import clean_up, leave
from oddly.tournaments.executors.conditions import say_nothing
from oddly.tournaments.executors.executor import unplayed
from oddly.tournaments.executors.referee_serving import (
    Assignment,
    BrokenDown,
    Finish,
    GameEnded,
    GiveUp,
    Instructions,
    Link,
    Message,
    PlaceFree,
    Ready,
    TurnsTold,
    TurnTold,
)
from oddly.tournaments.results.schedule import ScheduledGame, scheduled_facts

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from oddly.games import Position
    from oddly.referee import EngineConfiguration
    from oddly.tournaments.executors.conditions import Conditions
    from oddly.tournaments.executors.executor import Ended

SCRIPT = str(Path(__file__).with_name("referee_start.py"))
MAX_START = 60
"""Seconds within which a referee process must be ready."""
MAX_SILENCE = 10
"""Seconds without a beat after which a process counts as hung and is replaced."""
ORDERLY_END = 1.5
"""Seconds, beyond the grace for engines, within which a process must end after `Finish`."""
MAX_DYING = 0.5


@dataclass(slots=True)
class AssignedGame:
    """A game that a referee process plays."""

    scheduled: ScheduledGame
    ended: Ended | None
    position: Position
    turns: int
    record: GameRecord | None = None
    """The record as soon as there is one."""
    is_over: trio.Event = field(default_factory=trio.Event)
    """Set when there is room for another game."""
    free: PlaceFree | None = None
    """The message that said so."""


class RefereeProcess:
    """A referee process, which plays while `attend` runs."""

    def __init__(
        self, configurations: Mapping[str, EngineConfiguration], conditions: Conditions
    ) -> None:
        self.is_ready = False
        self._conditions = conditions
        portable = replace(conditions, concurrency=1, on_turn=None, say=say_nothing)
        self._instructions = Instructions(
            dict(configurations), portable, conditions.on_turn is not None
        )
        self._games: dict[str, AssignedGame] = {}
        self._was_heard = False
        self._how_it_ended = ""

    async def attend(self, ready: Callable[[], None]) -> str:
        """Run the process until it ends by itself; return how, in words.

        `ready` is called when it can play. Cancelling ends it. Its unfinished games are abandoned.
        """
        with ExitStack() as ours:
            try:
                popen, watch, link = self._start(ours)
            except OSError as error:
                return f"could not be started: {error.strerror}"
            try:
                async with trio.open_nursery() as nursery:
                    nursery.start_soon(link.write)
                    nursery.start_soon(self._notice_silence, popen)
                    self._link = link
                    link.send(self._instructions)
                    while (message := await link.receive()) is not None:
                        self._was_heard = True
                        if isinstance(message, Ready):
                            self.is_ready = True
                            ready()
                        else:
                            self._take(message)
                    nursery.cancel_scope.cancel()
                await watch.within(MAX_DYING)
            finally:
                with trio.CancelScope(shield=True):
                    await self._end(popen, watch)
                self._abandon_all()
        return self._how_it_ended

    def _start(self, ours: ExitStack) -> tuple[subprocess.Popen[bytes], ExitWatch, Link]:
        """Start the process. Raises OSError if the machine cannot."""
        # When it dies, this process, not the system, inherits what its engines leave behind.
        adopt_orphans()
        here, there = socket.socketpair()
        ours.callback(here.close)
        with there:
            here.sendall(json.dumps(sys.path).encode() + b"\n")
            popen = subprocess.Popen(
                [sys.executable, SCRIPT, str(there.fileno())],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                pass_fds=(there.fileno(),),
                # Only we handle Ctrl-C in a terminal.
                start_new_session=True,
            )
        try:
            watch = ExitWatch(popen)
        except OSError:
            popen.kill()
            leave(popen)
            raise
        know_engine(popen.pid)
        ours.callback(watch.close)
        return popen, watch, Link(here)

    async def play(
        self,
        scheduled: ScheduledGame,
        faults: Mapping[str, int],
        stuck: Sequence[str],
        ended: Ended | None,
    ) -> tuple[GameRecord, PlaceFree | None]:
        """Have a game played; return its record, and the message that its place is free.

        If the process does not finish a game, the game is abandoned.
        """
        position = scheduled.game.start()
        for turn in scheduled.opening:
            position = position.play(parse_turn(turn))
        game = AssignedGame(scheduled, ended, position, len(scheduled.opening))
        self._games[scheduled.id] = game
        self._link.send(Assignment(scheduled_facts(scheduled), faults, stuck))
        try:
            await game.is_over.wait()
        except trio.Cancelled:
            self._games.pop(scheduled.id, None)
            self._link.send(GiveUp(scheduled.id))
            raise
        if game.record is None:
            reason = f"the referee process that played it {self._how_it_ended}"
            return unplayed(scheduled, abandoned(reason, game.turns)), None
        return game.record, game.free

    def _take(self, message: Message) -> None:
        """Handle the process's messages about its games and its end."""
        if isinstance(message, BrokenDown):
            self._how_it_ended = f"failed: {message.reason}"
        elif isinstance(message, TurnsTold):
            for turn in message.turns:
                if (game := self._games.get(turn.id)) is not None:
                    self._show_turn(game, turn)
        elif isinstance(message, GameEnded | PlaceFree):
            # Messages about a game that was given up may still come.
            if (game := self._games.get(message.id)) is None:
                return
            if isinstance(message, GameEnded):
                game.record = GameRecord.from_json(message.record)
                if game.ended is not None:
                    game.ended(game.record)
            else:
                del self._games[message.id]
                game.free = message
                game.is_over.set()

    def _show_turn(self, game: AssignedGame, message: TurnTold) -> None:
        """Play the turn on our own position, and show it."""
        colour = game.position.to_move
        game.position = game.position.play(parse_turn(message.turn))
        game.turns += 1
        last = PlayedTurn(colour, message.turn, message.seconds, message.evaluation)
        if self._conditions.on_turn is not None:
            self._conditions.on_turn(
                game.scheduled,
                Snapshot(game.position, game.turns, last, message.mover, message.seconds_left),
            )

    async def _notice_silence(self, popen: subprocess.Popen[bytes]) -> None:
        """Kill the process when it is silent for too long.

        Seconds are counted one by one, so time while this process itself was stopped does not
        count.
        """
        silent = 0
        while silent < (MAX_SILENCE if self.is_ready else MAX_START):
            self._was_heard = False
            await trio.sleep(1)
            silent = 0 if self._was_heard else silent + 1
        self._how_it_ended = f"did not respond for {silent} seconds"
        popen.kill()

    async def _end(self, popen: subprocess.Popen[bytes], watch: ExitWatch) -> None:
        """End the process if it runs, and reap it; end what it left behind."""
        is_clean = not self.is_ready
        if self.is_ready and not watch.has_exited():
            self._link.send_now(Finish())
            await watch.within(self._conditions.limits.grace + ORDERLY_END)
            is_clean = watch.has_exited()
        popen.kill()
        await watch.within(MAX_DYING)
        code = popen.poll()
        leave(popen)
        ending = "could not be ended" if code is None else ending_text(code)
        self._how_it_ended = self._how_it_ended or ending
        if not is_clean:
            # If no thread is available, the next run does it.
            with suppress(RuntimeError):
                await trio.to_thread.run_sync(clean_up)

    def _abandon_all(self) -> None:
        """Abandon every unfinished game, and wake the callers that wait for it."""
        for game in self._games.values():
            game.is_over.set()
        self._games.clear()

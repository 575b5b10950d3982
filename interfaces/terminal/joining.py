"""How `oddly join` keeps an engine at an arena, with the terminal and Ctrl-C, and what it says.

It says a sentence for each event. The engine's state is a short line at the bottom of the terminal
that is redrawn; sentences scroll above it. Each text from the arena becomes one harmless line.
"""

from __future__ import annotations

import json
import math
import signal
import sys
import time
from collections import Counter, deque
from contextlib import suppress
from dataclasses import dataclass, field
from time import monotonic
from typing import TYPE_CHECKING, Self

import trio
from rich.console import Console
from rich.live import Live
from rich.text import Text

from oddly.arena.client import events
from oddly.arena.client.connection import ArenaAddress, connected
from oddly.arena.client.engine import ArenaEngine
from oddly.arena.client.identity import Identity, NotWelcomeError
from oddly.arena.client.joining import UNTIL_HELLO, Joining
from oddly.arena.client.machine import ClientMachine
from oddly.arena.wire.messages import Hello
from oddly.games import one_line
from oddly.games.wording import counted
from oddly.interfaces.text.line_writer import LineWriter
from oddly.protocol import NO_CLOCK
from oddly.referee import CheckOptions, EngineConfiguration, EngineFault, check_engine
from oddly.referee.bridge.address import BridgeError
from oddly.referee.check.checker import step_lines
from oddly.referee.justice.outcome import VoidGame
from oddly.referee.program.configuration import Isolation

if TYPE_CHECKING:
    from collections.abc import Mapping

    from oddly.arena.wire.messages import RatingNow
    from oddly.games import Game
    from oddly.referee.check.checker import CheckReport


class CannotJoinError(Exception):
    """An engine cannot join, or must leave. The message is one sentence."""


@dataclass(frozen=True, slots=True)
class Visit:
    """Who joins where, with which program, and for how long."""

    who: Identity
    address: ArenaAddress
    program: tuple[str, ...]
    games: int | None = None
    until: float = math.inf
    """The time, as in `time.time`, after which no game begins."""
    check: bool = False
    wait: bool = False
    """Whether to take an arena that does not answer to be only away."""
    as_json: bool = False

    @property
    def configuration(self) -> EngineConfiguration:
        """The engine; each game brings its own clock."""
        return EngineConfiguration(self.who.name, self.program, NO_CLOCK)


class _EventLines:
    """Prints a line for each event, as a sentence or as JSON."""

    def __init__(self, *, as_json: bool) -> None:
        self._as_json = as_json
        self._lines = LineWriter("stdout")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._lines.flush()

    def told(self, event: events.ClientEvent) -> None:
        line = json.dumps(event.as_json()) if self._as_json else sentence(event)
        if line:
            self._lines.write(line)

    async def attend(self) -> None:
        return


def play(visit: Visit) -> None:
    """Play until it is time to leave. Raises CannotJoinError."""
    if visit.check:
        trio.run(_check, visit)
    with _shown(visit) as shown:
        problem = trio.run(_play, visit, shown)
    if problem:
        raise CannotJoinError(problem)


def _shown(visit: Visit) -> _EventLines | LiveLine:
    if visit.as_json or not sys.stdout.isatty():
        return _EventLines(as_json=visit.as_json)
    from oddly.interfaces.terminal.joining import LiveLine

    return LiveLine(visit.who.name)


async def _play(visit: Visit, shown: _EventLines | LiveLine) -> str:
    """Play, and return why the engine had to leave; empty if it did not have to."""
    async with trio.open_nursery() as nursery:
        engine = ArenaEngine(
            visit.configuration, nursery, lambda why: shown.told(events.EngineFailed(why))
        )
        try:
            program = await engine.start()
        except (EngineFault, VoidGame) as fault:
            return f"the engine does not start: {fault.reason}"
        shown.told(events.EngineStarted(program))
        machine = ClientMachine(visit.who, program, visit.games)
        joining = Joining(machine, engine, visit.address, shown.told, waits=visit.wait)
        nursery.start_soon(shown.attend)
        nursery.start_soon(_rest_at, visit.until, joining)
        await nursery.start(_obey_signals, joining)
        problem = await joining.run()
        nursery.cancel_scope.cancel()
    return problem


async def _rest_at(until: float, joining: Joining) -> None:
    """Begin no more games after the time `until`."""
    while (left := until - time.time()) > 0:
        # The system clock may be changed.
        await trio.sleep(min(left, 60.0))
    joining.note("it is time to leave; the game that goes on is finished")
    joining.rest()


async def _obey_signals(
    joining: Joining, task_status: trio.TaskStatus[None] = trio.TASK_STATUS_IGNORED
) -> None:
    """Leave after the game at the first signal, resign it at the second, then leave at once."""
    with trio.open_signal_receiver(signal.SIGINT, signal.SIGTERM) as signals:
        task_status.started()
        asked = 0
        async for _ in signals:
            asked += 1
            if joining.machine.table is None:
                joining.rest()
                if asked > 1:
                    joining.leave()
            elif asked == 1:
                joining.note("leaving after this game; another Ctrl-C resigns it")
                joining.rest()
            elif asked == 2:
                when = " when the arena is back" if joining.machine.is_away else ""
                joining.note(f"the game is resigned{when}; another Ctrl-C leaves it to its clock")
                joining.resign()
            else:
                joining.leave("left in a game, which is lost when its clock is over")


UNISOLATED = CheckOptions(isolation=Isolation.NONE)
"""An engine that joins an arena is not isolated."""


async def _check(visit: Visit) -> None:
    """Check the engine in each game of its pools. Raises CannotJoinError as `judge` does."""
    for game in await _games_to_check(visit):
        print(f"checking the engine in {game}", file=sys.stderr, flush=True)
        report = await check_engine(visit.program, game, UNISOLATED, lambda _: None)
        judge(report, game)


def judge(report: CheckReport, game: Game) -> None:
    """Print the first failed step of a check, one that the protocol requires if there is any.

    Raises CannotJoinError if there is. What is only recommended keeps no engine out.
    """
    failed = [result for result in report.results if result.verdict == "fail"]
    required = [result for result in failed if not result.step.should]
    for first in (required or failed)[:1]:
        print(step_lines(first), file=sys.stderr)
    if required:
        steps = "a step" if len(required) == 1 else f"{len(required)} steps"
        raise CannotJoinError(
            f"the engine fails {steps} of the check in {game}; 'oddly check' has more"
        )


async def _games_to_check(visit: Visit) -> list[Game]:
    """Return the games of the arena's pools that the engine plays. Raises CannotJoinError."""
    try:
        async with connected(visit.address) as connection:
            with trio.fail_after(UNTIL_HELLO):
                hello = await connection.receive()
    except (BridgeError, trio.TooSlowError) as error:
        raise CannotJoinError(str(error) or "the arena is silent") from None
    if not isinstance(hello, Hello):
        raise CannotJoinError("the other side is not an arena: it sends no greeting")
    games, problem = await _playable_games(visit, hello)
    if problem:
        raise CannotJoinError(problem)
    return games


async def _playable_games(visit: Visit, hello: Hello) -> tuple[list[Game], str]:
    """Return the first board of each game that the engine plays, or what is wrong."""
    found: dict[str, Game] = {}
    problem = ""
    async with trio.open_nursery() as nursery:
        engine = ArenaEngine(visit.configuration, nursery, lambda _: None)
        try:
            for offer in visit.who.wanted(hello):
                if not await engine.refusal(offer, is_named=bool(visit.who.pools)):
                    game = events.game_of(offer)
                    found.setdefault(game.name, game)
        except (EngineFault, VoidGame) as fault:
            problem = f"the engine does not start: {fault.reason}"
        except NotWelcomeError as error:
            problem = str(error)
        finally:
            await engine.stop()
        nursery.cancel_scope.cancel()
    return list(found.values()), problem


MAX_LENGTH = 160


def sentence(event: events.ClientEvent) -> str:
    """Return what an event means for the owner; empty if it only tells the clocks."""
    match event:
        case events.Joined():
            return _joined(event)
        case events.GameBegun():
            verb = "goes on" if event.resumed else "begins"
            kind = "" if event.rated else ", unrated"
            return _line(f"game {event.game} {verb} against {event.opponent} in {event.pool}{kind}")
        case events.GameOver():
            return _line(_over(event))
        case events.Cut():
            return _line(f"{event.why}; connecting again in {event.seconds:.1f} s")
        case events.EngineFailed():
            return _line(f"{event.why}; it is started again")
        case events.Noted():
            return _line(event.text)
        case events.Left():
            return f"left after {counted(event.games, 'game')}"
    return ""


def _line(text: str) -> str:
    return one_line(text, MAX_LENGTH)


def _joined(event: events.Joined) -> str:
    if event.returns:
        return _line(f"back at {event.arena}")
    new = ", for the first time" if event.new else ""
    return _line(f"{event.name} is at {event.arena}{new}: {event.page}")


def _over(event: events.GameOver) -> str:
    result = RESULTS.get(event.points, "does not count")
    said = f"game {event.game} against {event.opponent} {result}, {event.score}: {event.reason}"
    return f"{said}; {rating_text(event.rating)}" if event.rating is not None else said


RESULTS: Mapping[float | None, str] = {1.0: "won", 0.5: "drawn", 0.0: "lost"}


def rating_text(rating: RatingNow) -> str:
    """Return a rating with half its 95 % interval, as in `1523 ± 41`; a `?` if provisional."""
    return f"{rating.elo:z.0f} ± {rating.error:.0f}{'?' if rating.provisional else ''}"


@dataclass(slots=True)
class JoiningState:
    """The engine's situation, kept up to date by events."""

    name: str
    ratings: dict[str, RatingNow] = field(default_factory=dict)
    ended: Counter[float | None] = field(default_factory=Counter)
    """How many games ended with each number of points; None for those that do not count."""
    pool: str = ""
    opponent: str = ""
    clocks: tuple[float, float] | None = None
    """The seconds of the engine and of its opponent, as last reported."""
    is_ours: bool = False
    """Whether the engine's clock runs."""
    told_at: float = 0.0
    doing: str = "connecting"

    def learn(self, event: events.ClientEvent, now: float) -> None:
        """Note an event at the time `now`."""
        match event:
            case events.Joined():
                self.ratings.update(event.ratings)
                self.doing = "waiting for a game"
            case events.GameBegun():
                self.pool, self.opponent, self.clocks = event.pool, event.opponent, None
                self.doing = f"against {event.opponent}"
            case events.ClockTold():
                self.clocks = event.ours, event.theirs
                self.is_ours, self.told_at = event.is_ours, now
            case events.GameOver():
                self.ended[event.points] += 1
                self.clocks, self.doing = None, "waiting for a game"
                if event.rating is not None:
                    self.ratings[event.pool] = event.rating
            case events.Cut():
                self.doing = "connecting"

    def line(self, now: float) -> str:
        """Return the state in one line, with the clocks as they are at the time `now`."""
        # Only a terminal shows it, and the first time is before any game.
        from oddly.interfaces.human_play.recording import clock_text

        parts = [self.name]
        rating = self.ratings.get(self.pool) or next(iter(self.ratings.values()), None)
        if rating is not None:
            parts.append(rating_text(rating))
        counts = (f"{self.ended[points]} {result}" for points, result in RESULTS.items())
        parts.append(", ".join(counts))
        parts.append(self.doing)
        if self.clocks is not None:
            ours, theirs = self._clocks_at(now)
            parts.append(f"{clock_text(ours)} to {clock_text(theirs)}")
        return one_line("  ".join(parts), MAX_LENGTH)

    def _clocks_at(self, now: float) -> tuple[float, float]:
        ours, theirs = self.clocks or (0.0, 0.0)
        gone = now - self.told_at
        return (ours - gone, theirs) if self.is_ours else (ours, theirs - gone)


EVERY = 0.5
"""Seconds between two drawings, if nothing happens."""
MAX_SENTENCES = 100
"""The most sentences kept for a stalled terminal; the oldest are dropped."""


class LiveLine:
    """Shows an engine's state within a `with` block, which restores the terminal.

    A stalled or closed terminal does not stop the games.
    """

    def __init__(self, name: str, console: Console | None = None) -> None:
        self._console = console or Console(highlight=False, markup=False, soft_wrap=True)
        self._state = JoiningState(name)
        self._said: deque[str] = deque(maxlen=MAX_SENTENCES)
        self._told = trio.Event()
        self._live = Live(self._text(), console=self._console, auto_refresh=False, transient=True)

    def __enter__(self) -> Self:
        self._live.start()
        return self

    def __exit__(self, *_: object) -> None:
        with suppress(OSError):
            self._draw(self._text())
            self._live.stop()

    def told(self, event: events.ClientEvent) -> None:
        """Take note of an event, to be shown soon."""
        self._state.learn(event, monotonic())
        if said := sentence(event):
            self._said.append(said)
        self._told.set()

    async def attend(self) -> None:
        """Keep the line drawn, with its running clocks, until cancelled."""
        while True:
            try:
                # In a thread, so that the arena's messages are read meanwhile.
                await trio.to_thread.run_sync(self._draw, self._text())
            except OSError:
                return
            with trio.move_on_after(EVERY):
                await self._told.wait()
            self._told = trio.Event()

    def _draw(self, line: Text) -> None:
        while self._said:
            self._console.print(Text(self._said.popleft()))
        self._live.update(line, refresh=True)

    def _text(self) -> Text:
        return Text(self._state.line(monotonic()), no_wrap=True, overflow="ellipsis")

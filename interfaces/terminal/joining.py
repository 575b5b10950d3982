"""What `oddly join` says about an engine at an arena: a sentence for each event, and a short state.

The state is a line at the bottom of the terminal that is redrawn; sentences scroll above it. Each
text from the arena becomes one harmless line.
"""

from __future__ import annotations

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
from oddly.games import one_line
from oddly.games.wording import counted

if TYPE_CHECKING:
    from collections.abc import Mapping

    from oddly.arena.client.events import ClientEvent
    from oddly.arena.wire.messages import RatingNow


MAX_LENGTH = 160


def sentence(event: ClientEvent) -> str:
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

    def learn(self, event: ClientEvent, now: float) -> None:
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

    def told(self, event: ClientEvent) -> None:
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

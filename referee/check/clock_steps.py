"""Steps about clocks. An answer is late only if the checking machine was not.

What a loaded machine does to this program, it may do to the engine: from each answer's time the
worst lateness of our own loop is taken off, and an engine has three attempts.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import trio

from oddly.protocol.messages import Resign
from oddly.referee.check.busy import is_busy
from oddly.referee.check.errors import Failed, Skipped
from oddly.referee.check.judging import judged
from oddly.referee.check.step import step
from oddly.referee.lag import LagMeter

if TYPE_CHECKING:
    from oddly.referee.check.engine_under_test import EngineUnderTest

ATTEMPTS = 3
SLACK = 0.25
"""Seconds that an answer may be late here beyond the margin: starting to think costs something."""
BUSY_FACTOR = 10
"""An engine is scheduled many times in a turn, and each time it may wait as long as our loop."""
TURNS = 2
"""Turns under each clock."""


class ShortClock(NamedTuple):
    """A clock that is nearly run down: what `time_left` says, and what a turn may take."""

    control: str
    left: str
    seconds: float


CLOCKS = (
    ShortClock("0.3", "0.300 0", 0.3),
    ShortClock("60+0", "0.400 0", 0.4),
    ShortClock("60+0.5", "0.500 0", 0.5),
    ShortClock("0+1/0.4", "0.400 1", 0.4),
    ShortClock("60+5/30", "0.500 5", 0.5),
    ShortClock("0+2x0.4", "0.400 1", 0.4),
)


@step("6", "time_control")
async def clock(engine: EngineUnderTest) -> None:
    """Answers every genmove of these games within its time."""
    allowed = engine.options.time
    if engine.genmoves == 0:
        raise Skipped("no game was played")
    if engine.slowest > allowed + engine.options.margin:
        raise Failed(
            f"a genmove took {engine.slowest:.3f} s under time_control {allowed:g}",
            f"an answer within {allowed:g} s",
            engine.slowest_sent,
            engine.slowest_received,
        )


@step("6", "time_control", "time_left")
async def little_time(engine: EngineUnderTest) -> None:
    """Answers in time when time_left says that little is left, and for that player only."""
    for each in CLOCKS:
        await engine.set_up(engine.small, each.control)
        position = engine.small.start()
        for _ in range(TURNS):
            if position.is_over:
                break
            mover = position.to_move
            lines = [f"time_left {mover} {each.left}", f"time_left {mover.other} 60.000 0"]
            if len(engine.small.board) % 2:
                lines.reverse()
            answer = await _in_time(engine, [*lines, f"genmove {mover}"], each)
            turn = judged(engine, position, answer)
            if isinstance(turn, Resign):
                break
            position = position.play(turn)


async def _in_time(engine: EngineUnderTest, lines: list[str], clock: ShortClock) -> str:
    """Return the answer to the last line. Raises Failed if it is late each time it is asked."""
    allowed = clock.seconds + engine.options.margin + SLACK
    for attempt in range(ATTEMPTS):
        again = "undo" in engine.commands and attempt < ATTEMPTS - 1
        watch = LagMeter.of_this_run().watch()
        began = trio.current_time()
        replies = await engine.conversation.ask_all(lines, engine.options.timeout + 60)
        late = watch.end()
        took = trio.current_time() - began - BUSY_FACTOR * late
        took -= SLACK if is_busy(late) else 0.0
        for line, reply in zip(lines, replies, strict=True):
            if not reply.ok:
                raise engine.conversation.failure(f"refused {line!r}: {reply.text}", "= ...")
        if took <= allowed:
            break
        if not again:
            told = f"under {clock.control} with {clock.left.split()[0]} s left"
            raise engine.conversation.failure(
                f"a genmove took {took:.3f} s {told}", f"an answer within {clock.seconds:g} s"
            )
        await engine.accepted("undo")
    return replies[-1].text


STEPS = (clock, little_time)

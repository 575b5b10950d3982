"""Steps about the end of a session. Each ends the engine's process."""

from __future__ import annotations

from typing import TYPE_CHECKING

import trio

from oddly.referee.check.busy import is_busy
from oddly.referee.check.step import step
from oddly.referee.lag import LagMeter

if TYPE_CHECKING:
    from oddly.referee.check.engine_under_test import EngineUnderTest

PATIENCE = 1.0
"""Seconds from `quit` or the end of input until the referee would send SIGTERM."""
BUSY_FACTOR = 5
"""How much longer it may take on a machine that has no time for it."""
WENT_ON = "closed its output and went on running"


@step("5.1")
async def quits(engine: EngineUnderTest) -> None:
    """Answers quit, and exits."""
    conversation = engine.conversation
    reply = await conversation.ask("quit")
    if not reply.ok:
        raise conversation.failure("refused quit", "=")
    watch = LagMeter.of_this_run().watch()
    ended = await conversation.channel.how_it_ended(PATIENCE)
    if is_busy(watch.end()) and ended == WENT_ON:
        ended = await conversation.channel.how_it_ended(10 * PATIENCE)
    await conversation.stop()
    if ended == WENT_ON:
        raise conversation.failure(f"did not exit within {PATIENCE:g} s", "= and an exit")
    if "killed" in ended:
        raise conversation.failure(f"the engine {ended} after quit", "= and an exit")


@step("4")
async def exits_at_end_of_input(engine: EngineUnderTest) -> None:
    """Exits at the end of its input."""
    conversation = engine.conversation
    await engine.accepted("name")
    began = trio.current_time()
    watch = LagMeter.of_this_run().watch()
    ended = await conversation.stop(farewell=b"", grace=2 * BUSY_FACTOR * PATIENCE)
    patience = PATIENCE * (BUSY_FACTOR if is_busy(watch.end()) else 1)
    conversation.sent, conversation.received = b"", bytearray()
    if trio.current_time() - began >= patience:
        raise conversation.failure(f"did not exit within {PATIENCE:g} s", "an exit")
    if ended is not None and "killed" in ended:
        raise conversation.failure(f"the engine {ended}", "an exit")


STEPS = (quits, exits_at_end_of_input)

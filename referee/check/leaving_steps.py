"""Steps about the end of a session: `quit`, the end of the input, and what is left behind."""

from __future__ import annotations

from typing import TYPE_CHECKING

import trio

from oddly.protocol.codec import CONTROLS
from oddly.referee.check.replies import REPLY_MARK
from oddly.referee.check.step import is_busy, step
from oddly.referee.justice.deadline import LagMeter
from oddly.referee.program.process import EngineProcess

if TYPE_CHECKING:
    from oddly.referee.check.engine_under_test import EngineUnderTest
    from oddly.referee.program.channel import Channel


PATIENCE = 1.0
"""Seconds from `quit` or the end of input until the referee would send SIGTERM."""
LOOK_AGAIN = 0.05
BUSY_FACTOR = 5
"""What that is multiplied by on a busy machine."""
WENT_ON = "closed its output and went on running"


@step("5.1", "leaving")
async def quits(engine: EngineUnderTest) -> None:
    """Answers quit, and exits with all that it has started."""
    conversation = engine.conversation
    await engine.refused("quit now")
    if isinstance(conversation.channel, EngineProcess):
        conversation.channel.spares_what_is_left = True
    reply = await conversation.ask("quit")
    if not reply.ok:
        raise conversation.failure("refused quit", "=")
    watch = LagMeter.of_this_run().watch()
    began = trio.current_time()
    if conversation.has_more or await conversation.unrequested(PATIENCE):
        raise conversation.failure("output behind the reply to quit", "= and an exit")
    left_behind = await _left_behind(conversation.channel, began + PATIENCE)
    left = PATIENCE - (trio.current_time() - began)
    late = 10 * PATIENCE if is_busy(watch.end()) else 0.0
    watched = PATIENCE
    if left_behind and late:
        watched += late
        left_behind = await _left_behind(conversation.channel, trio.current_time() + late)
    # What is left behind may hold its standard error open for ever.
    ended = await conversation.channel.how_it_ended(max(0.0, left, 0.0 if left_behind else late))
    await conversation.stop()
    if ended == WENT_ON:
        raise conversation.failure(f"did not exit within {PATIENCE:g} s", "= and an exit")
    if "killed" in ended:
        raise conversation.failure(f"the engine {ended} after quit", "= and an exit")
    if left_behind:
        noun = "process" if left_behind == 1 else "processes"
        problem = f"left {left_behind} {noun} running for {watched:g} s after its exit"
        raise conversation.failure(problem, "= and the end of all its processes")


async def _left_behind(channel: Channel, until: float) -> int:
    """Return how many processes have outlived the engine at a time; 0 if it has not exited."""
    if not isinstance(channel, EngineProcess):
        return 0
    while running := await channel.number_running():
        if trio.current_time() >= until:
            return running if channel.has_exited() else 0
        await trio.sleep(LOOK_AGAIN)
    return 0


@step("4", "leaving")
async def exits_at_end_of_input(engine: EngineUnderTest) -> None:
    """Exits at the end of its input."""
    await engine.accepted("name")
    await ends_with_its_input(engine)
    if engine.conversation.received.translate(None, CONTROLS):
        raise engine.failure("output at the end of its input", "an exit")


@step("2.1", "leaving")
async def ignores_a_line_cut_off(engine: EngineUnderTest) -> None:
    """Ignores what follows the last line feed of its input."""
    conversation = engine.conversation
    await engine.accepted("name")
    # Whether it exits is the matter of another step.
    await conversation.end_input(b"name", 2 * PATIENCE)
    if REPLY_MARK.search(conversation.received):
        raise conversation.failure("carried out a line without its line feed", "nothing")


async def ends_with_its_input(engine: EngineUnderTest) -> None:
    """End the input of the engine. Raises Failed if it does not exit."""
    conversation = engine.conversation
    began = trio.current_time()
    watch = LagMeter.of_this_run().watch()
    ended = await conversation.end_input(b"", 2 * BUSY_FACTOR * PATIENCE)
    patience = PATIENCE * (BUSY_FACTOR if is_busy(watch.end()) else 1)
    if trio.current_time() - began >= patience:
        raise conversation.failure(f"did not exit within {PATIENCE:g} s", "an exit")
    if ended is not None and "killed" in ended:
        raise conversation.failure(f"the engine {ended}", "an exit")


ENDING_STEPS = (quits, exits_at_end_of_input, ignores_a_line_cut_off)

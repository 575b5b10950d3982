"""An engine whose side leaves while it starts is not left running, nor is one that cannot start."""

import pytest
import trio

from oddly.arena.client.engine import ArenaEngine
from oddly.protocol import NO_CLOCK
from oddly.referee import EngineConfiguration, EngineFault
from tests.referee.fakes import ScriptedChannel


class Started(ScriptedChannel):
    """An engine that answers nothing, or that its version of the protocol is another one."""

    def __init__(self, *, answers: bool):
        super().__init__(("", ""))
        self.answers = answers
        self.is_stopped = False

    def answer(self, command):
        if self.answers:
            super().answer(command)

    def _answer(self, command):
        return "7" if command.name == "protocol_version" else super()._answer(command)

    async def stop(self, grace, farewell=b""):
        self.is_stopped = True


@pytest.mark.parametrize("answers", [False, True])
async def test_an_engine_that_does_not_start_is_stopped(autojump_clock, answers):
    started = []

    def open_channel(command, most_stderr, resources):
        started.append(Started(answers=answers))
        return started[-1]

    configuration = EngineConfiguration("mine", ("mine",), NO_CLOCK)
    async with trio.open_nursery() as nursery:
        engine = ArenaEngine(configuration, nursery, print, open_channel)
        with trio.move_on_after(1) as left:
            with pytest.raises(EngineFault, match="protocol_version is not 2"):
                await engine.start()
        assert left.cancelled_caught is not answers
        assert [each.is_stopped for each in started] == [True]

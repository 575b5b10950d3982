"""A prompt that is abandoned ends, at whatever moment of its life that is."""

import pytest
import trio
from prompt_toolkit.application import create_app_session
from prompt_toolkit.input import create_pipe_input
from prompt_toolkit.output import DummyOutput

from oddly.games.catalogue import create_game
from oddly.interfaces.terminal.play.play_session import PlaySession
from oddly.interfaces.terminal.play.prompting import PromptReader
from oddly.interfaces.terminal.play.scoresheet import Participant, Scoresheet
from tests.patience import PATIENCE

PLAYERS = Participant("human 1", True), Participant("human 2", True)


@pytest.fixture
def keys():
    """What is typed."""
    with create_pipe_input() as keys, create_app_session(input=keys, output=DummyOutput()):
        yield keys


@pytest.fixture
def reader(keys):
    return PromptReader(PlaySession(Scoresheet(create_game("yodd", 3), PLAYERS)))


async def test_it_may_be_abandoned_before_it_is_there(reader, keys, monkeypatch):
    """As when a clock runs out at once: the thread has begun, and the prompt has not."""
    prompt = reader._prompt.prompt

    def late(*words, **more):
        reader.abandon()
        keys.send_text("too late\r")
        return prompt(*words, **more)

    with monkeypatch.context() as patch:
        patch.setattr(reader._prompt, "prompt", late)
        with trio.fail_after(PATIENCE):
            assert await reader.read("> ") is None
    with trio.fail_after(PATIENCE):
        assert await reader.read("> ") == "too late"


async def test_it_may_be_abandoned_while_somebody_types_and_when_it_is_over(reader, keys):
    with trio.fail_after(PATIENCE):
        async with trio.open_nursery() as nursery:
            heard = []

            async def read() -> None:
                heard.append(await reader.read("> "))

            nursery.start_soon(read)
            keys.send_text("Bc")
            while reader._prompt.default_buffer.text != "Bc":
                await trio.sleep(0.01)
            reader.abandon()
            reader.abandon()
        assert heard == [None]
        reader.abandon()
        keys.send_text("Bc3\r")
        assert await reader.read("> ") == "Bc3"

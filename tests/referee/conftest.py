"""What lets `oddly check` try engines in memory: their faults need no process."""

from functools import partial

import pytest

from oddly.referee.check import checker, conversation
from oddly.referee.check.session_steps import handshake
from tests.referee.wrong_engines import WrongDispatcher, WrongInMemory


@pytest.fixture
def in_memory(monkeypatch):
    """Let checks try engines in memory, or a wrong dispatcher in one.

    Each test takes `autojump_clock` itself: pytest-trio looks no further for a clock.
    """

    def let(wrong):
        make = (
            partial(WrongInMemory, wrong)
            if isinstance(wrong, type) and issubclass(wrong, WrongDispatcher)
            else wrong
        )
        monkeypatch.setattr(conversation.EngineProcess, "start", lambda *_, **__: make())
        return ("engine",)

    return let


@pytest.fixture
def only(monkeypatch):
    """Let checks consist of the handshake and these steps."""

    def let(*steps):
        monkeypatch.setattr(checker, "all_steps", lambda game, games: [handshake, *steps])

    return let

"""What lets `oddly check` try engines in memory: their faults need no process."""

import pytest

from oddly.referee.check import checker, conversation
from oddly.referee.check.session_steps import handshake


@pytest.fixture
def in_memory(monkeypatch):
    """Let checks try engines in memory: those that are made by calling something.

    Each test takes `autojump_clock` itself: pytest-trio looks no further for a clock.
    """

    def let(make):
        monkeypatch.setattr(conversation.EngineProcess, "start", lambda *_, **__: make())
        return ("engine",)

    return let


@pytest.fixture
def only(monkeypatch):
    """Let checks consist of the handshake and these steps."""

    def let(*steps):
        monkeypatch.setattr(checker, "all_steps", lambda game, games: [handshake, *steps])

    return let

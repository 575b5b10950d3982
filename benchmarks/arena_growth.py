"""By how much an arena's memory grows over many games, without a network."""

from __future__ import annotations

import gc
import random
import re
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

from oddly.arena import (
    EndHeard,
    GameEnd,
    GameSet,
    GameStart,
    Go,
    Hello,
    Join,
    Ping,
    Pong,
    ReadyForGame,
    TurnSent,
    Welcome,
)
from oddly.arena.arena import Arena, ArenaSettings
from oddly.arena.effects import Send
from oddly.arena.pool import PoolFacts, RatedPool
from oddly.arena.registry import Registry
from oddly.arena.store.store import ArenaStore
from oddly.arena.wire.proof import prove, public_key
from oddly.games import create_game
from oddly.protocol import parse_time_control

if TYPE_CHECKING:
    from oddly.arena import Message

HOST = "arena.example"
ENGINES = 60
FIRST = 0.1
"""The share of the games after which the memory is measured first."""
STEP = 0.5
"""Seconds of the arena's clock between two looks."""


class Crowd:
    """Engines that pass or resign at once, at an arena with its store."""

    def __init__(self, folder: Path) -> None:
        facts = PoolFacts("xodd-2", create_game("xodd", 2), parse_time_control("60+1"), seed=3)
        self.store = ArenaStore(folder, "Growth", [facts])
        settings = ArenaSettings("Growth", hosts=(HOST,), gather=0.0)
        self.arena = Arena(settings, [RatedPool(facts)], Registry())
        self.games = 0
        """The ends that were heard: two of each game."""
        self._now = 0.0
        self._draw = random.Random(1)
        self._names: dict[int, str] = {}
        for number in range(ENGINES):
            self._names[self.arena.open("127.0.0.1", HOST, 0.0)] = f"engine {number}x"

    def step(self) -> None:
        """Let some time pass, and do all that follows."""
        self._now += STEP
        self.arena.tick(self._now)
        while batch := self.arena.take():
            self.store.write(batch, self._now)
            self.store.file_games(batch)
            said = [(each.session, each.message) for each in batch.out if isinstance(each, Send)]
            self.arena.sent(batch, self._now)
            for session, message in said:
                for answer in self._answers(self._names[session], message):
                    self.arena.hear(session, answer, self._now)

    def _answers(self, name: str, message: Message) -> list[Message]:
        match message:
            case Hello():
                secret = sha256(name.encode()).digest()
                proof = prove(secret, message.nonce, HOST, name)
                return [Join(name, name, "", public_key(secret), proof)]
            case Welcome():
                return [ReadyForGame()]
            case Ping():
                return [Pong(message.id)]
            case GameStart():
                return [GameSet(message.id)]
            case Go():
                turn = self._draw.choice(("pass", "resign"))
                return [TurnSent(message.id, message.number, turn, 0.0)]
            case GameEnd():
                self.games += 1
                return [EndHeard(message.id), ReadyForGame()]
        return []


def growth_mb(folder: Path, games: int) -> float:
    """Return by how many MB the memory grows from a tenth of the games to all of them."""
    crowd, first = Crowd(folder), None
    with crowd.store:
        while crowd.games < 2 * games:
            crowd.step()
            if first is None and crowd.games >= 2 * FIRST * games:
                first = _resident()
        return _resident() - (first or 0.0)


def _resident() -> float:
    """Return the memory of this process in MB."""
    gc.collect()
    (found,) = re.findall(r"VmRSS:\s+(\d+) kB", Path("/proc/self/status").read_text())
    return int(found) / 1000

"""An executor whose games are naps, which take no time on a clock that jumps ahead."""

from contextlib import asynccontextmanager

import trio

from oddly.games import Colour
from oddly.referee import GameRecord, PlayedTurn
from tests.tournaments.formats.playing import by_strength


class NappingExecutor:
    """Plays a game by sleeping for its seconds; without them as long as its seed says."""

    failure = None

    def __init__(self, slots: int, seconds: float | None = None, result=by_strength) -> None:
        self.slots, self.seconds, self.result = slots, seconds, result
        self.running = 0
        self.begun: list[tuple[float, int]] = []
        """When each game began, and how many ran then."""

    @property
    def most(self) -> int:
        return max((running for _, running in self.begun), default=0)

    async def play(self, scheduled, ended) -> GameRecord:
        self.running += 1
        self.begun.append((trio.current_time(), self.running))
        try:
            await trio.sleep(self.seconds or 1 + scheduled.seed % 100)
        finally:
            self.running -= 1
        record = record_of(scheduled, self.result(scheduled))
        ended(record)
        return record


def record_of(scheduled, outcome) -> GameRecord:
    """The record of a game of one turn; no two games are copies."""
    players = (scheduled.first, scheduled.second)
    turns = (PlayedTurn(Colour.BLACK, scheduled.id, 0.0),)
    return GameRecord(scheduled.game, players, players, scheduled.seed, turns, outcome)


@asynccontextmanager
async def opened(executor):
    yield executor
    executor.failure = "it was closed"

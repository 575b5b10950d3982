"""By how much one engine's flood delays the games of others: `python -m benchmarks.floods`.

An honest game and a flooded one share a referee that writes logs. A task of the same loop wants to
run every millisecond; the worst it is late is the worst that any other game is delayed. On a busy
machine that is mostly the machine, so the processor time of the longest pass of the loop, after
which every other game gets its turn, is told as well.
"""

from __future__ import annotations

import math
import sys
import tempfile
from pathlib import Path
from time import thread_time
from typing import TYPE_CHECKING

import trio

from benchmarks.instant import HERE, instant_engine, recorded
from games.catalogue import create_game
from protocol.time_control import parse_time_control
from referee.limits import Limits
from referee.match import play_pooled_game
from referee.player import EngineConfiguration
from referee.pool import EnginePool
from referee.wire_log import open_log

if TYPE_CHECKING:
    from games.game import Game

FLOODS = (
    "nothing",
    "short lines in a reply",
    "empty lines",
    "controls in a reply",
    "replies to nothing",
    "a long reply",
    "newlines on standard error",
    "bytes on standard error",
    "single bytes",
    "an answer in other words",
)
BEAT = 0.001
CLOCK = parse_time_control("5")


def main() -> None:
    """Measure and print."""
    for kind, (delay, busy) in worst_delays().items():
        print(f"{kind:<34}{1e3 * delay:6.1f} ms late, {1e3 * busy:6.1f} ms of work in a pass")


class Passes(trio.abc.Instrument):
    """The processor time of the longest pass of the loop."""

    def __init__(self) -> None:
        self.worst = 0.0
        self._began = math.inf

    def after_io_wait(self, timeout: float) -> None:
        """Begin a pass."""
        self._began = thread_time()

    def before_io_wait(self, timeout: float) -> None:
        """End a pass."""
        self.worst = max(self.worst, thread_time() - self._began)


def worst_delays() -> dict[str, tuple[float, float]]:
    """Return the worst delay and the longest pass that each flood causes, in seconds."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        engine, _ = instant_engine(folder)
        game = create_game("yodd", 8)
        recorded(game, folder / "script")
        honest = EngineConfiguration("honest", (*engine, str(folder / "script")), CLOCK)
        return {kind: trio.run(delayed_by, kind, game, honest, folder) for kind in FLOODS}


async def delayed_by(
    kind: str, game: Game, honest: EngineConfiguration, folder: Path
) -> tuple[float, float]:
    """Return by how much a beat was late at worst while an engine flooded, and the longest pass."""
    worst = 0.0
    passes = Passes()

    async def beat() -> None:
        nonlocal worst
        while True:
            due = trio.current_time() + BEAT
            await trio.sleep_until(due)
            worst = max(worst, trio.current_time() - due)

    command = (sys.executable, "-S", "-E", str(HERE / "flooding_engine.py"), kind)
    flooding = EngineConfiguration("flooding", (*command, str(folder / "script")), CLOCK)
    async with trio.open_nursery() as nursery:
        pool = EnginePool(nursery, Limits(grace=0.4))
        await play_pooled_game(pool, game, (honest, honest))
        worst = 0.0
        trio.lowlevel.add_instrument(passes)
        nursery.start_soon(beat)
        async with trio.open_nursery() as games:
            games.start_soon(flooded, pool, game, (honest, flooding), folder)
            for _ in range(5):
                await play_pooled_game(pool, game, (honest, honest))
        trio.lowlevel.remove_instrument(passes)
        await pool.stop()
        nursery.cancel_scope.cancel()
    return worst, passes.worst


async def flooded(
    pool: EnginePool,
    game: Game,
    players: tuple[EngineConfiguration, EngineConfiguration],
    folder: Path,
) -> None:
    """Play a game with a log."""
    log = open_log(folder, "flooded")
    record = await play_pooled_game(pool, game, players, log=log)
    log.outcome(record.as_json())


if __name__ == "__main__":
    main()

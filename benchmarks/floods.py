"""By how much one engine's flood delays the games of others: `python -m benchmarks.floods`.

An honest game and a flooded one share a referee that writes logs. A task of the same loop wants to
run every millisecond; the worst it is late is the worst that any other game is delayed. On a busy
machine that is mostly the machine. So each flood takes turns with a game like it without a flood,
whose worst is the floor, and both are told, as is the processor time of the longest pass of the
loop, after which every other game gets its turn.
"""

from __future__ import annotations

import math
import sys
import tempfile
from pathlib import Path
from statistics import median
from time import thread_time
from typing import TYPE_CHECKING, NamedTuple

import trio

from benchmarks.instant import HERE, instant_engine, record_game
from oddly.games import create_game
from oddly.protocol import parse_time_control
from oddly.referee import EngineConfiguration, Limits
from oddly.referee.match.engine_pool import EnginePool
from oddly.referee.match.game import play_pooled_game
from oddly.referee.match.wire_log import open_log

if TYPE_CHECKING:
    from oddly.games import Game

NO_FLOOD = "nothing"
FLOODS = (
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
ROUNDS = 3
CLOCK = parse_time_control("5")


def main() -> None:
    """Measure and print."""
    print(f"{'ms':<28}{'late':>8}{'floor':>8}{'caused':>8}{'longest pass':>14}")
    for kind, delay in worst_delays().items():
        late, floor, caused, busy = (1e3 * seconds for seconds in delay)
        print(f"{kind:<28}{late:>8.1f}{floor:>8.1f}{caused:>8.1f}{busy:>14.1f}")


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


class Delay(NamedTuple):
    """What a flood costs other games, in seconds: medians over rounds of the worst of each."""

    late: float
    """How late the beat was while an engine flooded."""
    floor: float
    """How late it was without a flood."""
    caused: float
    """By how much the former exceeds the latter."""
    busy: float
    """The processor time of the longest pass of the loop during the flood."""


def worst_delays(rounds: int = ROUNDS) -> dict[str, Delay]:
    """Return what each flood costs other games."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        engine, _ = instant_engine(folder)
        game = create_game("yodd", 8)
        record_game(game, folder / "script")
        honest = EngineConfiguration("honest", (*engine, str(folder / "script")), CLOCK)
        return {kind: beside_a_floor(kind, game, honest, folder, rounds) for kind in FLOODS}


def beside_a_floor(
    kind: str, game: Game, honest: EngineConfiguration, folder: Path, rounds: int
) -> Delay:
    """Measure a flood and a game without one in turns."""
    with_flood, without, busy = [], [], []
    for _ in range(rounds):
        late, work = trio.run(delayed_by, kind, game, honest, folder)
        with_flood.append(late)
        busy.append(work)
        without.append(trio.run(delayed_by, NO_FLOOD, game, honest, folder)[0])
    late, floor = median(with_flood), median(without)
    return Delay(late, floor, max(0.0, late - floor), median(busy))


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
    log = open_log(folder / "flooded.log")
    await play_pooled_game(pool, game, players, log=log)


if __name__ == "__main__":
    main()

"""What a move costs fastchess, if it is on the PATH, between two instant engines.

It plays a game of chess that is known beforehand, of PLIES moves, as our referee plays a known game
of Yodd: neither its rules nor its engines are ours, so this is a yardstick and no race.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path
from time import perf_counter, sleep
from typing import TYPE_CHECKING

from benchmarks.instant import HERE, compiled

if TYPE_CHECKING:
    from benchmarks.games_at_once import Times

GAME = """
h2h4 g7g5 h1h2 f7f6 f2f4 g5g4 c2c3 c7c6 b2b3 b7b6 d2d4 c8a6 f4f5 d8c8 c1h6 e8f7 e2e3 c8e8 d1g4 d7d5
g4f4 a6b5 f4g5 f8h6 a2a3 a7a5 h2h1 b5d3 e1d2 e8d7 d2d1 e7e6 h1h2 d7a7 d1e1 d3f5 c3c4 f5e4 g1e2 b8d7
g5g8 f7g8 a1a2 g8f8 b3b4 e6e5 a2a1 a7a6 b1c3 f8f7 c3b1 e4d3 e1f2 f7e8 f2g1 c6c5 b4c5 e8e7 e2f4 h6f8
c5b6 d5c4 f4d5 e7f7 h4h5 d7b6 g2g4 f8a3 f1d3 c4d3 d5c3 f6f5 g1g2 f5g4 h2h1 a6b5 c3e4 a3e7 a1a4 e7c5
h1h3 b5b4 e4d2 f7e7 h3h4 a8a7 e3e4 e7d7 h4h3 g4h3 g2f2 b4c4 a4b4 h8b8 b4b3 d7d8 b3b5 b8c8 b1a3 c5a3
d4d5 c4a2 b5b3 a2b3 d5d6 a7d7 f2g1 a3b4 g1f2 b3d1 d2b3 d1g4 f2f1 b4e1 b3a1 c8c5 a1c2 e1b4 c2b4 g4f4
"""
PLIES = len(GAME.split())
GAMES = 100
TICK = 0.005
"""Seconds between two looks at the processor time."""


def fastchess_times(folder: Path, at_once: tuple[int, ...], rounds: int) -> Times:
    """Return microseconds a move, by the name of the figure.

    There are none without fastchess or a compiler.
    """
    program = shutil.which("fastchess")
    engine = compiled(HERE / "instant_uci.c", folder / "instant_uci")
    if program is None or engine is None or not Path("/proc/self/stat").exists():
        return {}
    script = folder / "chess"
    script.write_text(GAME, encoding="ascii")
    times: Times = {}
    for _ in range(rounds):
        for number in at_once:
            cpu, wall = one_run(program, engine, script, number)
            times.setdefault(f"fastchess_cpu_us_at_{number}", []).append(cpu)
            times.setdefault(f"fastchess_wall_us_at_{number}", []).append(wall)
    return times


def one_run(program: str, engine: str, script: Path, at_once: int) -> tuple[float, float]:
    """Return the processor time of fastchess itself and the elapsed time.

    Each is in microseconds a move, its start included.
    """
    engines = [
        word
        for name in ("one", "other")
        for word in ("-engine", f"cmd={engine}", f"args={script}", f"name={name}")
    ]
    rounds = max(GAMES // 2, 4 * at_once)
    command = [program, *engines, "-each", "st=10", "-rounds", str(rounds), "-games", "2"]
    command += ["-maxmoves", str(PLIES // 2), "-concurrency", str(at_once), "-force-concurrency"]
    began = perf_counter()
    cpu = 0.0
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, cwd=script.parent) as process:
        while process.poll() is None:
            cpu = max(cpu, own_seconds(process.pid))
            sleep(TICK)
    share = 1e6 / (2 * rounds * PLIES)
    return cpu * share, (perf_counter() - began) * share


def own_seconds(pid: int) -> float:
    """Return the processor time of a process without its children, 0 once it is gone."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    except OSError:
        return 0.0
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

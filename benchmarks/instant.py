"""The instant engine of the referee's benchmarks, and the game that it replays."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

from benchmarks.rules import random_game

if TYPE_CHECKING:
    from oddly.games import Game

HERE = Path(__file__).parent


def instant_engine(folder: Path) -> tuple[tuple[str, ...], str]:
    """Return the command of the instant engine, and what it is written in."""
    program = compiled(HERE / "instant_engine.c", folder / "instant_engine")
    if program is None:
        return (sys.executable, str(HERE / "instant_engine.py")), "Python"
    return (program,), "C"


def compiled(source: Path, program: Path) -> str | None:
    """Return the program that the compiler makes of a source in C; None without a compiler."""
    compiler = next(filter(None, map(shutil.which, ("cc", "gcc", "clang"))), None)
    if compiler is None:
        return None
    options = ["-std=c99", "-O2", "-D_POSIX_C_SOURCE=200809L", "-o", str(program)]
    subprocess.run([compiler, *options, str(source)], check=True)
    return str(program)


def record_game(game: Game, script: Path) -> list[str]:
    """Write the turns of a random game to `script`, and return them."""
    turns = [str(turn) for _, turn in random_game(game, Random(1))]
    script.write_text("\n".join(turns) + "\n", encoding="utf-8")
    return turns

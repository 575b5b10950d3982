"""What the kernels are measured beside: small references in C, and games by the plain rules.

`NAME_reference.c` beside this module takes the words `size playouts seed`, for Yodd and Xodd after
the game's name, and prints `playouts seconds drops black_wins`; it keeps the time itself.
"""

from __future__ import annotations

import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from oddly.games import (
    EMPTY,
    END,
    PASS,
    Ayu,
    Colour,
    Drop,
    DropPosition,
    Drops,
    IllegalTurn,
    Odd,
    Pass,
    Xodd,
    Yodd,
)

if TYPE_CHECKING:
    from random import Random

    from oddly.games import Action, Game, Result


HERE = Path(__file__).parent
COMPILERS = ("cc", "gcc", "clang")
FLAGS = ("-O3", "-march=native")
MAX_COMPILATION = 60.0
MAX_RUN = 600.0

PROGRAMS: dict[type[Game], tuple[str, tuple[str, ...]]] = {
    Yodd: ("group", ("yodd",)),
    Xodd: ("group", ("xodd",)),
    Odd: ("odd", ()),
    Ayu: ("ayu", ()),
}


class ReferenceFailedError(Exception):
    """A reference that could not be compiled or run. The message is one sentence."""


@dataclass(frozen=True, slots=True)
class ReferenceProgram:
    """A compiled reference for one board."""

    command: tuple[str, ...]

    def play(self, count: int, seed: int) -> tuple[int, float, int]:
        """Playouts, the seconds they took, and the drops in them. Raises ReferenceFailedError."""
        done = bounded_run((*self.command, str(count), str(seed)), MAX_RUN)
        try:
            playouts, seconds, drops, _ = done.stdout.split()
            return int(playouts), float(seconds), int(drops)
        except ValueError:
            raise ReferenceFailedError(f"no figures in its answer {done.stdout!r}") from None


def find_compiler() -> str | None:
    """Return the path of the system's C compiler, if it has one."""
    return next(filter(None, map(shutil.which, COMPILERS)), None)


def has_sources() -> bool:
    """Whether the references' sources are here: they come with a checkout, not with the wheel."""
    return any(HERE.glob("*_reference.c"))


def compile_reference(game: Game, compiler: str, folder: Path) -> ReferenceProgram:
    """Compile the reference for `game` into `folder`. Raises ReferenceFailedError."""
    if type(game) not in PROGRAMS:
        raise ReferenceFailedError("there is none")
    name, words = PROGRAMS[type(game)]
    program = folder / f"{name}_reference"
    if not program.exists():
        source = HERE / f"{name}_reference.c"
        bounded_run((compiler, *FLAGS, "-o", str(program), str(source), "-lm"), MAX_COMPILATION)
    return ReferenceProgram((str(program), *words, str(game.size)))


def bounded_run(command: tuple[str, ...], seconds: float) -> subprocess.CompletedProcess[str]:
    """Run to the end with success. Raises ReferenceFailedError."""
    name = Path(command[0]).name
    try:
        return subprocess.run(command, capture_output=True, text=True, timeout=seconds, check=True)
    except subprocess.TimeoutExpired:
        raise ReferenceFailedError(f"{name} took more than {seconds:g} s") from None
    except subprocess.CalledProcessError as error:
        lines = error.stderr.splitlines()
        reason = next((line for line in lines if "error" in line), "no message")
        raise ReferenceFailedError(f"{name} failed ({error.returncode}): {reason}") from None
    except OSError as error:
        raise ReferenceFailedError(f"{name}: {error.strerror}") from None


TRIES = 64


def random_game(game: Game, random: Random) -> tuple[int, Result]:
    """Play uniformly random legal actions; return the drops (in Ayu: moves) and the result."""
    position, drops = DropPosition(game.start()), 0
    while position.start.result is None:
        action, position = random_action(position, random)
        drops += action not in (PASS, END)
    return drops, position.start.result


def random_action(position: DropPosition, random: Random) -> tuple[Action, DropPosition]:
    """Return a uniformly random legal action and the position after it.

    Drops, and a pass or an end, are drawn until one is legal; after too many misses, or in a game
    without drops, the legal actions are listed.
    """
    start = position.start
    if start.most_drops and start.game.turn_kinds <= {Drops, Pass}:
        vertices = start.game.board.vertices
        taken = {drop.vertex for drop in position.drops}
        empty = [
            vertex
            for vertex, stone in zip(vertices, start.stones, strict=True)
            if stone == EMPTY and vertex not in taken
        ]
        for _ in range(TRIES):
            number = random.randrange(2 * len(empty) + 1)
            action: Action = END if position.drops else PASS
            if number < 2 * len(empty):
                action = Drop(Colour.WHITE if number % 2 else Colour.BLACK, empty[number // 2])
            try:
                return action, position.act(action)
            except IllegalTurn:
                continue
    action = random.choice(list(position.actions()))
    return action, position.act(action)

"""Compiling for our own engines before the first game."""

from __future__ import annotations

import os
import subprocess
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

import trio

from oddly.engines.catalogue import ENGINES
from oddly.games.settings import setting_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from oddly.games.game import Game
    from oddly.referee.program.configuration import EngineConfiguration
    from oddly.referee.program.limits import Resources

PROGRAM = "oddly"
"""The word before `engine` in `oddly engine` and `python -m oddly engine`."""

PLAIN = ("--plain", "true")
"""The words with which an engine of ours searches by the plain rules."""


async def warm_engines(
    configurations: Sequence[EngineConfiguration], games: Iterable[Game]
) -> None:
    """Let each of our engines compile what it needs before a clock runs.

    Other processes do it, so this one needs no Numba. What fails here fails again in the first
    game, which reports it.
    """
    commands: dict[tuple[str, ...], tuple[Resources, set[str]]] = {}
    for configuration in configurations:
        program, name = split_command(configuration.command)
        if name:
            commands.setdefault(program, (configuration.resources, set()))[1].add(name)
    for game in games:
        for program, (resources, names) in commands.items():
            await _run((*program, "warm", *arguments(game, names)), resources)


async def _run(command: Sequence[str], resources: Resources) -> None:
    """Run the program to its end; cancelling kills it."""
    try:
        process = await trio.lowlevel.open_process(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            cwd=resources.directory,
            env={**os.environ, **resources.environment},
        )
    except OSError:
        return
    try:
        await process.wait()
    finally:
        if process.returncode is None:
            process.kill()
            with trio.CancelScope(shield=True):
                await process.wait()


def split_command(command: Sequence[str]) -> tuple[tuple[str, ...], str]:
    """Return our program and the compiled engine that a command line names; both empty if none.

    An engine that is started with `--plain true` compiles nothing. One that gets the
    option later may.
    """
    if PLAIN in pairwise(command):
        return (), ""
    for place, (before, word) in enumerate(pairwise(command), start=1):
        if Path(before).name == PROGRAM and word == "engine":
            name = next((word for word in command[place:] if word in ENGINES), "")
            if name and ENGINES[name].is_compiled:
                return tuple(command[:place]), name
    return (), ""


def arguments(game: Game, names: Iterable[str]) -> list[str]:
    """Return the arguments of `oddly warm` for these engines in one game."""
    words = ["--game", game.name, "--size", str(game.size)]
    for setting, value in game.settings.items():
        if isinstance(value, bool):
            words += [f"--{setting}"] * value
        else:
            words += [f"--{setting.replace('_', '-')}", setting_text(value)]
    for name in sorted(names):
        words += ["--engine", name]
    return words

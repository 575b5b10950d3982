"""An engine as it is entered for games: its command line, clock, options and resources."""

from __future__ import annotations

import os
import shlex
import shutil
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from oddly.referee.program.limits import Resources

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from oddly.protocol import TimeControl


class ProgramError(ValueError):
    """A command line that cannot be run. The message is one sentence."""


def split_words(text: str) -> list[str]:
    """Return the words of a command line, as a shell would. Raises ProgramError."""
    try:
        return shlex.split(text)
    except ValueError as error:
        raise ProgramError(str(error)) from None


def find_program(command: Sequence[str]) -> tuple[str, ...]:
    """Return the command with its program's path filled in. Raises ProgramError.

    A bare name is looked up on PATH, then beside the running Python, so that `oddly` is found in a
    virtual environment that is not activated; a path is used as given, relative to the working
    directory.
    """
    if not command or not command[0]:
        raise ProgramError("the command is empty: expected a program and its arguments")
    program, *arguments = command
    if os.sep in program:
        return (str(Path(_executable(program)).absolute()), *arguments)
    beside = str(Path(sys.executable).parent)
    found = shutil.which(program) or shutil.which(program, path=beside)
    if found is None:
        raise ProgramError(f"no program {program!r} on PATH")
    return (str(Path(found).absolute()), *arguments)


def _executable(program: str) -> str:
    path = Path(program)
    if not path.exists():
        raise ProgramError(f"there is no file {program!r}")
    if path.is_dir() or not os.access(path, os.X_OK):
        raise ProgramError(f"{program!r} is not an executable file")
    return program


@dataclass(frozen=True, slots=True)
class EngineConfiguration:
    """An engine entered for a game: its name, command, clock and options."""

    name: str
    command: tuple[str, ...]
    time: TimeControl
    options: Mapping[str, str] = field(default_factory=dict)
    resources: Resources = field(default_factory=Resources)
    pipelining: bool = True
    """Whether `play`, `time_left` and `genmove` may come in one write."""
    requires: tuple[str, ...] = ()
    """What a machine of a cluster must have to run it, by the names of its resources."""
    was_stuck: bool = False
    """Whether it gave no answer in time when it was asked who it is."""

"""An engine as it is entered for games: its command line, its options, and what it may use.

It also says how long the referee waits for engines, and what the machine has for them.
"""

from __future__ import annotations

import errno
import os
import re
import shlex
import shutil
import sys
from contextlib import suppress
from dataclasses import dataclass, field, replace
from enum import Enum
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from oddly.games import one_line
from oddly.protocol.codec import MAX_LINE, MAX_REPLY

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from oddly.protocol import TimeControl


MEBIBYTE = 1 << 20
DEFAULT_PROCESSES = 256


class Isolation(Enum):
    """When to isolate an engine, so that it can reach neither its rival nor us."""

    AUTO = "auto"
    """Where bubblewrap works."""
    BUBBLEWRAP = "bubblewrap"
    """Always: without it no engine is started."""
    NONE = "none"


@dataclass(frozen=True, slots=True)
class Resources:
    """Limits of one engine's process; 0 is no limit."""

    memory: int | None = None
    """Address space in MiB. None is no limit, or half of the machine's memory if isolated."""
    cpu_seconds: int = 0
    """Processor time of the process, after which the system kills it."""
    nice: int = 0
    """Added to the scheduling priority's niceness, 0 to 19."""
    directory: str | None = None
    """Working directory. An isolated engine may write there."""
    environment: Mapping[str, str] = field(default_factory=dict)
    """Variables added to ours."""
    isolation: Isolation | None = None
    """None leaves it to those who run the engine; if they say nothing, there is no isolation."""
    network: bool = False
    """Whether an isolated engine has a network."""
    ponder: bool = True
    """Whether the engine may run while it is not asked for anything."""
    processes: int | None = None
    """How many processes and threads an isolated engine may have at once; None is 256."""

    def limited(self, memory: int | None, processes: int | None) -> Resources:
        """Return these resources, with the given limits where they have none."""
        return replace(
            self,
            memory=memory if self.memory is None else self.memory,
            processes=processes if self.processes is None else self.processes,
        )


@dataclass(frozen=True, slots=True)
class Limits:
    """Times in seconds, sizes in bytes."""

    handshake: float = 60.0
    """From the start of an engine's process to the end of its first answers."""
    setting_up: float = 60.0
    """For setting up a game: `set_game`, `boardsize`, options, the clock. Engines may compile."""
    margin: float = 0.1
    """Granted on top of a clock's allowance, for the way there and back."""
    last_play: float = 2.0
    """For taking note of a game's last turn."""
    grace: float = 2.0
    """From `quit` to SIGKILL."""
    line: int = MAX_LINE
    """The longest line of a reply."""
    reply: int = MAX_REPLY
    """The longest reply."""
    stderr: int = 16_384
    """How much of the end of an engine's standard error is kept."""


MACHINE_FAILURES = frozenset(
    (errno.EMFILE, errno.ENFILE, errno.EAGAIN, errno.ENOMEM, errno.ENOSPC, errno.EDQUOT)
)
"""System errors that are due to the machine, not to an engine."""

DESCRIPTORS_OF_AN_ENGINE = 5
DESCRIPTORS_OF_A_GAME = 11
"""Per engine three pipes, its start and its exit; and the log of the game."""
OWN_MEMORY = Path("/sys/fs/cgroup/memory.max")
"""The limit of a container's memory: a number, or `max`."""
DESCRIPTORS_TO_START = 8
"""Spare descriptors for starting one engine at a time, reading `/proc` and feeding the run."""


@cache
def machine_memory() -> int:
    """Return the bytes of memory that this machine has, or its container."""
    try:
        most = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (OSError, ValueError):
        return 0
    with suppress(OSError, ValueError):
        most = min(most, int(OWN_MEMORY.read_text(encoding="ascii")))
    return most


@cache
def raise_descriptor_limit() -> int:
    """Raise this process's limit of descriptors as far as the system allows.

    Returns the limit it had before, which is what engines get: `select` fails beyond 1,024.
    """
    if sys.platform == "win32":
        return 0
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    # macOS refuses its own "unlimited".
    with suppress(OSError, ValueError):
        if soft != hard:
            resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    return soft


def games_that_fit(engines: int = 0) -> int | None:
    """Return how many games at once the descriptors allow; None for any number.

    `engines` is how many of their engines run already.
    """
    limit = descriptor_limit()
    if limit is None:
        return None
    return max(0, limit - _before_a_game(engines)) // DESCRIPTORS_OF_A_GAME


def descriptors_for_a_game(engines: int = 0) -> int:
    """Return the lowest limit of descriptors with which this process can play a game."""
    return _before_a_game(engines) + DESCRIPTORS_OF_A_GAME


def descriptor_limit() -> int | None:
    """Return how many descriptors this process may have; None for any number."""
    if sys.platform == "win32":
        return None
    import resource

    limit = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    return None if limit == resource.RLIM_INFINITY else limit


def _before_a_game(engines: int) -> int:
    return _used_descriptors() - engines * DESCRIPTORS_OF_AN_ENGINE + DESCRIPTORS_TO_START


def _used_descriptors() -> int:
    """Return how many descriptors are open."""
    for folder in ("/proc/self/fd", "/dev/fd"):
        with suppress(OSError):
            return sum(1 for _ in Path(folder).iterdir()) - 1
    return 16


class ProgramError(ValueError):
    """A command line that cannot be run. The message is one sentence."""


UNCLOSED = {"'": re.compile(r"'([^']*)\Z"), '"': re.compile(r'"((?:[^"\\]|\\.)*)\Z', re.DOTALL)}
"""What stands behind the last quotation mark that opens a text, for each kind of mark."""


def split_words(text: str) -> list[str]:
    """Return the words of a command line, as a shell would. Raises ProgramError."""
    words = shlex.shlex(text, posix=True)
    words.whitespace_split, words.commenters = True, ""
    try:
        return list(words)
    except ValueError:
        within = vars(words)["state"]
        if within in words.quotes:
            (behind,) = UNCLOSED[within].findall(text)
            raise ProgramError(
                f"{one_line(behind or text)!r} lacks its closing quotation mark {within}"
            ) from None
        raise ProgramError("the backslash at its end has nothing to escape") from None


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
    # A path that is too long, or that we may not look at, is no file either.
    if not os.path.exists(program):  # noqa: PTH110
        raise ProgramError(f"there is no file {program!r}")
    if Path(program).is_dir() or not os.access(program, os.X_OK):
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

"""What an engine's process may use and reach, and where it runs."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from enum import Enum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

MEBIBYTE = 1 << 20
DEFAULT_PROCESSES = 256


class Isolation(Enum):
    """Whether an engine is isolated, so that it can reach neither its rival nor us."""

    AUTO = "auto"
    """Where bubblewrap works."""
    BUBBLEWRAP = "bubblewrap"
    """Always: without it no engine is started."""
    NONE = "none"


@dataclass(frozen=True, slots=True)
class Resources:
    """Limits of one engine's process; 0 is no limit."""

    memory: int | None = None
    """Address space in MiB. None is no limit, or behind walls half of the machine's memory."""
    cpu_seconds: int = 0
    """Processor time of the process, after which the system kills it."""
    nice: int = 0
    """Added to the scheduling priority's niceness, 0 to 19."""
    directory: str | None = None
    """Working directory. An isolated engine may write there."""
    environment: Mapping[str, str] = field(default_factory=dict)
    """Variables added to ours."""
    isolation: Isolation | None = None
    """None leaves it to those who run the engine, and is none where nobody says anything."""
    network: bool = False
    """Whether an isolated engine has one."""
    ponder: bool = True
    """Whether the engine may run while it is not asked for anything."""
    processes: int | None = None
    """How many processes and threads an isolated engine may have at once; None is 256."""

    def limited(self, memory: int | None, processes: int | None) -> Resources:
        """Return these resources, with these limits where they have none."""
        return replace(
            self,
            memory=memory if self.memory is None else self.memory,
            processes=processes if self.processes is None else self.processes,
        )

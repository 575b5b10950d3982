"""What an engine's process may use, and where it runs."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

MEBIBYTE = 1 << 20


@dataclass(frozen=True, slots=True)
class Resources:
    """Limits of one engine's process; 0 or None is no limit."""

    memory: int = 0
    """Address space in MiB."""
    cpu_seconds: int = 0
    """Processor time of the process, after which the system kills it."""
    nice: int = 0
    """Added to the scheduling priority's niceness, 0 to 19."""
    directory: str | None = None
    """Working directory."""
    environment: Mapping[str, str] = field(default_factory=dict)
    """Variables added to ours."""

"""What `oddly bench errors` is asked to measure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path


@dataclass(frozen=True, slots=True)
class ErrorsOptions:
    """The engine's clock, and the positions that it is asked about."""

    time: str
    count: int
    """Positions on each board."""
    seed: int
    positions: Path | None
    """A file of positions, which is written if it does not exist."""

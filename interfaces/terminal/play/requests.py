"""What a session asks its driver to do."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping
    from pathlib import Path

    from oddly.games.game import Position
    from oddly.games.turns import Vertex


@dataclass(frozen=True, slots=True)
class Say:
    """Show a text."""

    text: str


@dataclass(frozen=True, slots=True)
class ShowBoard:
    """Show a board with brackets around `marked` vertices and `notes` on empty ones."""

    position: Position
    marked: Collection[Vertex] = ()
    notes: Mapping[Vertex, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class AskEngine:
    """Ask the engine to move for a turn, then call `played` or `failed`."""


@dataclass(frozen=True, slots=True)
class AskHint:
    """Ask the adviser for a turn, then call `hinted` or `no_hint`."""


@dataclass(frozen=True, slots=True)
class Keep:
    """Save the game after a change."""


@dataclass(frozen=True, slots=True)
class Save:
    """Write the game to a new file, whose name tells the format."""

    path: Path


@dataclass(frozen=True, slots=True)
class Leave:
    """End the session."""


Request = Say | ShowBoard | AskEngine | AskHint | Keep | Save | Leave

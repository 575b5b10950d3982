"""What a session asks of whoever runs it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping
    from pathlib import Path

    from games.game import Position
    from games.turns import Vertex


@dataclass(frozen=True, slots=True)
class Say:
    """Show a text."""

    text: str


@dataclass(frozen=True, slots=True)
class ShowBoard:
    """Show a board, with brackets around some vertices and notes on some empty ones."""

    position: Position
    marked: Collection[Vertex] = ()
    notes: Mapping[Vertex, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class AskEngine:
    """Have the engine whose turn it is choose; answer with `played` or `failed`."""


@dataclass(frozen=True, slots=True)
class AskHint:
    """Have an engine choose for the player to move; answer with `hinted` or `no_hint`."""


@dataclass(frozen=True, slots=True)
class Keep:
    """The game has changed: keep it where nothing that happens can lose it."""


@dataclass(frozen=True, slots=True)
class Save:
    """Write the game to a new file; its format follows from its name."""

    path: Path


@dataclass(frozen=True, slots=True)
class Leave:
    """Stop asking for lines."""


Request = Say | ShowBoard | AskEngine | AskHint | Keep | Save | Leave

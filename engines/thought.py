"""What a search thinks while it goes on, for those who want to watch."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from oddly.games.drop_level import Action, DropPosition
    from oddly.protocol.evaluation import Evaluation


@dataclass(frozen=True, slots=True)
class Thought:
    """The position that is searched, what is known of its actions, and the line thought best."""

    at: DropPosition
    evaluation: Evaluation
    line: tuple[Action, ...]

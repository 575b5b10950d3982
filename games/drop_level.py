"""Games action by action: single drops, and an explicit `end` of a turn.

Search programs and interfaces think in drops, the rules in turns. A first drop is legal only if
some legal turn contains it, and a turn ends by itself at its last permitted drop.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from oddly.games.errors import Illegality, IllegalTurn
from oddly.games.partial_turn import PartialTurn
from oddly.games.turns import Drop, Drops, Move, Pass, Swap

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterator

    from oddly.games.game import Position
    from oddly.games.turns import Turn


@dataclass(frozen=True, slots=True)
class End:
    """The end of a turn that could go on. Written `end`."""

    def __str__(self) -> str:
        return "end"


END = End()

Action = Drop | End | Move | Pass | Swap


class DropPosition(PartialTurn):
    """A position that may lie inside a turn: where the turn began and its drops so far."""

    def __eq__(self, other: object) -> bool:
        """Whether the other is the same position of an equal game; the way there is not asked."""
        if not isinstance(other, DropPosition):
            return NotImplemented
        return self.start.game == other.start.game and self.key == other.key

    def __hash__(self) -> int:
        return hash(self.key)

    @property
    def is_over(self) -> bool:
        """Whether the game has ended."""
        return self.start.is_over

    @property
    def key(self) -> Hashable:
        """Equal iff the positions are the same: stones, side to move, and drops made this turn."""
        if not self.drops:
            return self.start.key, 0
        return (self.stones, self.to_move), len(self.drops)

    def actions(self) -> Iterator[Action]:
        """Return every legal action once."""
        if self.drops:
            if self.can_end:
                yield END
            yield from self.next_drops()
        elif not self.is_over:
            yield from self.start.turns_without_drops()
            if self.start.most_drops:
                yield from self.next_drops()

    def turn_with(self, action: Action) -> Turn:
        """Return the turn of the drops so far that `action` ends."""
        if isinstance(action, Drop):
            return Drops((*self.drops, action))
        return Drops(self.drops) if isinstance(action, End) else action

    def act(self, action: Action) -> DropPosition:
        """Return the position after `action`. Raises IllegalTurn with the reason."""
        if isinstance(action, End):
            return DropPosition(self.end())
        if not isinstance(action, Drop):
            if self.drops:
                raise IllegalTurn(Illegality.WRONG_KIND, f"{action} inside a turn: drop or end")
            return DropPosition(self.start.play(action))
        after = DropPosition(self.start, (*self.drops, action))
        if after.is_full:
            return DropPosition(after.end())
        if not after.can_be_completed:
            after.end()
            raise IllegalTurn(Illegality.PARITY, f"no legal turn contains {action}")
        return after


def actions_of(position: Position, turn: Turn) -> list[Action]:
    """Return the actions of a turn: its drops and its end if it could go on, or the turn itself."""
    if not isinstance(turn, Drops):
        return [turn]
    ends = len(turn.drops) < position.most_drops
    return [*turn.drops, *([END] if ends else [])]

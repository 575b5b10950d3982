"""Games action by action: single drops, and an explicit `end` of a turn.

Search programs and interfaces think in drops, the rules in turns. A first drop is legal only if
some legal turn contains it, and a turn ends by itself at its last permitted drop.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from oddly.games.errors import Illegality, IllegalTurn
from oddly.games.turns import Drop, Drops, Move, Pass, Swap

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterator

    from oddly.games.game import Position


@dataclass(frozen=True, slots=True)
class End:
    """The end of a turn that could go on. Written `end`."""

    def __str__(self) -> str:
        return "end"


END = End()

Action = Drop | End | Move | Pass | Swap


@dataclass(frozen=True, slots=True, eq=False)
class DropPosition:
    """A position that may lie inside a turn: where the turn began and its drops so far."""

    start: Position
    drops: tuple[Drop, ...] = ()

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
        stones = bytearray(self.start.stones)
        for drop in self.drops:
            stones[self.start.game.board.index[drop.vertex]] = drop.colour
        return (bytes(stones), self.start.to_move), len(self.drops)

    def actions(self) -> Iterator[Action]:
        """Return every legal action once."""
        if self.drops:
            yield from self._continuations()
        elif not self.is_over:
            yield from self.start.turns_without_drops()
            if self.start.most_drops:
                yield from self.start.first_drops()

    def act(self, action: Action) -> DropPosition:
        """Return the position after `action`. Raises IllegalTurn with the reason."""
        if isinstance(action, End):
            return DropPosition(self.start.play(Drops(self.drops)))
        if not isinstance(action, Drop):
            if self.drops:
                raise IllegalTurn(Illegality.WRONG_KIND, f"{action} inside a turn: drop or end")
            return DropPosition(self.start.play(action))
        drops = (*self.drops, action)
        if len(drops) >= self.start.most_drops:
            return DropPosition(self.start.play(Drops(drops)))
        if next(self._turns(drops), None) is None:
            self.start.play(Drops(drops))
            raise IllegalTurn(Illegality.PARITY, f"no legal turn contains {action}")
        return DropPosition(self.start, drops)

    def _turns(self, drops: tuple[Drop, ...]) -> Iterator[Drops]:
        """Every legal turn that contains these drops."""
        turns = self.start.turns_with(drops[0])
        if len(drops) == 1:
            return turns
        return (turn for turn in turns if set(drops) <= set(turn.drops))

    def _continuations(self) -> Iterator[Action]:
        seen: set[Drop] = set(self.drops)
        for turn in self._turns(self.drops):
            if len(turn.drops) == len(self.drops):
                yield END
            for drop in turn.drops:
                if drop not in seen:
                    seen.add(drop)
                    yield drop

"""Games action by action: single drops, and an explicit `end` of a turn.

Search programs and interfaces think in drops, the rules in turns. A first drop is legal only if
some legal turn contains it, and a turn ends by itself at its last permitted drop.
"""

from __future__ import annotations

from array import array
from typing import TYPE_CHECKING

from oddly.games.actions import END, Action, End
from oddly.games.colour import Colour
from oddly.games.errors import Illegality, IllegalTurn
from oddly.games.partial_turn import PartialTurn
from oddly.games.turns import Drop, Drops

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterator, Sequence

    from oddly.games.game import Game, Position
    from oddly.games.result import Result
    from oddly.games.turns import Turn


class DropPosition(PartialTurn):
    """A position that may lie inside a turn: where the turn began and its drops so far."""

    def __eq__(self, other: object) -> bool:
        """Whether the other is the same position of an equal game, whatever turns led there."""
        if not isinstance(other, DropPosition):
            return NotImplemented
        return self.start.game == other.start.game and self.key == other.key

    def __hash__(self) -> int:
        return hash(self.key)

    @property
    def game(self) -> Game:
        """The rules and settings this position belongs to."""
        return self.start.game

    @property
    def is_over(self) -> bool:
        """Whether the game has ended."""
        return self.start.is_over

    @property
    def result(self) -> Result | None:
        """How the game ended, or None while it goes on."""
        return self.start.result

    @property
    def key(self) -> Hashable:
        """Equal iff the positions are the same: stones, side to move, and drops made this turn."""
        if not self.drops:
            return self.start.key, 0
        return (self.stones, self.to_move), len(self.drops)

    def actions(self) -> Iterator[Action]:
        """Return every legal action once."""
        numbers = self.start.game.action_numbers
        legal = self.start.actions_after(self.drops)
        for number in legal:
            if number >= numbers.first_other:
                yield numbers.action_of(number)
        if numbers.first_other == numbers.first_move:
            drops = numbers.drops
            yield from [drops[number] for number in legal if number < numbers.first_move]
        else:
            yield from (numbers.action_of(each) for each in legal if each < numbers.first_other)

    def legal_actions(self) -> list[int]:
        """Return the numbers of the legal actions, ascending; none once the game is over."""
        return self.start.actions_after(self.drops)

    def action_mask(self) -> array[int]:
        """Return a 1 for each legal action and a 0 for each other, by their numbers."""
        return mask_of(self.start.game, self.legal_actions())

    def play_action(self, number: int) -> Position | DropPosition:
        """Return the position after the action of that number. Raises IllegalTurn."""
        after = self.act(self.start.game.action_of(number))
        return after if after.drops else after.start

    def _repr_svg_(self) -> str:
        """Return the picture that a notebook shows."""
        from oddly.games.drawing.notebook import notebook_svg

        return notebook_svg(self)

    def turn_with(self, action: Action) -> Turn:
        """Return the turn that `action` ends, made of the drops so far."""
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


def listed_actions(position: Position, drops: tuple[Drop, ...]) -> list[int]:
    """Return the numbers of the legal actions after these drops, ascending.

    They are found by looking through the turns that contain them: right for any game, if slow.
    """
    at, found = PartialTurn(position, drops), list[Action]()
    if drops:
        if at.can_end:
            found.append(END)
        found += at.next_drops()
    elif not position.is_over:
        found += position.turns_without_drops()
        if position.most_drops:
            found += at.next_drops()
    return sorted(map(position.game.action_number, found))


def mask_of(game: Game, legal: list[int]) -> array[int]:
    """Return an array of signed bytes with 1 for each of these actions, else 0."""
    mask = array("b", bytes(game.action_count))
    for number in legal:
        mask[number] = 1
    return mask


def actions_of(position: Position, turn: Turn) -> list[Action]:
    """Return the actions of a turn: its drops and its end if it could go on, or the turn itself."""
    if not isinstance(turn, Drops):
        return [turn]
    ends = len(turn.drops) < position.most_drops
    return [*turn.drops, *([END] if ends else [])]


def drops_on(position: Position, indices: Sequence[int]) -> Drops:
    """Return the turn that drops the stones which lie on those indices of a position."""
    vertices, stones = position.game.board.vertices, position.stones
    return Drops(tuple(Drop(Colour(stones[index]), vertices[index]) for index in indices))

"""A game that people click or type: its turns so far, and the turn that they are making.

A `GameInProgress` is an immutable value. Every action returns the next one, or raises IllegalTurn
with a reason for the player.

In games of drops the stones of a turn are tentative until it ends: `drop` puts a stone down, `flip`
changes its colour, `remove` takes it back, and `end` plays the turn. In games of moves `select`
takes up a piece, and a click on its destination plays the turn. `click` does what a click on a
vertex means now, and `undo` takes back the last step.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum
from functools import cached_property
from typing import TYPE_CHECKING

from oddly.games import (
    EMPTY,
    PASS,
    SWAP,
    Colour,
    Drop,
    Drops,
    Illegality,
    IllegalTurn,
    Move,
    Parity,
    Pass,
    Swap,
    touched,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from oddly.games import Game, GroupCounts, Position, Turn, Vertex


_NUMBERS = {1: "one", 2: "two", 3: "three"}


class Click(Enum):
    """What a click on a vertex does."""

    DROP = "drop"
    """Put a stone down, or move the only one that the turn may have."""
    FLIP = "flip"
    SELECT = "select"
    """Take up a piece, instead of the one taken up before."""
    PUT_BACK = "put back"
    """Put the piece back where it was."""
    MOVE = "move"


@dataclass(frozen=True)
class GameInProgress:
    """The positions of a game from its start to now, the turns between them, and the next turn.

    `drops` are the tentative stones in the order in which they were put down. `origin` is the
    vertex of the piece that is taken up. `on_time`: the side in `resigned` lost on time.
    `agreed`: the players agreed on a draw.
    """

    positions: tuple[Position, ...]
    turns: tuple[Turn, ...] = ()
    drops: tuple[Drop, ...] = ()
    origin: Vertex | None = None
    resigned: Colour | None = None
    on_time: bool = False
    agreed: bool = False

    @classmethod
    def of(cls, game: Game) -> GameInProgress:
        """Return the start of a game."""
        return cls((game.start(),))

    @property
    def position(self) -> Position:
        """The position before the next turn, without its tentative stones."""
        return self.positions[-1]

    @property
    def game(self) -> Game:
        """The rules of the game with their settings."""
        return self.position.game

    @property
    def played(self) -> list[tuple[Colour, Turn]]:
        """The turns, each with the colour that played it."""
        pairs = zip(self.positions, self.turns, strict=False)
        return [(position.to_move, turn) for position, turn in pairs]

    @property
    def to_move(self) -> Colour:
        """The colour of the side to move."""
        return self.position.to_move

    @property
    def mover(self) -> int:
        """The player to move: 0 opened the game, whatever colour that player holds now."""
        return len(self.turns) % 2

    @property
    def is_over(self) -> bool:
        """Whether the rules or the players ended the game."""
        return self.resigned is not None or self.agreed or self.position.is_over

    @property
    def winner(self) -> Colour | None:
        """The colour that has won; None while the game goes on and after a draw."""
        if self.resigned is not None:
            return self.resigned.other
        result = self.position.result
        return result.winner if result else None

    @property
    def has_drops(self) -> bool:
        """Whether turns drop stones, at least from the start."""
        return self.positions[0].most_drops > 0

    @property
    def is_begun(self) -> bool:
        """Whether a stone is tentative or a piece is taken up."""
        return bool(self.drops) or self.origin is not None

    @cached_property
    def stones(self) -> Sequence[int]:
        """What lies on each index of the board, tentative stones included."""
        stones = list(self.position.stones)
        for drop in self.drops:
            stones[self.game.board.index[drop.vertex]] = drop.colour
        return stones

    @cached_property
    def group_counts(self) -> GroupCounts:
        """The groups that count, per colour, tentative stones included."""
        return self.position.group_counts_with(self.drops)

    @property
    def can_end(self) -> bool:
        """Whether the tentative stones are a legal turn."""
        return not self.is_over and bool(self.drops) and self.position.is_legal(self._turn)

    @property
    def can_pass(self) -> bool:
        """Whether a pass is legal now."""
        return not self.is_over and not self.is_begun and self.position.is_legal(PASS)

    @property
    def can_swap(self) -> bool:
        """Whether the pie rule's swap is legal now."""
        return not self.is_over and not self.is_begun and self.position.is_legal(SWAP)

    @property
    def can_undo(self) -> bool:
        """Whether there is anything to take back."""
        return self.is_begun or bool(self.turns) or self.resigned is not None or self.agreed

    @property
    def last(self) -> tuple[frozenset[Vertex], frozenset[Vertex]]:
        """The vertices where the last turn put a stone, and those that it emptied."""
        return touched(self.turns[-1]) if self.turns else (frozenset(), frozenset())

    @cached_property
    def continuations(self) -> Mapping[Vertex, tuple[Colour, ...]]:
        """Where the next stone of a legal turn may go, and in which colours."""
        if self.is_over or len(self.drops) >= self.position.most_drops:
            return {}
        if not self.drops:
            return {v: colours for v in self._empty() if (colours := self._openings(v))}
        made = set(self.drops)
        found: dict[Vertex, set[Colour]] = {}
        for turn in self.position.turns_with(self.drops[0]):
            if made <= set(turn.drops):
                for drop in turn.drops:
                    if drop not in made:
                        found.setdefault(drop.vertex, set()).add(drop.colour)
        return {vertex: tuple(sorted(either)) for vertex, either in found.items()}

    @cached_property
    def destinations(self) -> tuple[Vertex, ...]:
        """The vertices where the piece that was taken up may go."""
        if self.origin is None:
            return ()
        return tuple(move.destination for move in self.position.moves_from(self.origin))

    @cached_property
    def clicks(self) -> Mapping[Vertex, Click]:
        """What a click does on each vertex; a vertex where it does nothing is missing."""
        if self.is_over:
            return {}
        clicks: dict[Vertex, Click] = {}
        if Move in self.game.turn_kinds and not self.drops:
            clicks = dict(self._clicks_of_moves())
        if not self.has_drops or self.origin is not None:
            return clicks
        clicks |= dict.fromkeys((drop.vertex for drop in self.drops), Click.FLIP)
        start = replace(self, drops=()) if self._moves_its_drop else self
        found = (vertex for vertex in start.continuations if vertex not in clicks)
        return clicks | dict.fromkeys(found, Click.DROP)

    def click(self, vertex: Vertex) -> GameInProgress:
        """Do what a click on `vertex` means. Raises IllegalTurn if it means nothing."""
        match self.clicks.get(vertex):
            case Click.DROP:
                return self.drop(vertex)
            case Click.FLIP:
                return self.flip(vertex)
            case Click.SELECT:
                return self.select(vertex)
            case Click.PUT_BACK:
                return replace(self, origin=None)
            case Click.MOVE:
                return self.play(Move(self.origin or "", vertex))
            case _:
                raise self._refusal(vertex)

    def drop(self, vertex: Vertex, colour: Colour | None = None) -> GameInProgress:
        """Put a tentative stone down. Raises IllegalTurn if no legal turn has it.

        Without a colour, the stone gets the mover's own, or the other one where no legal turn has
        that. Where a turn is one drop, the tentative stone moves here and keeps its colour.
        """
        if self._moves_its_drop and vertex != self.drops[0].vertex:
            return replace(self, drops=()).drop(vertex, colour or self.drops[0].colour)
        colours = self.continuations.get(vertex, ())
        if not colours:
            raise self._refusal(vertex)
        if colour is None:
            colour = self.to_move if self.to_move in colours else colours[0]
        elif colour not in colours:
            raise IllegalTurn(
                Illegality.PARITY, f"no legal turn has a {colour} stone on {vertex} now"
            )
        return replace(self, drops=(*self.drops, Drop(colour, vertex)))

    def flip(self, vertex: Vertex) -> GameInProgress:
        """Change the colour of a tentative stone. Raises IllegalTurn if none lies on `vertex`."""
        self._tentative(vertex)
        return replace(
            self,
            drops=tuple(
                Drop(drop.colour.other, vertex) if drop.vertex == vertex else drop
                for drop in self.drops
            ),
        )

    def remove(self, vertex: Vertex) -> GameInProgress:
        """Take a tentative stone back. Raises IllegalTurn if none lies on `vertex`."""
        self._tentative(vertex)
        return replace(self, drops=tuple(drop for drop in self.drops if drop.vertex != vertex))

    def select(self, vertex: Vertex) -> GameInProgress:
        """Take up a piece. Raises IllegalTurn if it may not move."""
        taken = replace(self, origin=None)
        if taken.clicks.get(vertex) is not Click.SELECT:
            raise taken._refusal(vertex)
        return replace(self, origin=vertex)

    def end(self) -> GameInProgress:
        """Play the tentative stones as a turn. Raises IllegalTurn if they are none."""
        if not self.drops:
            raise IllegalTurn(Illegality.DROP_COUNT, "the turn has no stone yet")
        return self.play(self._turn)

    def pass_turn(self) -> GameInProgress:
        """Pass. Raises IllegalTurn if a pass is not legal or a turn has begun."""
        return self._whole_turn(PASS)

    def swap(self) -> GameInProgress:
        """Exchange colours by the pie rule. Raises IllegalTurn if that is not legal."""
        return self._whole_turn(SWAP)

    def play(self, turn: Turn) -> GameInProgress:
        """Play a whole turn and drop what was tentative. Raises IllegalTurn if it is not legal."""
        if self.resigned is not None or self.agreed:
            raise self._over()
        return GameInProgress((*self.positions, self.position.play(turn)), (*self.turns, turn))

    def resign(self, side: Colour | None = None) -> GameInProgress:
        """Resign for `side`, by default the one to move. Raises IllegalTurn after the end."""
        if self.is_over:
            raise self._over()
        return replace(self, drops=(), origin=None, resigned=side or self.to_move)

    def lose_on_time(self) -> GameInProgress:
        """End the game because the side to move has no time. Raises IllegalTurn after the end."""
        return replace(self.resign(), on_time=True)

    def agree_on_a_draw(self) -> GameInProgress:
        """End the game as a draw that both players want. Raises IllegalTurn after the end."""
        if self.is_over:
            raise self._over()
        return replace(self, drops=(), origin=None, agreed=True)

    def undo(self) -> GameInProgress:
        """Take back the last tentative stone, the selection, a resignation or a whole turn.

        Raises IllegalTurn at the start of the game.
        """
        if self.drops:
            return replace(self, drops=self.drops[:-1])
        if self.origin is not None or self.resigned is not None or self.agreed:
            return replace(self, origin=None, resigned=None, on_time=False, agreed=False)
        if not self.turns:
            raise IllegalTurn(Illegality.WRONG_KIND, "there is nothing to take back")
        return GameInProgress(self.positions[:-1], self.turns[:-1])

    @property
    def _turn(self) -> Drops:
        return Drops(self.drops)

    @property
    def _moves_its_drop(self) -> bool:
        """Whether the next stone replaces the tentative one."""
        return len(self.drops) == 1 and self.position.most_drops == 1

    def _whole_turn(self, turn: Pass | Swap) -> GameInProgress:
        if self.is_begun and not self.is_over:
            what = "stones of this turn" if self.drops else "piece"
            raise IllegalTurn(Illegality.WRONG_KIND, f"take the {what} back before a {turn}")
        return self.play(turn)

    def _tentative(self, vertex: Vertex) -> Drop:
        if (found := next((each for each in self.drops if each.vertex == vertex), None)) is None:
            raise IllegalTurn(Illegality.NO_PIECE, f"no stone of this turn lies on {vertex}")
        return found

    def _empty(self) -> Iterator[Vertex]:
        points = zip(self.game.board.vertices, self.position.stones, strict=True)
        return (vertex for vertex, stone in points if stone == EMPTY)

    def _openings(self, vertex: Vertex) -> tuple[Colour, ...]:
        """Return the colours in which a legal turn has a stone on `vertex`."""
        turns = {colour: self.position.turns_with(Drop(colour, vertex)) for colour in Colour}
        return tuple(colour for colour in Colour if next(turns[colour], None) is not None)

    def _clicks_of_moves(self) -> Iterator[tuple[Vertex, Click]]:
        movable = self.position.movable()
        yield from ((v, Click.SELECT) for v in self.game.board.vertices if v in movable)
        if self.origin is not None:
            yield self.origin, Click.PUT_BACK
            yield from ((vertex, Click.MOVE) for vertex in self.destinations)

    def _refusal(self, vertex: Vertex) -> IllegalTurn:
        """Return why a click on `vertex` means nothing."""
        if self.is_over:
            return self._over()
        index = self.game.board.index.get(vertex)
        if index is None:
            return IllegalTurn(Illegality.OFF_BOARD, f"{vertex} is off the {self.game.board}")
        stone = self.position.stones[index]
        if not self.has_drops:
            return self._refused_move(vertex, stone)
        if stone != EMPTY:
            return IllegalTurn(Illegality.OCCUPIED, f"{vertex} is occupied")
        if len(self.drops) >= self.position.most_drops:
            return IllegalTurn(
                Illegality.DROP_COUNT,
                f"the turn has its {_NUMBERS.get(len(self.drops), 'last')} stones: end it, change "
                "the colour of one, or take one back",
            )
        if self.game.parity is not Parity.ENDS_TURNS:
            return self._refused_drop(vertex)
        return IllegalTurn(
            Illegality.PARITY,
            f"a stone on {vertex}, black or white, would leave an even number of groups, and no "
            "second stone could mend that"
            if not self.drops
            else f"neither a black nor a white stone on {vertex} makes the number of groups odd",
        )

    def _refused_drop(self, vertex: Vertex) -> IllegalTurn:
        """Why the rules refuse a stone of the mover's own there."""
        try:
            self.position.play(Drops((*self.drops, Drop(self.to_move, vertex))))
        except IllegalTurn as error:
            return error
        return IllegalTurn(Illegality.FORBIDDEN, f"no legal turn has a stone on {vertex} now")

    def _refused_move(self, vertex: Vertex, stone: int) -> IllegalTurn:
        if self.origin is not None and stone == EMPTY:
            try:
                self.position.play(Move(self.origin, vertex))
            except IllegalTurn as error:
                return error
        if stone == EMPTY:
            return IllegalTurn(Illegality.NO_PIECE, f"there is no piece on {vertex} to move")
        if stone != self.to_move:
            return IllegalTurn(
                Illegality.WRONG_PIECE,
                f"the piece on {vertex} is {Colour(stone)}; {str(self.to_move).capitalize()} "
                "is to move",
            )
        return IllegalTurn(Illegality.NOT_CLOSER, f"the piece on {vertex} {self.game.stuck}")

    def _over(self) -> IllegalTurn:
        return IllegalTurn(Illegality.GAME_OVER, "the game is over")

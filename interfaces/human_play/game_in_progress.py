"""A game that people click or type: its turns so far, and the turn that they are making.

A `GameInProgress` is an immutable value. Every action returns the next one, or raises IllegalTurn
with a reason for the player.

In games of drops the stones of a turn are tentative until it ends: a click puts a stone where some
legal turn has one, a click on the stone changes its colour, `remove` takes it back, and `end` plays
the turn. In games of moves, a click takes up a piece, and a click on its destination plays the
turn. `clicks` says what a click means now, `clicks_in` what it means while a colour is chosen for
stones, and `undo` takes back the last step.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum
from functools import cached_property
from typing import TYPE_CHECKING, NoReturn

from oddly.games import (
    EMPTY,
    PASS,
    SWAP,
    Colour,
    Drop,
    Drops,
    Game,
    Illegality,
    IllegalTurn,
    Move,
    Parity,
    PartialTurn,
    Pass,
    Position,
    Swap,
    Turn,
    Vertex,
    touched,
)
from oddly.protocol import parse_turn

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping


_NUMBERS = {1: "one", 2: "two", 3: "three"}


class Click(Enum):
    """What a click on a vertex does."""

    DROP = "drop"
    """Put a stone down, or move it if the turn may have only one."""
    FLIP = "flip"
    TAKE_BACK = "take back"
    """Take a stone of this turn back."""
    SELECT = "select"
    """Take up a piece, in place of any taken up before."""
    PUT_BACK = "put back"
    """Put the piece back where it was."""
    MOVE = "move"


@dataclass(frozen=True)
class GameInProgress:
    """The turns of a game so far, and `partial`, the one that is being made.

    `earlier` has the position before each turn. `on_time`: the side in `resigned` lost on time.
    `agreed`: the players agreed on a draw.
    """

    partial: PartialTurn
    earlier: tuple[Position, ...] = ()
    turns: tuple[Turn, ...] = ()
    resigned: Colour | None = None
    on_time: bool = False
    agreed: bool = False

    @classmethod
    def of(cls, game: Game) -> GameInProgress:
        """Return the start of a game."""
        return cls(PartialTurn(game.start()))

    @property
    def position(self) -> Position:
        """The position before the next turn, without its tentative stones."""
        return self.partial.start

    @property
    def game(self) -> Game:
        """The rules of the game with their settings."""
        return self.position.game

    @property
    def played(self) -> list[tuple[Colour, Turn]]:
        """The turns, each with the colour that played it."""
        pairs = zip(self.earlier, self.turns, strict=True)
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
        return self._was_stopped or self.position.is_over

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
        return (*self.earlier, self.position)[0].most_drops > 0

    def can_play(self, turn: Pass | Swap) -> bool:
        """Return whether a pass or a swap is legal now."""
        return not (self.is_over or self.partial.is_begun) and self.position.is_legal(turn)

    @property
    def can_undo(self) -> bool:
        """Whether there is anything to take back."""
        return self.partial.is_begun or bool(self.turns) or self._was_stopped

    @property
    def last(self) -> tuple[frozenset[Vertex], frozenset[Vertex]]:
        """The vertices where the last turn put a stone, and those that it emptied."""
        return touched(self.turns[-1] if self.turns else None)

    @cached_property
    def clicks(self) -> Mapping[Vertex, Click]:
        """What a click does on each vertex; a vertex where it does nothing is missing."""
        if self.is_over:
            return {}
        partial = self.partial
        clicks = dict.fromkeys(partial.movable, Click.SELECT)
        if partial.origin is not None:
            clicks |= dict.fromkeys(partial.destinations, Click.MOVE)
            clicks[partial.origin] = Click.PUT_BACK
        elif self.has_drops:
            clicks |= dict.fromkeys(self._next_stone.continuations, Click.DROP)
            clicks |= dict.fromkeys(partial.tentative, Click.FLIP)
        return clicks

    def clicks_in(self, colour: Colour) -> Mapping[Vertex, Click]:
        """What a click does on each vertex while `colour` is chosen for stones.

        A new stone goes only where it may have that colour. A stone of this turn gets that colour,
        or is taken back if it has it already.
        """
        if self.is_over:
            return {}
        clicks = dict(self.clicks)
        for drop in self.partial.drops:
            clicks[drop.vertex] = Click.TAKE_BACK if drop.colour is colour else Click.FLIP
        colours = self._next_stone.continuations
        return {
            vertex: click
            for vertex, click in clicks.items()
            if click is not Click.DROP or colour in colours[vertex]
        }

    def click(self, vertex: Vertex, colour: Colour | None = None) -> GameInProgress:
        """Do what a click on `vertex` means. Raises IllegalTurn if it means nothing.

        `colour` is the one chosen for stones. Without one, a stone gets the mover's own colour, or
        the other where no legal turn has that. Where a turn is one drop, the tentative stone moves
        here and keeps its colour. A click on a stone of this turn changes its colour.
        """
        partial = self.partial
        clicks = self.clicks if colour is None else self.clicks_in(colour)
        match clicks.get(vertex):
            case Click.DROP:
                drop = self._dropped(vertex) if colour is None else Drop(colour, vertex)
                return self._with(self._next_stone.drop(drop))
            case Click.FLIP:
                return self._with(partial.flip(vertex))
            case Click.TAKE_BACK:
                return self.remove(vertex)
            case Click.SELECT:
                return self._with(PartialTurn(self.position, origin=vertex))
            case Click.PUT_BACK:
                return self._with(PartialTurn(self.position))
            case Click.MOVE:
                return self.play(Move(partial.origin or "", vertex))
            case _ if colour is not None and self.clicks.get(vertex) is Click.DROP:
                raise _wrong_colour(vertex, colour)
            case _:
                return self._refuse(vertex)

    def remove(self, vertex: Vertex) -> GameInProgress:
        """Take a tentative stone back. Raises IllegalTurn if none lies on `vertex`."""
        return self._with(self.partial.remove(vertex))

    def with_turn_begun(self, drops: Iterable[str], origin: Vertex | None) -> GameInProgress:
        """Return the game with these stones tentative, or with that piece taken up.

        Raises IllegalTurn if they do not fit the position, NotationError for other text.
        """
        turns = map(parse_turn, drops)
        stones = (drop for turn in turns if isinstance(turn, Drops) for drop in turn.drops)
        partial = PartialTurn(self.position, tuple(stones), origin)
        if not partial.fits:
            raise IllegalTurn(
                Illegality.WRONG_KIND, "the turn on the board does not fit the position"
            )
        return self._with(partial)

    def end(self) -> GameInProgress:
        """Play the tentative stones as a turn. Raises IllegalTurn if there are none."""
        if not self.partial.drops:
            raise IllegalTurn(Illegality.DROP_COUNT, "the turn has no stone yet")
        return self.play(Drops(self.partial.drops))

    def pass_or_swap(self, turn: Pass | Swap) -> GameInProgress:
        """Pass, or exchange colours. Raises IllegalTurn if it is illegal or a turn has begun."""
        if self.partial.is_begun and not self.is_over:
            what = "stones of this turn" if self.partial.drops else "piece"
            raise IllegalTurn(Illegality.WRONG_KIND, f"take the {what} back before a {turn}")
        return self.play(turn)

    def play(self, turn: Turn) -> GameInProgress:
        """Play a whole turn and drop what was tentative. Raises IllegalTurn if it is not legal."""
        if self._was_stopped:
            raise _over()
        after = PartialTurn(self.position.play(turn))
        return GameInProgress(after, (*self.earlier, self.position), (*self.turns, turn))

    def resign(self, side: Colour | None = None, *, on_time: bool = False) -> GameInProgress:
        """Resign for `side`, by default the one to move, or let it lose on time.

        Raises IllegalTurn after the end.
        """
        game = self._without_partial()
        return replace(game, resigned=side or self.to_move, on_time=on_time)

    def agree_on_a_draw(self) -> GameInProgress:
        """End the game as a draw that both players want. Raises IllegalTurn after the end."""
        return replace(self._without_partial(), agreed=True)

    def undo(self) -> GameInProgress:
        """Take back the last tentative stone, the selection, a resignation or a whole turn.

        Raises IllegalTurn at the start of the game.
        """
        if self.partial.drops:
            return self.remove(self.partial.tentative[-1])
        if self.partial.is_begun or self._was_stopped:
            return GameInProgress(PartialTurn(self.position), self.earlier, self.turns)
        if not self.turns:
            raise IllegalTurn(Illegality.WRONG_KIND, "there is nothing to take back")
        return self.back_to(len(self.turns) - 1)

    def back_to(self, number: int) -> GameInProgress:
        """Return the game before the turn with this number, from 0."""
        start = self.earlier[number]
        return GameInProgress(PartialTurn(start), self.earlier[:number], self.turns[:number])

    @property
    def _was_stopped(self) -> bool:
        """Whether the players ended the game, not the rules."""
        return self.resigned is not None or self.agreed

    @cached_property
    def _next_stone(self) -> PartialTurn:
        """The partial turn that gets the next stone; emptied if a turn may have only one."""
        partial = self.partial
        moves_its_drop = len(partial.drops) == 1 and self.position.most_drops == 1
        return PartialTurn(self.position) if moves_its_drop else partial

    def _dropped(self, vertex: Vertex) -> Drop:
        """Return a click's stone. Raises IllegalTurn if one that moves cannot keep its colour."""
        colours = self._next_stone.continuations[vertex]
        moved = self.partial.drops if self._next_stone is not self.partial else ()
        colour = moved[0].colour if moved else self.to_move
        if moved and colour not in colours:
            raise _wrong_colour(vertex, colour)
        return Drop(colour if colour in colours else colours[0], vertex)

    def _with(self, partial: PartialTurn) -> GameInProgress:
        return replace(self, partial=partial)

    def _without_partial(self) -> GameInProgress:
        """Return the game between two turns. Raises IllegalTurn after its end."""
        if self.is_over:
            raise _over()
        return self._with(PartialTurn(self.position))

    def _refuse(self, vertex: Vertex) -> NoReturn:
        """Raise IllegalTurn with the reason why a click on `vertex` means nothing."""
        if self.is_over:
            raise _over()
        if self.has_drops:
            self._refuse_drop(vertex)
        self._refuse_move(vertex)

    def _refuse_drop(self, vertex: Vertex) -> NoReturn:
        drops = self.partial.drops
        self.game.board.empty_index(vertex, self.position.stones)
        if self.partial.is_full:
            raise IllegalTurn(
                Illegality.DROP_COUNT,
                f"the turn has its {_NUMBERS.get(len(drops), 'last')} stones: end it, change "
                "the colour of one, or take one back",
            )
        if self.game.parity is not Parity.ENDS_TURNS:
            self.position.play(Drops((*drops, Drop(self.to_move, vertex))))
            raise IllegalTurn(Illegality.FORBIDDEN, f"no legal turn has a stone on {vertex} now")
        raise IllegalTurn(
            Illegality.PARITY,
            f"neither a black nor a white stone on {vertex} makes the number of groups odd"
            if drops
            else f"a stone on {vertex}, black or white, would leave an even number of groups, and "
            "no second stone could mend that",
        )

    def _refuse_move(self, vertex: Vertex) -> NoReturn:
        stone = self.position.stones[self.game.board.index_of(vertex)]
        if stone == EMPTY:
            if self.partial.origin is not None:
                self.position.play(Move(self.partial.origin, vertex))
            raise IllegalTurn(Illegality.NO_PIECE, f"there is no piece on {vertex} to move")
        if stone != self.to_move:
            raise IllegalTurn(
                Illegality.WRONG_PIECE,
                f"the piece on {vertex} is {Colour(stone)}; {str(self.to_move).capitalize()} "
                "is to move",
            )
        raise IllegalTurn(Illegality.NOT_CLOSER, f"the piece on {vertex} {self.game.stuck}")


def _over() -> IllegalTurn:
    return IllegalTurn(Illegality.GAME_OVER, "the game is over")


def _wrong_colour(vertex: Vertex, colour: Colour) -> IllegalTurn:
    return IllegalTurn(
        Illegality.PARITY,
        f"no legal turn has a {colour} stone on {vertex} now, but one has a {colour.other} one",
    )


ACTIONS: dict[str, Callable[[GameInProgress, Vertex, Colour | None], GameInProgress]] = {
    "click": GameInProgress.click,
    "remove": lambda current, vertex, _: current.remove(vertex),
    "end": lambda current, *_: current.end(),
    "pass": lambda current, *_: current.pass_or_swap(PASS),
    "swap": lambda current, *_: current.pass_or_swap(SWAP),
}
"""What a player can do on a page, by name; the first two act on a vertex."""

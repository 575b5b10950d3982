"""What every game and its positions offer.

A game is a frozen set of rules and settings; a position is an immutable value, equal to any other
of the same key. Playing a turn returns a new position; to take turns back, keep the old one.

A new game must define only what is abstract here. The rest, such as what players read about it,
has a default that is right, if plain or slow, for any game.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar

from oddly.games.drop_level import (
    DropPosition,
    End,
    actions_of,
    listed_actions,
    mask_of,
    numbers_on,
)
from oddly.games.groups import Groups, TurnBatch, TurnsByCounts
from oddly.games.result import Exchange, GroupCounts, Parity, Result, Status
from oddly.games.settings import Setting, setting_text, settings_of
from oddly.games.turns import EMPTY, Colour, Drop, Drops, GameError, IllegalTurn, Move, Pass, Swap
from oddly.games.wording import counted

if TYPE_CHECKING:
    from array import array
    from collections.abc import Hashable, Iterator, Mapping, Sequence

    from oddly.games.board import Board
    from oddly.games.drop_level import Action, ActionNumbers
    from oddly.games.turns import Turn, Vertex

MAX_SIZE = 26
"""Columns are named by single letters."""


class Game(ABC):
    """A game's rules with its settings chosen. Equal settings make equal games.

    A game is a frozen dataclass: its `size`, and its settings (`games/settings.py`), with defaults.
    """

    name: ClassVar[str]
    """Lower-case, as in `--game` and `set_game`."""
    size: int

    quick_size: ClassVar[int | None] = None
    """A size for a game of a few minutes; None for the default."""
    example: ClassVar[str] = ""
    """Turns as people type them; empty for the first legal turn of a game."""
    counted: ClassVar[str] = "group"
    """What `group_counts` counts, in the singular."""
    stuck: ClassVar[str] = "has no legal move"
    """What is said of a piece that cannot move."""
    parity: ClassVar[Parity] = Parity.NOTHING
    """What an odd number of counted groups means."""
    turns_per_cell: ClassVar[float] = 1.0
    """Turns of a random game per cell of its board; games of good engines are not longer."""
    exchange: ClassVar[Exchange] = Exchange.NOTHING
    """How the colours may be exchanged."""
    is_symmetric: ClassVar[bool] = False
    """Whether every symmetry of the board leaves the rules as they are."""
    can_repeat: ClassVar[bool] = True
    """Whether a position can come up twice in one game."""
    mirrors: ClassVar[tuple[str, ...]] = ("half-turn", "left-right", "top-bottom")
    """The symmetries by which a player may hope to copy the opponent."""

    @property
    @abstractmethod
    def board(self) -> Board:
        """The empty board this game is played on."""

    @abstractmethod
    def start(self) -> Position:
        """Return the initial position, Black to move."""

    @property
    def settings(self) -> Mapping[str, Setting]:
        """The game's settings other than its size, by name (`min_group`, `board`, `pie`)."""
        return {name: getattr(self, info.field) for name, info in settings_of(type(self)).items()}

    @property
    def title(self) -> str:
        """The game's name as a word in a sentence: `Yodd`."""
        return self.name.capitalize()

    @property
    def variant(self) -> str:
        """Settings other than the default, except the board: `with the pie rule`. May be empty."""
        usual = settings_of(type(self))
        return ", ".join(
            f"{name} {setting_text(value)}"
            for name, value in self.settings.items()
            if name != "board" and value != usual[name].default
        )

    def counted_words(self, number: int) -> str:
        """Return `1 group`, `2 groups of 5 or more`, or whatever this game counts."""
        _, _, which = self.counting.partition(f"{self.counted}s")
        return counted(number, self.counted) + which

    @property
    def counting(self) -> str:
        """What counts, then which of them: `groups of 5 or more`. Empty if all do."""
        least = self.smallest_counted
        return f"{self.counted}s of {least} or more" if least > 1 else ""

    @property
    def smallest_counted(self) -> int:
        """The fewest stones of a group that counts."""
        return 1

    @property
    def example_turns(self) -> str:
        """Turns as people type them."""
        return self.example or str(next(self.start().legal_turns()))

    @property
    def goal(self) -> str:
        """The rules in a sentence or two, for people who sit down to play. May be empty."""
        return ""

    @property
    def known_winner(self) -> str:
        """A sentence on who wins from the start; empty unless that is proved."""
        return ""

    @property
    def turn_kinds(self) -> frozenset[type]:
        """The kinds of turns that may occur in a game: which of Drops, Move, Pass and Swap."""
        return frozenset((Drops, Move, Pass, Swap))

    @property
    def action_kinds(self) -> frozenset[type]:
        """The kinds of actions that have numbers: those of turns, and End if there are drops."""
        return self.turn_kinds | ({End} if Drops in self.turn_kinds else set())

    @cached_property
    def action_numbers(self) -> ActionNumbers:
        """Every action of the game by its number."""
        return numbers_on(self.board, self.action_kinds)

    @property
    def action_count(self) -> int:
        """The number of actions, one more than the highest action number."""
        return self.action_numbers.count

    def action_of(self, number: int) -> Action:
        """Return the action of that number. Raises IllegalTurn if there is none."""
        return self.action_numbers.action_of(number)

    def action_number(self, action: Action) -> int:
        """Return the number of an action. Raises ValueError if the game has no such action."""
        return self.action_numbers.number_of(action)

    @classmethod
    def sizes(cls, **others: Setting) -> tuple[int, ...]:
        """Return the sizes that the game accepts with these fields, the rest at their defaults."""
        found = []
        for size in range(1, MAX_SIZE + 1):
            try:
                cls(size=size, **others)  # type: ignore[call-arg]
            except GameError:
                continue
            found.append(size)
        return tuple(found)

    def set_up(self, stones: Sequence[int], to_move: Colour, status: Status) -> Position:
        """Return the position with these stones. Raises GameError if no game can reach it.

        By default only the starting position can be set up.
        """
        start = self.start()
        if tuple(stones) == tuple(start.stones) and to_move is start.to_move:
            return start
        raise GameError(f"only the start of {self.title} can be set up")

    def score(self, counts: GroupCounts, side: Colour) -> int | None:
        """Return how good these counts are for a side, or None if they say nothing."""
        return None

    def opening_to(self, position: Position) -> Sequence[Turn] | None:
        """Return legal turns that might lead from the start to a position that was set up, or None.

        The caller tries them, so a wrong guess does no harm.
        """
        return None

    def log10_positions(self) -> float:
        """Return an upper bound on the number of positions, as a decimal logarithm."""
        return len(self.board) * math.log10(3) + math.log10(2)

    def __str__(self) -> str:
        """As a table's heading names it: `yodd 8`, `odd 5 (board square, min_group 5)`."""
        settings = ", ".join(f"{name} {setting_text(v)}" for name, v in self.settings.items())
        return f"{self.name} {self.size}" + (f" ({settings})" if settings else "")


class Position(ABC):
    """A game at the start of a turn: an immutable value.

    >>> import oddly
    >>> start = oddly.create_game("yodd", 3).start()
    >>> position = start.play("Bc3")
    >>> print(position.to_move, position.is_over, len(list(start.legal_turns())))
    white False 38
    >>> position == start.play("Bc3")
    True
    """

    __slots__ = ()

    game: Game
    """The rules and settings this position belongs to."""

    to_move: Colour
    """The side whose turn it is; after the end, the side whose turn it would be."""

    drops_leave_only_stones: ClassVar[bool] = False
    """Whether the rules look at nothing but stones and side to move once a turn has drops."""

    if TYPE_CHECKING:
        # At run time this would be the default of a dataclass field of that name.

        @property
        @abstractmethod
        def stones(self) -> Sequence[int]:
            """What lies on each index of the board: EMPTY or a Colour."""

    @property
    @abstractmethod
    def result(self) -> Result | None:
        """How the game ended, or None while it goes on."""

    @property
    @abstractmethod
    def key(self) -> Hashable:
        """Equal for two positions of one game iff they are the same position.

        The stones, the side to move and whatever else the rules look at (passes in a row, a swap
        still open) are part of it; the turns that led there are not.
        """

    @abstractmethod
    def legal_turns(self) -> Iterator[Turn]:
        """Return every legal turn once, found on demand; none once the game is over."""

    @abstractmethod
    def play(self, turn: Turn | str) -> Position:
        """Return the position after `turn`, which may be given as text: `Bc3,Wd4`.

        Raises IllegalTurn with the reason.
        """

    def __eq__(self, other: object) -> bool:
        """Whether the other is the same position of an equal game, whatever turns led there."""
        if not isinstance(other, Position):
            return NotImplemented
        return self.game == other.game and self.key == other.key

    def __hash__(self) -> int:
        return hash(self.key)

    def legal_actions(self) -> list[int]:
        """Return the numbers of the legal actions, ascending; none once the game is over."""
        return self.actions_after(())

    def action_mask(self) -> array[int]:
        """Return an array of signed bytes: 1 for each legal action, 0 for each other.

        `numpy.asarray` takes it without a copy: int8, shape (game.action_count,).
        """
        return mask_of(self.game, self.legal_actions())

    def play_action(self, number: int) -> Position | DropPosition:
        """Return the position after the action of that number. Raises IllegalTurn.

        Inside a turn this is a `DropPosition`, which has the same methods for actions.

        >>> import oddly
        >>> position = oddly.create_game("yodd", 2).start()
        >>> while not position.is_over:
        ...     position = position.play_action(max(position.legal_actions()))
        >>> print(position.result)
        B+1
        """
        return DropPosition(self).play_action(number)

    def actions_of(self, turn: Turn) -> list[int]:
        """Return the numbers of a turn's actions. Raises ValueError if the game lacks one."""
        return [self.game.action_number(action) for action in actions_of(self, turn)]

    def actions_after(self, drops: tuple[Drop, ...]) -> list[int]:
        """Return the numbers of the legal actions once this turn has made these drops, ascending.

        By default they are found by looking through the turns that contain them.
        """
        return listed_actions(self, drops)

    def may_begin_with(self, drop: Drop) -> bool:
        """Return whether a legal turn contains `drop`."""
        return next(self.turns_with(drop), None) is not None

    def _repr_svg_(self) -> str:
        """Return the picture that a notebook shows."""
        from oddly.games.drawing.svg import notebook_svg

        return notebook_svg(self)

    def vertices_with(self, *stones: int) -> list[Vertex]:
        """Return the vertices that hold one of `stones`, EMPTY or colours, in board order."""
        vertices = self.game.board.vertices
        return [vertices[i] for i, stone in enumerate(self.stones) if stone in stones]

    @property
    def group_counts(self) -> GroupCounts:
        """The groups that count in this game, per colour; by default, all."""
        return Groups.of(self.game.board, self.stones).counts

    @property
    def status(self) -> Status:
        """What the rules look at besides the stones and the side to move."""
        return Status()

    @property
    def is_over(self) -> bool:
        """Whether the game has ended."""
        return self.result is not None

    def is_legal(self, turn: Turn | str) -> bool:
        """Return whether `turn` may be played here; enumerates nothing."""
        try:
            self.play(turn)
        except IllegalTurn:
            return False
        return True

    def outcomes(self) -> Iterator[tuple[Turn, GroupCounts]]:
        """Return every legal turn with the group counts it leaves."""
        return ((turn, self.play(turn).group_counts) for turn in self.legal_turns())

    def turns_by_counts(self) -> TurnsByCounts:
        """Return the turns of `outcomes` by their counts; games with very many do not list them."""
        return TurnsByCounts([TurnBatch.listed(self.outcomes())])

    @property
    def most_drops(self) -> int:
        """The most stones that a turn may drop here; 0 if no turn drops any."""
        turns = (turn for turn in self.legal_turns() if isinstance(turn, Drops))
        return max((len(turn.drops) for turn in turns), default=0)

    def group_counts_with(self, drops: Sequence[Drop]) -> GroupCounts:
        """Return the groups that would count after drops on empty vertices, legal or not.

        By default, drops that are no legal turn change nothing. Raises ValueError for drops in a
        game without any.
        """
        if drops and Drops not in self.game.turn_kinds:
            raise ValueError(f"{self.game.name} has no drops")
        turn = Drops(tuple(drops))
        return self.play(turn).group_counts if drops and self.is_legal(turn) else self.group_counts

    def turns_with(self, drop: Drop) -> Iterator[Drops]:
        """Return every legal turn that contains `drop`, a turn of that one drop first."""
        alone = Drops((drop,))
        if self.is_legal(alone):
            yield alone
        if self.most_drops > 1:
            for turn in self.legal_turns():
                if isinstance(turn, Drops) and drop in turn.drops and turn != alone:
                    yield turn

    def first_drops(self) -> Iterator[Drop]:
        """Return every drop that some legal turn contains, once."""
        legal = {
            drop for turn in self.legal_turns() if isinstance(turn, Drops) for drop in turn.drops
        }
        for vertex in self.vertices_with(EMPTY):
            yield from (drop for c in Colour if (drop := Drop(c, vertex)) in legal)

    def turns_without_drops(self) -> Iterator[Move | Pass | Swap]:
        """Return every legal turn that drops nothing."""
        return (turn for turn in self.legal_turns() if not isinstance(turn, Drops))

    def moves_from(self, origin: Vertex) -> Iterator[Move]:
        """Return every legal move of the piece on `origin`."""
        for turn in self.turns_without_drops():
            if isinstance(turn, Move) and turn.origin == origin:
                yield turn

    def movable(self) -> frozenset[Vertex]:
        """Return the vertices whose pieces have a legal move."""
        turns = self.turns_without_drops()
        return frozenset(turn.origin for turn in turns if isinstance(turn, Move))

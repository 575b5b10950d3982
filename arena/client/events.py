"""The client machine's values: its game, steps for `joining.py`, and news.

A game has its players and the turns so far. The steps are what the machine wants done, in order.
The news is for the engine's owner, in values that a line, a screen or JSON shows. Its texts come
from the arena; whatever shows them must make them harmless.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, field, replace
from typing import TYPE_CHECKING, Any, ClassVar

from oddly.arena.wire.members import WireError
from oddly.games import Colour, Game, GameError, IllegalTurn, Position, create_game
from oddly.protocol import NotationError, parse_time_control, parse_turn

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import TypeAlias

    from oddly.arena.wire.members import Message
    from oddly.arena.wire.messages import GameEnd, GameStart, PoolOffer, RatingNow
    from oddly.protocol import TimeControl


@dataclass(frozen=True, slots=True)
class ClientEvent:
    """An event for the owner."""

    NAME: ClassVar[str]

    def as_json(self) -> dict[str, Any]:
        """Return plain values for JSON, with the event's name."""
        return {"event": self.NAME, **asdict(self)}


@dataclass(frozen=True, slots=True)
class EngineStarted(ClientEvent):
    """The engine runs and has said who it is."""

    NAME: ClassVar[str] = "engine"

    program: str


@dataclass(frozen=True, slots=True)
class Joined(ClientEvent):
    """The arena has let the engine in."""

    NAME: ClassVar[str] = "joined"

    arena: str
    name: str
    page: str
    new: bool
    pools: tuple[str, ...]
    ratings: Mapping[str, RatingNow] = field(default_factory=dict)
    returns: bool = False
    """Whether this client has joined before."""


@dataclass(frozen=True, slots=True)
class GameBegun(ClientEvent):
    """A game begins, or goes on after a cut."""

    NAME: ClassVar[str] = "start"

    game: str
    pool: str
    opponent: str
    side: int
    address: str
    rated: bool
    resumed: bool


@dataclass(frozen=True, slots=True)
class ClockTold(ClientEvent):
    """The clocks of the engine and of its opponent, and whose turn it is."""

    NAME: ClassVar[str] = "clock"

    game: str
    number: int
    ours: float
    theirs: float
    is_ours: bool


@dataclass(frozen=True, slots=True)
class TurnTaken(ClientEvent):
    """The engine has answered."""

    NAME: ClassVar[str] = "turn"

    game: str
    number: int
    turn: str
    took: float


@dataclass(frozen=True, slots=True)
class GameOver(ClientEvent):
    """A game has ended. `points` is 1, 0 or a half for the engine, None for a void game."""

    NAME: ClassVar[str] = "end"

    game: str
    pool: str
    opponent: str
    points: float | None
    score: str
    reason: str
    rating: RatingNow | None


@dataclass(frozen=True, slots=True)
class Cut(ClientEvent):
    """The connection is gone; the next attempt is in `seconds`."""

    NAME: ClassVar[str] = "cut"

    why: str
    seconds: float


@dataclass(frozen=True, slots=True)
class EngineFailed(ClientEvent):
    """The engine failed, and is started again."""

    NAME: ClassVar[str] = "engine-failed"

    why: str


@dataclass(frozen=True, slots=True)
class Noted(ClientEvent):
    """A sentence for the owner, from the arena or from this client."""

    NAME: ClassVar[str] = "note"

    text: str


@dataclass(frozen=True, slots=True)
class Left(ClientEvent):
    """The engine has left the arena, with its games of this session."""

    NAME: ClassVar[str] = "left"

    games: int
    problem: str = ""


@dataclass(frozen=True, slots=True)
class SendMessage:
    """Send a message over the present connection."""

    message: Message


@dataclass(frozen=True, slots=True)
class FindOut:
    """Ask the engine which of these pools it plays, and answer by `found_out`."""

    pools: Sequence[PoolOffer]
    are_named: bool = False
    """Whether its owner has named the pools, so that the engine need not list their games."""


@dataclass(frozen=True, slots=True)
class SetGameUp:
    """Set up a game in the engine, and answer by `is_set`."""

    table: SeatedGame


@dataclass(frozen=True, slots=True)
class Think:
    """Ask the engine for its turn after all turns of the table, and answer by `answered`.

    The clocks are `(seconds, periods)` of the engine and of its opponent.
    """

    table: SeatedGame
    left: tuple[float, int]
    opponents: tuple[float, int]


@dataclass(frozen=True, slots=True)
class Forget:
    """Stop what the engine is doing: its game is over, or a restored arena lacks turns of it."""


@dataclass(frozen=True, slots=True)
class TellEnd:
    """Tell the engine how the game on the table ended."""

    table: SeatedGame
    end: GameEnd


@dataclass(frozen=True, slots=True)
class Tell:
    """Tell the owner what has happened."""

    event: ClientEvent


@dataclass(frozen=True, slots=True)
class Redial:
    """Close the connection, and connect again after a pause in seconds, or after the usual one."""

    why: str
    after: float | None = None


@dataclass(frozen=True, slots=True)
class LeaveArena:
    """Close the connection for good. `problem` is empty if the owner wanted this."""

    problem: str = ""


Effect: TypeAlias = (
    "SendMessage | FindOut | SetGameUp | Think | Forget | TellEnd | Tell | Redial | LeaveArena"
)


@dataclass(frozen=True, slots=True)
class SeatedGame:
    """A game in progress. A new turn makes a new table."""

    start: GameStart
    game: Game
    time: TimeControl
    position: Position
    turns: tuple[tuple[Colour, str], ...]
    """All turns so far in canonical form, each with the colour that played it."""

    @classmethod
    def of(cls, start: GameStart) -> SeatedGame:
        """Return the table of a game that begins or goes on. Raises WireError for nonsense."""
        try:
            game, time = game_of(start), parse_time_control(start.time)
        except (GameError, NotationError) as error:
            raise WireError(f"start: {error}") from None
        return cls(start, game, time, game.start(), ()).after(start.turns)

    @property
    def id(self) -> str:
        """The game's id."""
        return self.start.id

    @property
    def number(self) -> int:
        """The number of turns played."""
        return len(self.turns)

    def goes_on_from(self, earlier: SeatedGame) -> bool:
        """Return whether this is the same game with at least the turns of the earlier table."""
        return self.id == earlier.id and self.turns[: earlier.number] == earlier.turns

    def after(self, turns: Sequence[str]) -> SeatedGame:
        """Return the table after more turns. Raises WireError if one is not legal."""
        position, played = self.position, list(self.turns)
        for text in turns:
            try:
                turn = parse_turn(text)
                played.append((position.to_move, str(turn)))
                position = position.play(turn)
            except (NotationError, IllegalTurn) as error:
                raise WireError(f"turn {len(played)} of game {self.id}: {error}") from None
        return replace(self, position=position, turns=tuple(played))

    def caught_up(self, number: int, last: Sequence[str]) -> SeatedGame:
        """Return the table after `number` turns, the last of them being `last`.

        Raises WireError if turns are missing.
        """
        new = number - self.number
        if new > len(last):
            raise WireError(f"turn {self.number + 1} of game {self.id} is missing")
        return self.after(last[len(last) - new :]) if new > 0 else self


def game_of(offer: GameStart | PoolOffer) -> Game:
    """Return the game with its size and settings. Raises GameError."""
    return create_game(offer.game, offer.size, offer.settings)

"""What the client's machine wants done: the steps that `joining.py` carries out, in order."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import TypeAlias

    from oddly.arena.client.events import ClientEvent
    from oddly.arena.client.table import SeatedGame
    from oddly.arena.wire.from_arena import GameEnd, PoolOffer
    from oddly.arena.wire.message import Message


@dataclass(frozen=True, slots=True)
class SendMessage:
    """Send a message over the present connection."""

    message: Message


@dataclass(frozen=True, slots=True)
class FindOut:
    """Ask the engine which of these pools it plays, and answer by `found_out`."""

    pools: Sequence[PoolOffer]
    are_named: bool = False
    """Whether its owner has named the pools, so that the engine need not say which games it plays.
    """


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
    """Stop whatever the engine does: its game is over."""


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
    """Close the connection for good. `problem` is empty if this is what the owner wanted."""

    problem: str = ""


Effect: TypeAlias = (
    "SendMessage | FindOut | SetGameUp | Think | Forget | TellEnd | Tell | Redial | LeaveArena"
)

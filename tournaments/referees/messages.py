"""The messages between the planning process and a referee process, as pickled values.

Both run the same code on the same machine, and the socket between them has no name that an engine
could open.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from oddly.referee.program.configuration import EngineConfiguration
    from oddly.tournaments.executor import Conditions


@dataclass(frozen=True, slots=True)
class Instructions:
    """To a referee, first: what all its games have in common."""

    configurations: Mapping[str, EngineConfiguration]
    conditions: Conditions
    """Without `on_turn` and `say`, which stay where they are."""
    tells_turns: bool


@dataclass(frozen=True, slots=True)
class Assignment:
    """To a referee: a game to play."""

    scheduled: Mapping[str, Any]
    """What `scheduled_facts` returns."""
    faults: Mapping[str, int]
    """Faults in a row of both engines."""
    stuck: Sequence[str]
    """Those of them that did not answer their last handshake."""


@dataclass(frozen=True, slots=True)
class GiveUp:
    """To a referee: end a game whose result nobody needs."""

    id: str


@dataclass(frozen=True, slots=True)
class Finish:
    """To a referee, last: give up all games, stop the engines, and end."""


@dataclass(frozen=True, slots=True)
class Ready:
    """From a referee, first: it can play."""


@dataclass(frozen=True, slots=True)
class Beat:
    """From a referee, repeatedly: it is alive."""


class TurnTold(NamedTuple):
    """A turn of a game, with what `Snapshot` has besides the position."""

    id: str
    turn: str
    seconds: float
    mover: int
    seconds_left: tuple[float, float]


class TurnsTold(NamedTuple):
    """From a referee: the turns of all its games since the last such message."""

    turns: Sequence[TurnTold]


@dataclass(frozen=True, slots=True)
class GameEnded:
    """From a referee: a game has ended, and its engines are still being released."""

    id: str
    record: Mapping[str, Any]
    """What `GameRecord.as_json` returns."""


@dataclass(frozen=True, slots=True)
class PlaceFree:
    """From a referee: everything a game needed is free again."""

    id: str
    stuck: Sequence[str]
    """Which of its engines did not answer their last handshake."""
    exhausted: str
    """Why the machine could not start an engine; empty if it could."""
    failure: str | None
    """What went wrong around the games of this referee, such as a log."""


@dataclass(frozen=True, slots=True)
class BrokenDown:
    """From a referee, last: a bug of ours ended it."""

    reason: str


Message = (
    Instructions
    | Assignment
    | GiveUp
    | Finish
    | Ready
    | Beat
    | TurnsTold
    | GameEnded
    | PlaceFree
    | BrokenDown
)

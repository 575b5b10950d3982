"""Messages from an engine's side to the arena."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from oddly.arena.wire import members
from oddly.arena.wire.members import WireError, shown
from oddly.arena.wire.message import (
    MAX_FROM_ENGINE,
    Members,
    Message,
    member,
    parse_as,
    reader_of,
)
from oddly.games import did_you_mean

RESIGN = "resign"
"""The text of a turn that stands for resignation."""


@dataclass(frozen=True, slots=True)
class Join(Message):
    """The engine that dials in, and the proof that its side holds the key."""

    TYPE: ClassVar[str] = "join"

    name: str = member(members.name)
    family: str = member(members.name)
    owner: str = member(members.line(members.MAX_NAME))
    """The owner of the engine; empty for the key's owner or, with a new key, the family."""
    key: str = member(members.base64_text(64))
    """The raw Ed25519 public key in base64url."""
    proof: str = member(members.base64_text(128))
    """The signature over `proof.signed_text` in base64url."""
    program: str = member(members.sentence, "")
    """The name and version that the engine gives itself."""
    about: str = member(members.sentence, "")
    pools: tuple[str, ...] = member(members.several(members.identifier, members.MAX_POOLS), ())
    """The pools in which it plays; empty for all that it can play."""
    invitation: str | None = member(members.optional(members.line(members.MAX_NAME)), None)
    challenges: bool = member(members.truth, default=False)
    """Whether visitors of its page may play unrated games against it."""


@dataclass(frozen=True, slots=True)
class Pong(Message):
    """The immediate answer to a ping."""

    TYPE: ClassVar[str] = "pong"

    id: int = member(members.whole(0))


@dataclass(frozen=True, slots=True)
class ReadyForGame(Message):
    """The engine is free for a game."""

    TYPE: ClassVar[str] = "ready"


@dataclass(frozen=True, slots=True)
class NoMoreGames(Message):
    """No new game after this one, until the engine is ready again."""

    TYPE: ClassVar[str] = "rest"


@dataclass(frozen=True, slots=True)
class GameSet(Message):
    """The engine has the game, and its clock may run."""

    TYPE: ClassVar[str] = "set"

    id: str = member(members.identifier)


@dataclass(frozen=True, slots=True)
class WireEvaluation(Members):
    """An engine's evaluation of its turn, as in `last_evaluation`."""

    win_rate: float = member(members.number(0.0, 1.0))
    depth: int | None = member(members.optional(members.whole(0)), None)
    visits: int | None = member(members.optional(members.whole(0)), None)
    lead: float | None = member(
        members.optional(members.number(-members.MAX_LEAD, members.MAX_LEAD)), None
    )


@dataclass(frozen=True, slots=True)
class TurnSent(Message):
    """An engine's turn, or `resign`. It is sent again after a cut, until it is accepted."""

    TYPE: ClassVar[str] = "turn"

    id: str = member(members.identifier)
    number: int = member(members.whole(0, members.MAX_TURNS))
    """The number of turns played before it."""
    turn: str = member(members.line(members.MAX_TURN))
    took: float = member(members.seconds)
    """The seconds that the engine itself took."""
    evaluation: WireEvaluation | None = member(members.optional(reader_of(WireEvaluation)), None)


@dataclass(frozen=True, slots=True)
class EndHeard(Message):
    """The engine's side knows how the game ended."""

    TYPE: ClassVar[str] = "ended"

    id: str = member(members.identifier)


KINDS: dict[str, type[Message]] = {
    kind.TYPE: kind for kind in (Join, Pong, ReadyForGame, NoMoreGames, GameSet, TurnSent, EndHeard)
}


def parse_from_engine(text: str | bytes) -> Message:
    """Return the message of an engine's side. Raises WireError, also for an unknown type."""
    message = parse_as(KINDS, text, MAX_FROM_ENGINE)
    if message is None:
        raise WireError(_unknown(text))
    return message


def _unknown(text: str | bytes) -> str:
    from oddly.safe_files import json_object

    type_ = json_object(text if isinstance(text, str) else text.decode())["type"]
    hint = did_you_mean(type_, tuple(KINDS))
    return f"'type' is {shown(type_)}, expected one of {', '.join(KINDS)}{hint}"

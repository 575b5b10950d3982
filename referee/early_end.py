"""Ending games before their rules do: too many turns, or a proved winner."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

from oddly.games.untrusted_text import one_line
from oddly.protocol.errors import LocalProtocolError
from oddly.protocol.messages import Command
from oddly.referee.deadline import Deadline
from oddly.referee.fault import EngineFault, VoidGame
from oddly.referee.outcome import Outcome, Termination
from oddly.referee.turn_limit import LimitResult, count_winner

if TYPE_CHECKING:
    from collections.abc import Sequence

    from oddly.games.colour import Colour
    from oddly.games.game import Position
    from oddly.referee.player import EngineConfiguration, Player
    from oddly.referee.record import PlayedTurn


@dataclass(frozen=True, slots=True)
class EarlyEndSettings:
    """The settings of EarlyEnds, as plain values that travel between processes."""

    max_turns: int | None = None
    at_limit: LimitResult = LimitResult.COUNT
    adjudicator: EngineConfiguration | None = None
    positions: int = 10_000
    """The positions that the adjudicator may search for one answer."""
    seconds: float = 5.0
    """The time that it has for one answer."""
    first_turn: int = 1
    """The turn after which it is asked first."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """Who wins with perfect play, None for a draw, and the evidence."""

    winner: Colour | None
    reason: str
    evidence: str = ""


class Adjudicator(Protocol):
    """Says who wins a position."""

    async def verdict(self, position: Position, turns: Sequence[PlayedTurn]) -> Verdict | None:
        """Return who wins `position`, where `turns` lead; None if that is not known."""


@dataclass(frozen=True, slots=True)
class EarlyEnds:
    """What ends a game before its rules do."""

    max_turns: int | None = None
    """The turns of both players after which a game ends, those of its opening included."""
    at_limit: LimitResult = LimitResult.COUNT
    adjudicator: Adjudicator | None = field(default=None, compare=False)

    async def after(
        self, position: Position, turns: Sequence[PlayedTurn]
    ) -> tuple[Termination, Verdict] | None:
        """Return how an unfinished game ends now; None if it continues."""
        if self.adjudicator is not None:
            verdict = await self.adjudicator.verdict(position, turns)
            if verdict is not None:
                return Termination.ADJUDICATION, verdict
        if self.max_turns is not None and len(turns) >= self.max_turns:
            reason = f"the limit of {self.max_turns} turns is reached"
            return Termination.TURN_LIMIT, Verdict(count_winner(position, self.at_limit), reason)
        return None


async def tell_end(
    player: Player, outcome: Outcome, last: tuple[Colour, str] | None = None
) -> None:
    """Tell an engine that the game is over, and why, after the turn it does not know yet.

    One that does not list `game_over` reads it in a comment behind `name`. Whatever comes back
    changes nothing.
    """
    if last is not None:
        await player.take_note(*last)
    words = f"{outcome.score} {outcome.termination.value}: {one_line(outcome.reason)}"
    order = Command("game_over", tuple(words.replace("#", "").split()))
    if "game_over" not in player.commands:
        order = Command("name", comment=f"game_over {words}")
    deadline = Deadline(player.limits.last_play, problem="no answer to the end of the game")
    try:
        await player.reply_to(order, deadline)
    except (EngineFault, VoidGame, LocalProtocolError):
        # The game is over: what an engine does now is nobody's concern but its next game's.
        return

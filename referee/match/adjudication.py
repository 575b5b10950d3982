"""Ends games before their rules do, after too many turns or with a proved winner."""

from __future__ import annotations

from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from itertools import islice
from typing import TYPE_CHECKING, Protocol

from oddly.games import Colour, IllegalTurn, Position, Swap, Turn, one_line
from oddly.protocol import Command, LocalProtocolError, NotationError, parse_turn
from oddly.referee.conversation.seat import EngineSeat
from oddly.referee.justice.deadline import Deadline
from oddly.referee.justice.outcome import (
    EngineFault,
    LimitResult,
    Outcome,
    Termination,
    VoidGame,
    count_winner,
)

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Sequence

    import trio

    from oddly.referee.conversation.player import Player
    from oddly.referee.justice.record import PlayedTurn
    from oddly.referee.program.configuration import EngineConfiguration, Limits

    TurnsSoFar = Sequence[tuple[Colour, Turn]]


@dataclass(frozen=True, slots=True)
class EarlyEndSettings:
    """The settings of EarlyEnds, as plain values that travel between processes."""

    max_turns: int | None = None
    at_limit: LimitResult = LimitResult.COUNT
    adjudicator: EngineConfiguration | None = None
    positions: int = 10_000
    """The positions that the adjudicator may search for one answer."""
    seconds: float = 5.0
    """The time it has for one answer."""
    first_turn: int = 1
    """The turn after which it is first asked."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """The winner with perfect play, None for a draw, and the evidence."""

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

    An engine that does not list `game_over` gets it in a comment after `name`. The reply changes
    nothing.
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
        # The game is over: what an engine does now matters only to its next game.
        return


ALREADY_HEARD = (Termination.ADJUDICATION, Termination.TURN_LIMIT)
"""The endings that engines already know from `tell_end`."""


async def announce(player: Player, outcome: Outcome) -> None:
    """Send `game_over` to an engine that lists it. Its reply changes nothing."""
    wants = "game_over" in player.commands and outcome.termination not in ALREADY_HEARD
    if wants and player.is_in_step():
        await tell_end(player, outcome)


WINNERS = {"B": Colour.BLACK, "W": Colour.WHITE, "0": None}

MAX_REPLIES = 3
"""The most turns that are checked of a player who is said to be lost."""

MAX_FAILURES = 3
"""Faults in a row after which an adjudicator is not asked any more."""


class EngineAdjudicator:
    """Asks engines of one configuration, one for each game that is asking.

    A win or a draw counts if the turn that reaches it is legal, and if the engine says the same of
    the position after it. A loss counts if the engine says the same after some turns of the losing
    player. A fault of this engine costs nobody a game: there is no verdict, and after some faults
    in a row it is not asked again. `say` receives one line about that.
    """

    def __init__(
        self,
        configuration: EngineConfiguration,
        nursery: trio.Nursery,
        limits: Limits,
        *,
        positions: int,
        seconds: float,
        first_turn: int = 1,
        say: Callable[[str], None] | None = None,
    ) -> None:
        self._configuration = configuration
        self._nursery = nursery
        self._limits = limits
        self._positions = positions
        self._seconds = seconds
        self._first_turn = first_turn
        self._say = say
        self._idle: list[EngineSeat] = []
        self._out: set[EngineSeat] = set()
        self._failures = 0
        self._ready: set[EngineSeat] = set()
        """Those that have answered before: the first answer may take as long as setting up."""

    @property
    def is_retired(self) -> bool:
        """Whether it failed too often to be asked again."""
        return self._failures >= MAX_FAILURES

    async def verdict(self, position: Position, turns: Sequence[PlayedTurn]) -> Verdict | None:
        """Return who wins `position`, reached by `turns`; None if that is unknown."""
        if self.is_retired or len(turns) < self._first_turn:
            return None
        so_far = [(played.colour, parse_turn(played.turn)) for played in turns]
        try:
            async with self._seat() as seat:
                found = await self._checked(seat, position, so_far)
        except EngineFault as fault:
            self._fail(fault.reason)
            return None
        self._failures = 0
        return found

    async def stop(self) -> None:
        """Stop all of its engines. Safe to call again."""
        self._failures = MAX_FAILURES
        for seat in [*self._out, *self._idle]:
            await seat.stop()
        self._idle.clear()

    @asynccontextmanager
    async def _seat(self) -> AsyncIterator[EngineSeat]:
        """Give the body an engine that no other game is asking."""
        seat = self._idle.pop() if self._idle else None
        if seat is None:
            seat = EngineSeat(self._configuration, self._nursery, limits=self._limits)
        self._out.add(seat)
        try:
            yield seat
        finally:
            self._out.discard(seat)
            self._idle.append(seat)

    def _fail(self, reason: str) -> None:
        self._failures += 1
        if self._say is not None and self._failures == MAX_FAILURES:
            self._say(f"the adjudicator is no longer asked: {one_line(reason)}")

    async def _checked(
        self, seat: EngineSeat, position: Position, turns: TurnsSoFar
    ) -> Verdict | None:
        """Return the verdict if the engine confirms it. Raises EngineFault."""
        answer = await self._solved(seat, position, turns)
        if answer is None:
            return None
        winner, turn, text = answer
        if turn is None:
            if winner is not position.to_move.other:
                raise _contradiction("a player who is not lost has a turn", text)
            tried = list(islice(position.legal_turns(), MAX_REPLIES))
        else:
            if winner is position.to_move.other:
                raise _contradiction("a player who is lost has no turn", text)
            tried = [turn]
        for each in tried:
            if not await self._confirmed(seat, position, each, turns, winner):
                return None
        whom = "it is a draw" if winner is None else f"{str(winner).capitalize()} wins"
        return Verdict(winner, f"the adjudicator, {one_line(seat.name)}, proves that {whom}", text)

    async def _confirmed(
        self,
        seat: EngineSeat,
        position: Position,
        turn: Turn,
        turns: TurnsSoFar,
        winner: Colour | None,
    ) -> bool:
        """Return whether the engine says the same after a turn, or the rules do.

        Raises EngineFault if it says otherwise, or if the turn is not legal.
        """
        try:
            after = position.play(turn)
        except IllegalTurn as error:
            raise _contradiction(f"its turn is not legal: {error}", str(turn)) from None
        if winner is not None and isinstance(turn, Swap):
            # Colours name the players who hold them now, and a swap exchanges them.
            winner = winner.other
        if after.result is not None:
            if after.result.winner is not winner:
                raise _contradiction("the rules say otherwise after its turn", str(turn))
            return True
        answer = await self._solved(seat, after, [*turns, (position.to_move, turn)])
        if answer is not None and answer[0] is not winner:
            raise _contradiction(f"it contradicts itself after {turn}", answer[2])
        return answer is not None

    async def _solved(
        self, seat: EngineSeat, position: Position, turns: TurnsSoFar
    ) -> tuple[Colour | None, Turn | None, str] | None:
        """Return the winner, the turn that the engine names, and its words. Raises EngineFault."""
        is_ready = seat in self._ready and seat.is_running
        patience = self._seconds + (0.0 if is_ready else self._limits.setting_up)
        text = await seat.solve(position.game, turns, self._positions, patience)
        self._ready.add(seat)
        match text.split():
            case ["unknown"]:
                return None
            case [letter] if letter in WINNERS:
                return WINNERS[letter], None, text
            case [letter, turn] if letter in WINNERS:
                try:
                    return WINNERS[letter], parse_turn(turn), text
                except NotationError as error:
                    raise _contradiction(f"its turn is malformed: {error}", text) from None
        raise _contradiction("its answer to solve is invalid", text)


def _contradiction(what: str, text: str) -> EngineFault:
    return EngineFault(Termination.PROTOCOL, f"{what} ({one_line(text)})", text.encode())

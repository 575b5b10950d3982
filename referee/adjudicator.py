"""Adjudication by an engine with `solve`, whose answers are checked before they count."""

from __future__ import annotations

from contextlib import asynccontextmanager
from itertools import islice
from typing import TYPE_CHECKING

from oddly.games.colour import Colour
from oddly.games.errors import IllegalTurn
from oddly.games.untrusted_text import one_line
from oddly.protocol.errors import NotationError
from oddly.protocol.notation import parse_turn
from oddly.referee.early_end import Verdict
from oddly.referee.fault import EngineFault
from oddly.referee.outcome import Termination
from oddly.referee.seat import EngineSeat

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Sequence

    import trio

    from oddly.games.game import Position
    from oddly.games.turns import Turn
    from oddly.referee.limits import Limits
    from oddly.referee.player import EngineConfiguration
    from oddly.referee.record import PlayedTurn

    TurnsSoFar = Sequence[tuple[Colour, Turn]]

WINNERS = {"B": Colour.BLACK, "W": Colour.WHITE, "0": None}

MAX_REPLIES = 3
"""The turns of a player who is said to be lost that are asked about, too."""

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
        """Those that have answered before: the first answer may take as long as a setting up."""

    @property
    def is_retired(self) -> bool:
        """Whether it failed too often to be asked again."""
        return self._failures >= MAX_FAILURES

    async def verdict(self, position: Position, turns: Sequence[PlayedTurn]) -> Verdict | None:
        """Return who wins `position`, reached by `turns`; None if that is unknown."""
        if self.is_retired or len(turns) < self._first_turn:
            return None
        sofar = [(played.colour, parse_turn(played.turn)) for played in turns]
        try:
            async with self._seat() as seat:
                found = await self._checked(seat, position, sofar)
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
                    raise _contradiction(f"its turn is no turn: {error}", text) from None
        raise _contradiction("its answer to solve is invalid", text)


def _contradiction(what: str, text: str) -> EngineFault:
    return EngineFault(Termination.PROTOCOL, f"{what} ({one_line(text)})", text.encode())

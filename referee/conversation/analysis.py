"""A player in a game with people, and its running analysis."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from oddly.games import Colour, Game, IllegalTurn, Position, Turn, one_line
from oddly.protocol import (
    Analysis,
    Command,
    NotationError,
    RankedTurn,
    RemoteProtocolError,
    Reply,
    encode_command,
    parse_analysis,
)
from oddly.referee.conversation.player import Player
from oddly.referee.justice.deadline import Deadline
from oddly.referee.justice.outcome import EngineFault, Termination

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeAlias

    SentTurns: TypeAlias = tuple[tuple[Colour, str], ...]


class SeatedPlayer(Player):
    """A Player that also takes commands with endless replies, read line by line."""

    game: Game | None = None
    """The game for which it was set up, with its clock; None if it was not."""
    sent: SentTurns = ()
    """The turns that it knows."""

    async def begin_lines(
        self, order: Command, on_line: Callable[[str], None], deadline: Deadline
    ) -> int:
        """Send a command whose reply comes line by line until `end_lines`; return its id.

        Raises EngineFault.
        """
        self._refuse_unasked()
        self._decoder.on_line = on_line
        return await self._write(order, deadline)

    async def more_lines(self, deadline: Deadline) -> bool:
        """Read the next lines; return whether their reply continues.

        All available lines are read at once, so readers keep up. Raises EngineFault.
        """
        await self._hear(deadline)
        while self._undecoded and self._decoder.on_line is not None:
            await self._hear(deadline)
        try:
            self._decoder.check()
        except RemoteProtocolError as error:
            raise EngineFault(Termination.PROTOCOL, error.reason, error.evidence) from None
        return self._decoder.on_line is not None

    async def end_lines(self, number: int, order: Command, deadline: Deadline) -> Reply:
        """Send the command that ends the lines; return the reply that they belonged to.

        Raises EngineFault if both replies do not come in time.
        """
        ending = await self._write(order, deadline)
        lines = await self._reply(number, deadline)
        await self._reply(ending, deadline)
        await self._rest()
        return lines

    async def _write(self, order: Command, deadline: Deadline) -> int:
        """Send a command without waiting for its reply; return its id. Raises EngineFault."""
        number = self._ids.next(1)
        self._awaited += 1
        if rest := self._send_nowait(encode_command(order, number), deadline):
            await self._send_rest(rest, deadline)
        return number


class AnalysisStream:
    """An engine's analysis of one position: iterate over it for the newest Analysis.

    A slow reader gets the newest one and misses those before it. Iterating raises EngineFault if
    the engine refuses, ends by itself, or sends something that is not an analysis.
    """

    def __init__(self, player: SeatedPlayer, position: Position) -> None:
        self.player = player
        self._position = position
        self._number = 0
        self._line: str | None = None
        self._endless = Deadline(math.inf)
        self._goes_on = True

    def __aiter__(self) -> AnalysisStream:
        """Return the stream itself."""
        return self

    async def __anext__(self) -> Analysis:
        """Wait for a line and return the newest one. Raises EngineFault."""
        while self._line is None and self._goes_on:
            self._goes_on = await self.player.more_lines(self._endless)
        line, self._line = self._line, None
        if line is None:
            raise StopAsyncIteration
        return judged(line, self._position)

    async def begin(self, interval: float) -> None:
        """Ask for a line roughly every `interval` seconds. Raises EngineFault."""
        order = Command("analyze", (f"{interval:.3f}",))
        self._number = await self.player.begin_lines(order, self._take, self._endless)

    async def end(self, patience: float) -> None:
        """Stop the engine's search within `patience` seconds. Raises EngineFault."""
        deadline = Deadline(patience, termination=Termination.PROTOCOL, problem="no end of analyze")
        name = "stop" if "stop" in self.player.commands else "name"
        reply = await self.player.end_lines(self._number, Command(name), deadline)
        self._goes_on = False
        if not reply.ok:
            raise EngineFault(Termination.PROTOCOL, f"analyze: {one_line(reply.text)}")

    def _take(self, line: str) -> None:
        self._line = line


def judged(line: str, position: Position) -> Analysis:
    """Return the analysis in a line about `position`, with variations cut where they are illegal.

    Raises EngineFault if the line is not an analysis, or names an illegal turn.
    """
    try:
        analysis = parse_analysis(line)
        return Analysis(tuple(_judged(ranked, position) for ranked in analysis.turns))
    except (IllegalTurn, NotationError) as error:
        reason = f"its analysis cannot be used: {error}"
        raise EngineFault(Termination.PROTOCOL, reason, line.encode()) from None


def _judged(ranked: RankedTurn, position: Position) -> RankedTurn:
    """Return `ranked` with the legal part of its variation. Raises IllegalTurn."""
    after = position.play(ranked.turn)
    legal: list[Turn] = [ranked.turn]
    for turn in ranked.variation[1:]:
        try:
            after = after.play(turn)
        except IllegalTurn:
            break
        legal.append(turn)
    return RankedTurn(ranked.turn, ranked.visits, ranked.win_rate, ranked.lead, tuple(legal))

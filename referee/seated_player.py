"""A player in a game with people, who can watch its analysis."""

from __future__ import annotations

from typing import TYPE_CHECKING

from oddly.protocol.codec import encode_command
from oddly.protocol.errors import RemoteProtocolError
from oddly.referee.fault import EngineFault
from oddly.referee.outcome import Termination
from oddly.referee.player import Player

if TYPE_CHECKING:
    from collections.abc import Callable

    from oddly.protocol.messages import Command, Reply
    from oddly.referee.deadline import Deadline


class SeatedPlayer(Player):
    """A Player that also takes commands with endless replies, read line by line."""

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

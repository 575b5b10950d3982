"""Whether an engine that lost a game by a fault was present at all.

An engine is absent if it did not start or did not identify itself. One behind a bridge is also
absent if it failed in a game and no bridge answers at its address now.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from oddly.referee.bridge.presence import answers, remote_address
from oddly.referee.justice.outcome import Termination

if TYPE_CHECKING:
    from collections.abc import Iterable

    from oddly.referee.justice.record import GameRecord
    from oddly.referee.program.configuration import EngineConfiguration

CUT_OFF = {Termination.CRASH, Termination.TIME, Termination.PROTOCOL}
"""How games of an engine end whose connection is lost."""


class Attendance:
    """Which engines of a run may be absent without losing by it."""

    def __init__(self, engines: Iterable[EngineConfiguration]) -> None:
        addresses = {engine.name: remote_address(engine.command) for engine in engines}
        self._remote = {name: found for name, found in addresses.items() if found is not None}

    def is_in_doubt(self, record: GameRecord) -> bool:
        """Return whether an engine may have been absent from a game that has ended."""
        return bool(self._nameless(record) or self._cut_off(record))

    async def absent(self, record: GameRecord) -> tuple[str, ...]:
        """Return the engines that were absent from a game that has ended."""
        if nameless := self._nameless(record):
            return nameless
        return tuple(
            [name for name in self._cut_off(record) if not await answers(self._remote[name])]
        )

    def _nameless(self, record: GameRecord) -> tuple[str, ...]:
        """Return the engines at fault that did not identify themselves."""
        outcome = record.outcome
        if record.timing is not None:
            # Both were present, or neither would have been asked for a turn.
            return ()
        if outcome.termination is Termination.VOID:
            return tuple(
                name for name, said in zip(record.players, record.engines, strict=True) if not said
            )
        if not outcome.is_forfeit or outcome.winner is None:
            return ()
        loser = 1 - outcome.winner
        return () if record.engines[loser] else (record.players[loser],)

    def _cut_off(self, record: GameRecord) -> tuple[str, ...]:
        """Return the engine behind a bridge whose loss looks like a lost connection."""
        outcome = record.outcome
        if outcome.termination not in CUT_OFF or outcome.winner is None:
            return ()
        loser = record.players[1 - outcome.winner]
        return (loser,) if loser in self._remote else ()

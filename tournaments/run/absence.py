"""Which engines were absent from a game.

If a format waits for its engines, as a rating pool does, the game is put off; in any other format
an engine that does not come loses it.

An engine is absent if it did not start or did not identify itself. An engine behind a bridge is
also absent if it failed before anybody was asked for a turn, and no bridge answers at its address
now. After the first turn its clock decides; otherwise it could cut the connection before a loss.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from oddly.referee import Termination
from oddly.referee.bridge.presence import answers, remote_address

if TYPE_CHECKING:
    from collections.abc import Iterable

    from oddly.referee import EngineConfiguration, GameRecord

CUT_OFF = {Termination.CRASH, Termination.PROTOCOL}
"""The terminations of games whose engine loses its connection before the first turn."""


class AbsenceCheck:
    """The check for absent engines, in formats that wait for them."""

    def __init__(self, engines: Iterable[EngineConfiguration]) -> None:
        addresses = {engine.name: remote_address(engine.command) for engine in engines}
        self._remote = {name: found for name, found in addresses.items() if found is not None}

    def is_in_doubt(self, record: GameRecord) -> bool:
        """Return whether an engine may have been absent from a game that has ended."""
        # Somebody was asked for a turn, so both were present.
        return record.timing is None and bool(self._nameless(record) or self._cut_off(record))

    async def absent(self, record: GameRecord) -> tuple[str, ...]:
        """Return the engines that were absent from a game that has ended."""
        if not self.is_in_doubt(record):
            return ()
        if nameless := self._nameless(record):
            return nameless
        return tuple(
            [name for name in self._cut_off(record) if not await answers(self._remote[name])]
        )

    def _nameless(self, record: GameRecord) -> tuple[str, ...]:
        """Return the engines at fault that did not identify themselves."""
        outcome = record.outcome
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

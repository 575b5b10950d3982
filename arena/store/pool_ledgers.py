"""The finished games of the arena, in one ordinary ledger for each pool."""

from __future__ import annotations

from contextlib import ExitStack, suppress
from typing import TYPE_CHECKING, Any, Self

from oddly.games import VERSION
from oddly.tournaments import Ledger, RulingError, rule
from oddly.tournaments.ledger.event_facts import FREE

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path
    from types import TracebackType

    from oddly.arena.effects import Ruled
    from oddly.arena.game import GamePlan
    from oddly.arena.pool import PoolFacts
    from oddly.referee import GameRecord
    from oddly.tournaments.ledger.rulings import Kind


class PoolLedgers:
    """The open ledgers of all pools. Opening them raises UnusableFileError."""

    def __init__(self, folder: Path, arena: str, pools: Iterable[PoolFacts], host: str) -> None:
        self.folder = folder
        self._arena = arena
        self._host = host
        self._stack = ExitStack()
        self._ledgers: dict[str, Ledger] = {}
        self._events: dict[str, dict[str, Any]] = {}
        try:
            for facts in pools:
                self._open(facts)
        except BaseException:
            self._stack.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._stack.close()

    def path(self, pool: str) -> Path:
        """Return the path of a pool's ledger."""
        return ledger_path(self.folder, pool)

    def file(self, plan: GamePlan, record: GameRecord) -> None:
        """Put a game into its pool's ledger, unless it is there: it is on the disk on return.

        Raises sqlite3.Error, and LedgerError.
        """
        ledger, event = self._ledgers[plan.pool], self._events[plan.pool]
        new = [name for name in record.players if name not in event["engines"]]
        if new:
            unknown = {"command": [], "time": str(plan.control), "options": {}}
            event["engines"] |= dict.fromkeys(new, unknown)
            ledger.begin(event)
        ledger.add(plan.scheduled.id, record, plan.scheduled)

    def rule(self, pool: str, ruled: Ruled) -> None:
        """Annul a game in its pool's ledger, or let it count again, unless it is so already.

        Raises LedgerError.
        """
        kind: Kind = "annul" if ruled.kind == "annul" else "restore"
        with suppress(RulingError):
            rule(self._ledgers[pool], kind, [ruled.name], ruled.reason)

    def _open(self, facts: PoolFacts) -> None:
        ledger = self._stack.enter_context(Ledger(self.path(facts.name)))
        before = ledger.event() or {}
        event = {
            "name": f"{self._arena}: {facts.name}",
            "format": FREE,
            "seed": 0,
            "rounds": 1,
            "games": [str(facts.game)],
            "engines": before.get("engines", {}),
        }
        ledger.begin(event, f"oddly {VERSION} on {self._host}")
        self._ledgers[facts.name], self._events[facts.name] = ledger, event


def ledger_path(folder: Path, pool: str) -> Path:
    """Return the path of a pool's ledger in an arena's folder."""
    return folder / f"{pool}.sqlite"

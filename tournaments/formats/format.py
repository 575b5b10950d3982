"""The base of all formats: settings from which a plan follows."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, ClassVar

if TYPE_CHECKING:
    from oddly.tournaments.formats.event import Event
    from oddly.tournaments.formats.plan import Plan

BOOK = 50
"""Openings of a file that a tournament without a number of rounds may not change."""


@dataclass(frozen=True, slots=True)
class Format(ABC):
    """The settings of a format."""

    name: ClassVar[str]
    """The name in a tournament file."""

    can_grow: ClassVar[frozenset[str]] = frozenset()
    """Settings that may be raised without changing what finished games mean."""

    can_change: ClassVar[frozenset[str]] = frozenset()
    """Settings that only say when to stop, and may change at any time."""

    takes_engines: ClassVar[bool] = True
    """Whether engines may be added after games were played."""

    takes_begun: ClassVar[bool] = False
    """Whether the plan depends on which games began in earlier runs, beyond their results."""

    waits_for_engines: ClassVar[bool] = False
    """Whether an engine that is not there is waited for, instead of losing its games."""

    withdraws: ClassVar[bool] = True
    """Whether an engine forfeits all games that are left after its faults in a row."""

    engines: ClassVar[int | None] = None
    """The number of engines that the format is for; None for any number."""

    @property
    @abstractmethod
    def openings(self) -> int:
        """The number of openings that the format can use."""

    @abstractmethod
    def plan(self, event: Event) -> Plan:
        """Return the plan of the games."""

    def end(self, event: Event) -> str:
        """Return in words when it ends, or nothing if the number of games says it."""
        return ""

    def facts(self) -> dict[str, Any]:
        """Return the settings as plain values for JSON."""
        return asdict(self)

"""What a format is: settings from which a plan follows."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, ClassVar

if TYPE_CHECKING:
    from tournaments.formats.event import Event
    from tournaments.formats.plan import Plan

BOOK = 50
"""Random openings for a tournament without a number of rounds; they come again after the last."""


@dataclass(frozen=True, slots=True)
class Format(ABC):
    """The settings of a format."""

    name: ClassVar[str]
    """As in a tournament file."""

    can_grow: ClassVar[frozenset[str]] = frozenset()
    """Settings that may be raised without giving another meaning to finished games."""

    can_change: ClassVar[frozenset[str]] = frozenset()
    """Settings that only say when to stop, and may be anything at any time."""

    takes_engines: ClassVar[bool] = True
    """Whether engines may be added once games were played."""

    takes_begun: ClassVar[bool] = False
    """Whether the plan depends on which games began in earlier runs, beyond their results."""

    engines: ClassVar[int | None] = None
    """How many engines it is for, if not for any number."""

    @property
    @abstractmethod
    def openings(self) -> int:
        """How many openings are of use."""

    @abstractmethod
    def plan(self, event: Event) -> Plan:
        """The games."""

    def end(self, event: Event) -> str:
        """When it is over, in words, if the number of games does not say all; may be empty."""
        return ""

    def facts(self) -> dict[str, Any]:
        """The settings as plain values for JSON."""
        return asdict(self)

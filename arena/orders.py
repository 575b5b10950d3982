"""The keeper's orders, and the reasons to refuse one."""

from __future__ import annotations

from typing import NamedTuple


class OrderError(ValueError):
    """An order that cannot be carried out. The message is one sentence."""


class NotNowError(Exception):
    """An order is carried out later, because a game goes on. The message is one sentence."""


class KeeperOrder(NamedTuple):
    """What the keeper wants done."""

    kind: str
    name: str = ""
    """A game, an engine or an owner; for an invitation, how many engines it may register."""
    value: str = ""
    """The new name or key."""
    reason: str = ""
    number: int = 0


class KnownGame(NamedTuple):
    """A game that is over, as the store has it."""

    id: str
    pool: str
    first: str
    second: str
    winner: int | None
    counts: bool
    """Whether it counts now."""
    is_void: bool
    """Whether it never counted."""

"""The keeper's orders, and the reasons to refuse one."""

from __future__ import annotations

from typing import NamedTuple


class OrderError(ValueError):
    """An order that cannot be carried out. The message is one sentence."""


class NotNowError(Exception):
    """An order has to wait, because a game is running. The message is one sentence."""


class KeeperOrder(NamedTuple):
    """An order: what the keeper wants done."""

    kind: str
    name: str = ""
    """A game, an engine or an owner; for an invitation, the number of engines it may register."""
    value: str = ""
    """The new name or key."""
    reason: str = ""
    number: int = 0


class KnownGame(NamedTuple):
    """A game, from the store."""

    id: str
    pool: str
    first: str
    second: str
    winner: int | None
    counts: bool
    """Whether it counts now."""
    never_counts: bool
    """Whether it is void or unrated, and can never count."""
    is_over: bool

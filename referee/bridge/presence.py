"""Checks whether the engine behind a bridge is present: a bridge must answer at its address."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path, PurePath
from typing import TYPE_CHECKING

import trio

from oddly.referee.bridge.address import BridgeError, BridgeTarget, parse_target

if TYPE_CHECKING:
    from collections.abc import Sequence


PATIENCE = 5.0
"""Seconds within which a bridge must answer."""


def remote_address(command: Sequence[str]) -> BridgeTarget | None:
    """Return the target of an `oddly bridge --connect`; None for any other command."""
    words = list(command)
    if "bridge" not in words:
        return None
    before = words[: words.index("bridge")]
    is_ours = before[-2:] == ["-m", "oddly"] or (
        len(before) == 1 and PurePath(before[0]).name == "oddly"
    )
    rest = [part for word in words[len(before) :] for part in word.split("=", 1)]
    if not is_ours or "--connect" not in rest[:-1]:
        return None
    try:
        authority = rest[rest.index("--tls-ca") + 1] if "--tls-ca" in rest[:-1] else None
        where = rest[rest.index("--connect") + 1]
        return parse_target(where, None if authority is None else Path(authority))
    except BridgeError:
        return None


async def answers(target: BridgeTarget) -> bool:
    """Return whether a bridge answers at `target`."""
    # WebSockets are imported only where a bridge is used.
    from oddly.referee.bridge.connector import websocket_to

    with suppress(BridgeError), trio.move_on_after(PATIENCE):
        async with websocket_to(target):
            return True
    return False

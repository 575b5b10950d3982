"""Whether the engine behind a bridge is there: it is if a bridge answers at its address."""

from __future__ import annotations

from contextlib import suppress
from pathlib import PurePath
from typing import TYPE_CHECKING

import trio

from referee.bridge import handshake
from referee.bridge.address import BridgeError, parse_address
from referee.bridge.limits import LineReader

if TYPE_CHECKING:
    from collections.abc import Sequence

    from referee.bridge.address import BridgeAddress

PATIENCE = 5.0
"""Seconds in which a bridge answers."""


def remote_address(command: Sequence[str]) -> BridgeAddress | None:
    """Return where the engine of an `oddly bridge --connect` is; None for any other command."""
    words = list(command)
    if "bridge" not in words:
        return None
    before = words[: words.index("bridge")]
    is_ours = before[-2:] == ["-m", "interfaces"] or (
        len(before) == 1 and PurePath(before[0]).name == "oddly"
    )
    rest = [part for word in words[len(before) :] for part in word.split("=", 1)]
    if not is_ours or "--connect" not in rest[:-1]:
        return None
    try:
        return parse_address(rest[rest.index("--connect") + 1])
    except BridgeError:
        return None


async def answers(address: BridgeAddress) -> bool:
    """Return whether a bridge answers at the address."""
    with suppress(OSError, UnicodeError, BridgeError, trio.BrokenResourceError):
        with trio.move_on_after(PATIENCE):
            async with await trio.open_tcp_stream(address.host, address.port) as stream:
                line = await LineReader(stream, handshake.MAX_LINE_LENGTH).line()
                return line.startswith(handshake.HELLO.strip())
    return False

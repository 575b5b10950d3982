"""The first questions to an engine: its identity, and the commands it knows."""

from __future__ import annotations

from typing import TYPE_CHECKING

from oddly.referee.fault import EngineFault
from oddly.referee.outcome import Termination

if TYPE_CHECKING:
    from collections.abc import Sequence

    from oddly.protocol.messages import Reply

HANDSHAKE = ("protocol_version", "name", "version", "list_commands")
GTP_VERSION = "2"
REQUIRED = ("play", "genmove")


def identity(replies: Sequence[Reply]) -> tuple[str, str, frozenset[str]]:
    """Return the name, the version and the commands in the replies to HANDSHAKE.

    Raises EngineFault if the engine speaks another protocol, or cannot play.
    """
    protocol, name, version, listed = replies
    if protocol.ok and protocol.text.strip() != GTP_VERSION:
        said = protocol.text.encode()
        raise EngineFault(Termination.PROTOCOL, f"protocol_version is not {GTP_VERSION}", said)
    if not listed.ok:
        raise EngineFault(Termination.PROTOCOL, "refused list_commands", listed.text.encode())
    commands = frozenset(listed.text.split())
    for required in REQUIRED:
        if required not in commands:
            raise EngineFault(Termination.PROTOCOL, f"list_commands does not list {required!r}")
    return name.text.strip(), version.text.strip(), commands

"""The options that an engine lists."""

from __future__ import annotations

from typing import TYPE_CHECKING

from oddly.protocol.messages import Command

if TYPE_CHECKING:
    from oddly.protocol.messages import Reply

LIST = Command("list_options")
"""What asks an engine for its options."""

TAKES_OPTIONS = frozenset({"list_options", "set_option"})
"""The commands of an engine that has options."""


def names_of_options(listed: Reply) -> set[str]:
    """Return the names in a reply to LIST."""
    return {line.split(" ", 1)[0] for line in listed.text.splitlines()}

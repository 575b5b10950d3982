"""The marks and ids of replies, as a check reads them: leniently, from bytes that may be wrong."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from oddly.protocol.codec import CONTROLS, TABS

if TYPE_CHECKING:
    from oddly.protocol import Reply


REPLY_MARK = re.compile(rb"^[%s]*[=?]" % re.escape(CONTROLS), re.MULTILINE)
"""The mark of a reply, and the control characters before it, which mean nothing."""
SENT_ID = re.compile(rb"^([0-9]+)[ \t]", re.MULTILINE)
ID_IN_TEXT = re.compile(r"([0-9]+)(?: +|(?=\n)|\Z)")
"""A number that begins a text, and the spaces behind it."""
REPLY_BEHIND = rb"[^\w\s] ?[=?](?:%s)(?: [^\n]*)?\n(?:[^\n]+\n)*\n"
"""A whole reply behind a prompt or a byte order mark, where nobody may look for it."""


def numbered(number: int, line: str) -> bytes:
    """Return a line with its id; one that begins with a tab has no space before it."""
    gap = "" if line.startswith("\t") else " "
    return f"{number}{gap}{line}\n".encode()


def without_id(reply: Reply, sent: bytes) -> Reply:
    """Return a reply without the id of a line that was sent, if a space keeps it from the mark."""
    found = None if reply.id is not None else ID_IN_TEXT.match(reply.text)
    if found is None or found[1].encode() not in SENT_ID.findall(sent):
        return reply
    return reply._replace(text=reply.text[found.end() :])


def has_hidden_reply(output: bytes | bytearray, sent: bytes) -> bool:
    """Return whether a reply to a line that was sent is in output that does not begin with it."""
    # A greeting may have any other number behind an equals sign, such as `threads=4`.
    ids = b"|".join(SENT_ID.findall(sent))
    return bool(ids and re.search(REPLY_BEHIND % ids, output.translate(TABS, CONTROLS)))

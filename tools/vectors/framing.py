"""Framing: bytes that an engine reads, and bytes that a controller reads, with what they mean."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import quote_from_bytes

from oddly.protocol import RemoteProtocolError, Reply, ReplyDecoder

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tools.vectors.facts import Facts

PLAIN = " !#$&'()*+,/:;<=>?@[]^`{|}"
"""Characters that stand for themselves, besides letters, digits and `_.-~`."""

COMMANDS = (
    ("lines", b"protocol_version\n", "= 2"),
    ("lines", b"1 protocol_version\n\n  \n2 protocol_version\n", "=1 2; =2 2"),
    ("lines", b"  1   known_command   play  \n", "=1 true"),
    ("lines", b"protocol_version", ""),
    ("lines", b"1 protocol_version\n2 protocol_version", "=1 2"),
    ("lines", b"1 protocol_version\n2 protocol_version # no line feed", "=1 2"),
    ("ids", b"0 protocol_version\n", "=0 2"),
    ("ids", b"2147483647 protocol_version\n", "=2147483647 2"),
    ("ids", b"2147483648 protocol_version\n", "?"),
    ("ids", b"99999999999999999999 protocol_version\n", "?"),
    ("ids", b"19\n20 protocol_version\n", "?19; =20 2"),
    ("ids", b" 19 # only an id\n", "?19"),
    ("ids", b"2147483648\n", "?"),
    ("ids", b"1 2 3\n", "?1"),
    ("ids", b"12abc\n", "?"),
    ("ids", b"1 nosuch\n2 known_command nosuch\n", "?1; =2 false"),
    ("comments", b"1 protocol_version#x\n", "=1 2"),
    ("comments", b"# 1 protocol_version\n2 protocol_version # a # b\n", "=2 2"),
    ("controls", b"1 protocol_version\r\n2 protocol_version\r\n", "=1 2; =2 2"),
    ("controls", b"\r\n\0\n\x1b\x7f\n\t\n \r\t\n1 protocol_version\n", "=1 2"),
    ("controls", b"\r1 protocol_version\n\x002 protocol_version\n", "=1 2; =2 2"),
    ("controls", b"\x1b3 protocol_version\n\t4 protocol_version\n", "=3 2; =4 2"),
    ("controls", b"1\r protocol_version\n2\0 protocol_version\n", "=1 2; =2 2"),
    ("controls", b"3\x1b protocol_version\n4\tprotocol_version\n", "=3 2; =4 2"),
    ("controls", b"1\0002 protocol_version\n3 pro\rto\0col\x1b_version\n", "=12 2; =3 2"),
    ("controls", b"1 known_command pl\ray\n2 known_command pl\0ay\n", "=1 true; =2 true"),
    ("controls", b"3 known_command pl\x1bay\n4 \t known_command\tplay\n", "=3 true; =4 true"),
    ("controls", b"1 protocol_version\0\n2 protocol_version\x1b\n", "=1 2; =2 2"),
    ("controls", b"3 protocol_version\t\n4 protocol_version \x7f\x01\x0b\n", "=3 2; =4 2"),
    ("controls", b"1 protocol_version # \0 \x1b \r\t\n2 protocol_version\n", "=1 2; =2 2"),
)
"""What is tested, what is sent, and the replies. A `?` leaves the text of the failure open."""

REPLIES = (
    b"=5 pass\n\n",
    b"=\n\n",
    b"= \n\n",
    b"=5  pass  \n\n",
    b"?\n\n",
    b"?7 unknown command\n\n",
    b"=2147483647 pass\n\n",
    b"=007 pass\n\n",
    b"=1 a\nb\n \nc\n\n",
    b"=1\n . .\n . .\n\n",
    b"=1 \n . .\n\n",
    b"=5 pass\r\n\r\n",
    b"=5 pass\n\0\x1b\n",
    b"\r=5 pass\n\n",
    b"\0=5 pass\n\n",
    b"\x1b=5 pass\n\n",
    b"=\r5 pass\n\n",
    b"=5\0 pa\x1bss\x7f\n\n",
    b"=5\tpass\n\n",
    b"=5 a\tb\t\n\tc\r\n\n",
    b"=5 pass",
    b"=5 pass\n",
    b"=5 pass\r\n\r",
    b"=5pass\n\n",
    b"=2147483648 pass\n\n",
    b"=99999999999999999999 pass\n\n",
    b"=-1 pass\n\n",
    b"pass\n\n",
    b" =5 pass\n\n",
    b"\t=5 pass\n\n",
    b"5 pass\n\n",
)


def commands() -> Iterator[Facts]:
    """Return bytes for an engine, with its replies."""
    for about, data, replies in COMMANDS:
        yield {"about": about, "bytes": encoded(data), "replies": replies}


def replies() -> Iterator[Facts]:
    """Return bytes from an engine, with the reply that they are."""
    for data in REPLIES:
        kind, reply = _read(data)
        identity = "" if reply.id is None else str(reply.id)
        text = encoded(reply.text.encode("ascii"))
        yield {"bytes": encoded(data), "kind": kind, "id": identity, "text": text}


def encoded(data: bytes) -> str:
    """Return bytes as printable text, with `%0A` for a line feed and so on, as in a URL."""
    return quote_from_bytes(data, safe=PLAIN)


def _read(data: bytes) -> tuple[str, Reply]:
    decoder = ReplyDecoder()
    decoder.feed(data)
    try:
        reply = decoder.next_reply()
    except RemoteProtocolError:
        return "malformed", Reply(False)
    if reply is None:
        return "unfinished", Reply(False)
    return "success" if reply.ok else "failure", reply

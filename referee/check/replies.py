"""Replies as a check reads them: leniently, from bytes that may be wrong.

A reply has a mark and an id; those to `list_options` and `list_settings` have lines of their own.
"""

from __future__ import annotations

import re
from decimal import Decimal, localcontext
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


def spelt_alike(text: str) -> str:
    """Return a text in which all spellings of a turn are one: any case, drops in any order."""
    return ",".join(sorted(text.lower().split(",")))


TYPES = ("integer", "number", "boolean", "choice", "text")


def wrong_option(line: str) -> str:
    """Return what is wrong with a line of `list_options`, or "" if nothing is."""
    words = line.split(" ")
    if len(words) < 4 or words[1] != "type" or words[3] != "default":
        return "not NAME type TYPE default VALUE"
    if words[2] not in TYPES:
        return f"unknown type {words[2]!r}"
    if words[2] == "text":
        return ""
    if len(words) < 5:
        return "no default value"
    return _wrong_facts(words[2], words[5:])


def _wrong_facts(kind: str, words: list[str]) -> str:
    """Return what is wrong with the words after an option's default, or ""."""
    while words and words[0] in ("min", "max") and kind in ("integer", "number"):
        if len(words) < 2 or not _is_number(kind, words[1]):
            return f"no number after {words[0]}"
        words = words[2:]
    if kind == "choice":
        return "" if words[:1] == ["choices"] and len(words) > 1 else "no choices"
    return f"unexpected {words[0]!r}" if words else ""


def _is_number(kind: str, text: str) -> bool:
    decimals = r"(\.[0-9]+)?" if kind == "number" else ""
    return bool(re.fullmatch(f"[+-]?[0-9]+{decimals}", text))


def beyond(kind: str, limit: str, by: int) -> str:
    """Return a value beyond a limit, by one or more, in plain digits."""
    with localcontext() as exact:
        exact.prec = len(limit) + 4
        bound = Decimal(limit)
        # An engine may read numbers as floats, which see no small step from a large limit.
        step = max(Decimal(1), abs(bound).scaleb(-3)) if kind == "number" else Decimal(1)
        return f"{bound + by * step:f}"


def read_option(line: str) -> tuple[str, str, str, dict[str, str]]:
    """Return an option's name, type, default, and `min`, `max` or `choices`, from a valid line."""
    words = line.split(" ")
    if words[2] == "text":
        return words[0], words[2], " ".join(words[4:]), {}
    if words[2] == "choice":
        return words[0], words[2], words[4], {"choices": " ".join(words[6:])}
    return words[0], words[2], words[4], dict(zip(words[5::2], words[6::2], strict=False))


def listed_defaults(text: str, game: str) -> dict[str, str]:
    """Return the defaults of a game's settings, without its size, from `list_settings`."""
    defaults: dict[str, str] = {}
    for line in text.splitlines():
        name, _, option = line.partition(" if ")[0].partition(" ")
        if name == game and not wrong_option(option):
            setting, _, value, _ = read_option(option)
            defaults.setdefault(setting, value)
    defaults.pop("size", None)
    return defaults

"""The compiled expressions of the hot paths: text as we write it ourselves.

Text that they recognise is read without the grammar, which would cost a hundred times as much and
an import at every engine's start. Tests show that the grammar reads it in the same way.
"""

from __future__ import annotations

import re

MAX_ID = 2**31 - 1
MAX_TURN_LENGTH = 200
"""Characters of a turn that are looked at."""

COMMAND = re.compile(r"(?:(0|[1-9][0-9]{0,8}) )?([a-z][a-z0-9_-]*)((?: [!-~]+)*)")
WORDS = re.compile(r"[a-z][a-z0-9_-]*(?: [!\"$-~]+)*")
"""A command without its id, as it may be sent."""
REPLY = re.compile(rb"=([0-9]{1,9})(?: ([!-~](?:[ -~]*[!-~])?))?\n\n")
REPLIES = re.compile(rb"(?:" + REPLY.pattern + rb")+")
"""Whole successful replies of one line each, with ids."""

VERTEX = re.compile("[a-z][1-9][0-9]?")

SECONDS = r"[0-9]{1,7}(?:\.[0-9]{1,3})?"
COUNT = "[0-9]{1,4}"
TIME_CONTROL = re.compile(
    rf"(?P<main>{SECONDS})"
    rf"(?:\+(?:(?P<turns>{COUNT})/(?P<block>{SECONDS})"
    rf"|(?P<periods>{COUNT})x(?P<period>{SECONDS})"
    rf"|(?P<increment>{SECONDS})))?"
)

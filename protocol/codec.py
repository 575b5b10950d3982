"""Bytes to messages and back, without doing input or output.

Feed a decoder whatever arrives, in pieces of any size, then ask for events until there are none.
The events depend only on the bytes, never on how they were cut. Between two feeds a decoder keeps
at most one unfinished line and one unfinished reply.

The rules of framing are those of GTP 2: control characters are dropped, a tab counts as a space,
`#` starts a comment in a command, lines without a command are ignored, and an empty line ends a
reply. Bytes are read as UTF-8; invalid ones are escaped, or replaced in a long reply.
"""

from __future__ import annotations

import re
from collections import deque
from typing import TYPE_CHECKING

from oddly.protocol.messages import (
    COMMAND,
    MAX_ID,
    MAX_ID_DIGITS,
    REPLIES,
    REPLY,
    WORDS,
    Command,
    LocalProtocolError,
    MalformedCommand,
    NotationError,
    RemoteProtocolError,
    Reply,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

MAX_LINE = 65_536
"""Bytes of a line with its line feed."""
MAX_REPLY = 1 << 20
"""Bytes of a reply with its line feeds."""
MAX_QUOTED = 200
MAX_ESCAPED = 4096
"""In a reply of up to this many bytes, those that are not UTF-8 are escaped, not replaced."""

CONTROLS = bytes([*range(9), *range(11, 32), 127])
TABS = bytes.maketrans(b"\t", b" ")

REPLY_HEAD = re.compile(rf"([=?])([0-9]{{0,{MAX_ID_DIGITS}}})(?: (.*)|)", re.DOTALL)
"""The first line of a reply: its mark, its id or nothing, and its text."""
NOT_IN_A_WORD = re.compile(r"[\x00-\x20\x7f#]")
CONTROL_IN_TEXT = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")


class CommandDecoder:
    """Decodes what a controller sends. No bytes make it raise anything."""

    def __init__(self, max_line: int = MAX_LINE) -> None:
        self._lines = _Lines(max_line)
        self._events: deque[Command | MalformedCommand] = deque()

    def feed(self, data: bytes) -> None:
        """Take in what has arrived."""
        for line in self._lines.feed(data):
            if line is None:
                reason = f"a line longer than {self._lines.max_line} bytes"
                self._events.append(MalformedCommand("", reason, self._id_of_long_line()))
            elif (event := _read_line(line)) is not None:
                self._events.append(event)

    def next_event(self) -> Command | MalformedCommand | None:
        """Return the next command, or a line that is not one; None until more is fed."""
        return self._events.popleft() if self._events else None

    def _id_of_long_line(self) -> int | None:
        start = self._lines.start_of_long_line.translate(TABS, CONTROLS).decode("ascii", "replace")
        # Its last word may be cut off.
        return _id_of(start.lstrip(" ").rpartition(" ")[0])


class ReplyDecoder:
    """Decodes what an engine sends.

    While `on_line` is set, it receives every line of a reply but the first as it comes. The reply,
    which may be endless, then does not include them. The end of the reply unsets it.
    """

    def __init__(self, max_line: int = MAX_LINE, max_reply: int = MAX_REPLY) -> None:
        self._lines = _Lines(max_line)
        self._max_reply = max_reply
        self.on_line: Callable[[str], None] | None = None
        self._open = bytearray()
        self._events: deque[Reply] = deque()
        self._error: RemoteProtocolError | None = None

    def feed(self, data: bytes) -> None:
        """Take in what has arrived. After an error it is ignored."""
        if self._error is not None:
            return
        is_between = not self._open and not self._lines.has_begun
        if is_between and self.is_idle:
            # Empty lines between replies mean nothing.
            data = data.lstrip(b"\n")
        if is_between and self.on_line is None and self._takes_whole(data):
            return
        try:
            for line in self._lines.feed(data):
                self._take(line)
        except RemoteProtocolError as error:
            self._error = error

    def next_reply(self) -> Reply | None:
        """Return the next whole reply; None until more is fed.

        Raises RemoteProtocolError where the stream stops being replies, and always after that.
        """
        if self._events:
            return self._events.popleft()
        self.check()
        return None

    def check(self) -> None:
        """Raise RemoteProtocolError if the stream has stopped being replies."""
        if self._error is not None:
            raise self._error

    def _takes_whole(self, data: bytes) -> bool:
        """Take `data` if it is nothing but canonical replies, and return whether it is."""
        if len(data) > min(self._lines.max_line, self._max_reply) or not REPLIES.fullmatch(data):
            return False
        for identity, text in REPLY.findall(data):
            self._events.append(Reply(True, text.decode("ascii"), int(identity)))
        return True

    @property
    def is_idle(self) -> bool:
        """Whether nothing has come but whole replies that `next_reply` has returned."""
        return not (self._events or self._open or self._error or self._lines.is_unfinished)

    def _take(self, line: bytes | None) -> None:
        if line and not self._open and not line.strip(b" "):
            return
        if line is None:
            evidence = bytes(self._open) + self._lines.start_of_long_line
            raise RemoteProtocolError(f"a line longer than {self._lines.max_line} bytes", evidence)
        if not line and self._open:
            self._events.append(_read_reply(bytes(self._open[:-1])))
            self._open.clear()
            self.on_line = None
        elif line and self._open and self.on_line is not None:
            self.on_line(line.decode("utf-8", "replace"))
        elif line:
            if not self._open and line[:1] not in (b"=", b"?"):
                raise RemoteProtocolError("output that is not a reply", line)
            if len(self._open) + len(line) + 1 > self._max_reply:
                raise RemoteProtocolError(
                    f"a reply longer than {self._max_reply} bytes",
                    bytes(self._open or line).partition(b"\n")[0],
                )
            self._open += line + b"\n"


def encode_command(command: Command, number: int | None = None) -> bytes:
    """Return one line, with the id `number` or else the command's own.

    Raises LocalProtocolError for words that would not arrive unchanged.
    """
    number = command.id if number is None else number
    words = (command.name, *command.arguments)
    text = " ".join(words)
    if not WORDS.fullmatch(text) or text.count(" ") >= len(words):
        _check_words(words, number)
    if number is not None:
        if not 0 <= number <= MAX_ID:
            raise LocalProtocolError(f"id {number} is not between 0 and {MAX_ID}")
        text = f"{number} {text}"
    if command.comment:
        if not command.comment.isprintable():
            raise LocalProtocolError(f"{command.comment!r} is not one line")
        text = f"{text} # {command.comment}"
    line = f"{text}\n".encode()
    if len(line) > MAX_LINE:
        raise LocalProtocolError(f"a line of {len(line)} bytes: {MAX_LINE} is the most")
    return line


def _check_words(words: tuple[str, ...], number: int | None) -> None:
    """Raise LocalProtocolError unless these words are read as this command."""
    for word in words:
        if not word or NOT_IN_A_WORD.search(word):
            raise LocalProtocolError(f"{word!r} is not one word of a command")
    if number is None and words[0].isascii() and words[0].isdigit():
        raise LocalProtocolError(f"{words[0]!r} would be read as an id")
    try:
        " ".join(words).encode()
    except UnicodeEncodeError:
        raise LocalProtocolError(f"{words!r} cannot be written in UTF-8") from None


def encode_reply(reply: Reply) -> bytes:
    """Return a whole reply. Empty lines in its text get a space, control characters are dropped.

    A text that begins with an empty line gets a space too, because GoGui takes what follows the
    first space of a reply for its text.
    """
    text = CONTROL_IN_TEXT.sub("", reply.text)
    first, *rest = text.split("\n")
    mark = "=" if reply.ok else "?"
    identity = "" if reply.id is None else str(reply.id)
    head = f"{mark}{identity} {first}"
    if not rest:
        head = head.rstrip(" ")
    lines = [head, *(line or " " for line in rest), "", ""]
    return "\n".join(lines).encode("utf-8", "backslashreplace")


class _Lines:
    """Cuts a stream into lines without control characters; None stands for one that is too long.

    A line has at most `max_line` bytes, including its line feed.
    """

    def __init__(self, max_line: int) -> None:
        self.max_line = max_line
        self.start_of_long_line = b""
        self._rest = bytearray()
        self._skipping = False

    @property
    def has_begun(self) -> bool:
        """Whether anything has come since the last line."""
        return self._skipping or bool(self._rest)

    @property
    def is_unfinished(self) -> bool:
        """Whether a line has begun and not ended. Control characters begin none."""
        return self._skipping or bool(self._rest and self._rest.translate(None, CONTROLS))

    def feed(self, data: bytes) -> Iterator[bytes | None]:
        *whole, rest = data.split(b"\n")
        for end in whole:
            yield from self._extend(end)
            if not self._skipping:
                yield bytes(self._rest).translate(TABS, CONTROLS)
            self._rest.clear()
            self._skipping = False
        yield from self._extend(rest)

    def _extend(self, data: bytes) -> Iterator[None]:
        """Extend the unfinished line; report once if that makes it too long."""
        if self._skipping:
            return
        self._rest += data[: self.max_line]
        # The line feed is still to come.
        if len(self._rest) >= self.max_line:
            self.start_of_long_line = bytes(self._rest[: self.max_line][:MAX_QUOTED])
            self._rest.clear()
            self._skipping = True
            yield None


def _read_line(line: bytes) -> Command | MalformedCommand | None:
    """Return the command in a line, or what is wrong with it, or None for an empty one."""
    text = line.partition(b"#")[0].decode("utf-8", "backslashreplace").strip(" ")
    if not text:
        return None
    if found := COMMAND.fullmatch(text):
        identity, name, arguments = found.groups()
        return Command(name, tuple(arguments.split()), int(identity) if identity else None)
    from oddly.protocol.grammar import read_command

    try:
        return read_command(text)
    except NotationError as error:
        return MalformedCommand(text[:MAX_QUOTED], str(error), _id_of(text))


def _id_of(text: str) -> int | None:
    """Return the id that a malformed line begins with, if there is one."""
    first = text.split(" ", 1)[0]
    is_number = first.isascii() and first.isdigit() and len(first) <= MAX_ID_DIGITS
    return int(first) if is_number and int(first) <= MAX_ID else None


def _read_reply(whole: bytes) -> Reply:
    # Escapes cost a microsecond a byte, too long for others to wait while a megabyte is read.
    errors = "backslashreplace" if len(whole) <= MAX_ESCAPED else "replace"
    text = whole.decode("utf-8", errors)
    head, end, rest = text.partition("\n")
    found = REPLY_HEAD.fullmatch(head)
    if found is None or (found[2] and int(found[2]) > MAX_ID):
        raise RemoteProtocolError(
            "a reply whose first line is not '=' or '?', an id, a space and the text",
            whole.partition(b"\n")[0],
        )
    mark, identity, first = found.groups()
    body = f"{(first or '').strip(' ')}{end}{rest}"
    return Reply(mark == "=", body, int(identity) if identity else None)

"""The evidence of one game: every line between referee and engines, as it went over the wire.

A log is text. Lines that begin with `#` are JSON: a header, the outcome at the end, and between
them a `wait` for each turn that did not come or for which the referee stood still: the player, the
time of the last look into the pipe, and the seconds lost. Every other line is the seconds since the
game began, the player (1 opened), a direction (`>` to the engine, `<` from it, `!` its standard
error) and the line itself, with bytes that are not printable escaped. A line to the engine has the
time at which it was written, a line from it the time at which the referee read its end: the referee
rules by these.

Lines beyond 2,000 characters are cut, and so are a log beyond 8 MiB, an engine's standard error
beyond 1 MiB, and what comes from standard error at once beyond 2 KiB.
"""

from __future__ import annotations

import json
from contextlib import suppress
from typing import TYPE_CHECKING, Any, TextIO

import trio

from oddly.games.untrusted_text import file_name, log_line

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

MAX_LINE_LENGTH = 2_000
MAX_LOG_LENGTH = 8 * 1024 * 1024
MAX_STDERR_LENGTH = 1024 * 1024
MAX_STDERR_AT_ONCE = 2048
VERSION = 2


class WireLog:
    """Writes one game's log from the time `began`; the file is complete after each call.

    If that fails (a full disk), `failure` says why, and no more is written.
    """

    def __init__(self, sink: TextIO, began: float) -> None:
        self._sink = sink
        self._began = self._now = began
        self._room = MAX_LOG_LENGTH
        self._stderr_room = {0: MAX_STDERR_LENGTH, 1: MAX_STDERR_LENGTH}
        self._unfinished: dict[tuple[int, str], bytes] = {}
        self.failure: str | None = None

    def header(self, facts: Mapping[str, Any]) -> None:
        """Write what game this is."""
        self._comment({"wire_log": VERSION, **facts})

    def wait(self, player: int, looked: float, lost: float) -> None:
        """Write when a wait for a turn ended without one, or what the referee lost of it."""
        self._comment({"wait": [player + 1, round(looked - self._began, 6), round(lost, 6)]})

    def outcome(self, facts: Mapping[str, Any]) -> None:
        """Write how the game ended; the last line."""
        for (player, direction), rest in self._unfinished.items():
            if rest:
                self._write(self._text(player, direction, [rest]))
        self._room = max(self._room, MAX_LINE_LENGTH * 10)
        self._comment({"outcome": dict(facts)})
        with suppress(OSError):
            self._sink.close()

    def data(self, player: int, direction: str, data: bytes, at: float) -> None:
        """Write bytes in one direction: `>`, `<` or `!`. An unfinished line waits for its end."""
        self._now = at
        unfinished = self._unfinished.get((player, direction), b"")
        if direction == "!":
            data = self._some_of(player, data)
        *lines, rest = (unfinished + data).split(b"\n")
        if len(rest) > MAX_LINE_LENGTH:
            lines.append(rest)
            rest = b""
        self._unfinished[player, direction] = rest
        if lines:
            text = self._text(player, direction, lines)
            if direction == "!":
                self._stderr_room[player] -= len(text)
            self._write(text)

    def _some_of(self, player: int, data: bytes) -> bytes:
        """Return the part of standard error that is logged, which is bounded."""
        if self._stderr_room[player] <= 0:
            return b""
        if len(data) > MAX_STDERR_AT_ONCE:
            more = len(data) - MAX_STDERR_AT_ONCE
            data = data[:MAX_STDERR_AT_ONCE] + b" (%d bytes more)\n" % more
        return data

    def _text(self, player: int, direction: str, lines: Sequence[bytes]) -> str:
        """Return what is written of lines that passed now; a flood may be of empty ones."""
        start = f"{self._now - self._began:12.6f} {player + 1} {direction} "
        return "".join([f"{start}{_shown(line)}\n" if line else f"{start}\n" for line in lines])

    def _comment(self, facts: Mapping[str, Any]) -> None:
        self._write(f"# {json.dumps(facts)}\n")

    def _write(self, text: str) -> None:
        if self._room <= 0 or self.failure is not None:
            return
        self._room -= len(text)
        try:
            self._sink.write(text)
            self._sink.flush()
        except OSError as error:
            self.failure = error.strerror


def _shown(line: bytes) -> str:
    """Return the logged form of a line: its start, and how much more there was."""
    text = log_line(line[:MAX_LINE_LENGTH])
    if len(line) > MAX_LINE_LENGTH:
        text += f" ({len(line) - MAX_LINE_LENGTH} bytes more)"
    return text


def open_log(directory: Path, name: str) -> WireLog:
    """A log in `directory`, named after the game; strangers' characters become hyphens."""
    directory.mkdir(parents=True, exist_ok=True)
    stem = file_name(name) or "game"
    return WireLog((directory / f"{stem}.log").open("w", encoding="utf-8"), trio.current_time())

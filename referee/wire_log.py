"""The evidence of one game: every line between referee and engines, as it went over the wire.

A log is text. Lines that begin with `#` are a header in JSON, the outcome in JSON at the end, and
nothing else; every other line is the seconds since the game began, the player (1 opened), a
direction (`>` to the engine, `<` from it, `!` its standard error) and the line itself, with bytes
that are not printable escaped. Lines beyond 2,000 characters are cut, and so is a log beyond 8 MiB.
"""

from __future__ import annotations

import json
from contextlib import suppress
from time import monotonic
from typing import TYPE_CHECKING, Any, TextIO

from games.untrusted_text import file_name, log_line

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

MAX_LINE_LENGTH = 2_000
MAX_LOG_LENGTH = 8 * 1024 * 1024
VERSION = 1


class WireLog:
    """Writes one game's log; the file is complete after every line.

    If that fails (a full disk), `failure` says why, and no more is written.
    """

    def __init__(self, sink: TextIO, clock: Callable[[], float] = monotonic) -> None:
        self._sink = sink
        self._clock = clock
        self._began = clock()
        self._room = MAX_LOG_LENGTH
        self._unfinished: dict[tuple[int, str], bytes] = {}
        self.failure: str | None = None

    def header(self, facts: Mapping[str, Any]) -> None:
        """What game this is."""
        self._comment({"wire_log": VERSION, **facts})

    def outcome(self, facts: Mapping[str, Any]) -> None:
        """How it ended; the last line."""
        for (player, direction), rest in self._unfinished.items():
            if rest:
                self._line(player, direction, rest)
        self._room = max(self._room, MAX_LINE_LENGTH * 10)
        self._comment({"outcome": dict(facts)})
        with suppress(OSError):
            self._sink.close()

    def data(self, player: int, direction: str, data: bytes) -> None:
        """Bytes in one direction: `>`, `<` or `!`. Unfinished lines wait for their end."""
        *lines, rest = (self._unfinished.get((player, direction), b"") + data).split(b"\n")
        for line in lines:
            self._line(player, direction, line)
        if len(rest) > MAX_LINE_LENGTH:
            self._line(player, direction, rest)
            rest = b""
        self._unfinished[player, direction] = rest

    def _line(self, player: int, direction: str, line: bytes) -> None:
        text = log_line(line[:MAX_LINE_LENGTH])
        if len(line) > MAX_LINE_LENGTH:
            text += f" ({len(line) - MAX_LINE_LENGTH} bytes more)"
        self._write(f"{self._clock() - self._began:12.6f} {player + 1} {direction} {text}\n")

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


def open_log(directory: Path, name: str) -> WireLog:
    """A log in `directory`, named after the game; strangers' characters become hyphens."""
    directory.mkdir(parents=True, exist_ok=True)
    stem = file_name(name) or "game"
    return WireLog((directory / f"{stem}.log").open("w", encoding="utf-8"))

"""The evidence of a game: every line on the wire, from which `judgement.py` judges it again.

A log is text. Lines that begin with `#` are JSON: a header, the outcome at the end, and between
them a `wait` for each turn that did not come or for which the referee stood still: the player, the
time of the last look into the pipe, and the seconds lost. A `restart` says that a player's engine
had died before the game, so that another process is set up. Every other line is the seconds since
the game began, the player (1 opened), a direction (`>` to the engine, `<` from it, `!` its standard
error) and the line itself, with bytes that are not printable escaped. A line to the engine has the
time at which it was written, a line from it the time at which the referee read its end: the referee
rules by these.

A line of more than 2,000 bytes is cut, and says how many more there were. Before that, a line of an
engine loses what means nothing in a reply: control characters, and spaces at the end or before the
text. A log of more than 8 MiB is cut, with a `cut` in place of the rest, and so are an engine's
standard error after 1 MiB, and what comes from it at once after 2 KiB.

A log only watches, so an exception in it costs the log and not the game. Its only owner, a
`GameLog`, takes it away from the players before closing it.
"""

from __future__ import annotations

import json
import re
from functools import partial
from typing import TYPE_CHECKING, Any, TextIO

import trio

from oddly.games.untrusted_text import log_line
from oddly.protocol.codec import CONTROLS
from oddly.referee.justice.outcome import failure_text

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from oddly.referee.conversation.player import Player
    from oddly.referee.justice.record import GameRecord


DIRECTIONS = "><!"
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
        self._lines = {(player, way): _OpenLine(way) for player in (0, 1) for way in DIRECTIONS}
        self._is_over = False
        self.failure: str | None = None

    def header(self, facts: Mapping[str, Any]) -> None:
        """Write what game this is."""
        self._comment({"wire_log": VERSION, **facts})

    def wait(self, player: int, looked: float, lost: float, *, answered: bool) -> None:
        """Write when a wait for a turn ended without one, or what the referee lost of it."""
        stamps = [player + 1, round(looked - self._began, 6), round(lost, 6)]
        self._comment({"wait": stamps} if answered else {"wait": stamps, "answered": False})

    def restart(self, player: int) -> None:
        """Write that a player's engine had died before the game, and another process follows."""
        self._end_lines(player)
        self._comment({"restart": player + 1})

    def outcome(self, facts: Mapping[str, Any]) -> None:
        """Write how the game ended; nothing more is written after it."""
        for player in (0, 1):
            self._end_lines(player)
        self._put(_comment_text({"outcome": dict(facts)}))
        self._is_over = True

    def close(self) -> None:
        """Close the file."""
        try:
            self._sink.close()
        except OSError as error:
            self.failure = self.failure or error.strerror

    def data(self, player: int, direction: str, data: bytes, at: float) -> None:
        """Write bytes in one direction: `>`, `<` or `!`. An unfinished line waits for its end."""
        self._now = at
        line = self._lines[player, direction]
        if direction == "!":
            data = self._some_of(player, data)
        *ends, rest = data.split(b"\n")
        lines = [line.end(end) for end in ends]
        line.extend(rest)
        if lines:
            text = self._text(player, direction, lines)
            if direction == "!":
                self._stderr_room[player] -= len(text)
            self._write(text)

    def _end_lines(self, player: int) -> None:
        """Write a player's lines that have begun, as if they had ended."""
        for direction in DIRECTIONS:
            line = self._lines[player, direction]
            if line.has_begun:
                self._write(self._text(player, direction, [line.end(b"")]))

    def _some_of(self, player: int, data: bytes) -> bytes:
        """Return the part of standard error to log, which is bounded."""
        if self._stderr_room[player] <= 0:
            return b""
        if len(data) > MAX_STDERR_AT_ONCE:
            more = len(data) - MAX_STDERR_AT_ONCE
            data = data[:MAX_STDERR_AT_ONCE] + b" (%d bytes more)\n" % more
        return data

    def _text(self, player: int, direction: str, lines: Sequence[str]) -> str:
        """Return the logged form of lines that passed now."""
        start = f"{self._now - self._began:12.6f} {player + 1} {direction} "
        return "".join([f"{start}{line}\n" for line in lines])

    def _comment(self, facts: Mapping[str, Any]) -> None:
        self._write(_comment_text(facts))

    def _write(self, text: str) -> None:
        """Write `text`, or instead of the first one for which there is no room, the cut."""
        if self._is_over:
            return
        if self._room <= 0:
            text, self._is_over = _comment_text({"cut": True}), True
        self._room -= len(text)
        self._put(text)

    def _put(self, text: str) -> None:
        if self.failure is not None:
            return
        try:
            self._sink.write(text)
            self._sink.flush()
        except OSError as error:
            self.failure = error.strerror


def _comment_text(facts: Mapping[str, Any]) -> str:
    return f"# {json.dumps(facts)}\n"


_PADDING = re.compile(rb"\A([=?][0-9]*)[ \t]{2,}")
"""Spaces before the text of a reply, which mean nothing."""


class _OpenLine:
    """A line whose end has not come: its start, and how much more there was."""

    def __init__(self, direction: str) -> None:
        self._is_reply = direction == "<"
        self._start = b""
        self._left_out = self._more = 0
        """The bytes beyond the start, with and without spaces at the end."""

    @property
    def has_begun(self) -> bool:
        """Whether anything has come since the last line."""
        return bool(self._start)

    def extend(self, data: bytes) -> None:
        """Take in what has come, without the end of the line."""
        if not self._left_out:
            data = self._start + data
            if self._is_reply and len(data) > MAX_LINE_LENGTH:
                data = _PADDING.sub(rb"\1 ", data.translate(None, CONTROLS))
            self._start, data = data[:MAX_LINE_LENGTH], data[MAX_LINE_LENGTH:]
        elif self._is_reply:
            data = data.translate(None, CONTROLS)
        meant = data.rstrip(b" \t") if self._is_reply else data
        if meant:
            self._more = self._left_out + len(meant)
        self._left_out += len(data)

    def end(self, data: bytes) -> str:
        """Return the logged form of the line that ends after `data`; another begins."""
        if not self._start and len(data) <= MAX_LINE_LENGTH:
            # A flood may be of empty ones.
            return log_line(data) if data else ""
        self.extend(data)
        text = log_line(self._start)
        if self._more:
            text += f" ({self._more} bytes more)"
        self._start, self._left_out, self._more = b"", 0, 0
        return text


def open_log(path: Path) -> WireLog:
    """Open a log, which replaces the file at `path`; its folder is made if it is missing."""
    path.parent.mkdir(parents=True, exist_ok=True)
    return WireLog(path.open("w", encoding="utf-8"), trio.current_time())


class GameLog:
    """Owns a log, if there is one, until `close`. No method raises an Exception.

    After one in the log nothing more is written, and `WireLog.failure` says why.
    """

    def __init__(self, log: WireLog | None) -> None:
        self._log = log
        self._players: list[Player] = []

    def follow(self, index: int, player: Player) -> None:
        """Write what passes from now on between the referee and the player of this index."""
        if self._log is not None:
            self._players.append(player)
            player.log_to(partial(self._data, index))

    def wait(self, player: int, looked: float, lost: float, *, answered: bool) -> None:
        """Write a wait, as `WireLog.wait` does."""
        self._attempt(lambda log: log.wait(player, looked, lost, answered=answered))

    def restart(self, player: int) -> None:
        """Write a restart, as `WireLog.restart` does."""
        self._attempt(lambda log: log.restart(player))

    def close(self, record: GameRecord | None = None) -> None:
        """Take the log away from the players, write how the game ended, and close it.

        Without a record the game was given up. A second call does nothing.
        """
        for player in self._players:
            player.log_to(None)
        self._players.clear()
        if record is not None:
            self._attempt(lambda log: log.outcome(record.as_json()))
        self._attempt(lambda log: log.close())
        self._log = None

    def _data(self, index: int, direction: str, data: bytes, at: float) -> None:
        self._attempt(lambda log: log.data(index, direction, data, at))

    def _attempt(self, write: Callable[[WireLog], None]) -> None:
        if self._log is None:
            return
        try:
            write(self._log)
        except Exception as error:
            self._log.failure = failure_text(error)

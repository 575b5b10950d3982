"""A file beside the ledger, from which other processes read the games that a run is playing.

The ledger has only finished games, safe on the disk. The feed is the opposite: a line of JSON for
each event, written without waiting for the disk, and gone when the run ends. When the file has
grown, it is replaced by one with only the running games.
"""

from __future__ import annotations

import json
import math
import os
import time
from contextlib import suppress
from dataclasses import dataclass, field
from typing import IO, TYPE_CHECKING, Any

from oddly.protocol import TurnEvaluation
from oddly.safe_files.sqlite_file import file_beside
from oddly.tournaments.results.schedule import (
    PlayedGame,
    ScheduledGame,
    scheduled_facts,
    scheduled_from,
)
from oddly.tournaments.run.observer import Observer

if TYPE_CHECKING:
    from pathlib import Path

    from oddly.referee import GameRecord, Snapshot

MAX_FEED_BYTES = 1 << 20
"""Bytes after which the feed is rewritten, with only the running games."""


def feed_path(ledger: Path) -> Path:
    """Return the path of a ledger's feed."""
    return file_beside(ledger, "-live")


class FeedWriter(Observer):
    """An observer that writes the feed, and ignores failures to write."""

    def __init__(self, ledger: Path, max_bytes: int = MAX_FEED_BYTES) -> None:
        self._path = feed_path(ledger)
        self._max_bytes = max_bytes
        self._running: dict[str, list[str]] = {}
        self._file: IO[str] | None = None
        self._size = 0

    def began(self, scheduled: ScheduledGame) -> None:
        """Write that the game begins."""
        self._running[scheduled.id] = []
        self._write(scheduled.id, {"began": scheduled_facts(scheduled), "at": time.time()})

    def began_again(self, scheduled: ScheduledGame) -> None:
        """Write that the game begins, which discards its earlier turns."""
        self.began(scheduled)

    def turned(self, scheduled: ScheduledGame, snapshot: Snapshot) -> None:
        """Write a turn."""
        if scheduled.id in self._running:
            last = snapshot.last
            expected = {} if last.evaluation is None else {"expects": last.evaluation.as_json()}
            facts = {
                "id": scheduled.id,
                "turn": last.turn,
                "seconds": round(last.seconds, 3),
                "left": [_finite(seconds) for seconds in snapshot.seconds_left],
                "at": time.time(),
                **expected,
            }
            self._write(scheduled.id, facts)

    def ended(self, played: PlayedGame, record: GameRecord) -> None:
        """Write that the game has ended."""
        self._running.pop(played.scheduled.id, None)
        self._write("", {"ended": played.scheduled.id})

    def finish(self) -> None:
        """Remove the feed."""
        with suppress(OSError):
            if self._file is not None:
                self._file.close()
            self._path.unlink(missing_ok=True)

    def _write(self, identity: str, facts: dict[str, Any]) -> None:
        line = json.dumps(facts) + "\n"
        if identity in self._running:
            self._running[identity].append(line)
        # A full disk or a read-only folder must not disturb a tournament.
        with suppress(OSError, ValueError):
            if self._file is None or self._size + len(line) > self._max_bytes:
                self._begin_anew()
            else:
                self._file.write(line)
                self._file.flush()
                self._size += len(line)

    def _begin_anew(self) -> None:
        """Replace the file atomically, so that a reader sees either the old or the new one."""
        beside = self._path.with_name(f"{self._path.name}.new")
        text = "".join(line for lines in self._running.values() for line in lines)
        old, self._file = self._file, None
        try:
            if old is not None:
                old.close()
            beside.write_text(text, encoding="utf-8")
            beside.replace(self._path)
        except OSError:
            # The next line tries again.
            beside.unlink(missing_ok=True)
            raise
        self._file, self._size = self._path.open("a", encoding="utf-8"), len(text)


@dataclass(slots=True)
class LiveGame:
    """A running game as the feed has it; `at` is the Unix time of its last turn."""

    scheduled: ScheduledGame
    at: float
    turns: list[str] = field(default_factory=list)
    """The turns after the opening."""
    seconds: list[float] = field(default_factory=list)
    """The seconds of each turn."""
    expected: list[TurnEvaluation | None] = field(default_factory=list)
    """The evaluation that the player gave with each turn, if any."""
    seconds_left: tuple[float | None, float | None] = (None, None)
    """The longest that each player's next turn may take; None if unknown or unlimited."""


class FeedReader:
    """The running games, read line by line as they appear."""

    def __init__(self, ledger: Path) -> None:
        self.games: dict[str, LiveGame] = {}
        self._path = feed_path(ledger)
        self._file: IO[bytes] | None = None
        self._rest = b""

    def read(self) -> bool:
        """Read the new lines of the feed, and return whether there were any."""
        changed = self._follow()
        if self._file is None:
            return changed
        *lines, self._rest = (self._rest + self._file.read()).split(b"\n")
        for line in lines:
            # A line that cannot be read is skipped.
            with suppress(ValueError, KeyError, TypeError, AttributeError):
                self._apply(json.loads(line))
        return changed or bool(lines)

    def _follow(self) -> bool:
        """Open the current file, and return whether it differs from the previous one."""
        try:
            now = self._path.stat()
        except OSError:
            gone = bool(self.games)
            self._forget()
            return gone
        if self._file is not None and os.path.samestat(now, os.fstat(self._file.fileno())):
            return False
        self._forget()
        try:
            self._file = self._path.open("rb")
        except OSError:
            return False
        return True

    def _forget(self) -> None:
        if self._file is not None:
            self._file.close()
        self._file, self._rest = None, b""
        self.games = {}

    def _apply(self, facts: dict[str, Any]) -> None:
        """Apply one line.

        Raises ValueError, KeyError, TypeError or AttributeError for a line of another kind.
        """
        if "began" in facts:
            scheduled = scheduled_from(facts["began"])
            self.games[scheduled.id] = LiveGame(scheduled, _number(facts["at"]))
        elif "ended" in facts:
            self.games.pop(facts["ended"], None)
        elif (game := self.games.get(facts["id"])) is not None:
            one, other = (None if each is None else _number(each) for each in facts["left"])
            seconds, at = _number(facts["seconds"]), _number(facts["at"])
            expects = facts.get("expects")
            expected = None if expects is None else TurnEvaluation.from_json(expects)
            game.seconds_left, game.at = (one, other), at
            game.turns.append(str(facts["turn"]))
            game.seconds.append(seconds)
            game.expected.append(expected)


def _finite(seconds: float) -> float | None:
    """Return seconds for JSON; None without a clock."""
    return round(seconds, 1) if math.isfinite(seconds) else None


def _number(value: object) -> float:
    """Return a finite number. Raises ValueError for anything else."""
    if not isinstance(value, int | float) or not math.isfinite(value):
        raise ValueError(f"{value!r} is not a number")
    return float(value)

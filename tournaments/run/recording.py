"""What a run writes while it plays: finished games in the ledger, running ones in a feed beside it.

A game that is not recorded counts nowhere.

An engine is absent if it did not start or did not identify itself. An engine behind a bridge is
also absent if it failed before anybody was asked for a turn, and no bridge answers at its address
now. After the first turn its clock decides; otherwise it could cut the connection before a loss.

The ledger has only finished games, safe on the disk. The feed is the opposite: a line of JSON for
each event, written without waiting for the disk, and gone when the run ends. Any process may read
it. When the file has grown, it is replaced by one with only the running games.
"""

from __future__ import annotations

import json
import math
import os
import sqlite3
import time
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import IO, TYPE_CHECKING, Any

import trio

from oddly.protocol import TurnEvaluation
from oddly.referee import Termination
from oddly.referee.bridge.presence import answers, remote_address
from oddly.referee.justice.outcome import failure_text
from oddly.safe_files.sqlite_file import file_beside
from oddly.tournaments.ledger.schema import damaged
from oddly.tournaments.results.schedule import (
    PlayedGame,
    ScheduledGame,
    scheduled_facts,
    scheduled_from,
    turns_digest,
)
from oddly.tournaments.run.observer import Observer, RunStart, UnkeptError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from pathlib import Path

    from oddly.referee import EngineConfiguration, GameRecord, Snapshot
    from oddly.tournaments.ledger.store import Ledger
    from oddly.tournaments.run.control import Control

    Kept = Callable[[PlayedGame, GameRecord], None]


class LedgerRecorder(Observer):
    """The first observer of a run with a ledger: the others hear only of what is on the disk.

    If the ledger is found to be damaged, `failure` says so, and the run is stopped.
    """

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger
        self._control: Control | None = None

    def start(self, start: RunStart) -> None:
        """Remember the control that stops the run."""
        self._control = start.control

    def began(self, scheduled: ScheduledGame) -> None:
        """Write that the game begins. Raises UnkeptError if that fails, as on a full disk."""
        with self._writing():
            self._ledger.announce(scheduled)

    def ended(self, played: PlayedGame, record: GameRecord) -> None:
        """Write the game, unless an engine was absent from it. Raises UnkeptError if that fails."""
        if record.outcome.termination is Termination.ABSENT:
            # It is played later.
            return
        with self._writing():
            self._ledger.add(played.scheduled.id, record, played.scheduled)

    @contextmanager
    def _writing(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.OperationalError as error:
            self._ledger.shorten_log()
            raise UnkeptError(f"cannot write {self._ledger.path}: {error}") from None
        except Exception as error:
            # Unlike a full disk, this is permanent.
            if isinstance(error, sqlite3.Error):
                self.failure = str(damaged(self._ledger.path, str(error)))
            else:
                self.failure = f"cannot write {self._ledger.path}: {failure_text(error)}"
            if self._control is not None and not self._control.stopping:
                self._control.stop()
            raise UnkeptError(self.failure) from None


RETRY_PAUSE = 1.0
"""Seconds before writing is tried again."""


class RecordQueue:
    """Passes each ended game to the observers, then to `kept`, in the order of their ends."""

    def __init__(self, observers: Observer, control: Control, kept: Kept) -> None:
        self._observers = observers
        self._control = control
        self._kept = kept
        self.unkept: list[tuple[PlayedGame, GameRecord]] = []
        """The games that ended and are not recorded yet."""

    async def announce(self, scheduled: ScheduledGame) -> bool:
        """Record that a game begins, as soon as possible; return False if the run is stopped."""
        while True:
            try:
                self._observers.began(scheduled)
            except UnkeptError as error:
                self._control.hold(str(error))
            else:
                if not self.unkept:
                    self._control.release()
                return True
            await trio.sleep(RETRY_PAUSE)
            if self._control.stopping:
                return False

    def keep(self, scheduled: ScheduledGame, record: GameRecord) -> None:
        """Record a game, now or later."""
        played = PlayedGame(scheduled, record.outcome, turns_digest(record))
        self.unkept.append((played, record))
        if not self._control.held:
            self.try_again()

    async def until_kept(self) -> None:
        """Wait until every game that ended is recorded, or the run is stopped."""
        while self.unkept and not self._control.stopping:
            await trio.sleep(RETRY_PAUSE)
            self.try_again()

    def try_again(self) -> None:
        """Record as many of the waiting games as possible."""
        while self.unkept:
            played, record = self.unkept[0]
            try:
                self._observers.ended(played, record)
            except UnkeptError as error:
                self._control.hold(str(error))
                return
            del self.unkept[0]
            self._kept(played, record)
        self._control.release()

    def last_words(self) -> str:
        """Return a sentence on games that were never recorded; empty without any."""
        if not (number := len(self.unkept)):
            return ""
        games = "a game that ended was" if number == 1 else f"{number} games that ended were"
        return f"{games} not recorded; the same command plays them again"


CUT_OFF = {Termination.CRASH, Termination.PROTOCOL}
"""The terminations of games whose engine loses its connection before the first turn."""


class AbsenceCheck:
    """The check for absent engines, which do not lose the games that they miss."""

    def __init__(self, engines: Iterable[EngineConfiguration]) -> None:
        addresses = {engine.name: remote_address(engine.command) for engine in engines}
        self._remote = {name: found for name, found in addresses.items() if found is not None}

    def is_in_doubt(self, record: GameRecord) -> bool:
        """Return whether an engine may have been absent from a game that has ended."""
        # Somebody was asked for a turn, so both were present.
        return record.timing is None and bool(self._nameless(record) or self._cut_off(record))

    async def absent(self, record: GameRecord) -> tuple[str, ...]:
        """Return the engines that were absent from a game that has ended."""
        if not self.is_in_doubt(record):
            return ()
        if nameless := self._nameless(record):
            return nameless
        return tuple(
            [name for name in self._cut_off(record) if not await answers(self._remote[name])]
        )

    def _nameless(self, record: GameRecord) -> tuple[str, ...]:
        """Return the engines at fault that did not identify themselves."""
        outcome = record.outcome
        if outcome.termination is Termination.VOID:
            return tuple(
                name for name, said in zip(record.players, record.engines, strict=True) if not said
            )
        if not outcome.is_forfeit or outcome.winner is None:
            return ()
        loser = 1 - outcome.winner
        return () if record.engines[loser] else (record.players[loser],)

    def _cut_off(self, record: GameRecord) -> tuple[str, ...]:
        """Return the engine behind a bridge whose loss looks like a lost connection."""
        outcome = record.outcome
        if outcome.termination not in CUT_OFF or outcome.winner is None:
            return ()
        loser = record.players[1 - outcome.winner]
        return (loser,) if loser in self._remote else ()


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
class FedGame:
    """A running game as the feed has it; `at` is the Unix time of its last turn."""

    scheduled: ScheduledGame
    at: float
    turns: list[str] = field(default_factory=list)
    """The turns after the opening."""
    seconds: list[float] = field(default_factory=list)
    """The seconds of each turn."""
    expected: list[TurnEvaluation | None] = field(default_factory=list)
    """What the player of each turn expected of it, if known."""
    left: tuple[float | None, float | None] = (None, None)
    """The longest that each player's next turn may take, in seconds; None if unknown or endless."""


class FeedReader:
    """The running games, read line by line as they appear."""

    def __init__(self, ledger: Path) -> None:
        self.games: dict[str, FedGame] = {}
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
            self.games[scheduled.id] = FedGame(scheduled, _number(facts["at"]))
        elif "ended" in facts:
            self.games.pop(facts["ended"], None)
        elif (game := self.games.get(facts["id"])) is not None:
            one, other = (None if each is None else _number(each) for each in facts["left"])
            seconds, at = _number(facts["seconds"]), _number(facts["at"])
            expects = facts.get("expects")
            expected = None if expects is None else TurnEvaluation.from_json(expects)
            game.left, game.at = (one, other), at
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

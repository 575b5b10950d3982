"""The observers of a run, which hear what happens.

A run has a list of observers, such as a file of records, and calls each method of all of them in
the order of the list. The recorder of the ledger always comes first: when the others hear that a
game ended, the game is on the disk. Observers finish in the reverse order, however the run ends.

Observers run in the referee's own thread, between two answers of engines, so they must not wait. An
observer notes an error that it cannot repair in `failure`, and the run continues. If an observer
raises an exception, a sentence says so at once, no game is lost, and the observer hears only
`finish`. Only the recorder is more than an observer: if it cannot write, as on a full disk, it
raises UnkeptError, no other observer hears of the game, and the run waits.
"""

from __future__ import annotations

import fcntl
import json
import os
import stat
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from errno import EAGAIN
from typing import TYPE_CHECKING, Any, Protocol

from oddly.referee.justice.outcome import failure_text
from oddly.safe_files.whole_files import is_named

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from io import FileIO
    from pathlib import Path

    from oddly.referee import GameRecord, Snapshot
    from oddly.tournaments.executors.conditions import EngineIsolation
    from oddly.tournaments.formats.plan import FormatReport
    from oddly.tournaments.results.schedule import PlayedGame, ScheduledGame
    from oddly.tournaments.results.sequential import Question
    from oddly.tournaments.run.control import Control


class UnkeptError(Exception):
    """Something cannot be recorded now, but may be later. The message is one sentence."""


@dataclass(frozen=True, slots=True)
class RunStart:
    """Facts about a run before its first game."""

    title: str
    games: int | None
    """How many games there are in all; None if that depends on results."""
    engines: Sequence[str]
    control: Control
    earlier: Sequence[PlayedGame] = ()
    """The games of earlier runs."""
    is_done: bool = False
    """Whether no game is left."""
    ledger: Path | None = None
    changes: Sequence[str] = ()
    """What was added or changed since an earlier run, in words."""
    rulings: Sequence[str] = ()
    """The rulings of the arbiter so far, a line each."""
    isolation: EngineIsolation | None = None
    """Which engines are isolated; None where the machines of a cluster decide."""
    by_elo: bool = False
    """Whether engines are ordered by rating, not by points."""
    question: Question | None = None
    """The question of the sequential test, if there is one."""
    reports: Callable[[], Mapping[str, FormatReport | None]] = dict
    """Returns the current reports of the format, such as a bracket, by the title of the game."""


class Observer(Protocol):
    """Something that hears about a run. Derive from this, and write the methods that you need."""

    failure: str | None = None
    """What went wrong, in one sentence."""

    def start(self, start: RunStart) -> None:
        """Hear that the run begins."""
        return

    def began(self, scheduled: ScheduledGame) -> None:
        """Hear that a game began."""
        return

    def began_again(self, scheduled: ScheduledGame) -> None:
        """Hear that a game which failed through our own fault is played again from its start."""
        return

    def turned(self, scheduled: ScheduledGame, snapshot: Snapshot) -> None:
        """Hear that a turn was played."""
        return

    def ended(self, played: PlayedGame, record: GameRecord) -> None:
        """Hear that a game ended."""
        return

    def finish(self) -> None:
        """Hear that the run is over, even if an error ended it."""
        return

    async def attend(self) -> None:
        """Do something during the games, such as drawing; cancelled after the last game."""
        return


class Observers(Observer):
    """Several observers as one, which raises nothing but UnkeptError.

    `say` is called with a sentence when one of them fails.
    """

    def __init__(
        self, observers: Sequence[Observer], say: Callable[[str], None] | None = None
    ) -> None:
        self._given = list(observers)
        self._all = list(observers)
        self._say = say
        self._failed: list[str] = []

    @property
    def failures(self) -> list[str]:
        """What went wrong in any observer."""
        noted = [observer.failure for observer in self._given if observer.failure]
        return [*noted, *self._failed]

    @property
    def follows_turns(self) -> bool:
        """Whether any observer hears about single turns, which takes time."""
        return any(type(observer).turned is not Observer.turned for observer in self._all)

    @contextmanager
    def during(self, start: RunStart) -> Iterator[None]:
        """Start all observers, and finish those that started, in the reverse order."""
        with ExitStack() as started:
            for observer in list(self._all):
                with self._dismissing(observer):
                    observer.start(start)
                    started.callback(self._finish, observer)
            yield

    def began(self, scheduled: ScheduledGame) -> None:
        """Pass it on. Raises UnkeptError."""
        self._tell(lambda observer: observer.began(scheduled))

    def began_again(self, scheduled: ScheduledGame) -> None:
        """Pass it on."""
        self._tell(lambda observer: observer.began_again(scheduled))

    def turned(self, scheduled: ScheduledGame, snapshot: Snapshot) -> None:
        """Pass it on."""
        self._tell(lambda observer: observer.turned(scheduled, snapshot))

    def ended(self, played: PlayedGame, record: GameRecord) -> None:
        """Pass it on. Raises UnkeptError."""
        self._tell(lambda observer: observer.ended(played, record))

    def _tell(self, tell: Callable[[Observer], None]) -> None:
        for observer in list(self._all):
            with self._dismissing(observer):
                tell(observer)

    async def attend(self) -> None:
        """Let all observers attend, each in its own task."""
        import trio

        async with trio.open_nursery() as nursery:
            for observer in list(self._all):
                nursery.start_soon(self._attend, observer)

    async def _attend(self, observer: Observer) -> None:
        with self._dismissing(observer):
            await observer.attend()

    def _finish(self, observer: Observer) -> None:
        with self._dismissing(observer):
            observer.finish()

    @contextmanager
    def _dismissing(self, observer: Observer) -> Iterator[None]:
        """Tell an observer nothing more once it has raised an exception in the block."""
        try:
            yield
        except UnkeptError:
            raise
        except Exception as error:
            with suppress(ValueError):
                self._all.remove(observer)
            name = type(observer).__name__
            self._failed.append(f"the observer {name} failed: {failure_text(error)}")
            if self._say is not None:
                self._say(f"{self._failed[-1]}; it is told nothing more about this run")


class RecordFile(Observer):
    """An observer that writes each game to the disk as a line of JSON when it ends.

    Only one run at a time writes to a file. If writing fails, as on a full disk, the file keeps its
    whole lines, `failure` says why, and the run goes on without records.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._file: FileIO | None = None

    def open(self) -> None:
        """Hold the file for this run until it finishes; else the first game does so.

        Raises BlockingIOError while another run holds it, and OSError if it cannot be written.
        """
        self._file = _held(self._path)

    def ended(self, played: PlayedGame, record: GameRecord) -> None:
        """Write the game."""
        if self.failure is not None:
            return
        try:
            self._write(json.dumps(game_facts(played, record)) + "\n")
        except OSError as error:
            number = played.scheduled.number
            self.failure = f"cannot write {self._path} from game {number} on: {error.strerror}"

    def finish(self) -> None:
        """Let other runs write to the file."""
        if self._file is not None:
            self._file.close()
            self._file = None

    def _write(self, line: str) -> None:
        file = self._opened()
        is_on_disk, size = _is_on_disk(file), os.fstat(file.fileno()).st_size
        data = line.encode()
        try:
            while data:
                data = data[file.write(data) :]
            if is_on_disk:
                os.fsync(file.fileno())
        except OSError:
            # Half a line would make the file unreadable.
            if is_on_disk:
                with suppress(OSError):
                    file.truncate(size)
            raise

    def _opened(self) -> FileIO:
        """Return the file; a new one if somebody has moved it away. Raises OSError."""
        file = self._file
        if file is not None and _is_on_disk(file) and not is_named(file.fileno(), self._path):
            self.finish()
            file = None
        if file is None:
            file = self._file = _held(self._path)
        return file


def _held(path: Path) -> FileIO:
    """Open a file to append to it, and hold it until it is closed. Raises OSError."""
    file = path.open("ab", buffering=0)
    try:
        if _is_on_disk(file):
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        file.close()
        said = "another run is writing to it now: name another file"
        raise BlockingIOError(EAGAIN, said, str(path)) from None
    except OSError:
        # Some network file systems have no locks; there the file is written without one.
        pass
    return file


def _is_on_disk(file: FileIO) -> bool:
    """Return whether it is a file, not a pipe or a device."""
    return stat.S_ISREG(os.fstat(file.fileno()).st_mode)


def game_facts(played: PlayedGame, record: GameRecord) -> dict[str, Any]:
    """Return a finished game as plain values for JSON."""
    scheduled = played.scheduled
    facts = {"id": scheduled.id, "number": scheduled.number, "round": scheduled.round}
    return {**facts, **record.as_json()}

"""A tournament for spectators, from its ledger, which is only read, and the feed beside it.

Its lock file, and what Linux says of processes, show whether a run holds the ledger. Nobody tries
the lock itself: a run that starts at that moment would find it taken.
"""

from __future__ import annotations

import json
import math
import os
import re
import time
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import trio

from oddly.games import IllegalTurn, Position, touched
from oddly.interfaces.text.summary_tables import sprt_line
from oddly.interfaces.viewer.viewer import stones_text
from oddly.interfaces.web.views import (
    ShownGame,
    event_reports,
    game_row,
    game_view,
    recorded,
    unfinished,
)
from oddly.protocol import NotationError, parse_turn
from oddly.referee import PlayedTurn
from oddly.safe_files.sqlite_file import file_beside, lock_path
from oddly.tournaments import Ledger, LedgerError, read_event, results_json
from oddly.tournaments.ledger.archive import Archive, GameSearch
from oddly.tournaments.run.live_feed import FeedReader, LiveGame

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import TypeVar

    from oddly.interfaces.web.websockets import Outbox
    from oddly.tournaments import ScheduledGame

    Result = TypeVar("Result")


BETWEEN_LOOKS = 0.25
"""Seconds between two reads of the feed."""
SHARE_OF_TIME = 0.2
"""The largest share of time spent on reading the ledger again."""
MAX_BOARDS = 24
"""Running games shown at once."""
FIRST_READING = 3
"""Seconds that a page waits for the first reading of a ledger; a later one shifts the page."""
LATEST = 12
"""Finished games beside the running ones; the archive has all."""

UNREAD = {
    "kind": "event", "none": False, "name": "", "format": "", "played": 0, "games": None,
    "tables": (), "rulings": (), "reports": (), "ended": (), "running": False, "problem": "",
}  # fmt: skip
"""What is shown until the ledger has been read."""


class Broadcast:
    """One ledger as spectators see it."""

    def __init__(self, path: Path | None) -> None:
        self.path = path
        self.archive = None if path is None else Archive(path)
        self.outboxes: set[Outbox] = set()
        self.event: dict[str, Any] = dict(UNREAD)
        """What is shown of the ledger."""
        self._is_read = trio.Event()
        self._followers: dict[Outbox, str] = {}
        """The browsers that watch a single game, each with the game's id."""
        self._boards: dict[str, BroadcastGame] = {}
        self._texts: dict[str, str] = {}

    @property
    def boards(self) -> list[BroadcastGame]:
        """The running games that are shown at once."""
        return list(self._boards.values())[:MAX_BOARDS]

    @property
    def in_all(self) -> int:
        """How many games run."""
        return len(self._boards)

    def join(self, outbox: Outbox) -> None:
        """Send the tournament to one more browser, after the time by our clock."""
        self.outboxes.add(outbox)
        outbox.put("now", json.dumps({"kind": "now", "now": time.time()}))
        for kind, text in self._texts.items():
            outbox.put(kind, text)

    def follow_game(self, outbox: Outbox, name: str) -> None:
        """Send a running game to one more browser, from its next turn on."""
        self._followers[outbox] = name
        outbox.put("now", json.dumps({"kind": "now", "now": time.time()}))
        self._tell_follower(outbox, name)

    def leave(self, outbox: Outbox) -> None:
        """Stop sending anything to a browser."""
        self.outboxes.discard(outbox)
        self._followers.pop(outbox, None)

    def close(self) -> None:
        """Close the connection to every browser."""
        for outbox in [*self.outboxes, *self._followers]:
            outbox.close()

    async def follow(self) -> None:
        """Follow the feed and the ledger until cancelled."""
        if self.path is None or self.archive is None:
            self._tell("event", {"kind": "event", "none": True})
            return
        try:
            async with trio.open_nursery() as nursery:
                nursery.start_soon(self._follow_ledger, self.path)
                nursery.start_soon(self._follow_feed, self.path)
        finally:
            self.archive.close()

    async def first_reading(self) -> None:
        """Wait until the ledger has been read once, but not for long."""
        with trio.move_on_after(FIRST_READING):
            await self._is_read.wait()

    async def game(self, name: str) -> ShownGame | None:
        """Return a game, running or not; None if no game has that id.

        Raises LedgerError if the ledger cannot be read.
        """
        if (running := self._boards.get(name)) is not None:
            return running.shown()
        return await self.ask(lambda archive: recorded(archive, name), None)

    async def ask(self, question: Callable[[Archive], Result], otherwise: Result) -> Result:
        """Return the archive's answer, found in a thread so that games go on meanwhile.

        Returns `otherwise` if there is no ledger. Raises LedgerError.
        """
        archive = self.archive
        if archive is None:
            return otherwise
        return await trio.to_thread.run_sync(lambda: question(archive))

    def has(self, name: str) -> bool:
        """Return whether there is a game of that id."""
        if name in self._boards:
            return True
        with suppress(LedgerError):
            return self.archive is not None and self.archive.has(name)
        return False

    async def _follow_ledger(self, path: Path) -> None:
        seen: object = None
        while True:
            state = _state(path)
            if state != seen:
                began = trio.current_time()
                await self._read(path)
                seen = state
                await trio.sleep((trio.current_time() - began) / SHARE_OF_TIME)
            await trio.sleep(BETWEEN_LOOKS)

    async def _read(self, path: Path) -> None:
        """Read the ledger in a thread, so that games go on meanwhile."""
        problem = ""
        try:
            self.event = await self.ask(lambda archive: _ledger_view(path, archive), self.event)
        except LedgerError as error:
            # The ledger may be half made or gone: keep showing what is known.
            problem = str(error)
        except (AttributeError, LookupError, TypeError, ValueError) as error:
            problem = f"{path} is damaged: {type(error).__name__}: {error}"
        self.event = {**self.event, "problem": problem}
        self._tell("event", self.event)
        self._is_read.set()

    async def _follow_feed(self, path: Path) -> None:
        reader = FeedReader(path)
        written = None
        while True:
            # A run that was killed leaves its feed behind.
            was, written = written, is_held(path)
            if reader.read() or written is not was:
                self._show(reader.games if written else {})
            await trio.sleep(BETWEEN_LOOKS)

    def _show(self, games: Mapping[str, LiveGame]) -> None:
        """Bring the boards up to date and send them."""
        known: dict[str, BroadcastGame] = {}
        for name, game in games.items():
            board = self._boards.get(name)
            # The feed has another game if it was written anew, or if the game is played again.
            if board is None or board.fed is not game:
                board = BroadcastGame(game.scheduled)
            known[name] = board
            # A game with an illegal turn is shown up to that turn.
            with suppress(IllegalTurn, NotationError):
                board.advance(game)
        gone = self._boards.keys() - known.keys()
        changed = {name for name, board in known.items() if board.is_changed()}
        self._boards = known
        cards = [board.card() for board in self.boards]
        self._tell("running", {"kind": "running", "games": cards, "in_all": len(known)})
        for outbox, name in [*self._followers.items()]:
            if name in changed or name in gone:
                self._tell_follower(outbox, name)

    def _tell_follower(self, outbox: Outbox, name: str) -> None:
        """Send a running game, or that it has ended: its address then shows how."""
        game = self._boards.get(name)
        view = {"kind": "ended"} if game is None else game.shown().as_json()
        outbox.put("game", json.dumps(view))

    def _tell(self, kind: str, view: dict[str, Any]) -> None:
        text = json.dumps(view)
        if self._texts.get(kind) != text:
            self._texts[kind] = text
            for outbox in self.outboxes:
                outbox.put(kind, text)


class BroadcastGame:
    """A running game, as far as the feed tells."""

    def __init__(self, scheduled: ScheduledGame) -> None:
        self.scheduled = scheduled
        self.positions: list[Position] = [scheduled.game.start()]
        self.turns: list[PlayedTurn] = []
        self.number_fed = 0
        self.fed: LiveGame | None = None
        self._told = -1
        with suppress(IllegalTurn, NotationError):
            for turn in scheduled.opening:
                self._play(PlayedTurn(self.positions[-1].to_move, turn, 0.0))

    def advance(self, fed: LiveGame) -> None:
        """Play the new turns. Raises IllegalTurn or NotationError."""
        self.fed = fed
        news = list(zip(fed.turns, fed.seconds, fed.expected, strict=True))[self.number_fed :]
        for text, seconds, expected in news:
            self._play(PlayedTurn(self.positions[-1].to_move, text, seconds, expected))
            self.number_fed += 1

    def _play(self, played: PlayedTurn) -> None:
        self.positions.append(self.positions[-1].play(parse_turn(played.turn)))
        self.turns.append(played)

    def is_changed(self) -> bool:
        """Return whether a turn was played since the last call."""
        was, self._told = self._told, len(self.turns)
        return was != self._told

    def shown(self) -> ShownGame:
        """Return the game as it stands."""
        game = self.scheduled
        record = unfinished(game.game, (game.first, game.second), self.turns, len(game.opening))
        fed = self.fed
        left, at = ((None, None), None) if fed is None else (fed.seconds_left, fed.at)
        return ShownGame(game.id, "running", record, list(self.positions), left, at, game.number)

    def card(self) -> dict[str, Any]:
        """Return what a small board shows of the game."""
        game, position = self.shown(), self.positions[-1]
        counts, last = position.group_counts, self.turns[-1].turn if self.turns else ""
        placed, left = touched(parse_turn(last) if last else None)
        return {
            "id": game.id,
            "number": game.number,
            "game": game_view(position.game),
            "players": list(game.record.players),
            "stones": stones_text(position.stones),
            "placed": sorted(placed),
            "left": sorted(left),
            "black": counts.black,
            "white": counts.white,
            "turn": len(self.turns),
            "last": last,
            "to_move": str(position.to_move),
            "mover": game.mover,
            "clocks": list(game.clocks),
            "at": game.at,
            "expects": list(game.expected(len(self.turns))),
        }


def _ledger_view(path: Path, archive: Archive) -> dict[str, Any]:
    """Read the ledger. Raises LedgerError."""
    with Ledger(path, read_only=True) as ledger:
        event = read_event(ledger)
    archive.refresh()
    latest = archive.search(GameSearch(), 0, LATEST).games
    records = archive.records([game.id for game in latest])
    summaries = event.summaries()
    tables = results_json(summaries)["tables"]
    return {
        "kind": "event",
        "none": False,
        "name": event.name,
        "format": event.format,
        "played": event.tallies.games,
        "games": event.games,
        "tables": [
            {
                **{key: table[key] for key in ("title", "games", "distinct", "standings")},
                "tests": [sprt_line(test) for test in summary.tests],
            }
            for table, summary in zip(tables, summaries, strict=True)
        ],
        "rulings": event.rulings.sentences(),
        "reports": event_reports(event),
        "ended": [game_row(game, records.get(game.id)) for game in latest],
        "running": is_held(path),
        "read_at": time.time(),
        "problem": "",
    }


def _state(path: Path) -> object:
    """Return a value that changes whenever the ledger does."""
    found: list[object] = [is_held(path)]
    for name in (path, file_beside(path, "-wal"), lock_path(path)):
        try:
            status = name.stat()
            found.append((status.st_mtime_ns, status.st_size, status.st_ino))
        except OSError:
            found.append((0, 0, 0))
    return found


LOCKS = Path("/proc/locks")
"""Where Linux names the processes that hold locks, and the files."""
PROCESSES = Path("/proc")
SKEW = 10
"""Seconds by which the clock of a network file system may be slow."""


def is_held(path: Path) -> bool:
    """Return whether the process that the lock file names holds the ledger at `path`."""
    try:
        number = int(lock_path(path).read_text(encoding="ascii"))
        file = lock_path(path).stat()
    except (OSError, ValueError):
        return False
    if not _is_alive(number):
        return False
    held = rf" {number} [0-9a-f]+:[0-9a-f]+:{file.st_ino} "
    try:
        is_listed = re.search(held, LOCKS.read_text(encoding="ascii")) is not None
    except OSError:
        is_listed = False
    # Elsewhere, and on a file system without locks, a process that began later is another one.
    return is_listed or _beginning(number) <= file.st_mtime + SKEW


def _is_alive(number: int) -> bool:
    if number <= 0:
        return False
    try:
        os.kill(number, 0)
    except PermissionError:
        # It is another user's.
        return True
    except (OSError, OverflowError):
        return False
    return True


def _beginning(number: int) -> float:
    """Return when a process began, in seconds since 1970; 0 where nobody says so.

    For a zombie it is infinity: that has ended, and is no run.
    """
    try:
        said = (PROCESSES / str(number) / "stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return 0.0
    state, *numbers = said.rpartition(")")[2].split()
    if state == "Z":
        return math.inf
    boot = time.time() - time.clock_gettime(time.CLOCK_BOOTTIME)
    return boot + int(numbers[18]) / os.sysconf("SC_CLK_TCK")

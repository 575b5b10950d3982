"""A tournament for spectators, from its ledger, which is only read, and the feed beside it."""

from __future__ import annotations

import json
import os
import time
from contextlib import suppress
from typing import TYPE_CHECKING, Any, NamedTuple

import trio

from oddly.games import IllegalTurn, touched
from oddly.interfaces.text.format_reports import bracket_lines, table_rows
from oddly.interfaces.text.summary_tables import sprt_line
from oddly.interfaces.viewer.viewer import recorded_game, stones_text
from oddly.interfaces.web.views import game_view, title
from oddly.protocol import NotationError, parse_turn
from oddly.tournaments import (
    KnockoutReport,
    Ledger,
    LedgerError,
    read_event,
    results_json,
)
from oddly.tournaments.run.feed import FeedReader

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from oddly.games import Position
    from oddly.interfaces.web.websockets import Outbox
    from oddly.referee import GameRecord
    from oddly.tournaments import RecordedEvent, ScheduledGame
    from oddly.tournaments.run.feed import FedGame

BETWEEN_LOOKS = 0.25
"""Seconds between two reads of the feed."""
SHARE_OF_TIME = 0.2
"""The largest share of time spent on reading the ledger again."""
MAX_BOARDS = 24
"""Running games shown at once."""
MAX_ENDED = 300
"""Finished games listed, the last ones."""


class LedgerView(NamedTuple):
    """The ledger at one moment: what the page shows, and the listed games by id."""

    view: dict[str, Any]
    records: Mapping[str, GameRecord]


class Broadcast:
    """One ledger as spectators see it."""

    def __init__(self, path: Path | None) -> None:
        self.path = path
        self.outboxes: set[Outbox] = set()
        self.records: Mapping[str, GameRecord] = {}
        self._event: dict[str, Any] = {}
        self._problem = ""
        self._boards: dict[str, _RunningBoard] = {}
        self._running: list[dict[str, Any]] = []
        self._texts: dict[str, str] = {}

    def join(self, outbox: Outbox) -> None:
        """Send the tournament to one more browser."""
        self.outboxes.add(outbox)
        for kind, text in self._texts.items():
            outbox.put(kind, text)

    async def follow(self) -> None:
        """Follow the feed and the ledger until cancelled."""
        if self.path is None:
            self._tell("event", {"kind": "event", "none": True})
            return
        async with trio.open_nursery() as nursery:
            nursery.start_soon(self._follow_ledger, self.path)
            nursery.start_soon(self._follow_feed, self.path)

    def replay(self, name: str) -> dict[str, Any] | None:
        """Return a finished game; None if there is none of that id."""
        record = self.records.get(name)
        if record is None:
            return None
        return {"game": game_view(record.game), **recorded_game(record)}

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
        try:
            ledger_view = await trio.to_thread.run_sync(_ledger_view, path)
        except LedgerError as error:
            # The ledger may be half made or gone: keep showing what is known.
            self._problem = str(error)
        except (AttributeError, LookupError, TypeError, ValueError) as error:
            self._problem = f"{path} is damaged: {type(error).__name__}: {error}"
        else:
            self._event, self.records, self._problem = ledger_view.view, ledger_view.records, ""
        view = {"kind": "event", **self._event, "problem": self._problem}
        self._tell("event", view)

    async def _follow_feed(self, path: Path) -> None:
        reader = FeedReader(path)
        shown = None
        while True:
            # A run that was killed leaves its feed behind.
            written = _is_written(path)
            if reader.read() or written is not shown:
                shown = written
                self._show(reader.games if written else {})
            await trio.sleep(BETWEEN_LOOKS)

    def _show(self, games: Mapping[str, FedGame]) -> None:
        """Bring the boards up to date and send them."""
        known: dict[str, _RunningBoard] = {}
        for name, game in list(games.items())[:MAX_BOARDS]:
            # A game with an illegal turn is shown up to that turn.
            with suppress(IllegalTurn, NotationError):
                known[name] = self._boards.get(name) or _RunningBoard(game.scheduled)
                known[name].advance(game.turns)
        self._boards = known
        views = [board.view(games[name]) for name, board in known.items()]
        self._tell("running", {"kind": "running", "games": views, "in_all": len(games)})

    def _tell(self, kind: str, view: dict[str, Any]) -> None:
        text = json.dumps(view)
        if self._texts.get(kind) != text:
            self._texts[kind] = text
            for outbox in self.outboxes:
                outbox.put(kind, text)


class _RunningBoard:
    """A running game, as far as the feed tells."""

    def __init__(self, scheduled: ScheduledGame) -> None:
        self.scheduled = scheduled
        self.position: Position = scheduled.game.start()
        self.turns: list[str] = []
        self.last: dict[str, Any] = {"placed": [], "left": []}
        for turn in scheduled.opening:
            self._play(turn)
        self._opening = len(self.turns)

    def advance(self, turns: list[str]) -> None:
        """Play the new turns. Raises IllegalTurn or NotationError."""
        for turn in turns[len(self.turns) - self._opening :]:
            self._play(turn)

    def _play(self, text: str) -> None:
        turn = parse_turn(text)
        placed, left = touched(turn)
        self.last = {"placed": sorted(placed), "left": sorted(left)}
        self.position = self.position.play(turn)
        self.turns.append(text)

    def view(self, fed: FedGame) -> dict[str, Any]:
        """Return what a browser shows of the game."""
        counts = self.position.group_counts
        return {
            "id": self.scheduled.id,
            "number": self.scheduled.number,
            "game": game_view(self.scheduled.game),
            "players": [self.scheduled.first, self.scheduled.second],
            "stones": stones_text(self.position.stones),
            **self.last,
            "black": counts.black,
            "white": counts.white,
            "turn": len(self.turns),
            "last": self.turns[-1] if self.turns else "",
            "seconds": fed.seconds,
            "to_move": str(self.position.to_move),
            "mover": len(self.turns) % 2,
        }


def _ledger_view(path: Path) -> LedgerView:
    """Read the ledger. Raises LedgerError."""
    with Ledger(path, read_only=True) as ledger:
        event = read_event(ledger)
        records = dict(ledger.latest(MAX_ENDED))
        listed = ledger.latest_played(MAX_ENDED)[::-1]
    games = [
        {
            "id": scheduled.id,
            "number": scheduled.number,
            "title": title(scheduled.game),
            "players": [scheduled.first, scheduled.second],
            # A row of the table of games has no score.
            "score": records[scheduled.id].outcome.score if scheduled.id in records else "",
            "termination": outcome.termination.value,
            "winner": outcome.winner,
            "turns": outcome.turns,
        }
        for scheduled, outcome in ((game.scheduled, game.outcome) for game in listed)
    ]
    summaries = event.summaries()
    tables = results_json(summaries)["tables"]
    view = {
        "name": event.name,
        "format": event.format,
        "played": event.tallies.games,
        "games": event.games,
        "tables": [
            {
                **{
                    key: table[key]
                    for key in ("title", "games", "distinct", "standings", "crosstable")
                },
                "tests": [sprt_line(test) for test in summary.tests],
            }
            for table, summary in zip(tables, summaries, strict=True)
        ],
        "rulings": event.rulings.sentences(),
        "reports": _reports(event),
        "ended": games,
        "running": _is_written(path),
        "read_at": time.time(),
    }
    return LedgerView(view, records)


def _reports(event: RecordedEvent) -> list[dict[str, Any]]:
    """Return brackets as lines, and other reports as rows."""
    plan = event.plan()
    found: list[dict[str, Any]] = []
    for name, report in (plan.reports() if plan else {}).items():
        if isinstance(report, KnockoutReport):
            found.append({"title": name, "bracket": bracket_lines(report.bracket)})
        elif report is not None and (table := report.table()) is not None:
            rows = table_rows(table)
            found.append({"title": name, "headers": list(table.headers), "rows": rows})
    return found


def _state(path: Path) -> object:
    """Return a value that changes whenever the ledger does."""
    found: list[object] = [_is_written(path)]
    for name in (path, path.with_name(f"{path.name}-wal"), path.with_name(f"{path.name}-lock")):
        try:
            status = name.stat()
            found.append((status.st_mtime_ns, status.st_size, status.st_ino))
        except OSError:
            found.append((0, 0, 0))
    return found


def _is_written(path: Path) -> bool:
    """Whether a run holds the ledger: its lock names a living process."""
    try:
        number = int(path.with_name(f"{path.name}-lock").read_text(encoding="ascii"))
        os.kill(number, 0)
    except (OSError, ValueError, OverflowError):
        return False
    return number > 0

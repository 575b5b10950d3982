"""What has happened in a run so far, without a terminal or a clock.

The caller gives all moments, in seconds of one clock.
"""

from __future__ import annotations

from collections import deque
from dataclasses import replace
from typing import TYPE_CHECKING

from oddly.interfaces.terminal.live.lines import GameResults, RunningGame, RunSnapshot, ended_line
from oddly.interfaces.text.format_reports import report_text
from oddly.interfaces.text.tables import game_line
from oddly.tournaments import KnockoutReport, ResultCounts

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from oddly.games import Game
    from oddly.referee import Snapshot
    from oddly.tournaments import Control, FormatReport, PlayedGame, Question, ScheduledGame

MAX_NEWS = 50
MAX_FAULTS = 200
"""The most lines about faults that are kept for the end."""
SAID_FOR = 8.0
"""Seconds for which a message about the run is shown."""
NO_REPORT = "this format reports nothing beyond the standings"


class RunHistory:
    """The games of a run, and the messages about it."""

    def __init__(
        self,
        title: str,
        games: int | None,
        engines: Sequence[str],
        control: Control,
        began: float,
        earlier: Iterable[PlayedGame] = (),
        *,
        by_elo: bool = False,
        question: Question | None = None,
        reports: Callable[[], Mapping[str, FormatReport | None]] = dict,
    ) -> None:
        self.control = control
        self._title = title
        self._games = games
        self._engines = tuple(engines)
        self._began = began
        self._running: dict[str, RunningGame] = {}
        self._by_elo = by_elo
        self._question = question
        self._reports = reports
        self._counts: dict[Game, ResultCounts] = {}
        self._tested: dict[Game, list[PlayedGame]] = {}
        self._results: dict[Game, GameResults] = {}
        self._played = 0
        self._here = 0
        """Games of this run."""
        self._seconds = 0.0
        """The total time of these games."""
        self._news: deque[str] = deque(maxlen=MAX_NEWS)
        self.fault_lines: deque[str] = deque(maxlen=MAX_FAULTS)
        self._faults = 0
        self.faults_here = 0
        """Faults of this run."""
        self._said = "", 0.0
        self._chosen: Game | None = None
        """The game whose standings are shown; None for the game of the last result."""
        self._latest: Game | None = None
        self.helping = False
        self.reporting = False
        """Whether the report of the format is shown in place of games and standings."""
        self._report: tuple[object, tuple[str, ...]] = (None, ())
        """The lines of the report, preceded by what they depend on."""
        for played in earlier:
            self._count(played)
            self._count_fault(played)

    def began(self, scheduled: ScheduledGame, now: float) -> None:
        """Note that a game has begun."""
        self._running[scheduled.id] = RunningGame(scheduled, now, None, now)

    def turned(self, scheduled: ScheduledGame, snapshot: Snapshot, now: float) -> None:
        """Note a turn."""
        if (game := self._running.get(scheduled.id)) is not None:
            self._running[scheduled.id] = replace(game, snapshot=snapshot, last_turn=now)

    def ended(self, played: PlayedGame, now: float) -> None:
        """Note the result of a game."""
        game = self._running.pop(played.scheduled.id)
        self._here += 1
        self._seconds += now - game.began
        self._count(played)
        self._news.append(ended_line(played))
        if self._count_fault(played):
            self.faults_here += 1
            self.fault_lines.append(game_line(played, self._games))

    def said(self, what: str, now: float) -> None:
        """Note a message about the run itself."""
        self._said = what, now

    def next_game(self) -> None:
        """Choose the next game that has results, to show its standings."""
        games = list(self._counts)
        if len(games) > 1:
            shown = self._chosen or self._latest or games[0]
            self._chosen = games[(games.index(shown) + 1) % len(games)]

    def snapshot(self, now: float) -> RunSnapshot:
        """Return the run at this moment; later events do not change it."""
        said, since = self._said
        control = self.control
        is_said = control.paused or control.stopping or control.held or now - since < SAID_FOR
        return RunSnapshot(
            title=self._title,
            games=self._games,
            played=self._played,
            began=self._began,
            now=now,
            running=tuple(self._running.values()),
            results=self._results_shown(),
            games_with_results=len(self._counts),
            news=tuple(self._news),
            faults=self._faults,
            mean_seconds=self._seconds / self._here if self._here else None,
            at_once=control.at_once or 1,
            paused=control.paused,
            stopping=control.stopping,
            said=said if is_said else "",
            helping=self.helping,
            reporting=self.reporting,
            report=self._report_shown(),
        )

    def _report_shown(self) -> tuple[str, ...]:
        """Return the lines of a bracket, and of any other report if it was asked for."""
        game = self._chosen or self._latest
        now = (game, self._played, len(self._running), self.reporting)
        if now != self._report[0]:
            reports = self._reports()
            report = reports.get(str(game)) if game else next(iter(reports.values()), None)
            is_shown = self.reporting or isinstance(report, KnockoutReport)
            text = report_text(report) if report is not None and is_shown else ""
            if self.reporting and not reports:
                text = NO_REPORT
            self._report = now, tuple(text.splitlines())
        return self._report[1]

    def _results_shown(self) -> GameResults | None:
        """Return the results to show, rated again only after a game has ended."""
        game = self._chosen or self._latest
        if game is None:
            return None
        if game not in self._results:
            running = (each.scheduled for each in self._running.values())
            self._results[game] = GameResults(
                game,
                self._engines,
                self._counts[game].copy(),
                self._by_elo,
                self._question,
                tuple(self._tested.get(game, ())),
                tuple(scheduled for scheduled in running if scheduled.game == game),
            )
        return self._results[game]

    def _count(self, played: PlayedGame) -> None:
        game = played.scheduled.game
        self._counts.setdefault(game, ResultCounts()).add(played)
        if self._question is not None:
            self._tested.setdefault(game, []).append(played)
        self._latest = game
        self._results.pop(game, None)
        self._played += 1

    def _count_fault(self, played: PlayedGame) -> bool:
        """Count the game if it was forfeited or is void; return whether it was counted."""
        is_fault = played.outcome.is_forfeit or played.outcome.is_void
        self._faults += is_fault
        return is_fault

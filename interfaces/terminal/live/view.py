"""A run as lines of a terminal, and what has happened in it so far. No terminal or clock is used.

Only the size of the terminal decides what fits. The caller gives all moments, in seconds of one
clock.
"""

from __future__ import annotations

from collections import deque
from dataclasses import replace
from typing import TYPE_CHECKING

from rich.cells import cell_len
from rich.text import Text

from oddly.games import one_line
from oddly.games.wording import counted
from oddly.interfaces.terminal.live.lines import (
    GAP,
    GameResults,
    RunningGame,
    RunSnapshot,
    between,
    card,
    clock_text,
    ended_line,
    fitted,
    game_line,
    line,
    standings_lines,
)
from oddly.interfaces.text import tables
from oddly.interfaces.text.format_reports import report_text
from oddly.tournaments import KnockoutReport, ResultCounts

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from oddly.games import Game
    from oddly.referee import Snapshot
    from oddly.tournaments import Control, FormatReport, PlayedGame, Question, ScheduledGame


SMALLEST_NEWS = 40
"""The columns that the list of last games needs beside the standings."""
HIGH = 14
"""Lines that standings need besides the bar and the running games."""
BAR_STYLE = "green"

HELP = (
    ("q", "play the running games to their end, then stop"),
    ("^C", "the same; once more, it stops at once"),
    ("p", "pause: begin no new games; p again goes on"),
    ("+ -", "one game more or less at once"),
    ("Tab", "the standings of the next game, if there are several"),
    ("b", "the bracket, the Swiss table or the ratings of a pool, if there are any"),
    ("?", "this help"),
)
FOOT = ("q stop", "p pause", "+ - games at once", "Tab next game", "? help")


def view(run: RunSnapshot, width: int, height: int, *, ascii_only: bool = False) -> list[Text]:
    """Return at most `height` lines of at most `width` columns."""
    bar = bar_line(run, width, ascii_only=ascii_only)
    if height < HIGH:
        return small(run, bar, width, height)
    foot = foot_line(run, width)
    heading = heading_line(run, width)
    if run.helping:
        return page([heading, bar, Text(), *help_lines(width)], foot, height)
    if run.reporting:
        return page([heading, bar, Text(), *report_lines(run, width)], foot, height)
    top = bracket_lines_that_fit(run, width, (height - 4) // 2)
    top = top or top_lines(run, width, max(3, (height - 4) // 3))
    room = height - 4 - len(top) - bool(top)
    body = [*top, *([Text()] if top else []), *running_lines(run, width, room)]
    return page([heading, bar, Text(), *body], foot, height)


def small(run: RunSnapshot, bar: Text, width: int, height: int) -> list[Text]:
    """Return the bar and what else fits: the help if it is shown, else games and a message."""
    if run.helping:
        return [bar, *help_lines(width)][:height]
    said = [foot_line(run, width)] if run.said and height > 2 else []
    return [bar, *running_lines(run, width, height - 1 - len(said)), *said]


def help_lines(width: int) -> list[Text]:
    """Return a line for each key."""
    return [line(width, f"  {key:<6}{words}") for key, words in HELP]


def report_lines(run: RunSnapshot, width: int) -> list[Text]:
    """Return the report of the format, or that there is none."""
    return [line(width, words) for words in run.report or ("there is nothing to report yet",)]


def bracket_lines_that_fit(run: RunSnapshot, width: int, height: int) -> list[Text]:
    """Return the bracket if it fits; nothing if it does not, or there is none."""
    lines = run.report[2:]
    if len(lines) > height or max(map(cell_len, lines), default=0) > width:
        return []
    return [line(width, words) for words in lines]


def page(lines: Sequence[Text], foot: Text, height: int) -> list[Text]:
    """Return `lines` at the top and `foot` on the last line."""
    kept = lines[: height - 1]
    return [*kept, *[Text()] * (height - 1 - len(kept)), foot]


def heading_line(run: RunSnapshot, width: int) -> Text:
    """Return the title of the tournament and its state."""
    at_once = f"{len(run.running)} running, {run.at_once} at once"
    state = Text(at_once, style="dim")
    if run.stopping or run.paused:
        state = Text("stopping" if run.stopping else "paused", style="bold yellow")
    return between(width, Text(one_line(run.title), style="bold"), state)


def bar_line(run: RunSnapshot, width: int, *, ascii_only: bool = False) -> Text:
    """Return the games played, the time passed and left, and the faults."""
    games = f"{run.played}/{run.games}" if run.games is not None else counted(run.played, "game")
    parts = [games, clock_text(run.now - run.began)]
    if run.games is not None:
        left = run.seconds_left
        parts.append(f"ETA {'-' if left is None else clock_text(left)}")
    if run.paused or run.stopping:
        parts.append("stopping" if run.stopping else "paused")
    words = "   ".join(parts)
    faults = f"   {counted(run.faults, 'fault')}" if run.faults else ""
    length = min(40, width - len(words) - len(faults) - 2)
    if length < 6 or run.games is None:
        return line(width, words, (faults, "red"))
    full = length * run.played // max(1, run.games)
    done, rest = ("#", "-") if ascii_only else ("━", "─")
    return line(
        width,
        (done * full, BAR_STYLE),
        (rest * (length - full), "dim"),
        f"  {words}",
        (faults, "red"),
    )


def foot_line(run: RunSnapshot, width: int) -> Text:
    """Return the last message, or the keys."""
    if run.said:
        more = "; p goes on" if run.paused and not run.stopping else ""
        return line(width, (one_line(run.said) + more, "yellow"))
    if not run.has_keys:
        return line(width, ("Ctrl-C plays the running games to their end, then stops", "dim"))
    keys = [key for key in FOOT if run.games_with_results > 1 or not key.startswith("Tab")]
    return line(width, ("   ".join(keys), "dim"))


def top_lines(run: RunSnapshot, width: int, height: int) -> list[Text]:
    """Return the standings, with the last results beside them if they fit."""
    table = standings_lines(run.results, width, height) if run.results else []
    left = max([row.cell_len for row in table], default=0)
    side = width - left - GAP
    if side < SMALLEST_NEWS:
        return table
    news = run.news[-max(len(table), 3) :]
    rows = []
    for place in range(max(len(table), len(news))):
        row = table[place].copy() if place < len(table) else Text()
        row.pad_right(left - row.cell_len + GAP)
        if place < len(news):
            row.append(fitted(news[place], side).rstrip(), "dim")
        rows.append(row)
    return rows


def running_lines(run: RunSnapshot, width: int, height: int) -> list[Text]:
    """Return the running games: with boards while they fit, the others as lines."""
    games = run.running
    for boards in range(len(games), 0, -1):
        cards = card_rows(games[:boards], run.now, width)
        rest = len(games) - boards
        if cards and len(cards) + bool(rest) + rest <= height:
            others = listed(games[boards:], run.now, width, rest)
            return [*cards, *([Text()] if rest else []), *others]
    return listed(games, run.now, width, height)


def listed(games: Sequence[RunningGame], now: float, width: int, height: int) -> list[Text]:
    """Return one line for each game."""
    if height < 1:
        return []
    fits = len(games) <= height
    rows = [game_line(game, now, width) for game in games[: height if fits else height - 1]]
    if not fits:
        rows.append(line(width, (f"and {len(games) - height + 1} more", "dim")))
    return rows


def card_rows(games: Sequence[RunningGame], now: float, width: int) -> list[Text]:
    """Return cards in rows, with an empty line between rows; nothing if a card is too wide."""
    rows: list[list[list[Text]]] = []
    used = 0
    for game in games:
        drawn = card(game, now)
        size = drawn[0].cell_len + GAP
        if size > width + GAP:
            return []
        if not rows or used + size > width + GAP:
            rows.append([])
            used = 0
        rows[-1].append(drawn)
        used += size
    found: list[Text] = []
    for cards in rows:
        found += [Text()] * bool(found)
        found += _beside_each_other(cards)
    return found


def _beside_each_other(cards: Sequence[Sequence[Text]]) -> list[Text]:
    """Return the lines of cards of any height in one row; each card has lines of equal width."""
    blanks = [Text(" " * lines[0].cell_len) for lines in cards]
    return [
        Text(" " * GAP).join(
            lines[place] if place < len(lines) else blank
            for lines, blank in zip(cards, blanks, strict=True)
        )
        for place in range(max(map(len, cards)))
    ]


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
            self.fault_lines.append(tables.game_line(played, self._games))

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

"""A run as lines of a terminal. Only the size of the terminal decides what fits."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.cells import cell_len
from rich.text import Text

from oddly.games import one_line
from oddly.games.wording import counted
from oddly.interfaces.terminal.live.lines import (
    GAP,
    RunningGame,
    RunSnapshot,
    between,
    card,
    clock_text,
    fitted,
    game_line,
    line,
    standings_lines,
)

if TYPE_CHECKING:
    from collections.abc import Sequence


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

"""What all text tables share: their formats, how they fit a terminal, how numbers are written.

The default format fits the terminal, or WIDTH columns without one: less important columns are left
out, long names are shortened, and a table that is still too wide is printed in blocks, one below
the other. All other formats have everything, and WIDE is the default format with everything.

A finished game is also one line. The turns of a recorded game are a table, with the evaluations of
their players.
"""

from __future__ import annotations

import shutil
import sys
import textwrap
from functools import cache
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple

from oddly.games import one_line
from oddly.games.untrusted_text import sentence_beside_tables
from oddly.games.wording import counted

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from oddly.referee import GameRecord, PlayedTurn
    from oddly.tournaments import PlayedGame


RAW = {"unsafehtml", "latex_raw"}
"""Formats that would pass untrusted names through as markup, and are not offered."""

DEFAULT_FORMAT = "simple"
WIDE = "wide"

WIDTH = 80
BETWEEN = 2
"""The blanks between two columns."""
HEAD = 2
"""The lines above the rows in the default format."""
TOGETHER = 500
"""The number of rows that are laid out at a time."""
SHORTEST_NAME = 14
"""The fewest columns to which a name is shortened; beyond that, the table is divided."""


@cache
def table_formats() -> tuple[str, ...]:
    """Return the names of all formats that are offered."""
    from tabulate import tabulate_formats

    return tuple(name for name in tabulate_formats if name not in RAW)


def width_here() -> int:
    """Return how many columns standard output has."""
    return shutil.get_terminal_size((WIDTH, 0)).columns if sys.stdout.isatty() else WIDTH


def aligned(
    rows: Sequence[Sequence[str]],
    headers: Sequence[str],
    format_: str,
    align: str = "right",
    spare: Sequence[tuple[str, ...]] = (),
) -> str:
    """Return a table: places aligned right, names left, and other columns by `align`.

    If it is too wide, columns with headers in `spare` are left out, the first group first.
    """
    return "\n".join(aligned_lines(lambda: rows, headers, format_, align, spare))


def aligned_lines(
    rows: Callable[[], Iterable[Sequence[str]]],
    headers: Sequence[str],
    format_: str,
    align: str = "right",
    spare: Sequence[tuple[str, ...]] = (),
) -> Iterator[str]:
    """Yield the lines of the table that `aligned` returns, for tables that are too long to hold.

    `rows` is called once for each pass over the rows. Only the default format and WIDE take little
    memory; the others are yielded as a whole.
    """
    if format_ not in (DEFAULT_FORMAT, WIDE):
        yield _tabulated(list(rows()), headers, format_, align)
        return
    width = width_here() if format_ == DEFAULT_FORMAT else sys.maxsize
    widest = [""] * len(headers)
    for row in rows():
        widest = [max(*cells, key=_columns) for cells in zip(widest, row, strict=True)]
    columns = [TextColumn(*each) for each in zip(range(len(headers)), headers, widest, strict=True)]
    for group in spare:
        if _width(columns) > width:
            columns = [column for column in columns if column.header not in group]
    short: Mapping[str, str] = {}
    excess = _width(columns) - width
    if excess > 0:
        longest = max(SHORTEST_NAME, _columns(columns[1].widest) - excess)
        short = _shortened(dict.fromkeys(row[1] for row in rows()), longest)
        columns[1] = columns[1]._replace(widest=max(short.values(), key=_columns, default=""))
    for number, block in enumerate(_blocks(columns, width)):
        if number:
            yield ""
        yield from _lines(rows(), block, short, align)


class TextColumn(NamedTuple):
    """A column's place in the rows, its header, and its widest cell."""

    place: int
    header: str
    widest: str


def _lines(
    rows: Iterable[Sequence[str]],
    columns: Sequence[TextColumn],
    short: Mapping[str, str],
    align: str,
) -> Iterator[str]:
    """Yield the lines of a table in the default format, with names as in `short`."""
    headers, widest = [each.header for each in columns], [each.widest for each in columns]
    places = [each.place for each in columns[2:]]
    cells = ([row[0], short.get(row[1], row[1]), *(row[place] for place in places)] for row in rows)
    begin = 0
    while some := list(islice(cells, TOGETHER)):
        # The widest cells, in a row that is not shown, make the columns of all parts equal.
        lines = _tabulated([widest, *some], headers, DEFAULT_FORMAT, align).split("\n")
        yield from lines[begin:HEAD]
        yield from lines[HEAD + 1 :]
        begin = HEAD
    if not begin:
        yield _tabulated([], headers, DEFAULT_FORMAT, align)


def _columns(text: str) -> int:
    """Return how many columns a text takes: some characters take two."""
    if text.isascii():
        return len(text)
    # It takes long to import, and a run prints its tables last.
    from wcwidth import wcswidth

    return wcswidth(text)


def _width(columns: Sequence[TextColumn]) -> int:
    """Return the width of tabulate's table: it widens headers by two blanks."""
    widths = (max(_columns(each.header) + 2, _columns(each.widest)) for each in columns)
    return sum(width + BETWEEN for width in widths) - BETWEEN


def _blocks(columns: Sequence[TextColumn], width: int) -> list[list[TextColumn]]:
    """Divide a table into narrow enough blocks, each with its first two columns."""
    first = list(columns[:2])
    blocks = [list(first)]
    for column in columns[2:]:
        if len(blocks[-1]) > len(first) and _width([*blocks[-1], column]) > width:
            blocks.append(list(first))
        blocks[-1].append(column)
    return blocks


def _shortened(names: Iterable[str], width: int) -> Mapping[str, str]:
    """Return names shortened in the middle, unless two would look the same."""
    short = {name: _without_middle(name, width) for name in names}
    return short if len(set(short.values())) == len(short) else {name: name for name in short}


def _without_middle(name: str, width: int) -> str:
    """Return a name in at most `width` columns."""
    if _columns(name) <= width:
        return name
    head, tail = name[: (width - 1) // 2], name[-(width // 2) :]
    while _columns(head) + 1 + _columns(tail) > width:
        head, tail = head[:-1], tail[1:]
    return f"{head}…{tail}"


def _tabulated(
    rows: Sequence[Sequence[str]], headers: Sequence[str], format_: str, align: str
) -> str:
    # It takes long to import, and a run prints its tables last.
    from tabulate import tabulate

    columns = ("right", "left", *[align] * (len(headers) - 2))
    return tabulate(
        rows,
        headers,
        tablefmt=format_,
        colalign=columns if rows else None,
        disable_numparse=True,
    )


def folded(sentence: str, format_: str = DEFAULT_FORMAT, indent: int = 2) -> str:
    """Return a sentence to print beside tables, folded between words in the default format.

    The lines below the first one begin with `indent` blanks.
    """
    if format_ != DEFAULT_FORMAT:
        return sentence_beside_tables(sentence, format_)
    return "\n".join(
        textwrap.fill(
            line,
            width_here(),
            subsequent_indent=" " * indent,
            break_long_words=False,
            break_on_hyphens=False,
        )
        for line in sentence.split("\n")
    )


def share_text(points: float, games: int) -> str:
    """Return the share of points as `63 %`, or `-` without games."""
    return f"{100 * points / games:.0f} %" if games else "-"


def points_text(points: float) -> str:
    """Return points as `3` or `3.5`."""
    return f"{points:g}"


def game_line(played: PlayedGame, games: int | None) -> str:
    """Return a finished game as one line; `games` is how many there are in all, if known."""
    scheduled, outcome = played.scheduled, played.outcome
    number = (
        str(scheduled.number) if games is None else f"{scheduled.number:>{len(str(games))}}/{games}"
    )
    first, second = played.points
    ended = [outcome.score, outcome.termination.value]
    if not outcome.is_void:
        ended.insert(0, f"{points_text(first)}-{points_text(second)}")
    turns = counted(outcome.turns, "turn")
    line = (
        f"{number}  {scheduled.game}  {one_line(scheduled.first)} - {one_line(scheduled.second)}  "
        f"{'  '.join(dict.fromkeys(ended))}, {turns}"
    )
    if outcome.is_forfeit or outcome.is_void:
        line += f"  ({one_line(outcome.reason)})"
    if outcome.is_marked:
        line += f"  [the referee was {outcome.lag:.3f} s late]"
    return line


TURN_COLUMNS = ("", "played", "by", "s", "Black wins", "Black leads", "depth", "visits")
ALWAYS_SHOWN = 3
"""Columns that are shown even without values."""


def turn_table(record: GameRecord, turns: int | None = None) -> str:
    """Return the first turns of a game as a table; win rate and lead are from Black's view."""
    played = record.turns[:turns]
    rows = [_turn_row(number, turn, record) for number, turn in enumerate(played, start=1)]
    kept = [
        column
        for column in range(len(TURN_COLUMNS))
        if column < ALWAYS_SHOWN or any(row[column] for row in rows)
    ]
    return aligned(
        [[row[column] for column in kept] for row in rows],
        [TURN_COLUMNS[column] for column in kept],
        DEFAULT_FORMAT,
    )


def record_line(record: GameRecord) -> str:
    """Return one line on a recorded game: its rules, its players and how it ended."""
    first, second = (one_line(name) for name in record.players)
    ended = one_line(record.outcome.result_text)
    return f"{record.game}: {first} - {second}, {ended}, {counted(len(record.turns), 'turn')}"


def turn_facts(turns: Sequence[PlayedTurn]) -> list[dict[str, Any]]:
    """Return the turns as plain values for JSON; unknown values are null."""
    return [
        {
            "number": number,
            "player": str(turn.colour),
            "turn": turn.turn,
            "seconds": round(turn.seconds, 6),
            "black_win_rate": _rounded(turn.black_win_rate, 4),
            "black_lead": _rounded(turn.black_lead, 2),
            "evaluation": turn.evaluation.as_json() if turn.evaluation else None,
        }
        for number, turn in enumerate(turns, start=1)
    ]


def _turn_row(number: int, turn: PlayedTurn, record: GameRecord) -> list[str]:
    evaluation = turn.evaluation
    rate, lead = turn.black_win_rate, turn.black_lead
    is_opening = number <= record.opening
    return [
        str(number),
        turn.turn,
        "opening" if is_opening else str(turn.colour).capitalize(),
        f"{turn.seconds:.3f}" if turn.seconds else "",
        "" if rate is None else f"{100 * rate:.1f} %",
        "" if lead is None else f"{lead:+.2f}",
        "" if evaluation is None or evaluation.depth is None else str(evaluation.depth),
        "" if evaluation is None or evaluation.visits is None else str(evaluation.visits),
    ]


def _rounded(value: float | None, digits: int) -> float | None:
    return None if value is None else round(value, digits)

"""The reports of formats beyond standings, as text: brackets, ratings, histories, tunings."""

from __future__ import annotations

from typing import TYPE_CHECKING

from oddly.games import one_line, table_cell
from oddly.games.drawing.charts import Band, bands
from oddly.games.wording import counted
from oddly.interfaces.text.summary_tables import elo_text, rating_table
from oddly.interfaces.text.tables import (
    DEFAULT_FORMAT,
    WIDE,
    aligned,
    aligned_lines,
    folded,
    points_text,
)
from oddly.tournaments import KnockoutReport, TuningReport
from oddly.tournaments.formats.knockout import Bracket, Fixture, Node, fixtures_of
from oddly.tournaments.formats.pool import PoolReport

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from xml.etree import ElementTree as ET

    from oddly.tournaments import FormatReport
    from oddly.tournaments.formats.plan import ReportTable
    from oddly.tournaments.ratings.over_time import RatingHistory


KNOCKOUT_HEADERS = ("round", "engine", "score", "engine", "winner")


def reports_text(reports: Mapping[str, FormatReport | None], format_: str = DEFAULT_FORMAT) -> str:
    """Return all reports, each under the title of its game if there are several games."""
    texts = {title: report_text(report, format_) for title, report in reports.items() if report}
    if len(reports) == 1:
        return "".join(texts.values())
    return "\n\n".join(f"{title}\n\n{text}" for title, text in texts.items())


def report_text(report: FormatReport, format_: str = DEFAULT_FORMAT) -> str:
    """Return one report with its heading."""
    match report:
        case KnockoutReport(bracket):
            return _bracket_text(bracket, format_)
        case PoolReport(ratings):
            return f"ratings\n\n{rating_table(ratings, format_)}"
        case TuningReport():
            return tuning_text(report, format_)
        case _:
            table = report.table()
            if table is None:
                return ""
            heading = ", ".join(filter(None, map(one_line, (table.title, table.note))))
            return f"{heading}\n\n{_table(table, format_)}"


def _table(table: ReportTable, format_: str) -> str:
    rows = [[table_cell(cell, format_) for cell in row] for row in table_rows(table)]
    return aligned(rows, table.headers, format_)


def table_rows(table: ReportTable) -> list[list[str]]:
    """Return the cells of a report as texts, with unchanged names."""
    return [
        [cell if isinstance(cell, str) else points_text(cell) for cell in row] for row in table.rows
    ]


def _bracket_text(bracket: Bracket, format_: str) -> str:
    """Return a drawing in the default format and a table in all others."""
    if format_ in (DEFAULT_FORMAT, WIDE):
        drawing = "\n".join(bracket_lines(bracket))
        return f"bracket, with the points of who won\n\n{drawing}"
    rows = [
        (
            round_,
            table_cell(fixture.one, format_),
            _score(fixture),
            table_cell(fixture.other, format_),
            table_cell(fixture.winner or "", format_)
            + (f" ({fixture.why})" if fixture.why else ""),
        )
        for round_, fixture in fixtures_of(bracket)
    ]
    from tabulate import tabulate

    align = ("left", "left", "center", "left", "left")
    return tabulate(rows, KNOCKOUT_HEADERS, tablefmt=format_, colalign=align, disable_numparse=True)


def _score(fixture: Fixture) -> str:
    """Return the points of both sides: 2.5-1.5."""
    return "-".join(points_text(fixture.points_of(name)) for name in (fixture.one, fixture.other))


def bracket_lines(bracket: Bracket) -> list[str]:
    """Return the bracket as lines, with the entrants on the left and the winner on the right."""
    lines = [""] * (2 * len(bracket[0]) - 1)
    rows = list(range(0, len(lines), 2))
    for nodes in bracket:
        labels = [f" {_label(node)} " for node in nodes]
        width = max(map(len, labels))
        for row, label in zip(rows, labels, strict=True):
            lines[row] += label.ljust(width, "─" if len(nodes) > 1 else " ")
        edge = max(map(len, lines))
        lines = [line.ljust(edge) for line in lines]
        if len(nodes) > 1:
            _join(lines, rows)
            rows = [(high + low) // 2 for high, low in zip(rows[::2], rows[1::2], strict=True)]
    return [line[1:].rstrip() for line in lines]


def _join(lines: list[str], rows: list[int]) -> None:
    """Draw the lines from each pair of places to the place between them."""
    for high, low in zip(rows[::2], rows[1::2], strict=True):
        for row in range(high + 1, low):
            lines[row] += " │"
        lines[high] += "─┐"
        lines[low] += "─┘"
        middle = (high + low) // 2
        lines[middle] = f"{lines[middle][:-1]}├─"


def _label(node: Node) -> str:
    """Return the winner of a node, and the score."""
    if node.is_empty:
        return "(bye)"
    name = "?" if node.winner is None else one_line(node.winner)
    if (fixture := node.fixture) is None:
        return name
    points = [fixture.points_of(side) for side in (fixture.one, fixture.other)]
    if node.winner is None:
        points.sort(reverse=True)
    elif node.winner == fixture.other:
        points.reverse()
    return f"{name} {'-'.join(map(points_text, points))} {fixture.why}".rstrip()


HEADERS = ("", "option", "range", "start", "now", "best", "95 %", "course")
LEVELS = "▁▂▃▄▅▆▇█"
COURSE_WIDTH = 24


def tuning_text(report: TuningReport, format_: str = DEFAULT_FORMAT) -> str:
    """Return a table of the options, the number of games behind it, and the gain over the start.

    The interval holds the optimum.
    """
    best, start = report.best, report.start
    rows = [
        (
            str(number),
            table_cell(course.option.name, format_),
            course.option.range_text,
            start[course.option.name],
            course.option.shown_at(course.places[-1]),
            best[course.option.name],
            f"{low} to {high}",
            course_text(course.places),
        )
        for number, (course, (low, high)) in enumerate(
            zip(report.courses, report.between, strict=True), start=1
        )
    ]
    table = aligned(rows, HEADERS, format_, spare=[("course",), ("range",), ("now",)])
    copies = f", {counted(report.copies, 'pair')} repeated" if report.copies else ""
    heading = f"options after {report.played} of {counted(report.games, 'game')}{copies}"
    verdict = folded(report.verdict(), format_)
    return f"{heading}\n\n{table}\n\n{verdict}"


def course_text(places: Sequence[float]) -> str:
    """Return the course as a row of blocks, from the low end of the range to the high one."""
    width = min(COURSE_WIDTH, len(places))
    shown = [places[round(at * (len(places) - 1) / max(1, width - 1))] for at in range(width)]
    return "".join(LEVELS[min(len(LEVELS) - 1, int(place * len(LEVELS)))] for place in shown)


def tuning_plot(report: TuningReport) -> ET.Element:
    """Return lines from the low end of each range, 0 %, to the high one, 100 %.

    The band of each line is the 95 % interval of the optimum by all games.
    """
    series = []
    for course, (low, high) in zip(report.courses, report.optimum.between, strict=True):
        name = f"{course.option.name} {course.option.range_text}"
        points = [
            (max(1.0, float(number * report.games_each)), place, low, high)
            for number, place in enumerate(course.places)
        ]
        series.append(Band(name, points))
    return bands(series, "The course of the options", "games", is_share=True)


def history_lines(
    history: RatingHistory, period: str, format_: str = DEFAULT_FORMAT
) -> Iterator[str]:
    """Yield, line by line, a table with a row for each engine and period in which it played.

    The engine with the highest last rating comes first. `moved` is the difference from the engine's
    first rating.
    """
    headers = ["", "engine", f"{period} from", "games", "Elo", "+-95 %", "moved", "+-95 %"]
    return aligned_lines(lambda: _history_rows(history, format_), headers, format_)


def _history_rows(history: RatingHistory, format_: str) -> Iterator[Sequence[str]]:
    for place, engine in enumerate(history.engines, start=1):
        number, name = str(place), table_cell(engine.name, format_)
        for index, rating in enumerate(engine.periods):
            yield (
                number,
                name,
                rating.begins.isoformat(),
                str(rating.games),
                elo_text(rating.elo),
                elo_text(rating.error_95),
                elo_text(rating.moved) if index else "-",
                elo_text(rating.moved_error_95) if index else "-",
            )

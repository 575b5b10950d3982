"""Where a tuning stands: a table, and the course of each option as a picture."""

from __future__ import annotations

from typing import TYPE_CHECKING

from oddly.games import table_cell
from oddly.games.drawing.charts import Band, bands
from oddly.interfaces.text.tables import DEFAULT_FORMAT, aligned
from oddly.tournaments.formats.tuning import SHOWN_DIGITS

if TYPE_CHECKING:
    from collections.abc import Sequence
    from xml.etree import ElementTree as ET

    from oddly.tournaments import TuningReport


HEADERS = ("", "option", "range", "start", "now", "best", "+- 2 sd", "course")
LEVELS = "▁▂▃▄▅▆▇█"
COURSE_WIDTH = 24


def tuning_text(report: TuningReport, format_: str = DEFAULT_FORMAT) -> str:
    """Return a table of the options, and how many games it rests on."""
    rows = [
        (
            str(number),
            table_cell(course.option.name, format_),
            f"{course.option.low:g} to {course.option.high:g}",
            course.option.text_at(course.places[0]),
            course.option.text_at(course.places[-1], SHOWN_DIGITS),
            course.option.text_at(course.best, SHOWN_DIGITS),
            f"{course.low} to {course.high}",
            course_text(course.places),
        )
        for number, course in enumerate(report.courses, start=1)
    ]
    table = aligned(rows, HEADERS, format_)
    return f"options after {report.played} of {report.games} games\n\n{table}"


def course_text(places: Sequence[float]) -> str:
    """Return the course as a row of blocks, from the low end of the range to the high one."""
    width = min(COURSE_WIDTH, len(places))
    shown = [places[round(at * (len(places) - 1) / max(1, width - 1))] for at in range(width)]
    return "".join(LEVELS[min(len(LEVELS) - 1, int(place * len(LEVELS)))] for place in shown)


def tuning_plot(report: TuningReport) -> ET.Element:
    """Return lines from the low end of each range, 0 %, to the high one, 100 %.

    Around each line lie two standard deviations of the last half of it.
    """
    series = []
    for course in report.courses:
        name = f"{course.option.name} {course.option.low:g} to {course.option.high:g}"
        points = [
            (
                max(1.0, float(number * report.games_each)),
                place,
                max(0.0, place - 2 * course.spread),
                min(1.0, place + 2 * course.spread),
            )
            for number, place in enumerate(course.places)
        ]
        series.append(Band(name, points))
    return bands(series, "The course of the options", "games", is_share=True)

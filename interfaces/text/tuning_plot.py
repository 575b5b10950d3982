"""The course of a tuning as a picture: a line for each option, over the games."""

from __future__ import annotations

from typing import TYPE_CHECKING

from oddly.games.drawing.charts import Band, bands

if TYPE_CHECKING:
    from xml.etree import ElementTree as ET

    from oddly.tournaments.ratings.tuning.course import TuningReport


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

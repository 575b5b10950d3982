"""Charts for an engine's page, as SVG that takes its colours from the style sheet."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

from markupsafe import Markup

from oddly.games import xml_text
from oddly.games.drawing.charts import axis
from oddly.games.wording import counted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from oddly.interfaces.arena.pages.reading import RatingThen
    from oddly.referee import PlayedTurn

WIDTH, LEFT, RIGHT = 640, 52, 8
HEIGHT, FOOT = 240, 30
WIDEST = 400.0
"""Larger errors, in Elo, are cut off: the first games would flatten the rest of the chart."""
BARS = 110


def rating_chart(points: Sequence[RatingThen]) -> Markup:
    """Return ratings over time with their 95 % bands; empty for fewer than two.

    An hour has one point, its last rating.
    """
    if len(points) < 2:
        return Markup()
    first, last = points[0], points[-1]
    told = (
        f"Rating from {_day(first)} to {_day(last)}: at the end {last.elo:z.0f} Elo, "
        f"plus or minus {last.error:.0f}, after {counted(last.games, 'game', ',')}"
    )
    root = _root(HEIGHT, told)
    settled = [each for each in points if each.error <= WIDEST] or points
    low = min(each.elo - min(each.error, WIDEST) for each in settled)
    high = max(each.elo + min(each.error, WIDEST) for each in settled)
    up = axis(low, high, HEIGHT - FOOT, 10)
    moments = [_moment(each) for each in points]
    span = max(1.0, moments[-1] - moments[0])

    def places(sign: int) -> list[str]:
        found = []
        for each, moment in zip(points, moments, strict=True):
            x = LEFT + (moment - moments[0]) / span * (WIDTH - LEFT - RIGHT)
            value = min(up.high, max(up.low, each.elo + sign * each.error))
            found.append(f"{x:.1f},{up.at(value):.1f}")
        return found

    for tick in up.ticks:
        y = f"{up.at(tick):.1f}"
        line = {"class": "grid", "x1": str(LEFT), "x2": str(WIDTH - RIGHT), "y1": y, "y2": y}
        ET.SubElement(root, "line", line)
        _text(root, LEFT - 6, up.at(tick) + 4, f"{tick:g}", "end")
    band = [*places(1), *reversed(places(-1))]
    ET.SubElement(root, "polygon", {"class": "band", "points": " ".join(band)})
    ET.SubElement(root, "polyline", {"class": "middle", "points": " ".join(places(0))})
    for x, each, anchor in ((LEFT, first, "start"), (WIDTH - RIGHT, last, "end")):
        _text(root, x, HEIGHT - 8, f"{_day(each)}, {counted(each.games, 'game', ',')}", anchor)
    return _markup(root)


def hours_chart(hours: Sequence[int]) -> Markup:
    """Return a bar for each hour of the day, with its games; empty if there are none."""
    most = max(hours, default=0)
    if not most:
        return Markup()
    busiest = hours.index(most)
    root = _root(BARS, f"Games by the hour in which they ended: most at {busiest} UTC, {most:,}")
    step, foot = (WIDTH - LEFT - RIGHT) / len(hours), BARS - 20
    for hour, games in enumerate(hours):
        height = games / most * (foot - 8)
        bar = {"class": "bar", "x": f"{LEFT + hour * step + 1:.1f}", "y": f"{foot - height:.1f}",
               "width": f"{step - 2:.1f}", "height": f"{height:.1f}"}  # fmt: skip
        ET.SubElement(ET.SubElement(root, "g"), "rect", bar)
        if hour % 6 == 0:
            _text(root, LEFT + (hour + 0.5) * step, BARS - 5, f"{hour}", "middle")
    _text(root, LEFT - 6, 14, f"{most:,}", "end")
    _text(root, WIDTH - RIGHT, BARS - 5, "hour, UTC", "end")
    return _markup(root)


def chances_chart(players: Sequence[str], turns: Sequence[PlayedTurn]) -> Markup:
    """Return the chances of the player who opened, turn by turn, as each engine sees them.

    A script adds points: x is the number of the turn, and y, from above, the other player's chance
    in percent.
    """
    lines: list[list[str]] = [[], []]
    for number, played in enumerate(turns, start=1):
        if played.evaluation is not None:
            player = (number - 1) % 2
            chance = played.evaluation.win_rate if player == 0 else 1 - played.evaluation.win_rate
            lines[player].append(f"{number},{100 * (1 - chance):.1f}")
    look = {"viewBox": f"0 0 {max(10, len(turns))} 100", "class": "chart chances", "role": "img",
            "preserveAspectRatio": "none"}  # fmt: skip
    root = ET.Element("svg", look)
    told = f"The chances of {players[0]}, from 0 below to 100 % above, as either engine sees them"
    ET.SubElement(root, "title").text = xml_text(told)
    half = {"class": "grid", "x1": "0", "x2": "10000", "y1": "50", "y2": "50"}
    ET.SubElement(root, "line", half)
    for player, points in enumerate(lines):
        ET.SubElement(root, "polyline", {"class": f"of-{player}", "points": " ".join(points)})
    return _markup(root)


def _root(height: int, told: str) -> ET.Element:
    look = {"viewBox": f"0 0 {WIDTH} {height}", "class": "chart", "role": "img", "font-size": "12"}
    root = ET.Element("svg", look)
    ET.SubElement(root, "title").text = told
    return root


def _text(root: ET.Element, x: float, y: float, text: str, anchor: str) -> None:
    place = {"x": f"{x:.1f}", "y": f"{y:.1f}", "text-anchor": anchor}
    ET.SubElement(root, "text", place).text = text


def _markup(root: ET.Element) -> Markup:
    # The library that writes XML escapes every text in it.
    return Markup(ET.tostring(root, "unicode"))  # noqa: S704


def _moment(point: RatingThen) -> float:
    return datetime.fromisoformat(f"{point.hour}:00").replace(tzinfo=UTC).timestamp()


def _day(point: RatingThen) -> str:
    return point.hour[:10]

"""Lines over turns with their bands, as SVG that a light and a dark page can show."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

if TYPE_CHECKING:
    from study.document import Chart, Line

WIDTH, HEIGHT = 480, 240
LEFT, RIGHT, TOP, BOTTOM = 56, 8, 24, 36
TEXT = 12
INKS = ("#2166ac", "#b35806")
"""Blue and orange: apart also to readers who do not see red or green."""

STYLE = "@media (prefers-color-scheme: dark) { .ink { fill: #d6d6d6 } .grid { stroke: #555555 } }"


def svg(chart: Chart) -> str:
    """A file of its own."""
    root = element(chart)
    style = ET.Element("style")
    style.text = STYLE
    root.insert(1, style)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ET.tostring(root, "unicode") + "\n"


def element(chart: Chart) -> ET.Element:
    """The `svg` element; a page styles its classes ink, grid, line-0, line-1, band-0 and band-1."""
    root = ET.Element(
        "svg",
        {
            "xmlns": "http://www.w3.org/2000/svg",
            "viewBox": f"0 0 {WIDTH} {HEIGHT}",
            "width": str(WIDTH),
            "height": str(HEIGHT),
            "role": "img",
            "class": "chart",
            "font-family": "system-ui, 'DejaVu Sans', Arial, sans-serif",
            "font-size": str(TEXT),
        },
    )
    ET.SubElement(root, "title").text = chart.title
    paper = _Paper(chart)
    _draw_grid(root, chart, paper)
    for number, line in enumerate(chart.lines):
        _draw_line(root, line, number, paper)
        ink = INKS[number % len(INKS)]
        at = (LEFT + number * (WIDTH - LEFT) / 2, TOP - 10)
        _text(root, f"― {line.name}", at, "start").set("fill", ink)
        root[-1].set("class", f"name-{number}")
    return root


class _Paper:
    """From turns and values to places."""

    def __init__(self, chart: Chart) -> None:
        points = [point for line in chart.lines for point in line.points]
        ends = [_ends(figure.value, figure.low, figure.high) for _, figure in points]
        self.last = max((x for x, _ in points), default=1.0)
        if chart.is_share:
            self.ticks = [0.0, 0.25, 0.5, 0.75, 1.0]
        else:
            self.ticks = _ticks(max((high for _, high in ends), default=1.0) or 1.0)
        self.high = self.ticks[-1]

    def at(self, x: float, value: float) -> tuple[float, float]:
        across = (x - 1) / max(self.last - 1, 1)
        up = min(max(value / self.high, 0.0), 1.0)
        return (
            round(LEFT + across * (WIDTH - LEFT - RIGHT), 1),
            round(HEIGHT - BOTTOM - up * (HEIGHT - TOP - BOTTOM), 1),
        )


def _ends(value: float, low: float | None, high: float | None) -> tuple[float, float]:
    return value if low is None else low, value if high is None else high


def _ticks(high: float) -> list[float]:
    """Round numbers from 0 up to `high` or more, at most seven."""
    power = 10.0 ** math.floor(math.log10(max(high, 1e-9) / 6))
    step = next(n * power for n in (1, 2, 5, 10, 20) if n * power * 6 >= high)
    return [step * number for number in range(math.ceil(high / step) + 1)]


def _draw_grid(root: ET.Element, chart: Chart, paper: _Paper) -> None:
    for tick in paper.ticks:
        x, y = paper.at(1, tick)
        place = {"x1": str(x), "x2": str(WIDTH - RIGHT), "y1": str(y), "y2": str(y)}
        ET.SubElement(root, "line", {"class": "grid", "stroke": "#cccccc", **place})
        text = f"{100 * tick:.0f} %" if chart.is_share else f"{tick:,.6g}"
        _text(root, text, (x - 6, y + 4), "end")
    last = int(paper.last)
    step = max(5, round(last / 30) * 5) if last > 12 else 1
    for turn in sorted({1, *range(step, last + 1, step)}):
        _text(root, str(turn), (paper.at(turn, 0)[0], HEIGHT - BOTTOM + 16), "middle")
    _text(root, chart.across, ((WIDTH + LEFT) / 2, HEIGHT - 4), "middle")


def _draw_line(root: ET.Element, line: Line, number: int, paper: _Paper) -> None:
    ink = INKS[number % len(INKS)]
    ends = [(x, *_ends(f.value, f.low, f.high)) for x, f in line.points]
    band = [paper.at(x, high) for x, _, high in ends]
    band += [paper.at(x, low) for x, low, _ in reversed(ends)]
    look = {"class": f"band-{number}", "fill": ink, "fill-opacity": "0.2", "points": _places(band)}
    ET.SubElement(root, "polygon", look)
    middle = [paper.at(x, figure.value) for x, figure in line.points]
    look = {"class": f"line-{number}", "fill": "none", "stroke": ink, "stroke-width": "1.5"}
    ET.SubElement(root, "polyline", {**look, "points": _places(middle)})


def _places(points: list[tuple[float, float]]) -> str:
    return " ".join(f"{x},{y}" for x, y in points)


def _text(root: ET.Element, words: str, at: tuple[float, float], anchor: str) -> ET.Element:
    look = {"class": "ink", "fill": "#3c3c3c", "text-anchor": anchor}
    made = ET.SubElement(root, "text", {**look, "x": f"{at[0]:.1f}", "y": f"{at[1]:.1f}"})
    made.text = words
    return made

"""Charts as SVG, without scripts.

All charts but `bands` are WIDTH units wide, so that their text has the same size, and have no
colours of their own: a page styles their classes, which are grid, axis, tick, name, bar, dot, ring,
zero, guide, and series-0 to series-7 for lines. `bands` has colours, since it is also written to a
file (`file_of`); a page may style its classes ink, grid, line-0, line-1, band-0 and band-1.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

from oddly.games.drawing.svg import svg_file
from oddly.games.untrusted_text import xml_text

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


WIDTH = 440
TEXT = 12
ROW = 24
NAMES = 156
"""Room for engines' names."""

MAX_NAME_LENGTH = 18
RIGHT = WIDTH - 26
"""Where axes end, with room for half of the last number."""

LEFT = 56
TOP = 26
SERIES = 8
"""The number of lines that can be told apart."""

MAX_BARS = 26
QUARTERS = (0, 0.25, 0.5, 0.75, 1)

BANDS_SIZE = (480, 240)
BANDS_STYLE = (
    "@media (prefers-color-scheme: dark) { .ink { fill: #d6d6d6 } .grid { stroke: #555555 } }"
)
COLOURS = ("#2166ac", "#b35806")
"""Blue and orange, which readers who cannot see red or green can tell apart too."""
INK, GRID = "#3c3c3c", "#cccccc"


@dataclass(frozen=True, slots=True)
class Interval:
    """A value with its error bar, or two values of one engine."""

    name: str
    value: float
    error: float


@dataclass(frozen=True, slots=True)
class Series:
    """A line: its name and its points from left to right."""

    name: str
    points: Sequence[tuple[float, float]]


def intervals(rows: Sequence[Interval], title: str) -> ET.Element:
    """Return a row for each engine: a dot for the value, a bar for its interval, a line at zero."""
    height = ROW * len(rows) + 44
    root = _root(height, title)
    lows, highs = ([row.value + sign * row.error for row in rows] for sign in (-1, 1))
    across = axis(min([*lows, 0]), max([*highs, 0]), NAMES, RIGHT, 6)
    bottom = height - 38
    _grid_across(root, across, 4, bottom, title)
    _line(root, "zero", (across.at(0), 4), (across.at(0), bottom))
    for index, row in enumerate(rows):
        y = 4 + ROW * (index + 0.5)
        group = _row(root, row.name, f"{row.value:.0f} ± {row.error:.0f}", y)
        left, right = across.at(row.value - row.error), across.at(row.value + row.error)
        _line(group, "bar", (left, y), (right, y))
        for end in (left, right):
            _line(group, "bar", (end, y - 4), (end, y + 4))
        _dot(group, "dot", (across.at(row.value), y), 4.5)
    return root


def two_shares(
    rows: Sequence[tuple[str, float | None, float | None]], title: str, kinds: tuple[str, str]
) -> ET.Element:
    """Return a row for each engine with two shares, 0 to 1: a dot and a ring, joined by a line."""
    height = ROW * len(rows) + 66
    root = _root(height, title)
    across = Axis(0, 100, NAMES, RIGHT, (0, 25, 50, 75, 100))
    top, bottom = 26, height - 38
    _grid_across(root, across, top, bottom, title)
    for kind, text, x in (("dot", kinds[0], NAMES + 6), ("ring", kinds[1], NAMES + 140)):
        _dot(root, kind, (x, 10), 4.5)
        _text(root, text, (x + 10, 14), "name")
    for index, (name, one, other) in enumerate(rows):
        y = top + ROW * (index + 0.5)
        values = " ".join(
            f"{kind} {100 * share:.0f} %"
            for kind, share in zip(kinds, (one, other), strict=True)
            if share is not None
        )
        group = _row(root, name, values, y)
        if one is not None and other is not None:
            _line(group, "bar", (across.at(100 * one), y), (across.at(100 * other), y))
        # The ring is larger, so that both are seen where they agree.
        for kind, share, radius in (("ring", other, 6.5), ("dot", one, 4)):
            if share is not None:
                _dot(group, kind, (across.at(100 * share), y), radius)
    return root


def lines(
    series: Sequence[Series],
    title: str,
    units: tuple[str, str],
    guides: Sequence[tuple[float, str]] = (),
) -> ET.Element:
    """Return lines over a common x, each named at its right end; guides are values to mark."""
    root = _root(260, title)
    xs = [x for line in series for x, _ in line.points]
    ys = [y for line in series for _, y in line.points] + [value for value, _ in guides]
    right = WIDTH - 124
    across = _through(0, max(xs), LEFT, right)
    up = axis(min(ys), max(ys), 216, TOP, 6)
    _frame(root, across, up, units, up.ticks)
    for value, text in guides:
        _line(root, "guide", (LEFT, up.at(value)), (right, up.at(value)))
        _text(root, text, (right + 6, up.at(value) + 4), "tick")
    ends = _spread([up.at(line.points[-1][1]) for line in series])
    for index, (line, end) in enumerate(zip(series, ends, strict=True)):
        group = ET.SubElement(root, "g", {"class": f"series-{index % SERIES}"})
        ET.SubElement(group, "title").text = xml_text(line.name)
        points = [(across.at(x), up.at(y)) for x, y in line.points]
        path = "M" + _places(points).replace(" ", " L")
        ET.SubElement(group, "path", {"class": "line", "d": path})
        _dot(group, "end", points[-1], 3)
        _text(group, _cut(line.name, 16), (right + 9, end + 4), "name")
    return root


def histogram(counts: Mapping[int, int], title: str, units: tuple[str, str]) -> ET.Element:
    """Return a histogram of whole numbers, in bars of a round width."""
    root = _root(210, title)
    low, high = min(counts), max(counts)
    step = whole_step(high - low + 1, MAX_BARS)
    first = low // step * step
    bins = [0] * ((high - first) // step + 1)
    for value, count in counts.items():
        bins[(value - first) // step] += count
    # A bar is centred on its numbers, so that a tick marks the middle of a bar one number wide.
    across = _through(first - 0.5, first + step * len(bins) - 0.5, LEFT, RIGHT)
    up = axis(0, max(bins), 166, TOP, 5)
    _frame(root, across, up, units, [tick for tick in up.ticks if tick == int(tick)])
    for index, count in enumerate(bins):
        left, right = (across.at(first + step * (index + more) - 0.5) for more in (0, 1))
        values = str(first + index * step)
        if step > 1:
            values += f" to {first + (index + 1) * step - 1}"
        bar = ET.SubElement(
            root,
            "rect",
            {
                "class": "column",
                "x": _place(left + 0.5),
                "y": _place(up.at(count)),
                "width": _place(max(1, right - left - 1)),
                "height": _place(166 - up.at(count)),
            },
        )
        ET.SubElement(bar, "title").text = f"{values}: {count}"
    return root


@dataclass(frozen=True, slots=True)
class Band:
    """A line with its error bars: its name, and x, value, lowest and highest of each point."""

    name: str
    points: Sequence[tuple[float, float, float, float]]


def bands(series: Sequence[Band], title: str, unit: str, *, is_share: bool = False) -> ET.Element:
    """Return lines within their bands, over turns: shares from 0 to 1, or values beside 0."""
    width, height = BANDS_SIZE
    left, top, bottom = LEFT, 24, height - 36
    root = ET.Element("svg", {
        "xmlns": "http://www.w3.org/2000/svg", "viewBox": f"0 0 {width} {height}",
        "width": str(width), "height": str(height), "role": "img", "class": "chart",
        "font-family": "system-ui, 'DejaVu Sans', Arial, sans-serif", "font-size": str(TEXT),
    })  # fmt: skip
    ET.SubElement(root, "title").text = xml_text(title)
    last = max((point[0] for line in series for point in line.points), default=1.0)
    ends = [0.0, *(end for line in series for point in line.points for end in point[2:])]
    highest = max(ends) if any(ends) else 1.0
    up = Axis(0, 1, bottom, top, QUARTERS) if is_share else axis(min(ends), highest, bottom, top, 7)
    across = Axis(1, max(last, 2), left, width - 8, _turns(int(last)))
    _draw_bands_grid(root, across, up, unit, is_share=is_share)
    for number, line in enumerate(series):
        colour = COLOURS[number % len(COLOURS)]
        places = [(across.at(x), *map(up.at, ends)) for x, *ends in line.points]
        band = [(x, high) for x, _, _, high in places]
        band += [(x, low) for x, _, low, _ in reversed(places)]
        look = {"class": f"band-{number}", "fill": colour, "fill-opacity": "0.2"}
        ET.SubElement(root, "polygon", {**look, "points": _places(band)})
        look = {"class": f"line-{number}", "fill": "none", "stroke": colour, "stroke-width": "1.5"}
        middle = _places([(x, value) for x, value, _, _ in places])
        ET.SubElement(root, "polyline", {**look, "points": middle})
        at = (left + number * (width - left) / 2, top - 10)
        _text(root, f"― {line.name}", at, f"name-{number}")
        root[-1].set("fill", colour)
    return root


def _draw_bands_grid(
    root: ET.Element, across: Axis, up: Axis, unit: str, *, is_share: bool
) -> None:
    width, height = BANDS_SIZE
    for tick in up.ticks:
        y = up.at(tick)
        _line(root, "grid", (across.start, y), (across.end, y))
        root[-1].set("stroke", GRID)
        words = f"{100 * tick:.0f} %" if is_share else _number(tick)
        _text(root, words, (across.start - 6, y + 4), "ink", "end")
    for tick in across.ticks:
        _text(root, str(int(tick)), (across.at(tick), up.start + 16), "ink", "middle")
    _text(root, unit, ((width + across.start) / 2, height - 4), "ink", "middle")
    for text in root.iter("text"):
        text.set("fill", INK)


def file_of(chart: ET.Element) -> str:
    """Return `bands` as the text of an SVG file, for light and dark pages."""
    return svg_file(chart, BANDS_STYLE)


def _turns(last: int) -> tuple[float, ...]:
    step = max(5, round(last / 30) * 5) if last > 12 else 1
    return tuple(sorted({1, *range(step, last + 1, step)}))


def _places(points: Sequence[tuple[float, float]]) -> str:
    return " ".join(f"{_place(x)},{_place(y)}" for x, y in points)


def _root(height: float, title: str) -> ET.Element:
    root = ET.Element(
        "svg",
        {
            "xmlns": "http://www.w3.org/2000/svg",
            "viewBox": f"0 0 {WIDTH} {_place(height)}",
            "class": "chart",
            "role": "img",
            "font-size": str(TEXT),
        },
    )
    ET.SubElement(root, "title").text = xml_text(title)
    return root


def _through(low: float, high: float, start: float, end: float) -> Axis:
    """Return an axis that ends at these values, wherever its ticks are."""
    inner = axis(low, high, start, end, 7)
    ticks = tuple(tick for tick in inner.ticks if low <= tick <= high and tick == int(tick))
    return Axis(low, high, start, end, ticks)


def _grid_across(
    root: ET.Element, across: Axis, top: float, bottom: float, unit: str, *, grid: bool = True
) -> None:
    """Draw the horizontal axis with its ticks and its unit."""
    _line(root, "axis", (across.start, bottom), (across.end, bottom))
    for tick in across.ticks:
        x = across.at(tick)
        _line(root, "grid" if grid else "axis", (x, top if grid else bottom), (x, bottom + 4))
        _text(root, _number(tick), (x, bottom + 17), "tick", "middle")
    _text(root, unit, ((across.start + across.end) / 2, bottom + 33), "tick", "middle")


def _frame(
    root: ET.Element, across: Axis, up: Axis, units: tuple[str, str], heights: Sequence[float]
) -> None:
    """Draw lines at these heights, the horizontal axis, and the units of both axes."""
    for tick in heights:
        _line(root, "grid", (LEFT, up.at(tick)), (across.end, up.at(tick)))
        _text(root, _number(tick), (LEFT - 6, up.at(tick) + 4), "tick", "end")
    _grid_across(root, across, up.end, up.start, units[0], grid=False)
    _text(root, units[1], (6, 10), "tick")


def _spread(ends: Sequence[float]) -> list[float]:
    """Return the heights pushed apart, so that the names written there do not touch."""
    order = sorted(range(len(ends)), key=lambda index: ends[index])
    placed = list(ends)
    for above, below in pairwise(order):
        placed[below] = max(placed[below], placed[above] + TEXT + 1)
    limit = 222.0
    for index in reversed(order):
        placed[index] = min(placed[index], limit)
        limit = placed[index] - TEXT - 1
    return placed


def _row(root: ET.Element, name: str, values: str, y: float) -> ET.Element:
    """Begin the row of an engine, whose tooltip has its values."""
    group = ET.SubElement(root, "g")
    ET.SubElement(group, "title").text = xml_text(f"{name}: {values}")
    _text(group, _cut(name, MAX_NAME_LENGTH), (NAMES - 10, y + 4), "name", "end")
    return group


def _cut(name: str, longest: int) -> str:
    name = xml_text(name)
    return name if len(name) <= longest else name[: longest - 1] + "…"


def _line(
    root: ET.Element, kind: str, begin: tuple[float, float], end: tuple[float, float]
) -> None:
    (x1, y1), (x2, y2) = begin, end
    places = {"x1": x1, "y1": y1, "x2": x2, "y2": y2}
    ET.SubElement(
        root, "line", {"class": kind, **{name: _place(at) for name, at in places.items()}}
    )


def _dot(root: ET.Element, kind: str, at: tuple[float, float], radius: float) -> None:
    place = {"cx": _place(at[0]), "cy": _place(at[1]), "r": _place(radius)}
    ET.SubElement(root, "circle", {"class": kind, **place})


def _text(
    root: ET.Element, text: str, at: tuple[float, float], kind: str, anchor: str = "start"
) -> None:
    place = {"x": _place(at[0]), "y": _place(at[1]), "text-anchor": anchor}
    ET.SubElement(root, "text", {"class": kind, **place}).text = xml_text(text)


def _number(value: float) -> str:
    return f"{value:,g}".replace("-", "−")


def _place(value: float) -> str:
    return f"{round(value, 1) + 0.0:g}"


ROUNDING = 1e-9
"""The share of a step by which rounding may move a value."""


@dataclass(frozen=True, slots=True)
class Axis:
    """Values from `low` to `high`, drawn from `start` to `end`; the ticks are round numbers."""

    low: float
    high: float
    start: float
    end: float
    ticks: tuple[float, ...]

    def at(self, value: float) -> float:
        """Return where a value is drawn."""
        return self.start + (value - self.low) / (self.high - self.low) * (self.end - self.start)


def axis(low: float, high: float, start: float, end: float, most_ticks: int = 6) -> Axis:
    """Return an axis that holds both values, widened to whole steps; `most_ticks` is 3 or more."""
    if high <= low:
        low, high = low - 1, high + 1
    step = _step((high - low) / max(1, most_ticks - 1))
    first, last = _whole(low, high, step)
    while last - first + 1 > most_ticks:
        step = _step(step * 1.01)
        first, last = _whole(low, high, step)
    ticks = tuple(round(number * step, 10) + 0.0 for number in range(first, last + 1))
    return Axis(ticks[0], ticks[-1], start, end, ticks)


def whole_step(span: float, most: int) -> int:
    """Return a round whole number, 1 or more, such that `most` steps of it cover the span."""
    return max(1, math.ceil(_step(span / most)))


def _whole(low: float, high: float, step: float) -> tuple[int, int]:
    """Return the numbers of the steps around both values; a rounding error adds none."""
    return math.floor(low / step + ROUNDING), math.ceil(high / step - ROUNDING)


def _step(least: float) -> float:
    """Return the smallest of 1, 2, 5 and 10 times a power of ten that is `least` or more."""
    power = 10.0 ** math.floor(math.log10(least))
    return next(digit * power for digit in (1, 2, 5, 10) if digit * power >= least * (1 - ROUNDING))

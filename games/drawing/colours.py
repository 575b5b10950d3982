"""The colours of pictures, chosen so that nobody needs to tell red from green.

Board and stones differ in lightness alone. Values are drawn in cividis, a scale that readers with
and without colour vision deficiency order alike: Nuñez, Anderton, Renslow, "Optimizing colormaps
with consideration for color vision deficiency", PLOS ONE 13 (2018).
"""

from __future__ import annotations

from typing import NamedTuple

BLACK_STONE = "#161616"
WHITE_STONE = "#ffffff"
BLACK_EDGE = "#f3ead2"
"""Seen where a black stone lies on the dark end of the scale of values."""

WHITE_EDGE = "#161616"
CIVIDIS = (
    "#00224e", "#1a386f", "#434e6c", "#61656f", "#7d7c78", "#9b9476", "#bcae6c", "#dec958",
    "#fee838",
)  # fmt: skip
"""From the lowest value to the highest, in even steps."""


class Scheme(NamedTuple):
    """What changes between a light and a dark page."""

    cell: str
    line: str
    ink: str


LIGHT = Scheme(cell="#e3d3ac", line="#8d7b52", ink="#3c3c3c")
DARK = Scheme(cell="#a08f66", line="#5d512f", ink="#d6d6d6")


def on_scale(share: float) -> str:
    """Return the colour at `share`, 0 to 1, of cividis, as `#rrggbb`."""
    place = share * (len(CIVIDIS) - 1)
    below = min(int(place), len(CIVIDIS) - 2)
    part = place - below
    pairs = zip(_parts(CIVIDIS[below]), _parts(CIVIDIS[below + 1]), strict=True)
    return "#" + "".join(f"{round(a + part * (b - a)):02x}" for a, b in pairs)


def ink_on(colour: str) -> str:
    """Black or white, whichever reads better on `#rrggbb`."""
    red, green, blue = _parts(colour)
    return BLACK_STONE if 0.299 * red + 0.587 * green + 0.114 * blue > 120 else WHITE_STONE


def _parts(colour: str) -> tuple[int, int, int]:
    return int(colour[1:3], 16), int(colour[3:5], 16), int(colour[5:7], 16)

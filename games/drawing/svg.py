"""Pictures as SVG: in full, for a notebook, and as an element of a page.

Board and stones differ in lightness alone. Values are drawn in cividis, a scale that readers with
and without colour vision deficiency order alike: Nuñez, Anderton, Renslow, "Optimizing colormaps
with consideration for color vision deficiency", PLOS ONE 13 (2018).

The colours of a light page are attributes, which every program draws; a style sheet inside changes
them on a dark one. A page that inlines the picture leaves that sheet out (`element` has none) and
styles the classes: cell, line, black, white, mark, left, text, label, caption, scale.
"""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING, NamedTuple
from xml.etree import ElementTree as ET

from oddly.games.drawing.picture import STONE_RADIUS, Box, Cell, Heat, Picture, Point, picture_of
from oddly.games.turns import EMPTY, Colour
from oddly.games.untrusted_text import xml_text

if TYPE_CHECKING:
    from oddly.games.drop_level import DropPosition
    from oddly.games.game import Position


BLACK_STONE = "#161616"
WHITE_STONE = "#ffffff"
BLACK_EDGE = "#f3ead2"
"""The edge that shows a black stone on the dark end of the scale."""
WHITE_EDGE = "#161616"
CIVIDIS = (
    "#00224e", "#1a386f", "#434e6c", "#61656f", "#7d7c78", "#9b9476", "#bcae6c", "#dec958",
    "#fee838",
)  # fmt: skip
"""From the lowest value to the highest, in even steps."""


class Scheme(NamedTuple):
    """The colours that differ between a light and a dark page."""

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
    """Return black or white, whichever reads better on `#rrggbb`."""
    red, green, blue = _parts(colour)
    return BLACK_STONE if 0.299 * red + 0.587 * green + 0.114 * blue > 120 else WHITE_STONE


def _parts(colour: str) -> tuple[int, int, int]:
    return int(colour[1:3], 16), int(colour[3:5], 16), int(colour[5:7], 16)


PIXELS = 40
"""The width of a cell unless the page says otherwise."""
MARGIN = 0.15
MARK_RADIUS = STONE_RADIUS - 0.09
DOT_RADIUS = 0.12
LABEL_SIZE = 0.38
CAPTION_SIZE = 0.42
CAPTION_LINE = 0.58
LETTER_WIDTH = 0.56
"""The rough average width of a letter, as a share of the font size."""
SCALE_HEIGHT = 0.8
SCALE_TITLE_HEIGHT = 0.55
FONT = "system-ui, 'DejaVu Sans', Arial, sans-serif"
STYLE = (
    "@media (prefers-color-scheme: dark) {"
    f" .cell {{ fill: {DARK.cell}; stroke: {DARK.line} }}"
    f" .label, .caption, .scale {{ fill: {DARK.ink} }}"
    " }"
)


def svg(picture: Picture) -> str:
    """Return a picture as the text of an SVG file, for light and dark pages.

    Raises TypeError for anything but a picture.

    >>> import oddly
    >>> from pathlib import Path
    >>> position = oddly.create_game("yodd", 3).start().play("Bc3")
    >>> text = oddly.svg(oddly.picture_of(position))
    >>> print(text)
    <?xml version="1.0" encoding="UTF-8"?>
    <svg ...</svg>
    <BLANKLINE>
    >>> written = Path("board.svg").write_text(text, encoding="utf-8")
    """
    if not isinstance(picture, Picture):
        kind = type(picture).__name__
        raise TypeError(f"a picture is expected, not {kind}; try svg(picture_of(position))")
    return svg_file(element(picture), STYLE)


def svg_file(root: ET.Element, style: str) -> str:
    """Return the text of an SVG file, with a style sheet after the title."""
    sheet = ET.Element("style")
    sheet.text = style
    root.insert(1, sheet)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ET.tostring(root, "unicode") + "\n"


def element(picture: Picture, *, playable: bool = False) -> ET.Element:
    """Return the `svg` element, without styles. Each vertex is a group with the vertex's name.

    A `playable` element is for a page that moves stones: every vertex has circles of the classes
    stone, mark and left, and the page shows them by classes that it sets on the group.
    """
    geometry = picture.geometry
    bounds = geometry.labelled_bounds if picture.coordinates else geometry.bounds
    lines = _wrapped(picture.caption, bounds.width)
    box = _room_for(bounds, lines, picture.heat)
    root = ET.Element(
        "svg",
        {
            "xmlns": "http://www.w3.org/2000/svg",
            "viewBox": " ".join(_number(value) for value in box),
            "width": str(round(box.width * PIXELS)),
            "height": str(round(box.height * PIXELS)),
            "role": "img",
            "class": "board",
            "font-family": FONT,
            "text-anchor": "middle",
        },
    )
    ET.SubElement(root, "title").text = xml_text(picture.title or str(picture.board))
    for index, cell in enumerate(geometry.cells):
        stone = picture.stones[index] if picture.stones else EMPTY
        group = _draw_vertex(root, picture, cell, stone)
        if playable:
            _add_circles(group, cell)
    if picture.coordinates:
        for label in (*geometry.columns, *geometry.ranks):
            _text(root, label.text, label.at, LABEL_SIZE, "label", LIGHT.ink)
    bottom = bounds.y + bounds.height
    if picture.heat is not None:
        scale = Box(bounds.x, bottom, bounds.width, _scale_height(picture.heat))
        _draw_scale(root, picture.heat, scale)
        bottom += scale.height
    for number, line in enumerate(lines):
        at = (bounds.x + bounds.width / 2, bottom + CAPTION_LINE * (number + 0.75))
        _text(root, line, at, CAPTION_SIZE, "caption", LIGHT.ink)
    return root


def _draw_vertex(root: ET.Element, picture: Picture, cell: Cell, stone: int) -> ET.Element:
    vertex = cell.vertex
    group = ET.SubElement(root, "g", {"data-vertex": vertex})
    value = picture.heat.values.get(vertex) if picture.heat else None
    filling, kind = LIGHT.cell, "cell"
    if picture.heat is not None and value is not None:
        filling, kind = on_scale(picture.heat.share(value)), "heat"
    ET.SubElement(
        group,
        "polygon",
        {
            "class": kind,
            "points": " ".join(f"{_number(x)},{_number(y)}" for x, y in cell.polygon),
            "fill": filling,
            "stroke": LIGHT.line,
            "stroke-width": "0.035",
            "stroke-linejoin": "round",
        },
    )
    if value is not None:
        ET.SubElement(group, "title").text = f"{vertex}: {value:.4g}"
    ink = ink_on(filling)
    if stone != EMPTY:
        is_black = stone == Colour.BLACK
        ink = WHITE_STONE if is_black else BLACK_STONE
        colours = (BLACK_STONE, BLACK_EDGE) if is_black else (WHITE_STONE, WHITE_EDGE)
        _circle(group, cell.centre, STONE_RADIUS, str(Colour(stone)), *colours, width=0.05)
    if vertex in picture.marked:
        _circle(group, cell.centre, MARK_RADIUS, "mark", "none", ink, width=0.05)
    if vertex in picture.left:
        _circle(group, cell.centre, DOT_RADIUS, "left", "none", ink, width=0.05)
    if text := picture.texts.get(vertex):
        size = min(0.42, 0.68 / (LETTER_WIDTH * max(1, len(text))))
        _text(group, text, cell.centre, size, "text", ink)
    return group


def _add_circles(group: ET.Element, cell: Cell) -> None:
    """Add the circles that a page may show on a vertex; without its styles they are invisible."""
    for kind, radius in (("stone", STONE_RADIUS), ("mark", MARK_RADIUS), ("left", DOT_RADIUS)):
        _circle(group, cell.centre, radius, kind, "none", "none", width=0.05)


def _draw_scale(root: ET.Element, heat: Heat, room: Box) -> None:
    """Draw the colours from lowest to highest value, with both ends and the title below."""
    width = min(room.width, 8.0) / 2
    left, top = room.x + (room.width - width) / 2, room.y + 0.25
    step = width / len(CIVIDIS)
    for index, colour in enumerate(CIVIDIS):
        place = {"x": _number(left + index * step), "y": _number(top)}
        # A little too wide, so that no gap shines through.
        size = {"width": _number(step * 1.02), "height": "0.3", "fill": colour}
        ET.SubElement(root, "rect", place | size)
    low, high = heat.ends
    for anchor, x, value in (("end", left - 0.15, low), ("start", left + width + 0.15, high)):
        text = _text(root, f"{value:.4g}", (x, top + 0.15), LABEL_SIZE, "scale", LIGHT.ink)
        text.set("text-anchor", anchor)
    if not heat.title:
        return
    middle = room.x + room.width / 2
    _text(root, heat.title, (middle, top + 0.68), LABEL_SIZE, "scale", LIGHT.ink)


def _circle(
    parent: ET.Element,
    centre: Point,
    radius: float,
    kind: str,
    filling: str,
    edge: str,
    *,
    width: float,
) -> None:
    ET.SubElement(
        parent,
        "circle",
        {
            "class": kind,
            "cx": _number(centre.x),
            "cy": _number(centre.y),
            "r": _number(radius),
            "fill": filling,
            "stroke": edge,
            "stroke-width": _number(width),
        },
    )


def _text(
    parent: ET.Element, text: str, at: tuple[float, float], size: float, kind: str, ink: str
) -> ET.Element:
    # Not dominant-baseline: some programs that draw SVG do not know it.
    element = ET.SubElement(
        parent,
        "text",
        {
            "class": kind,
            "x": _number(at[0]),
            "y": _number(at[1] + 0.36 * size),
            "font-size": _number(size),
            "fill": ink,
        },
    )
    element.text = xml_text(text)
    return element


def _wrapped(caption: str, width: float) -> list[str]:
    letters = max(12, int(width / (LETTER_WIDTH * CAPTION_SIZE)))
    return textwrap.wrap(xml_text(" ".join(caption.split())), letters)


def _room_for(bounds: Box, lines: list[str], heat: Heat | None) -> Box:
    """Return the box of the whole picture: the board, a scale below, the caption and a margin."""
    below = _scale_height(heat) + (CAPTION_LINE * len(lines) + 0.1 if lines else 0)
    return Box(
        bounds.x - MARGIN,
        bounds.y - MARGIN,
        bounds.width + 2 * MARGIN,
        bounds.height + 2 * MARGIN + below,
    )


def _scale_height(heat: Heat | None) -> float:
    if heat is None:
        return 0.0
    return SCALE_HEIGHT + (SCALE_TITLE_HEIGHT if heat.title else 0)


def _number(value: float) -> str:
    return f"{round(value, 4) + 0.0:g}"


def notebook_svg(position: Position | DropPosition) -> str:
    """Return a picture with the side to move, or the result, as its caption."""
    title = position.game.title
    if position.result is not None:
        return svg(picture_of(position, caption=f"{title}: {position.result}"))
    return svg(picture_of(position, caption=f"{title}: {position.to_move} to move"))

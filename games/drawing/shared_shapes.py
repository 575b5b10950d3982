"""Small files of pictures: a shape that comes again and again is drawn by one path."""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple
from xml.etree import ElementTree as ET


class _SharedShape(NamedTuple):
    """What is alike in all cells, or in all stones of a colour."""

    layer: int
    """Cells lie under stones, and stones under marks."""
    outline: str
    """The path from its place on, back to it."""
    look: tuple[tuple[str, str], ...]


def share_shapes(root: ET.Element) -> None:
    """Draw all cells of a picture by one path, all stones of a colour by one, and so on.

    The groups of vertices go, and places are rounded to a hundredth of a cell: this is for a small
    picture that is looked at only. Such paths repeat themselves, so that they compress to a third.
    """
    places: dict[_SharedShape, list[tuple[float, float]]] = {}
    others: list[ET.Element] = []
    for child in root:
        for layer, part in enumerate(child if child.tag == "g" else [child]):
            if part.tag in ("polygon", "circle"):
                shape, place = _shape(layer, part)
                places.setdefault(shape, []).append(place)
            else:
                others.append(part)
    paths = [_path(shape, places[shape]) for shape in sorted(places, key=lambda each: each.layer)]
    # The title comes first.
    root[:] = [*others[:1], *paths, *others[1:]]


def _shape(layer: int, element: ET.Element) -> tuple[_SharedShape, tuple[float, float]]:
    look = dict(element.attrib)
    if element.tag == "circle":
        x, y, radius = (float(look.pop(name)) for name in ("cx", "cy", "r"))
        arc = f"a{_text(radius)} {_text(radius)} 0 1 0 "
        outline = f"{arc}{_text(2 * radius)} 0{arc}{_text(-2 * radius)} 0z"
        return _SharedShape(layer, outline, tuple(look.items())), (x - radius, y)
    points = [tuple(map(float, each.split(","))) for each in look.pop("points").split()]
    x, y = points[0]
    steps = [f"{_text(b[0] - a[0])} {_text(b[1] - a[1])}" for a, b in pairwise(points)]
    return _SharedShape(layer, f"l{' '.join(steps)}z", tuple(look.items())), (x, y)


def _path(shape: _SharedShape, places: list[tuple[float, float]]) -> ET.Element:
    drawn, at = "", (0.0, 0.0)
    for x, y in places:
        place = round(x, 2), round(y, 2)
        drawn += f"m{_text(place[0] - at[0])} {_text(place[1] - at[1])}{shape.outline}"
        at = place
    return ET.Element("path", {**dict(shape.look), "d": drawn})


def _text(number: float) -> str:
    return f"{round(number, 2) + 0.0:g}"

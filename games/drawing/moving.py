"""A whole game as one moving picture, and a picture in few bytes with shared shapes.

The style sheet of a moving picture shows the turns one by one. It has no script, so a page may show
it as an image. Readers who want no motion see the end of the game, as they do in a program that
draws SVG without animation.
"""

from __future__ import annotations

from itertools import accumulate, pairwise
from typing import TYPE_CHECKING, NamedTuple
from xml.etree import ElementTree as ET

from oddly.games.drawing.picture import Picture, describe, picture_of, trace_of
from oddly.games.drawing.svg import STYLE, element, svg_file

if TYPE_CHECKING:
    from collections.abc import Sequence

    from oddly.games.game import Position
    from oddly.games.turns import Turn

SECONDS = 1.2
"""How long each position is shown."""

REST = 4
"""The end is shown for this many times as long."""

ALWAYS = frozenset(("cell", "label"))


def moving_svg(
    start: Position, turns: Sequence[Turn], *, numbers: bool = False, coordinates: bool = True
) -> str:
    """Return a game as the text of an SVG file: a caption for each turn, and the stones it changes.

    The turns are played from `start`. Raises IllegalTurn for one that is illegal.

    >>> import oddly
    >>> start = oddly.create_game("odd", 2).start()
    >>> turns = [oddly.parse_turn(turn) for turn in ("Bb2", "Wb1")]
    >>> oddly.games.moving_svg(start, turns).count("<circle")
    4
    """
    positions = list(accumulate(turns, lambda position, turn: position.play(turn), initial=start))
    pictures = [
        picture_of(
            position,
            trace_of(turns[:number]),
            numbers=numbers,
            caption=_caption(number, position, turns),
            coordinates=coordinates,
        )
        for number, position in enumerate(positions)
    ]
    root, shown = _merged(pictures)
    count = len(pictures) + REST - 1
    sheets = [STYLE]
    for (first, end), things in sorted(shown.items()):
        name = f"from{first}to{end}"
        is_last = end == len(pictures)
        for thing in things:
            thing.set("class", f"{thing.get('class', '')} {name}")
            if not is_last:
                thing.set("opacity", "0")
        if not is_last or first:
            sheets.append(_sheet(name, first / count, 1.0 if is_last else end / count, count))
    sheets.append("@media (prefers-reduced-motion: reduce) { * { animation: none !important } }")
    title = root.find("title")
    if title is not None:
        title.text = describe(positions[-1])
    return svg_file(root, "\n".join(sheets))


def _caption(number: int, position: Position, turns: Sequence[Turn]) -> str:
    """Return the last turn with the group counts it left, or the game's title at the start."""
    if not number:
        return position.game.title
    black, white = position.group_counts
    result = f", {position.result}" if position.is_over else ""
    return f"{number}. {turns[number - 1]}: {black} black, {white} white{result}"


def _merged(
    pictures: Sequence[Picture],
) -> tuple[ET.Element, dict[tuple[int, int], list[ET.Element]]]:
    """Return one drawing of all pictures, and its parts by the range of pictures that show them."""
    largest = max(pictures, key=lambda picture: len(picture.caption))
    root = element(largest)
    places = {group.get("data-vertex"): group for group in root.iter("g")}
    for holder in (root, *places.values()):
        for thing in [each for each in holder if _changes(each)]:
            holder.remove(thing)
    shown: dict[tuple[int, int], list[ET.Element]] = {}
    open_since: dict[tuple[str | None, str], tuple[int, ET.Element]] = {}
    for number, picture in enumerate((*pictures, None)):
        drawn = element(picture) if picture else ET.Element("svg")
        now = {
            (holder.get("data-vertex"), ET.tostring(thing, "unicode")): thing
            for holder in (drawn, *drawn.iter("g"))
            for thing in holder
            if _changes(thing)
        }
        for key in [key for key in open_since if key not in now]:
            first, thing = open_since.pop(key)
            shown.setdefault((first, number), []).append(thing)
        for key, thing in now.items():
            if key not in open_since:
                open_since[key] = (number, thing)
                places.get(key[0], root).append(thing)
    return root, shown


def _changes(thing: ET.Element) -> bool:
    """Return whether a part of the drawing belongs to a turn, and not to the board."""
    return thing.tag in ("circle", "text") and thing.get("class") not in ALWAYS


def _sheet(name: str, first: float, end: float, count: int) -> str:
    """Return the CSS rule for parts shown from `first` to `end`, 0 to 1 of the whole time."""
    begin = "0%{opacity:0}" if first else ""
    hide = f"{end:.3%}{{opacity:0}}" if end < 1 else ""
    rest = "100%{opacity:1}" if end == 1 else "100%{opacity:0}"
    steps = f"{begin}{first:.3%}{{opacity:1}}{hide}{rest}"
    return (
        f"@keyframes {name}{{{steps}}}"
        f".{name}{{animation:{name} {count * SECONDS:g}s step-end infinite}}"
    )


class _SharedShape(NamedTuple):
    """The shape that all cells, or all stones of a colour, share."""

    layer: int
    """Cells lie under stones, and stones under marks."""
    outline: str
    """The path relative to its place, to which it returns."""
    look: tuple[tuple[str, str], ...]


def share_shapes(root: ET.Element) -> None:
    """Draw all cells of a picture with one path, all stones of a colour with one, and so on.

    The groups of vertices are lost and places are rounded to a hundredth of a cell: this is for
    small pictures to look at, not to play on. Such repetitive paths compress to a third.
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
        arc = f"a{_rounded(radius)} {_rounded(radius)} 0 1 0 "
        outline = f"{arc}{_rounded(2 * radius)} 0{arc}{_rounded(-2 * radius)} 0z"
        return _SharedShape(layer, outline, tuple(look.items())), (x - radius, y)
    points = [tuple(map(float, each.split(","))) for each in look.pop("points").split()]
    x, y = points[0]
    steps = [f"{_rounded(b[0] - a[0])} {_rounded(b[1] - a[1])}" for a, b in pairwise(points)]
    return _SharedShape(layer, f"l{' '.join(steps)}z", tuple(look.items())), (x, y)


def _path(shape: _SharedShape, places: list[tuple[float, float]]) -> ET.Element:
    drawn, at = "", (0.0, 0.0)
    for x, y in places:
        place = round(x, 2), round(y, 2)
        drawn += f"m{_rounded(place[0] - at[0])} {_rounded(place[1] - at[1])}{shape.outline}"
        at = place
    return ET.Element("path", {**dict(shape.look), "d": drawn})


def _rounded(number: float) -> str:
    return f"{round(number, 2) + 0.0:g}"

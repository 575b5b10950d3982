"""Pages drawn on the server: templates, in which every text is escaped, and boards.

A board is drawn as SVG, within a page or in a separate file.
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from oddly.games import Game, IllegalTurn, Position, touched, xml_text
from oddly.games.drawing.picture import Picture, describe
from oddly.games.drawing.png import png
from oddly.games.drawing.svg import STYLE, element, share_shapes, svg_file
from oddly.protocol import NotationError, parse_turn

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping


def templates_of(package: str) -> Environment:
    """Return the templates in the folder `templates` of a package."""
    environment = Environment(
        loader=PackageLoader(package),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_finalized,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters["nearest"] = nearest
    return environment


def nearest(value: float) -> int:
    """Return the nearest whole number as scripts round: of two, the larger."""
    return math.floor(value + 0.5)


def _finalized(value: object) -> object:
    """Return what a template may show: our own markup, and text without misleading characters."""
    return xml_text(value) if isinstance(value, str) and not isinstance(value, Markup) else value


MAX_TURNS = 2000
"""The maximum number of turns played for display: a stranger may have written them."""


def positions_of(game: Game, turns: Iterable[str]) -> list[Position]:
    """Return the positions of a game, up to the first turn that is not legal."""
    found = [game.start()]
    for text in turns:
        if len(found) > MAX_TURNS:
            break
        try:
            found.append(found[-1].play(parse_turn(text)))
        except (IllegalTurn, NotationError):
            break
    return found


# A running game is requested again and again, but changes only with each turn.
@lru_cache(128)
def board_markup(position: Position, last: str = "", title: str = "") -> Markup:
    """Return a board for a page, which sets its colours; `last` is the turn to mark."""
    return _markup(element(_picture(position, last, title, coordinates=True)))


def board_file(position: Position, last: str = "", title: str = "") -> str:
    """Return a small board as a separate file, for light and dark pages."""
    root = element(_picture(position, last, title, coordinates=False))
    share_shapes(root)
    return svg_file(root, STYLE)


def board_to_tap(
    position: Position, stones: bytes, marked: frozenset[str], taps: Mapping[str, str], title: str
) -> Markup:
    """Return a board with `stones`, on which each vertex of `taps` leads to an address."""
    picture = Picture(position.game.board, tuple(stones), marked, title=title, coordinates=True)
    root = element(picture)
    for group in root.iter("g"):
        address = taps.get(group.get("data-vertex", ""))
        if address is not None:
            group.tag = "a"
            group.attrib |= {"href": address, "aria-label": group.attrib["data-vertex"]}
    return _markup(root)


def _markup(root: ET.Element) -> Markup:
    """Return a board within a page, which sets its size."""
    for size in ("width", "height"):
        del root.attrib[size]
    # The library that writes XML escapes every text in it.
    return Markup(ET.tostring(root, "unicode"))  # noqa: S704


def board_png(position: Position, last: str = "", title: str = "", width: int = 360) -> bytes:
    """Return a board as PNG, which every site that previews pages can show. Raises NoPngError."""
    return png(_picture(position, last, title, coordinates=False), width)


def _picture(position: Position, last: str, title: str, *, coordinates: bool) -> Picture:
    placed, left = touched(parse_turn(last) if last else None)
    return Picture(
        position.game.board,
        tuple(position.stones),
        placed,
        left,
        title=title or describe(position),
        coordinates=coordinates,
    )

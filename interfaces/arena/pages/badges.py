"""An engine's rating in a pool as a small picture, for the README of its author."""

from __future__ import annotations

from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

from starlette.responses import Response

from oddly.games import xml_text
from oddly.interfaces.arena.pages.game_pages import SVG

if TYPE_CHECKING:
    from starlette.requests import Request

    from oddly.interfaces.arena.pages.site import ArenaSite

KEPT = {"cache-control": "public, max-age=300"}
"""How long a site that shows badges may keep one."""
HEIGHT, EDGE, LETTER = 20, 6, 6.6
"""In pixels; a letter is as wide as the average letter of the widest common fonts."""
LABEL, SURE, UNSURE = "#3d3d3d", "#0b5394", "#6d6a62"
NAMESPACE = "http://www.w3.org/2000/svg"


class Badges:
    """Draws badges."""

    def __init__(self, site: ArenaSite) -> None:
        self._site = site

    async def badge(self, request: Request) -> Response:
        """Send the badge of an engine in a pool."""
        arena = self._site.arena
        it = arena.registry.by_slug(request.path_params["slug"])
        pool = arena.pools.get(request.path_params["pool"])
        if it is None or pool is None:
            said = "No such engine" if it is None else "No such pool"
            return self._site.drawn.nothing(request, said, "There is no such badge.")
        rating = pool.rating(it.name)
        if not rating.games:
            return Response(badge(pool.name, "not rated yet", UNSURE), 200, KEPT, SVG)
        mark = "?" if rating.provisional else ""
        text = f"{rating.elo:.0f}{mark} ± {rating.error:.0f} Elo"
        colour = UNSURE if rating.provisional else SURE
        return Response(badge(pool.name, text, colour, it.name), 200, KEPT, SVG)


def badge(label: str, value: str, colour: str, name: str = "") -> str:
    """Return a badge of two parts as SVG. Nothing in it is fetched or styled from elsewhere."""
    label, value = xml_text(label), xml_text(value)
    left, right = (round(LETTER * len(text)) + 2 * EDGE for text in (label, value))
    size = {"width": str(left + right), "height": str(HEIGHT)}
    told = f"{xml_text(name)} in {label}: {value}" if name else f"{label}: {value}"
    look = {"xmlns": NAMESPACE, **size, "role": "img", "aria-label": told,
            "font-family": "Verdana, 'DejaVu Sans', sans-serif", "font-size": "11"}  # fmt: skip
    root = ET.Element("svg", look)
    ET.SubElement(root, "title").text = told
    for x, width, fill, text in ((0, left, LABEL, label), (left, right, colour, value)):
        box = {"x": str(x), "width": str(width), "height": str(HEIGHT), "fill": fill}
        ET.SubElement(root, "rect", box)
        place = {"x": str(x + EDGE), "y": "14", "fill": "#ffffff", "lengthAdjust":
                 "spacingAndGlyphs", "textLength": str(width - 2 * EDGE)}  # fmt: skip
        ET.SubElement(root, "text", place).text = text
    return ET.tostring(root, "unicode")

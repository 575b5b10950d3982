"""The templates and files of an arena's pages: every text is escaped, and nothing stands inline."""

from __future__ import annotations

import hashlib
from importlib.resources import files
from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

from markupsafe import Markup

from oddly.games.drawing.charts import axis
from oddly.interfaces.serving.tagged_answers import FOR_GOOD, tagged
from oddly.interfaces.viewer.templates import templates_of
from oddly.interfaces.viewer.viewer import viewer_files

if TYPE_CHECKING:
    from collections.abc import Sequence

    from starlette.requests import Request
    from starlette.responses import Response

    from oddly.interfaces.arena.pages.reading import RatingThen

KINDS = {"css": "text/css; charset=utf-8", "js": "text/javascript; charset=utf-8"}
HTML = "text/html; charset=utf-8"
HEADERS = {
    "content-security-policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; "
        "connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
    ),
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
}


class ArenaTemplates:
    """The templates, with the files that they name."""

    def __init__(self, arena: str, address: str) -> None:
        self._arena, self._address = arena, address
        self._templates = templates_of("oddly.interfaces.arena")
        folder = files("oddly.interfaces.arena") / "static"
        found = {each.name: each.read_bytes() for each in folder.iterdir()}
        found["viewer.css"] = viewer_files()["viewer.css"].encode()
        self._names = {name: _with_digest(name, data) for name, data in found.items()}
        self._files = {self._names[name]: data for name, data in found.items()}

    def page(
        self, request: Request, template: str, status: int = 200, **values: object
    ) -> Response:
        """Return the page of a template; a browser that has it already gets no body."""
        path = str(request.scope["path"])
        root = "../" * (path.count("/") - 1) or "./"
        body = self._templates.get_template(template).render(
            arena=self._arena,
            url=self._address + path,
            root=root,
            file=lambda name: f"{root}static/{self._names[name]}",
            **values,
        )
        answer = tagged(request, body.encode(), HTML)
        if answer.status_code == 200:
            answer.status_code = status
        return with_headers(answer)

    def nothing(self, request: Request, heading: str, sentence: str, status: int = 404) -> Response:
        """Return a page that says why there is nothing."""
        return self.page(request, "nothing.html", status, heading=heading, sentence=sentence)

    async def file(self, request: Request) -> Response:
        """Send a file, which a browser keeps for good."""
        name = request.path_params["name"]
        if name not in self._files:
            return self.nothing(request, "No such file", "There is no file of this name.")
        kind = KINDS[name.rpartition(".")[2]]
        return with_headers(tagged(request, self._files[name], kind, FOR_GOOD))


def with_headers(answer: Response) -> Response:
    """Return an answer with the headers that all have."""
    for name, value in HEADERS.items():
        answer.headers[name] = value
    return answer


def rating_chart(points: Sequence[RatingThen]) -> Markup:
    """Return ratings over games as SVG, within their errors; empty for less than two."""
    if len(points) < 2:
        return Markup()
    width, height, left = 640, 240, 52
    root = ET.Element(
        "svg",
        {"viewBox": f"0 0 {width} {height}", "class": "chart", "role": "img", "font-size": "12"},
    )
    ET.SubElement(
        root, "title"
    ).text = (
        f"Elo from {points[0].hour[:10]} to {points[-1].hour[:10]}: {points[-1].elo:.0f} at the end"
    )
    settled = [each for each in points if each.error <= 400] or points
    low = min(each.elo - min(each.error, 400) for each in settled)
    up = axis(low, max(each.elo + min(each.error, 400) for each in settled), height - 30, 10)
    first, last = points[0].games, max(points[-1].games, points[0].games + 1)

    def place(each: RatingThen, elo: float) -> str:
        x = left + (each.games - first) / (last - first) * (width - left - 8)
        return f"{x:.1f},{up.at(min(up.high, max(up.low, elo))):.1f}"

    for tick in up.ticks:
        y = f"{up.at(tick):.1f}"
        ET.SubElement(
            root, "line", {"class": "grid", "x1": str(left), "x2": str(width - 8), "y1": y, "y2": y}
        )
        ET.SubElement(
            root, "text", {"x": str(left - 6), "y": y, "text-anchor": "end"}
        ).text = f"{tick:g}"
    band = [place(each, each.elo + each.error) for each in points]
    band += [place(each, each.elo - each.error) for each in reversed(points)]
    ET.SubElement(root, "polygon", {"class": "band", "points": " ".join(band)})
    middle = " ".join(place(each, each.elo) for each in points)
    ET.SubElement(root, "polyline", {"class": "middle", "points": middle})
    ends = (("start", left, points[0]), ("end", width - 8, points[-1]))
    for anchor, x, each in ends:
        text = ET.SubElement(
            root, "text", {"x": str(x), "y": str(height - 8), "text-anchor": anchor}
        )
        text.text = f"{each.games} games, {each.hour[:10]}"
    # The library that writes XML escapes every text in it.
    return Markup(ET.tostring(root, "unicode"))  # noqa: S704


def _with_digest(name: str, data: bytes) -> str:
    stem, _, kind = name.rpartition(".")
    return f"{stem}.{hashlib.sha256(data).hexdigest()[:16]}.{kind}"

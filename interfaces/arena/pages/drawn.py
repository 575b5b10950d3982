"""The templates and files of an arena's pages: every text is escaped, and nothing is inline."""

from __future__ import annotations

import hashlib
from importlib.resources import files
from importlib.util import find_spec
from typing import TYPE_CHECKING

from starlette.responses import Response

from oddly.interfaces.serving.answers import FOR_GOOD, tagged
from oddly.interfaces.viewer.templates import templates_of
from oddly.interfaces.viewer.viewer import viewer_files

if TYPE_CHECKING:
    from starlette.requests import Request

KINDS = {"css": "text/css; charset=utf-8", "js": "text/javascript; charset=utf-8",
         "svg": "image/svg+xml"}  # fmt: skip
HTML = "text/html; charset=utf-8"
MAX_DEPTH = 10
PICTURE = "png" if find_spec("resvg_py") else "svg"


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
        """Return the page of a template.

        Besides `values`, a template has `arena`, `url`, `address` (of the arena), `root`, the way
        to the front page, `picture`, the kind of picture that this machine makes of a board, and
        `file`, which names a file that a browser may keep for good.
        """
        path = str(request.scope["path"])
        depth = path.count("/") - 1
        root = "../" * depth or "./"
        if depth > MAX_DEPTH:
            # No page of ours: the way back would be longer than the page.
            root = f"{self._address}/"
        body = self._templates.get_template(template).render(
            arena=self._arena,
            url=self._address + path,
            address=self._address,
            root=root,
            picture=PICTURE,
            file=lambda name: f"{root}static/{self._names[name]}",
            **values,
        )
        return Response(body, status, {"content-type": HTML})

    def nothing(self, request: Request, heading: str, sentence: str, status: int = 404) -> Response:
        """Return a page that says why nothing is at an address."""
        return self.page(request, "nothing.html", status, heading=heading, sentence=sentence)

    def refuse(self, request: Request, sentence: str) -> Response:
        """Return a page that says what is wrong with its address."""
        return self.nothing(request, "This address cannot be read", sentence, 400)

    async def file(self, request: Request) -> Response:
        """Send a file, which a browser may keep for good."""
        name = request.path_params["name"]
        if name not in self._files:
            return self.nothing(request, "No such file", "There is no file of this name.")
        kind = KINDS[name.rpartition(".")[2]]
        return tagged(request, self._files[name], kind, FOR_GOOD)


def _with_digest(name: str, data: bytes) -> str:
    stem, _, kind = name.rpartition(".")
    return f"{stem}.{hashlib.sha256(data).hexdigest()[:16]}.{kind}"

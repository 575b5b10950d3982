"""The files of the page, under names that change with their bytes, and answers with a tag.

A browser keeps a file for good, since another version of it has another name. It asks for the page
itself each time, with the tag of what it has, and learns the names from it. The scripts are sent as
two files (`page_scripts.py`), so that nothing waits for one import after the other.
"""

from __future__ import annotations

import hashlib
import re
from importlib.resources import files
from typing import TYPE_CHECKING

from oddly.interfaces.serving.tagged_answers import FOR_GOOD, IF_UNCHANGED, tagged
from oddly.interfaces.viewer.viewer import one_script, viewer_files
from oddly.interfaces.web.page_scripts import two_scripts

if TYPE_CHECKING:
    from collections.abc import Mapping

    from starlette.requests import Request
    from starlette.responses import Response


INDEX = "index.html"
KINDS = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
}
ENTRY, SCRIPT, LATER = "main.js", "page.js", "later.js"
"""The script with which the page begins, and the files with it and with what is needed later."""
SPECTATORS, WATCHING = "spectators.js", "watching.js"
"""The same of the pages for spectators, which have one file."""
_PLAIN = re.compile(r"<noscript>.*?</noscript>", re.DOTALL)
_LINK = re.compile(r'"static/([^"]+)"')


class PageFiles:
    """The files by name, and by the names under which a browser may keep them for good."""

    def __init__(self, found: Mapping[str, bytes]) -> None:
        texts = {name: each.decode() for name, each in found.items() if name.endswith(".js")}
        scripts = two_scripts(ENTRY, texts, lambda text: _name_with_digest(LATER, text.encode()))
        watching = one_script(texts[SPECTATORS], texts)
        made = {SCRIPT: scripts.first, LATER: scripts.later, WATCHING: watching}
        self._files = {**found, **{name: text.encode() for name, text in made.items()}}
        self._for_good = {_name_with_digest(name, self._files[name]): name for name in self._files}
        self._later = _name_with_digest(LATER, self._files[LATER])
        self.lasting = lasting = {name: each for each, name in self._for_good.items()}
        """The names of the files that a browser may keep for good."""
        page = found[INDEX].decode().replace(f'"static/{ENTRY}"', f'"static/{SCRIPT}"')
        page = _LINK.sub(lambda each: f'"static/{lasting[each[1]]}"', page)
        self._files[INDEX] = page.encode()

    def page(self, request: Request, plain: str = "") -> Response:
        """Return the page. `plain` is what browsers without JavaScript show of a game.

        The page of a game begins to fetch at once what it needs later.
        """
        page = self._files[INDEX]
        if plain:
            head = f'<link rel="modulepreload" href="static/{self._later}">\n</head>'
            text = page.decode().replace("</head>", head, 1)
            page = _PLAIN.sub(lambda _: f"<noscript>{plain}</noscript>", text, count=1).encode()
        return tagged(request, page, KINDS[".html"])

    def file(self, request: Request, name: str) -> Response | None:
        """Return a file, for good if its name has its digest; None if there is no such name."""
        kept = FOR_GOOD if name in self._for_good else IF_UNCHANGED
        body = self._files.get(self._for_good.get(name, name))
        kind = KINDS.get("." + name.rpartition(".")[2], "")
        return None if body is None else tagged(request, body, kind, kept)


def _name_with_digest(name: str, data: bytes) -> str:
    """Return `page.0123456789abcdef.js` for `page.js`."""
    stem, _, kind = name.rpartition(".")
    return f"{stem}.{hashlib.sha256(data).hexdigest()[:16]}.{kind}"


def load_static() -> dict[str, bytes]:
    """Return the files of the page by name. Requests for other names fail."""
    folder = files("oddly.interfaces.web") / "static"
    found = {
        file.name: file.read_bytes()
        for file in folder.iterdir()
        if "." + file.name.rpartition(".")[2] in KINDS
    }
    return {name: text.encode() for name, text in viewer_files().items()} | found

"""The files of the page, under names that change with their bytes, and the pages that need them.

A browser keeps a file for good, since a new version has a new name. It asks for the page itself
each time, with the tag of its copy, and learns the names from the page.

The scripts are sent as two files, so that nothing waits for one import after another. A module that
is imported by `import("./NAME.js")` is in the second file, with everything that only it needs. A
visit to the start page fetches only the first. No module is sent twice: the second file gets from
the first what they share. Style sheets are sent without comments, as the scripts are.

Pages drawn on the server share one skeleton, and are readable without JavaScript.
"""

from __future__ import annotations

import re
from importlib.resources import files
from typing import TYPE_CHECKING, NamedTuple

from oddly.interfaces.serving.applications import FOR_GOOD, IF_UNCHANGED, name_with_digest, tagged
from oddly.interfaces.viewer.viewer import (
    add_module,
    brief,
    one_script,
    templates_of,
    variable_of,
    viewer_files,
)
from oddly.interfaces.web.access_policy import is_guest

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from starlette.requests import Request
    from starlette.responses import Response


_LATER = re.compile(r'\bimport\("\./([\w-]+\.js)"\)')


class Scripts(NamedTuple):
    """Both files as text."""

    first: str
    later: str


def two_scripts(entry: str, modules: Mapping[str, str], named: Callable[[str], str]) -> Scripts:
    """Return the script that begins with the module `entry`, and the one that is loaded later.

    `modules` has the texts by name. `named` makes the name of the second file, which is beside the
    first, from its text. Raises ValueError as `one_script` does.
    """
    first: dict[str, str] = {}
    add_module(entry, modules[entry], modules, first)
    wanted = sorted({name for body in first.values() for name in _LATER.findall(body)})
    order = dict(first)
    for name in wanted:
        if name not in order:
            add_module(name, modules[name], modules, order)
    shared = ", ".join(variable_of(name) for name in first if name != entry)
    rest = [
        f"const {variable_of(name)} = {body}" for name, body in order.items() if name not in first
    ]
    given = ", ".join(map(variable_of, wanted))
    later = "\n".join(
        [f"export default ({{ {shared} }}) => {{", *rest, f"return {{ {given} }};", "};", ""]
    )
    begin = first.pop(entry)
    parts = [f"const {variable_of(name)} = {_asking(body)}" for name, body in first.items()]
    ask = (
        "let asked = null;\n"
        f'const later = () => asked ??= import("./{named(later)}")'
        f".then(({{ default: make }}) => make({{ {shared} }}))"
        ".catch((error) => { asked = null; throw error; });"
    )
    return Scripts(
        "\n".join(['"use strict";', "(() => {", *parts, ask, _asking(begin), "})();", ""]), later
    )


def _asking(body: str) -> str:
    """Return a module with its imports of later modules changed to use the second file."""
    return _LATER.sub(lambda each: f"later().then((found) => found.{variable_of(each[1])})", body)


INDEX = "index.html"
KINDS = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
}
ENTRY, SCRIPT, LATER = "main.js", "page.js", "later.js"
"""The page's first module, the file that begins with it, and the file of what is needed later."""
SPECTATORS, WATCHING = "spectators.js", "watching.js"
"""The same for the spectators' pages, which have one file."""
_PLAIN = re.compile(r"<noscript>.*?</noscript>", re.DOTALL)
_LINK = re.compile(r'"static/([^"]+)"')


class PageFiles:
    """The files by name, and by the names under which a browser may keep them for good."""

    def __init__(self, found: Mapping[str, bytes]) -> None:
        texts = {name: each.decode() for name, each in found.items() if name.endswith(".js")}
        scripts = two_scripts(ENTRY, texts, lambda text: name_with_digest(LATER, text.encode()))
        watching = one_script(texts[SPECTATORS], texts)
        made = {SCRIPT: scripts.first, LATER: scripts.later, WATCHING: watching}
        made |= {
            name: brief(each.decode()) for name, each in found.items() if name.endswith(".css")
        }
        self._files = {**found, **{name: text.encode() for name, text in made.items()}}
        self._for_good = {name_with_digest(name, self._files[name]): name for name in self._files}
        self._later = name_with_digest(LATER, self._files[LATER])
        self.lasting = lasting = {name: each for each, name in self._for_good.items()}
        """The names of the files that a browser may keep for good."""
        page = found[INDEX].decode().replace(f'"static/{ENTRY}"', f'"static/{SCRIPT}"')
        page = _LINK.sub(lambda each: f'"static/{lasting[each[1]]}"', page)
        self._files[INDEX] = page.encode()

    def page(self, request: Request, plain: str = "") -> Response:
        """Return the page. `plain` is what browsers without JavaScript show of a game.

        The page of a game fetches at once what it needs later.
        """
        page = self._files[INDEX]
        if plain:
            head = f'<link rel="modulepreload" href="static/{self._later}">\n</head>'
            text = page.decode().replace("</head>", head, 1)
            page = _PLAIN.sub(lambda _: f"<noscript>{plain}</noscript>", text, count=1).encode()
        return tagged(request, page, KINDS[".html"])

    def file(self, request: Request, name: str) -> Response | None:
        """Return a file, to keep for good if its name has its digest; None if there is none."""
        kept = FOR_GOOD if name in self._for_good else IF_UNCHANGED
        body = self._files.get(self._for_good.get(name, name))
        kind = KINDS.get("." + name.rpartition(".")[2], "")
        return None if body is None else tagged(request, body, kind, kept)


def load_static() -> dict[str, bytes]:
    """Return the files of the page by name. Requests for other names fail."""
    folder = files("oddly.interfaces.web") / "static"
    found = {
        file.name: file.read_bytes()
        for file in folder.iterdir()
        if "." + file.name.rpartition(".")[2] in KINDS
    }
    return {name: text.encode() for name, text in viewer_files().items()} | found


class DrawnPages:
    """The templates of pages drawn on the server. Every text is escaped, and nothing is inline."""

    def __init__(self, files: PageFiles) -> None:
        self._files = files
        self._templates = templates_of("oddly.interfaces.web")

    def page(
        self, request: Request, template: str, status: int = 200, **values: object
    ) -> Response:
        """Return the page of a template; a browser that has it already gets no body.

        Besides `values`, a template has `root`, the way to the start page, `file`, which names a
        file that a browser may keep for good, and `is_guest`.
        """
        root = root_of(request)
        body = self._templates.get_template(template).render(
            root=root,
            file=lambda name: f"{root}static/{self._files.lasting[name]}",
            is_guest=is_guest(request),
            **values,
        )
        answer = tagged(request, body.encode(), KINDS[".html"])
        if answer.status_code == 200:
            answer.status_code = status
        return answer


def root_of(request: Request) -> str:
    """Return the relative path from the requested page to the start page, for the browser."""
    path, root = str(request.scope["path"]), str(request.scope.get("root_path", ""))
    below = path[len(root) :] if root and path.startswith(root) else path
    return "../" * (below.count("/") - 1) or "./"

"""The viewer's files, as modules for a server and as one script for a page without a server."""

from __future__ import annotations

import re
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

_IMPORT = re.compile(r'^import \{([^}]*)\} from "\./([\w-]+\.js)";\n', re.MULTILINE)
_EXPORT = re.compile(r"^export (?=(?:async )?(?:function|class|const) (\w+))", re.MULTILINE)


@cache
def viewer_files() -> Mapping[str, str]:
    """Return the text of each file by its name."""
    folder = files("oddly.interfaces.viewer") / "static"
    return {file.name: file.read_text(encoding="utf-8") for file in folder.iterdir()}


def one_script(entry: str, modules: Mapping[str, str]) -> str:
    """Return a module and all that it imports as one script, which needs no server.

    Each module becomes a function that returns what it exports. `modules` have the texts of what
    may be imported, by name. Raises ValueError if modules import each other, or for an import or
    an export that is written in another way.
    """
    order: dict[str, str] = {}
    _add("", entry, modules, order, [])
    parts = [f"const {_variable(name)} = {body}" for name, body in order.items() if name]
    return "\n".join(['"use strict";', "(() => {", *parts, order[""][:-1] + ";", "})();", ""])


def _add(
    name: str, text: str, modules: Mapping[str, str], order: dict[str, str], above: list[str]
) -> None:
    """Put a module behind all that it imports."""
    if name in above:
        raise ValueError(f"{name} imports itself: {' <- '.join(above)}")
    for found in _IMPORT.finditer(text):
        if found[2] not in modules:
            raise ValueError(f"{name or 'the entry'} imports {found[2]}, which is not there")
        if found[2] not in order:
            _add(found[2], modules[found[2]], modules, order, [*above, name])
    names = ", ".join(found[1] for found in _EXPORT.finditer(text))
    body = _EXPORT.sub("", _IMPORT.sub(_taken, text))
    if re.search(r"^\s*(?:import|export)\b", body, re.MULTILINE):
        raise ValueError(f"{name or 'the entry'} imports or exports in an unknown way")
    order[name] = f"(() => {{\n{body}return {{ {names} }};\n}})();"


def _taken(found: re.Match[str]) -> str:
    names = found[1].replace(" as ", ": ")
    return f"const {{{names}}} = {_variable(found[2])};\n"


def _variable(name: str) -> str:
    return "module_" + re.sub(r"\W", "_", name.removesuffix(".js"))

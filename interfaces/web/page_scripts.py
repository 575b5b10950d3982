"""The scripts of the page as two files: one with which it begins, one with what is needed later.

What a module asks for by `import("./NAME.js")` is in the second file, with all that only it needs.
A visit of the start page fetches the first alone. Both have every module once: the second gets from
the first what they share.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from oddly.interfaces.viewer.viewer import add_module, variable_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

_LATER = re.compile(r'\bimport\("\./([\w-]+\.js)"\)')


class Scripts(NamedTuple):
    """Both files as text."""

    first: str
    later: str


def two_scripts(entry: str, modules: Mapping[str, str], named: Callable[[str], str]) -> Scripts:
    """Return the script that begins with the module `entry`, and the one with what comes later.

    `modules` have the texts by name. `named` returns the name under which a browser gets the second
    from its text, beside the first. Raises ValueError as `one_script` does.
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
    """Return a module that asks for what comes later by the second file."""
    return _LATER.sub(lambda each: f"later().then((found) => found.{variable_of(each[1])})", body)

"""Writes the page of all public names: `python tools/write_names.py`.

The names are those of each room's `__init__.pyi`, and what is said of each is the first sentence of
its docstring. Sources are read and never imported.
"""

from __future__ import annotations

import argparse
import ast
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "python" / "names.md"
HEAD = """# Public names

Every name that a package of oddly promises to keep, with the first sentence of its documentation.
In Python, `help(oddly.NAME)` shows the rest. `python tools/write_names.py` writes this page.
"""


def generated() -> str:
    """Return the text of the page."""
    parts = [HEAD, *_section("oddly", ROOT / "oddly" / "__init__.pyi")]
    for door in sorted(ROOT.glob("*/__init__.pyi")):
        if door.parent.name != "oddly":
            parts += _section(f"oddly.{door.parent.name}", door)
    return "\n".join(parts)


def _section(package: str, door: Path) -> Iterator[str]:
    yield f"## {package}\n"
    yield "| name | |\n| --- | --- |"
    for name, source, original in sorted(_names(door)):
        said = _sentence(_said_of(original, source)).replace("|", "\\|")
        yield f"| `{name}` | {said} |"
    yield ""


def _names(door: Path) -> Iterator[tuple[str, Path, str]]:
    """Yield each public name of a room, the file that defines it, and its name there."""
    for statement in ast.parse(door.read_text(encoding="utf-8")).body:
        if not isinstance(statement, ast.ImportFrom) or statement.module is None:
            continue
        module = statement.module.replace(".", "/")
        path = (door.parent if statement.level else ROOT) / module.removeprefix("oddly/")
        source = path.with_suffix(".py") if path.with_suffix(".py").exists() else path
        for alias in statement.names:
            yield alias.asname or alias.name, source, alias.name


def _said_of(name: str, source: Path) -> str:
    """Return the docstring of a name, wherever its package has it from."""
    if source.is_dir():
        for found, below, original in _names(source / "__init__.pyi"):
            if found == name:
                return _said_of(original, below)
        source /= "__init__.py"
    for statement, after in _statements(source):
        if isinstance(statement, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            if statement.name == name:
                return ast.get_docstring(statement) or ""
        elif name in _targets(statement) and isinstance(after, ast.Expr):
            return str(ast.literal_eval(after.value))
    raise ValueError(f"{source} does not define {name} with a docstring")


def _statements(source: Path) -> Iterator[tuple[ast.stmt, ast.stmt | None]]:
    """Yield each statement of a module that is in no function, with the next one."""
    blocks = [ast.parse(source.read_text(encoding="utf-8")).body]
    for block in blocks:
        yield from pairwise([*block, None])
        branches = [inner for inner in block if isinstance(inner, ast.If | ast.Try)]
        blocks += [part for inner in branches for part in (inner.body, inner.orelse)]


def _targets(statement: ast.stmt) -> set[str]:
    """Return the names to which a statement assigns, if it does nothing else."""
    match statement:
        case ast.Assign(targets=targets):
            return {target.id for target in targets if isinstance(target, ast.Name)}
        case ast.AnnAssign(target=ast.Name(id=name)):
            return {name}
    return set()


def _sentence(text: str) -> str:
    """Return the first sentence in one line."""
    words = " ".join(text.partition("\n\n")[0].split())
    return words.partition(". ")[0].rstrip(".")


if __name__ == "__main__":
    argparse.ArgumentParser(description=__doc__).parse_args()
    PAGE.write_text(generated(), encoding="utf-8")

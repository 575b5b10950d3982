"""The source of the packages as the house's own tests read it."""

import ast
import gc
import io
import tokenize
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path

ROOT = Path(__file__).parents[1]
PACKAGES = ("games", "protocol", "safe_files", "engines", "referee", "game_records", "tournaments",
            "learning", "study", "arena", "interfaces")  # fmt: skip

Function = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True)
class Module:
    """One file of the packages: its path from the root, its text and its tree."""

    path: str
    text: str
    tree: ast.Module

    @property
    def room(self) -> str:
        """The top-level package."""
        return self.path.partition("/")[0]

    @cached_property
    def nodes(self) -> tuple[ast.AST, ...]:
        """All nodes of the tree: many tests walk through it."""
        return tuple(ast.walk(self.tree))

    def classes(self) -> Iterator[ast.ClassDef]:
        """All classes, private and nested ones included."""
        return (node for node in self.nodes if isinstance(node, ast.ClassDef))

    def comments(self) -> Iterator[tuple[int, str]]:
        """The line and the text of each comment."""
        for token in tokenize.generate_tokens(io.StringIO(self.text).readline):
            if token.type == tokenize.COMMENT:
                yield token.start[0], token.string

    def docstrings(self) -> Iterator[tuple[int, str]]:
        """The line and the text of each docstring, those below attributes included."""
        for node in self.nodes:
            match node:
                case ast.Expr(value=ast.Constant(value=str(text))):
                    yield node.lineno, text

    @cached_property
    def identifiers(self) -> tuple[tuple[int, str], ...]:
        """The line and the text of each name that the file defines or uses."""
        return tuple(self._identifiers())

    def _identifiers(self) -> Iterator[tuple[int, str]]:
        for node in self.nodes:
            match node:
                case ast.Name(id=name) | ast.Attribute(attr=name) | ast.ClassDef(name=name):
                    yield node.lineno, name
                case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
                    yield node.lineno, name
                case ast.arg(arg=name):
                    yield node.lineno, name
                case ast.keyword(arg=str(name)):
                    yield node.value.lineno, name


@cache
def modules() -> tuple[Module, ...]:
    """Every Python file of the packages."""
    # The trees have most of a million nodes, none of them garbage: looking for some takes longer
    # than reading the files.
    gc.collect()
    gc.disable()
    try:
        return tuple(_read_modules())
    finally:
        gc.freeze()
        gc.enable()


def _read_modules() -> Iterator[Module]:
    for package in PACKAGES:
        for path in sorted((ROOT / package).rglob("*.py")):
            text = path.read_text(encoding="utf-8")
            yield Module(path.relative_to(ROOT).as_posix(), text, ast.parse(text))


def public_functions(module: Module) -> Iterator[tuple[str, Function, str]]:
    """Each public function and method with its dotted name and docstring.

    What a class raises when it is made stands in the docstring of the class.
    """
    yield from _public_in(module.tree.body, "", "")


def _public_in(
    body: list[ast.stmt], prefix: str, of_class: str
) -> Iterator[tuple[str, Function, str]]:
    for node in body:
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
            text = ast.get_docstring(node) or ""
            yield from _public_in(node.body, f"{prefix}{node.name}.", text)
        elif isinstance(node, Function):
            text = ast.get_docstring(node) or ""
            if node.name in ("__init__", "__post_init__", "__new__"):
                yield prefix + node.name, node, f"{of_class} {text}"
            elif not node.name.startswith("_"):
                yield prefix + node.name, node, text


def raised_by(function: Function) -> set[str]:
    """The exceptions that a function raises by name in its own body."""
    return {
        name
        for node in _own_nodes(function)
        if isinstance(node, ast.Raise) and (name := _exception(node.exc))
    }


def _own_nodes(node: ast.AST) -> Iterator[ast.AST]:
    for child in ast.iter_child_nodes(node):
        if not isinstance(child, Function | ast.Lambda | ast.ClassDef):
            yield child
            yield from _own_nodes(child)


def _exception(raised: ast.expr | None) -> str | None:
    if isinstance(raised, ast.Call):
        raised = raised.func
    if isinstance(raised, ast.Attribute):
        name = raised.attr
    elif isinstance(raised, ast.Name):
        name = raised.id
    else:
        return None
    return name if name[:1].isupper() else None

"""`python -m protocol.railroad` draws the grammar's clauses into `docs/grammar/`.

A clause that a drawing would hold more than once is a box with its name; all else is drawn out.
A frame names what is in it. In a pattern `␣` is a space. Needs the package railroad-diagrams.
"""

from __future__ import annotations

from collections import Counter
from importlib.metadata import version
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING

import pyparsing as pp
import railroad  # type: ignore[import-untyped]

from protocol.grammar import CLAUSES

if TYPE_CHECKING:
    from collections.abc import Iterator

FOLDER = Path(__file__).parents[1] / "docs" / "grammar"

STYLE = """
svg.railroad-diagram rect.background { fill: white; stroke: none; }
svg.railroad-diagram path { stroke: #333; stroke-width: 2; fill: none; }
svg.railroad-diagram text { font: 14px monospace; text-anchor: middle; fill: black; }
svg.railroad-diagram text.comment { font: italic 12px monospace; fill: #555; }
svg.railroad-diagram rect { stroke: #333; stroke-width: 2; fill: #e8f0fe; }
svg.railroad-diagram g.non-terminal rect { fill: #fff4d6; }
svg.railroad-diagram rect.group-box { stroke: #999; stroke-dasharray: 6 4; fill: none; }
"""

# Clauses are known by name: white space left as it is, pyparsing copies the elements inside.
_CLAUSE_NAMES = {clause.name: name for name, clause in CLAUSES.items()}


def draw(name: str) -> str:
    """Return the clause of that name in CLAUSES as a standalone SVG; the same text every time."""
    clause = CLAUSES[name]
    occurrences = Counter(element.name for element in _elements(clause))
    boxed = {n for n in _CLAUSE_NAMES if n != clause.name and occurrences[n] > 1}
    diagram = railroad.Diagram(_track(clause, boxed, is_root=True)).format()
    background = {"class": "background", "width": "100%", "height": "100%"}
    diagram.children.insert(0, railroad.DiagramItem("rect", background))
    written = StringIO()
    diagram.writeStandalone(written.write, STYLE)
    tool = f"railroad-diagrams {version('railroad-diagrams')}"
    return f"<!-- {name}: drawn by protocol/railroad.py with {tool} -->\n{written.getvalue()}\n"


def main() -> None:
    """Write one SVG per clause."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    for name in CLAUSES:
        (FOLDER / f"{name}.svg").write_text(draw(name), encoding="utf-8")


def _elements(element: pp.ParserElement) -> Iterator[pp.ParserElement]:
    """The element and all within it, as often as they occur."""
    yield element
    for inner in element.recurse():
        yield from _elements(inner)


def _parts(element: pp.ParserElement) -> Iterator[pp.ParserElement]:
    """What an element is directly made of; choices within a choice count as choices of its own."""
    for part in element.recurse():
        nested = isinstance(part, pp.MatchFirst) and part.customName is None
        if nested and isinstance(element, pp.MatchFirst):
            yield from _parts(part)
        elif not isinstance(part, pp.Empty):
            yield part


def _track(
    element: pp.ParserElement, boxed: set[str], *, is_root: bool = False
) -> railroad.DiagramItem:
    """The piece of track for one element of the grammar."""
    if element.name in boxed:
        return railroad.NonTerminal(_CLAUSE_NAMES[element.name])
    inner = [_track(part, boxed) for part in _parts(element)]
    match element:
        case pp.Regex():
            pattern = railroad.Terminal(str(element.pattern).replace(" ", "␣"))
            if element.name == element.pattern:
                return pattern
            return railroad.Group(pattern, railroad.Comment(element.name))
        case pp.Literal():
            return railroad.Terminal(element.match)
        case pp.ZeroOrMore():
            return railroad.ZeroOrMore(*inner)
        case pp.Opt():
            return railroad.Optional(*inner)
        case pp.MatchFirst():
            drawn: railroad.DiagramItem = railroad.Choice(0, *inner)
        case _:
            drawn = inner[0] if len(inner) == 1 else railroad.Sequence(*inner)
    if element.name in _CLAUSE_NAMES and not is_root:
        return railroad.Group(drawn, railroad.Comment(_CLAUSE_NAMES[element.name]))
    return drawn


if __name__ == "__main__":
    main()

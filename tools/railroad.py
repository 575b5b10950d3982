"""`python -m tools.railroad` draws the grammar's rules into `docs/grammar/`.

They come from `docs/grammar/protocol.abnf`. A rule that a drawing would contain more than once is a
box with its name; everything else is drawn in full, in a frame that names it. `␣` is a space. Needs
the package railroad-diagrams.
"""

from __future__ import annotations

from collections import Counter
from importlib.metadata import version
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING

import railroad  # type: ignore[import-untyped]

from tools.abnf import RULES, Alternatives, Chain, CodeRange, Reference, Repetition, Text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tools.abnf import Clause

FOLDER = Path(__file__).parents[1] / "docs" / "grammar"
DRAWN = ("vertex", "drop", "drops", "move", "turn", "answer", "command", "time-control")
"""The rules that the spec shows as diagrams."""
FRAMED = (*DRAWN, "id", "seconds", "block", "periods")
"""The rules that keep their names in the drawings of others."""

STYLE = """
svg.railroad-diagram rect.background { fill: white; stroke: none; }
svg.railroad-diagram path { stroke: #333; stroke-width: 2; fill: none; }
svg.railroad-diagram text { font: 14px monospace; text-anchor: middle; fill: black; }
svg.railroad-diagram text.comment { font: italic 12px monospace; fill: #555; }
svg.railroad-diagram rect { stroke: #333; stroke-width: 2; fill: #e8f0fe; }
svg.railroad-diagram g.non-terminal rect { fill: #fff4d6; }
svg.railroad-diagram rect.group-box { stroke: #999; stroke-dasharray: 6 4; fill: none; }
"""


def draw(name: str) -> str:
    """Return the rule of that name as a standalone SVG; the same text every time."""
    occurrences = Counter(_references(RULES[name]))
    boxed = {each for each in FRAMED if occurrences[each] > 1}
    diagram = railroad.Diagram(_track(RULES[name], boxed)).format()
    background = {"class": "background", "width": "100%", "height": "100%"}
    diagram.children.insert(0, railroad.DiagramItem("rect", background))
    written = StringIO()
    diagram.writeStandalone(written.write, STYLE)
    tool = f"railroad-diagrams {version('railroad-diagrams')}"
    return f"<!-- {name}: drawn by tools/railroad.py with {tool} -->\n{written.getvalue()}\n"


def file_name(name: str) -> str:
    """Return the name of the file with the drawing of a rule."""
    return f"{name.replace('-', '_')}.svg"


def main() -> None:
    """Write one SVG per rule."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    for name in DRAWN:
        (FOLDER / file_name(name)).write_text(draw(name), encoding="utf-8")


def _references(clause: Clause) -> Iterator[str]:
    """Yield the rules within a rule, as often as they occur."""
    match clause:
        case Reference(name):
            yield name
            yield from _references(RULES[name])
        case Alternatives(parts) | Chain(parts):
            for part in parts:
                yield from _references(part)
        case Repetition(part):
            yield from _references(part)


def _track(clause: Clause, boxed: set[str]) -> railroad.DiagramItem:
    """Return the piece of track for one clause."""
    match clause:
        case Text(text):
            return railroad.Terminal(text)
        case CodeRange(first, last):
            names = [chr(code).replace(" ", "␣") for code in (first, last)]
            return railroad.Terminal(names[0] if first == last else "-".join(names))
        case Reference(name) if name in boxed:
            return railroad.NonTerminal(name)
        case Reference(name):
            inner = _track(RULES[name], boxed)
            return railroad.Group(inner, railroad.Comment(name)) if name in FRAMED else inner
        case Alternatives(parts):
            return railroad.Choice(0, *(_track(part, boxed) for part in parts))
        case Chain(parts):
            return railroad.Sequence(*(_track(part, boxed) for part in parts))
        case Repetition(part, least, most):
            inner = _track(part, boxed)
            if (least, most) == (0, 1):
                return railroad.Optional(inner)
            often = railroad.Comment(f"{most} at most") if most else None
            return railroad.OneOrMore(inner, often) if least else railroad.ZeroOrMore(inner, often)


if __name__ == "__main__":
    main()

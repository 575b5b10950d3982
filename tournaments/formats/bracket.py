"""The bracket of a knockout: who is seeded where, who met whom, and how that looks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tabulate import tabulate

from interfaces.text.tables import DEFAULT_FORMAT, points_text, shown
from tournaments.formats.encounter import Encounter

if TYPE_CHECKING:
    from collections.abc import Sequence

HEADERS = ("round", "engine", "score", "engine", "winner")

TITLES = {1: "final", 2: "semi-final", 4: "quarter-final"}


class Fixture(Encounter):
    """An encounter of a knockout, which has a winner at last, by points or by lot."""

    winner: str | None = None
    by_lot: bool = False


class Node:
    """A place in the bracket: an entrant, nobody (a bye), or whoever wins between two others."""

    def __init__(self, entrant: str | None, feeders: tuple[Node, ...] = ()) -> None:
        self.entrant = entrant
        self.feeders = feeders
        self.fixture: Fixture | None = None

    @property
    def is_empty(self) -> bool:
        """Whether nobody will ever come out of here."""
        return self.entrant is None and all(feeder.is_empty for feeder in self.feeders)

    @property
    def winner(self) -> str | None:
        """Who comes out of here, if that is known."""
        if not self.feeders:
            return self.entrant
        if any(feeder.is_empty for feeder in self.feeders):
            return next((f.winner for f in self.feeders if not f.is_empty), None)
        return None if self.fixture is None else self.fixture.winner

    def begin(self) -> Fixture | None:
        """The encounter here, if it can begin now and has not before."""
        sides = [feeder.winner for feeder in self.feeders if not feeder.is_empty]
        if self.fixture is not None or len(sides) < 2 or sides[0] is None or sides[1] is None:
            return None
        self.fixture = Fixture(sides[0], sides[1], [])
        return self.fixture


Bracket = list[list[Node]]
"""Rounds from the entrants to the final, each from top to bottom."""


def bracket_of(engines: Sequence[str]) -> Bracket:
    """The bracket of so many engines, the first seeded highest."""
    order = [0]
    while len(order) < len(engines):
        order = [seed for high in order for seed in (high, 2 * len(order) - 1 - high)]
    bracket = [[Node(engines[seed] if seed < len(engines) else None) for seed in order]]
    while len(bracket[-1]) > 1:
        pairs = zip(bracket[-1][::2], bracket[-1][1::2], strict=True)
        bracket.append([Node(None, pair) for pair in pairs])
    return bracket


def fixtures_of(bracket: Bracket) -> list[tuple[str, Fixture]]:
    """The encounters that have begun, each with the title of its round, in their order."""
    return [
        (TITLES.get(len(nodes), f"round of {2 * len(nodes)}"), node.fixture)
        for nodes in bracket[1:]
        for node in nodes
        if node.fixture is not None
    ]


def bracket_report(bracket: Bracket, format_: str = DEFAULT_FORMAT) -> str:
    """A drawing in the default format, and a table in all others."""
    if format_ == DEFAULT_FORMAT:
        return f"bracket, with the points of who won\n\n{drawing(bracket)}"
    rows = [
        (
            round_,
            shown(fixture.one, format_),
            score(fixture),
            shown(fixture.other, format_),
            shown(fixture.winner or "", format_) + (" (by lot)" if fixture.by_lot else ""),
        )
        for round_, fixture in fixtures_of(bracket)
    ]
    align = ("left", "left", "center", "left", "left")
    return tabulate(rows, HEADERS, tablefmt=format_, colalign=align, disable_numparse=True)


def score(fixture: Fixture) -> str:
    """The points of the first and of the other: 2.5-1.5."""
    return "-".join(points_text(fixture.points_of(name)) for name in (fixture.one, fixture.other))


def drawing(bracket: Bracket) -> str:
    """The bracket as lines of text, entrants on the left, the winner on the right."""
    lines = [""] * (2 * len(bracket[0]) - 1)
    rows = list(range(0, len(lines), 2))
    for nodes in bracket:
        labels = [f" {_label(node)} " for node in nodes]
        width = max(map(len, labels))
        for row, label in zip(rows, labels, strict=True):
            lines[row] += label.ljust(width, "─" if len(nodes) > 1 else " ")
        edge = max(map(len, lines))
        lines = [line.ljust(edge) for line in lines]
        if len(nodes) > 1:
            _join(lines, rows)
            rows = [(high + low) // 2 for high, low in zip(rows[::2], rows[1::2], strict=True)]
    return "\n".join(line[1:].rstrip() for line in lines)


def _join(lines: list[str], rows: list[int]) -> None:
    """Draw the lines from each two places to the one between them."""
    for high, low in zip(rows[::2], rows[1::2], strict=True):
        for row in range(high + 1, low):
            lines[row] += " │"
        lines[high] += "─┐"
        lines[low] += "─┘"
        middle = (high + low) // 2
        lines[middle] = f"{lines[middle][:-1]}├─"


def _label(node: Node) -> str:
    """Who is here, and by what score."""
    if node.is_empty:
        return "(bye)"
    name = "?" if node.winner is None else shown(node.winner)
    if node.fixture is None:
        return name
    one, other = (node.fixture.points_of(side) for side in (node.fixture.one, node.fixture.other))
    result = f"{points_text(max(one, other))}-{points_text(min(one, other))}"
    return f"{name} {result}" + (" by lot" if node.fixture.by_lot else "")


def bracket_facts(bracket: Bracket) -> dict[str, Any]:
    """The encounters for JSON, and who won."""
    return {
        "winner": bracket[-1][0].winner,
        "encounters": [
            {"round": round_, **fixture.facts(), "winner": fixture.winner, "by_lot": fixture.by_lot}
            for round_, fixture in fixtures_of(bracket)
        ],
    }

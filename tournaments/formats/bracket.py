"""The bracket of a knockout: who is seeded where, and who met whom."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tournaments.formats.encounter import Encounter

if TYPE_CHECKING:
    from collections.abc import Sequence

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


def bracket_facts(bracket: Bracket) -> dict[str, Any]:
    """The encounters for JSON, and who won."""
    return {
        "winner": bracket[-1][0].winner,
        "encounters": [
            {"round": round_, **fixture.facts(), "winner": fixture.winner, "by_lot": fixture.by_lot}
            for round_, fixture in fixtures_of(bracket)
        ],
    }

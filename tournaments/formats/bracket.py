"""The bracket of a knockout: the seeding, and who met whom."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from oddly.tournaments.formats.encounter import Encounter

if TYPE_CHECKING:
    from collections.abc import Sequence

TITLES = {1: "final", 2: "semi-final", 4: "quarter-final"}


class Fixture(Encounter):
    """An encounter of a knockout, with its winner by points or by lot once it is decided."""

    winner: str | None = None
    by_lot: bool = False


class Node:
    """A place in the bracket: an entrant, nobody (a bye), or the winner of two other places."""

    def __init__(self, entrant: str | None, feeders: tuple[Node, ...] = ()) -> None:
        self.entrant = entrant
        self.feeders = feeders
        self.fixture: Fixture | None = None

    @property
    def is_empty(self) -> bool:
        """Whether no engine can come from this place."""
        return self.entrant is None and all(feeder.is_empty for feeder in self.feeders)

    @property
    def winner(self) -> str | None:
        """The engine that comes from this place; None if it is not known yet."""
        if not self.feeders:
            return self.entrant
        if any(feeder.is_empty for feeder in self.feeders):
            return next((f.winner for f in self.feeders if not f.is_empty), None)
        return None if self.fixture is None else self.fixture.winner

    def begin(self) -> Fixture | None:
        """Begin and return the encounter of this place; None if it cannot begin, or has begun."""
        sides = [feeder.winner for feeder in self.feeders if not feeder.is_empty]
        if self.fixture is not None or len(sides) < 2 or sides[0] is None or sides[1] is None:
            return None
        self.fixture = Fixture(sides[0], sides[1], [])
        return self.fixture


Bracket = list[list[Node]]
"""Rounds from the entrants to the final, each from top to bottom."""


def bracket_of(engines: Sequence[str]) -> Bracket:
    """Return the bracket of these engines, the first one seeded highest."""
    order = [0]
    while len(order) < len(engines):
        order = [seed for high in order for seed in (high, 2 * len(order) - 1 - high)]
    bracket = [[Node(engines[seed] if seed < len(engines) else None) for seed in order]]
    while len(bracket[-1]) > 1:
        pairs = zip(bracket[-1][::2], bracket[-1][1::2], strict=True)
        bracket.append([Node(None, pair) for pair in pairs])
    return bracket


def fixtures_of(bracket: Bracket) -> list[tuple[str, Fixture]]:
    """Return the encounters that have begun, in their order, each with the title of its round."""
    return [
        (TITLES.get(len(nodes), f"round of {2 * len(nodes)}"), node.fixture)
        for nodes in bracket[1:]
        for node in nodes
        if node.fixture is not None
    ]


def bracket_facts(bracket: Bracket) -> dict[str, Any]:
    """Return the encounters and the winner as plain values for JSON."""
    return {
        "winner": bracket[-1][0].winner,
        "encounters": [
            {"round": round_, **fixture.facts(), "winner": fixture.winner, "by_lot": fixture.by_lot}
            for round_, fixture in fixtures_of(bracket)
        ],
    }

"""The pairing of a Swiss round: equals meet, and nobody meets again or sits out twice.

A round is a matching of greatest weight in the graph of all engines (Edmonds, "Paths, trees, and
flowers", Canadian Journal of Mathematics 17, 1965). The aims, each one before all that follow, are:
as few repeated meetings and second byes as possible; a bye for the lowest engine; small gaps
between the points of opponents, where one large gap is worse than several small ones; and among
equals the upper half against the lower in order, the first against the first, as in FIDE's Dutch
system. FIDE's rules on colours do not apply, since both seats are played.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib.util import find_spec
from random import Random
from typing import TYPE_CHECKING

from tournaments.missing_extra import MissingExtraError

if TYPE_CHECKING:
    from collections.abc import Sequence

LOT = 1 << 64
"""Each edge has a random part below this, so that every algorithm finds the same best matching."""


@dataclass(frozen=True, slots=True)
class PairedPlayer:
    """An engine before a round: points in halves, engines that it met (with repeats), and byes."""

    name: str
    half_points: int
    met: tuple[str, ...] = ()
    byes: int = 0


@dataclass(frozen=True, slots=True)
class RoundPairing:
    """Who meets whom, the higher of two first and the highest pair first, and who sits out."""

    pairs: tuple[tuple[str, str], ...]
    bye: str | None = None


def check_installed() -> None:
    """Raise MissingExtraError unless the package that matches engines is installed."""
    if find_spec("networkx") is None:
        raise MissingExtraError("the format 'swiss'", "networkx", "swiss")


def pair_round(players: Sequence[PairedPlayer], seed: str) -> RoundPairing:
    """Return the pairing of a round, of players in the order of their ranking, highest first.

    Raises MissingExtraError without networkx.
    """
    check_installed()
    import networkx as nx

    costs = _Costs(players, Random(seed))
    graph: nx.Graph[int] = nx.Graph()
    last = len(players) - 1 + len(players) % 2
    graph.add_nodes_from(range(last + 1))
    edges = {
        (one, other): costs.of(one, other)
        for one in range(last)
        for other in range(one + 1, last + 1)
    }
    dearest = max(edges.values(), default=0)
    for (one, other), cost in edges.items():
        graph.add_edge(one, other, weight=dearest - cost)
    matching = sorted(
        (min(edge), max(edge)) for edge in nx.max_weight_matching(graph, maxcardinality=True)
    )
    names = [player.name for player in players]
    return RoundPairing(
        tuple((names[one], names[other]) for one, other in matching if other < len(names)),
        next((names[one] for one, other in matching if other == len(names)), None),
    )


class _Costs:
    """The cost of an edge as one whole number, in which the first aim has the highest digits.

    The node after the last player, if their number is odd, stands for sitting out.
    """

    def __init__(self, players: Sequence[PairedPlayer], random: Random) -> None:
        self.players = players
        self.random = random
        self.group: dict[int, list[int]] = {}
        for place, player in enumerate(players):
            self.group.setdefault(player.half_points, []).append(place)
        number = len(players)
        points = [player.half_points for player in players]
        # Each unit is more than what all edges of a matching can cost in the units below it.
        self.place_unit = number * LOT
        self.gap_unit = self.place_unit * (number**3 + 1)
        self.bye_unit = self.gap_unit * (number * (max(points) - min(points)) ** 2 + 1)
        self.again_unit = self.bye_unit * (number + 1)

    def of(self, one: int, other: int) -> int:
        """Return the cost of an edge between two places in the ranking, the higher one first."""
        lot = self.random.randrange(LOT)
        upper = self.players[one]
        if other == len(self.players):
            return upper.byes * self.again_unit + (other - 1 - one) * self.bye_unit + lot
        lower = self.players[other]
        again = upper.met.count(lower.name)
        gap = upper.half_points - lower.half_points
        return (
            again * self.again_unit
            + gap**2 * self.gap_unit
            + self._misplacement(one, other) * self.place_unit
            + lot
        )

    def _misplacement(self, one: int, other: int) -> int:
        """Return how far two engines are from upper half against lower half, squared."""
        upper, lower = self.players[one], self.players[other]
        if upper.half_points != lower.half_points:
            return (other - one - 1) ** 2
        return (other - one - len(self.group[upper.half_points]) // 2) ** 2

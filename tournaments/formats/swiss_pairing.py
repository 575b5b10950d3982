"""The pairing of a Swiss round: equals meet, and no meeting or bye is repeated if possible.

A round is a matching of greatest weight in the graph of all engines (Edmonds, "Paths, trees, and
flowers", Canadian Journal of Mathematics 17, 1965). The aims, in order of priority, are: as
few repeated meetings and second byes as possible, in this round and in those that are left; a bye
for the lowest engine; small gaps between the points of opponents, where one large gap is worse than
several small ones; and among equals the upper half against the lower in order, the first against
the first, as in FIDE's Dutch system. FIDE's rules on colours do not apply, since each encounter is
played in both seats.

The best pairing of one round can leave the next without any: after three rounds of six engines,
those that have not met may form two triangles. Where that can happen, pairings are tried in order,
the best first (Lawler, "A procedure for computing the k best solutions", Management Science 18,
1972) until one leaves the maximum number of further rounds without repeats.

A round without repeats is a perfect matching of the graph of those who have not met, and rounds
that can all be played are disjoint perfect matchings. In a graph with an even number of nodes, each
joined to at least half of the others, there is always one (Dirac, "Some theorems on abstract
graphs", Proceedings of the London Mathematical Society 2, 1952); below that, this searches.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from heapq import heappop, heappush
from importlib.util import find_spec
from random import Random
from typing import TYPE_CHECKING

from oddly.games import MissingExtraError

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

    Edge = tuple[int, int]
    Matching = tuple[Edge, ...]


WEIGHT_BITS = 120
"""The number of bits of a weight; weights of rustworkx have 128 bits, sign and sums included."""

MAX_LOT_BITS = 64

MAX_PAIRINGS = 200
"""How many pairings of a round are tried to find one that leaves further rounds."""


@dataclass(frozen=True, slots=True)
class PairedPlayer:
    """An engine before a round: points in halves, engines that it met (with repeats), and byes."""

    name: str
    half_points: int
    met: tuple[str, ...] = ()
    byes: int = 0


@dataclass(frozen=True, slots=True)
class RoundPairing:
    """Who meets whom, with the higher engine and the highest pair first, and who has the bye."""

    pairs: tuple[tuple[str, str], ...]
    bye: str | None = None


def is_installed() -> bool:
    """Return whether the package that matches engines is installed."""
    return find_spec("rustworkx") is not None


def check_installed() -> None:
    """Raise MissingExtraError unless the package that matches engines is installed."""
    if not is_installed():
        raise MissingExtraError("the format 'swiss'", "rustworkx", "swiss")


def pair_round(
    players: Sequence[PairedPlayer],
    seed: str,
    rounds_after: int = 0,
    begun: Collection[tuple[str, str]] = (),
) -> RoundPairing:
    """Return the pairing of a round. `players` are in the order of their ranking, highest first.

    `rounds_after` more rounds should be possible without repeats. The pairs that have `begun` stay.
    Raises MissingExtraError without rustworkx.
    """
    check_installed()
    random = Random(seed)
    nodes = len(players) + len(players) % 2
    costs = _Costs(players, random)
    every = costs.edges()
    edges = _left_by(begun, [player.name for player in players], every)
    matching = None
    busiest = max(len(player.met) + player.byes for player in players)
    if not always_has(nodes, nodes - 1 - busiest, rounds_after + 1):
        fresh = {edge: cost for edge, cost in edges.items() if cost < costs.again_unit}
        unmet = Unmet.of(nodes, [edge for edge, cost in every.items() if cost < costs.again_unit])
        matching = _far_sighted(fresh, unmet, rounds_after, random)
    matching = matching or _cheapest(edges, nodes)
    names = [player.name for player in players]
    return RoundPairing(
        tuple((names[one], names[other]) for one, other in matching if other < len(names)),
        next((names[one] for one, other in matching if other == len(names)), None),
    )


def _left_by(
    begun: Iterable[tuple[str, str]], names: Sequence[str], edges: Mapping[Edge, int]
) -> Mapping[Edge, int]:
    """Return the edges of the pairs that have begun, and those left between other players."""
    partner: dict[int, int] = {}
    for one, other in begun:
        first, second = names.index(one), names.index(other)
        partner |= {first: second, second: first}
    return {
        (one, other): cost
        for (one, other), cost in edges.items()
        if partner.get(one, other) == other and partner.get(other, one) == one
    }


def _cheapest(edges: Mapping[Edge, int], nodes: int) -> Matching:
    """Return the cheapest of the largest matchings."""
    import rustworkx

    graph: rustworkx.PyGraph[int, int] = rustworkx.PyGraph(multigraph=False)
    graph.add_nodes_from(range(nodes))
    dearest = max(edges.values(), default=0)
    graph.add_edges_from([(*edge, dearest - cost) for edge, cost in edges.items()])
    found = rustworkx.max_weight_matching(graph, max_cardinality=True, weight_fn=int)
    return tuple(sorted((min(edge), max(edge)) for edge in found))


def _far_sighted(
    edges: Mapping[Edge, int], unmet: Unmet, rounds_after: int, random: Random
) -> Matching | None:
    """Return the cheapest pairing of these edges that leaves the most further rounds.

    Returns None if there is none, or if the search takes too long.
    """
    nodes = len(unmet.neighbours)
    try:
        most = min(rounds_after + 1, unmet.least)
        while (certain := unmet.rounds(most, random)) is None:
            most -= 1
        if not most:
            return None
        tried = _cheapest_first(edges, nodes)
        for _, matching in zip(range(MAX_PAIRINGS), tried, strict=False):
            if unmet.without(matching).rounds(most - 1, random) is not None:
                return matching
    except SearchTooLongError:
        return None
    possible = [round_ for round_ in certain if edges.keys() >= set(round_)]
    return min(possible, key=lambda round_: sum(map(edges.__getitem__, round_)), default=None)


def _cheapest_first(edges: Mapping[Edge, int], nodes: int) -> Iterator[Matching]:
    """Yield the perfect matchings of these edges, the cheapest first."""
    heap: list[tuple[int, Matching, int, set[Edge]]] = []

    def look(kept: Matching, left_out: set[Edge]) -> None:
        """Add the cheapest matching that has the edges `kept` and not those `left_out`."""
        taken = {node for edge in kept for node in edge}
        rest = {
            edge: cost
            for edge, cost in edges.items()
            if edge not in left_out and not taken & set(edge)
        }
        matching = (*kept, *_cheapest(rest, nodes))
        if 2 * len(matching) == nodes:
            heappush(heap, (sum(map(edges.__getitem__, matching)), matching, len(kept), left_out))

    look((), set())
    while heap:
        _, matching, kept, left_out = heappop(heap)
        yield tuple(sorted(matching))
        for place in range(kept, len(matching)):
            look(matching[:place], {*left_out, matching[place]})


class _Costs:
    """The costs of edges as whole numbers, in which the first aim has the highest digits.

    If the number of players is odd, the node after the last one stands for the bye.
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
        places = number**3 + 1
        gaps = number * (max(points) - min(points)) ** 2 + 1
        again = number * max(len(player.met) + player.byes for player in players) + 1
        bits = (number * places * gaps * (number + 1) * again).bit_length()
        # A random part of each edge, so that every algorithm finds the same best matching.
        self.lot_bits = max(0, min(MAX_LOT_BITS, WEIGHT_BITS - bits))
        self.place_unit = number << self.lot_bits
        self.gap_unit = self.place_unit * places
        self.bye_unit = self.gap_unit * gaps
        self.again_unit = self.bye_unit * (number + 1)

    def edges(self) -> dict[Edge, int]:
        """Return the cost of each edge between two places in the ranking, the higher one first."""
        number, getrandbits = len(self.players), self.random.getrandbits
        points = [player.half_points for player in self.players]
        edges: dict[Edge, int] = {}
        for one, upper in enumerate(self.players):
            again, half = Counter(upper.met), len(self.group[upper.half_points]) // 2
            for other in range(one + 1, number):
                gap = points[one] - points[other]
                # Upper half against lower half, or the nearest place outside the group.
                misplaced = other - one - (1 if gap else half)
                edges[one, other] = (
                    gap * gap * self.gap_unit
                    + misplaced * misplaced * self.place_unit
                    + getrandbits(self.lot_bits)
                )
                if met := again[self.players[other].name]:
                    edges[one, other] += met * self.again_unit
            if number % 2:
                below = (number - 1 - one) * self.bye_unit
                edges[one, number] = (
                    upper.byes * self.again_unit + below + getrandbits(self.lot_bits)
                )
        return edges


MAX_STEPS = 40_000
"""How many pairs one search tries before it gives up: about a tenth of a second."""

TRIES = 4
"""The number of searches, in different orders; all but the last have a fraction of the steps."""


class SearchTooLongError(Exception):
    """A search ended without an answer."""


class Unmet:
    """The graph of those who have not met.

    `neighbours` has those of each node, as the bits of a number.
    """

    def __init__(self, neighbours: Sequence[int]) -> None:
        self.neighbours = tuple(neighbours)

    @classmethod
    def of(cls, nodes: int, edges: Iterable[tuple[int, int]]) -> Unmet:
        """Return the graph of these edges."""
        neighbours = [0] * nodes
        for one, other in edges:
            neighbours[one] |= 1 << other
            neighbours[other] |= 1 << one
        return cls(neighbours)

    @property
    def least(self) -> int:
        """The smallest number of neighbours of a node."""
        return min(map(int.bit_count, self.neighbours))

    def without(self, matching: Matching) -> Unmet:
        """Return the graph after a round."""
        rest = list(self.neighbours)
        for one, other in matching:
            rest[one] &= ~(1 << other)
            rest[other] &= ~(1 << one)
        return Unmet(rest)

    def rounds(self, number: int, random: Random) -> list[Matching] | None:
        """Return this many rounds that can all be played; None if there are none.

        Raises SearchTooLongError if the search takes too long.
        """
        for attempt in range(1, TRIES + 1):
            steps = MAX_STEPS // (1 if attempt == TRIES else 8)
            try:
                return _RoundsSearch(len(self.neighbours), steps, random).rounds(self, number, -1)
            except SearchTooLongError:
                if attempt == TRIES:
                    raise
        return None


def always_has(nodes: int, least: int, rounds: int) -> bool:
    """Return whether this many rounds can be played, however each of them is paired.

    `least` is the smallest number of neighbours of a node. False means that this is not certain.
    """
    return rounds <= 0 or 2 * (least - rounds + 1) >= nodes


class _RoundsSearch:
    """A depth-first search for disjoint perfect matchings, in a random order."""

    def __init__(self, nodes: int, steps: int, random: Random) -> None:
        self.steps = steps
        self.rank = list(range(nodes))
        random.shuffle(self.rank)

    def rounds(self, unmet: Unmet, number: int, least: int) -> list[Matching] | None:
        """Return disjoint matchings, in which node 0 has partners of rising rank above `least`."""
        if number == 0:
            return []
        if unmet.least < number:
            return None
        everybody = (1 << len(unmet.neighbours)) - 1
        for partner in self._ranked(unmet.neighbours[0]):
            if self.rank[partner] <= least:
                continue
            for rest in self._matchings(unmet.neighbours, everybody & ~1 & ~(1 << partner)):
                matching = ((0, partner), *rest)
                further = self.rounds(unmet.without(matching), number - 1, self.rank[partner])
                if further is not None:
                    return [matching, *further]
        return None

    def _matchings(self, neighbours: Sequence[int], free: int) -> Iterator[Matching]:
        """Yield the perfect matchings of the free nodes, the most constrained node first."""
        if not free:
            yield ()
            return
        self.steps -= 1
        if self.steps < 0:
            raise SearchTooLongError
        node = min(_bits(free), key=lambda each: (neighbours[each] & free).bit_count())
        for partner in self._ranked(neighbours[node] & free):
            for rest in self._matchings(neighbours, free & ~(1 << node) & ~(1 << partner)):
                yield ((min(node, partner), max(node, partner)), *rest)

    def _ranked(self, nodes: int) -> list[int]:
        return sorted(_bits(nodes), key=self.rank.__getitem__)


def _bits(number: int) -> Iterator[int]:
    while number:
        low = number & -number
        yield low.bit_length() - 1
        number ^= low

"""A search by the plain rules, for games that have no kernel.

It offers what `Searcher` does, in one thread. Of the settings it uses `exploration`, `equivalence`
and `expansion`; the others are for kernels. `selection.py` and `simulation.py` explain what it
computes.
"""

from __future__ import annotations

import math
from random import Random
from time import monotonic
from typing import TYPE_CHECKING

from oddly.engines.search.settings import (
    LOST_WINS,
    MAX_VARIATION,
    Finding,
    Settings,
    Vote,
    chosen,
)
from oddly.games import Action, Colour, DropPosition, Game, Swap
from oddly.games.legal_turns import playout
from oddly.games.turns import player_after

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable

    from oddly.engines.search.thinking_time import Allotment


MAX_NODES = 200_000
"""Positions in the tree; when it is full, every further simulation ends at a known one."""
MAX_DEPTH = 1000
"""Actions in the tree part of a simulation."""


class _Edge:
    """An action in one node, and what came of it for the player who chooses it there."""

    __slots__ = ("action", "mark_visits", "mark_wins", "player", "visits", "wins")

    def __init__(self, action: Action, mover: Colour) -> None:
        self.action = action
        self.player = player_after(action, mover)
        self.visits = self.wins = 0.0
        self.mark_visits = self.mark_wins = 0.0

    @property
    def is_lost(self) -> bool:
        return self.wins <= LOST_WINS / 2

    def value(self, settings: Settings, exploration: float) -> float:
        average = self.wins / max(self.visits, 1.0)
        if settings.equivalence > 0:
            marked = (self.mark_wins + 0.5) / (self.mark_visits + 1)
            weight = math.sqrt(settings.equivalence / (3 * self.visits + settings.equivalence))
            return average + weight * (marked - average) + exploration / math.sqrt(self.visits + 1)
        if self.visits < 1:
            return math.inf if not self.is_lost else self.wins
        return average + exploration / math.sqrt(self.visits)


class _Node:
    """A position in the tree."""

    __slots__ = ("at", "edges", "visits", "winner")

    def __init__(self, at: DropPosition) -> None:
        self.at = at
        self.visits = 0
        self.edges: list[_Edge] = []
        self.winner = at.start.result.winner if at.start.result else None

    def expand(self, random: Random) -> None:
        """Find the legal actions."""
        self.edges = [_Edge(action, self.at.start.to_move) for action in self.at.actions()]
        random.shuffle(self.edges)


class PlainSearcher:
    """Searches positions of one game, and keeps what it learnt from turn to turn."""

    untimed_simulations = 500
    """Simulations of an action where neither a clock nor an option decides."""
    simulations_at_a_time = 1
    """While pondering: so few that stopping takes no longer than one random game."""

    def __init__(self, game: Game, seed: int = 0) -> None:
        self.game = game
        self.root = DropPosition(game.start())
        self._actions: list[Action] = []
        self._numbers: dict[Action, int] = {}
        self.forget(seed)

    def forget(self, seed: int) -> None:
        """Begin again, as a new searcher with that seed would."""
        self._random = Random(seed)
        self._nodes: dict[Hashable, _Node] = {}
        self._simulations = 0

    def load(self, position: DropPosition) -> None:
        """Search from `position`."""
        self.root = position
        if len(self._nodes) > MAX_NODES // 2:
            self._nodes = {}

    def play(self, action: int) -> None:
        """Search from the position after `action`."""
        self.root = self.root.act(self._actions[action])

    def think(
        self,
        settings: Settings,
        *,
        time: Allotment | None = None,
        simulations: int = 0,
        report: Callable[[], None] | None = None,
        is_stopped: Callable[[], bool] = lambda: False,
    ) -> Finding:
        """Search for some time or a number of simulations, and return what is best.

        The search ends after a simulation if `is_stopped` says so.
        """
        began = monotonic()
        root = self._node(self.root)
        if not root.edges:
            root.expand(self._random)
        self._simulations = 0
        while root.winner is None:
            self._simulate(root, settings)
            self._simulations += 1
            if report is not None:
                report()
            spent = monotonic() - began
            if is_stopped():
                break
            if time is None:
                if self._simulations >= simulations:
                    break
            elif spent + spent / self._simulations > time.wished or len(root.edges) == 1:
                break
        return self.finding()

    def finding(self) -> Finding:
        """Return what is known now of the position searched."""
        root = self._node(self.root)
        if (winning := self._winning(root)) is not None:
            return Finding(self._number(winning.action), self._simulations, 1.0, True)
        return chosen(self.votes(), self._simulations)

    def votes(self) -> dict[int, Vote]:
        """Return what is known of each action of the position searched."""
        return {
            self._number(edge.action): Vote(edge.visits, edge.wins, max(edge.wins, 0.0))
            for edge in self._node(self.root).edges
        }

    def variation(self, action: int) -> tuple[int, ...]:
        """Return the line that begins with `action` and is most visited where nothing is proven."""
        line, at = [action], self.root
        while len(line) < MAX_VARIATION:
            at = at.act(self._actions[line[-1]])
            node = self._nodes.get(at.key)
            tried = [edge for edge in node.edges if edge.visits] if node is not None else []
            if node is None or not tried:
                break
            expected = max(tried, key=lambda edge: (not edge.is_lost, edge.visits))
            line.append(self._number((self._winning(node) or expected).action))
        return tuple(line)

    def turns_in(self, line: tuple[int, ...]) -> int:
        """Return how many turns end in a line of actions, which begins at the root."""
        at, turns = self.root, 0
        for action in line:
            at = at.act(self._actions[action])
            turns += not at.drops
        return turns

    def spell(self, actions: Iterable[int]) -> str:
        """Return actions in the notation of the protocol, with spaces between them."""
        return " ".join(str(self._actions[action]) for action in actions)

    def action_of(self, number: int) -> Action:
        """Return the action that a number in a finding or a vote stands for."""
        return self._actions[number]

    def _winning(self, node: _Node) -> _Edge | None:
        """Return the edge that is proven to win in a node; None if there is none."""
        for edge in node.edges if node.winner else ():
            after = self._nodes.get(node.at.act(edge.action).key)
            if after is not None and after.winner is edge.player:
                return edge
        return None

    def _number(self, action: Action) -> int:
        if action not in self._numbers:
            self._numbers[action] = len(self._actions)
            self._actions.append(action)
        return self._numbers[action]

    def _node(self, at: DropPosition) -> _Node:
        """Return the node of a position, and add it to the tree if there is room."""
        # The rules may look at a game's past, which its key leaves out.
        key = at.key
        node = self._nodes.get(key)
        if node is None or node.at.is_over != at.is_over:
            node = _Node(at)
            if len(self._nodes) < MAX_NODES:
                self._nodes[key] = node
        return node

    def _simulate(self, root: _Node, settings: Settings) -> None:
        """Go down the tree, play a random game from its leaf, and credit the path."""
        node, path = root, list[tuple[_Node, _Edge]]()
        made: set[Action] = set()
        while node.winner is None and not node.at.is_over and len(path) < MAX_DEPTH:
            if not node.edges:
                if node.visits < settings.expansion and node is not root:
                    break
                node.expand(self._random)
            exploration = settings.exploration * math.sqrt(math.log(node.visits + 1))
            edge = max(node.edges, key=lambda edge: edge.value(settings, exploration))
            path.append((node, edge))
            made.add(edge.action)
            node = self._node(node.at.act(edge.action))
        if node.winner is not None:
            value = float(node.winner is Colour.BLACK)
        else:
            value = playout(node.at, self._random, made)
        node.visits += 1
        self._back_up(path, node, value, made if settings.equivalence > 0 else set())

    def _back_up(
        self, path: list[tuple[_Node, _Edge]], leaf: _Node, value: float, made: set[Action]
    ) -> None:
        """Credit the path with the leaf's `value` for Black, each edge from its player's view."""
        below = leaf
        for node, edge in reversed(path):
            node.visits += 1
            won = value if edge.player is Colour.BLACK else 1 - value
            edge.visits += 1
            edge.wins += won
            if below.winner is not None and node.winner is None:
                _prove(node, edge, below.winner)
            for other in node.edges if made else ():
                if other.action in made:
                    other.mark_visits += 1
                    other.mark_wins += won
            if isinstance(edge.action, Swap):
                # The player who is Black below is White above.
                value = 1 - value
            below = node


def _prove(node: _Node, edge: _Edge, winner: Colour) -> None:
    """Draw the conclusion for `node` from the proven end of one of its edges.

    `winner` and `edge.player` are named by the colours that the players hold after the edge.
    """
    mover = node.at.start.to_move
    if winner is edge.player:
        node.winner = mover
        return
    edge.wins = LOST_WINS
    if all(other.is_lost for other in node.edges):
        node.winner = mover.other

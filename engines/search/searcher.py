"""A search of one game: its trees, its threads, and what they found."""

from __future__ import annotations

import time
from dataclasses import dataclass
from threading import Thread
from typing import TYPE_CHECKING, Any

from engines.kernels.interface import (
    action_count,
    action_of,
    copy_state,
    load,
    new_state,
    play_action,
    position_hash,
    side_to_move,
)
from engines.kernels.randomness import generator
from engines.search.finding import LOST_WINS, NO_VOTE, WON_WINS, Finding, Vote, chosen
from engines.search.simulation import simulate
from engines.search.tree import BLACK_WINS, begin_turn, clear, find, new_tree

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy as np

    from engines.search.settings import Settings
    from engines.search.tree import Tree
    from games.drop_level import Action, DropPosition
    from games.game import Game

FEWEST_SIMULATIONS = 16
SECONDS_A_CHUNK = 0.004
FEWEST_MEGABYTES = 2
"""Of one thread's tree."""


class Searcher:
    """Searches positions of one game, and keeps what it learnt from turn to turn."""

    untimed_simulations = 10_000
    """Simulations of an action where neither a clock nor an option decides."""
    simulations_at_a_time = 256
    """While pondering: so few that stopping takes milliseconds."""

    def __init__(
        self, game: Game, *, threads: int = 1, megabytes: int = 256, seed: int = 0
    ) -> None:
        self.game = game
        self.root = new_state(game)
        actions = action_count(game)
        share = max(megabytes // threads, FEWEST_MEGABYTES)
        self.workers = [
            _Worker(new_tree(actions, share), new_state(game), generator(seed + number))
            for number in range(threads)
        ]
        self._asked = self.workers

    def forget(self, seed: int) -> None:
        """Begin again, as a new searcher with that seed would."""
        for number, worker in enumerate(self.workers):
            clear(worker.tree)
            worker.random[:] = generator(seed + number)

    def load(self, position: DropPosition) -> None:
        """Search from `position`."""
        load(self.root, position)
        for worker in self.workers:
            begin_turn(worker.tree)

    def play(self, action: int) -> None:
        """Search from the position after `action`."""
        play_action(self.root, action)

    def think(
        self,
        settings: Settings,
        *,
        seconds: float | None = None,
        simulations: int = 0,
        report: Callable[[], None] | None = None,
    ) -> Finding:
        """Search for some seconds or a number of simulations, and return what is best.

        Raises what any of the threads raised.
        """
        deadline = None if seconds is None else time.monotonic() + seconds
        share = -(-simulations // len(self.workers))
        values = settings.as_array()
        main, *others = self.workers
        # The trees of the others change while they are at work.
        self._asked = [main]
        helpers = [worker.start(self.root, values, deadline, share) for worker in others]
        try:
            main.work(self.root, values, deadline, share, report)
        finally:
            for helper in helpers:
                helper.join()
        for worker in others:
            if worker.error is not None:
                raise worker.error
        self._asked = self.workers
        return self.finding()

    def finding(self) -> Finding:
        """Return what is known now of the position searched."""
        key, side = position_hash(self.root), int(side_to_move(self.root))
        for worker in self._asked:
            proven = worker.proven_win(key, side)
            if proven is not None:
                return Finding(proven, worker.simulations, 1.0, True)
        done = sum(worker.simulations for worker in self.workers)
        return chosen(self.votes(), done)

    def votes(self) -> dict[int, Vote]:
        """Return what is known of each action, by all threads or, while they work, by the first."""
        key = position_hash(self.root)
        votes: dict[int, Vote] = {}
        for worker in self._asked:
            for action, vote in worker.edges(key):
                votes[action] = vote.plus(votes.get(action, NO_VOTE))
        return votes

    def variation(self, action: int) -> tuple[int, ...]:
        """Return the actions that the search expects from `action` on."""
        return self.workers[0].variation(self.root, action)

    def spell(self, actions: tuple[int, ...]) -> str:
        """Return actions in the notation of the protocol, with spaces between them."""
        return " ".join(str(self.action_of(action)) for action in actions)

    def action_of(self, number: int) -> Action:
        """Return the action that a number in a finding or a vote stands for."""
        return action_of(self.game, number)


@dataclass
class _Worker:
    """One thread's tree, scratch state and random numbers."""

    tree: Tree
    state: Any
    random: np.ndarray
    simulations: int = 0
    error: Exception | None = None

    def start(
        self, root: Any, settings: np.ndarray, deadline: float | None, simulations: int
    ) -> Thread:
        """Start `work` in a thread of its own, which leaves what it raises in `error`."""
        self.error = None

        def run() -> None:
            try:
                self.work(root, settings, deadline, simulations)
            except Exception as error:
                self.error = error

        thread = Thread(target=run, name="search", daemon=True)
        thread.start()
        return thread

    def work(
        self,
        root: Any,
        settings: np.ndarray,
        deadline: float | None,
        simulations: int,
        report: Callable[[], None] | None = None,
    ) -> None:
        """Simulate until the deadline, while there is a choice, or else `simulations` times."""
        self.simulations = 0
        chunk = FEWEST_SIMULATIONS
        while True:
            if deadline is None:
                chunk = min(4096, max(simulations - self.simulations, 1))
            start = time.monotonic()
            done = int(simulate(self.tree, root, self.state, self.random, chunk, settings))
            self.simulations += done
            now = time.monotonic()
            if report is not None:
                report()
            if done < chunk or (deadline is None and self.simulations >= simulations):
                return
            if deadline is not None:
                left = deadline - now
                if left <= 0 or self.has_one_choice(position_hash(root)):
                    return
                wanted = min(SECONDS_A_CHUNK, left / 2)
                chunk = max(1, int(done * wanted / max(now - start, 1e-6)))

    def has_one_choice(self, key: np.uint64) -> bool:
        """Return whether all actions but one of the node with that key are proven to lose."""
        first, last = self._span(key)
        return int((self.tree.wins[first:last] > LOST_WINS / 2).sum()) == 1

    def edges(self, key: np.uint64) -> list[tuple[int, Vote]]:
        """Return each action of the node with that key, and what is known of it."""
        tree, (first, last) = self.tree, self._span(key)
        columns = (tree.actions, tree.edge_visits, tree.wins, tree.ahead)
        rows = zip(*(column[first:last].tolist() for column in columns), strict=True)
        return [(action, Vote(visits, wins, ahead / 2)) for action, visits, wins, ahead in rows]

    def proven_win(self, key: np.uint64, side: int) -> int | None:
        """Return an action of the node with that key that is proven to win for `side`."""
        if self.tree.proven[int(find(self.tree, key))] != BLACK_WINS + side:
            return None
        won = (action for action, vote in self.edges(key) if vote.wins >= WON_WINS / 2)
        return next(won, None)

    def variation(self, root: Any, action: int) -> tuple[int, ...]:
        """Return the most visited line that begins with `action`."""
        copy_state(self.state, root)
        line = [action]
        while len(line) < 10:
            play_action(self.state, line[-1])
            key = position_hash(self.state)
            first, last = self._span(key)
            if last == first or self.tree.edge_visits[first:last].max() < 1:
                break
            line.append(int(self.tree.actions[first + self.tree.edge_visits[first:last].argmax()]))
        return tuple(line)

    def _span(self, key: np.uint64) -> tuple[int, int]:
        node = int(find(self.tree, key))
        if node == 0:
            return 0, 0
        first = int(self.tree.first_edge[node])
        return first, first + int(self.tree.edge_count[node])

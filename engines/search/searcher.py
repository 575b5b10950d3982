"""A search of one game: its tree, the threads that share it, and what they found."""

from __future__ import annotations

import time
from dataclasses import dataclass
from functools import partial
from threading import Thread
from typing import TYPE_CHECKING, Any

import numpy as np

from oddly.engines.engine import OptionError
from oddly.engines.kernels.interface import (
    action_count,
    copy_state,
    load,
    new_state,
    play_action,
    position_hash,
    safe_actions,
    side_to_move,
)
from oddly.engines.kernels.jit import HAS_NUMBA
from oddly.engines.kernels.learnt import Judge, Prior, new_judge, new_prior
from oddly.engines.kernels.network import NO_NETWORK, Network, new_network, own_room
from oddly.engines.kernels.numbers import generator
from oddly.engines.search.copies import copies_in
from oddly.engines.search.recycling import Barrier, make_room
from oddly.engines.search.selection import follow
from oddly.engines.search.settings import (
    LOST_WINS,
    MAX_VARIATION,
    NO_VOTE,
    Finding,
    Settings,
    Vote,
    chosen,
)
from oddly.engines.search.simulation import Scratch, new_scratch, simulate
from oddly.engines.search.thinking_time import Allotment, Comparison
from oddly.engines.search.tree import (
    BLACK_WINS,
    COUNT,
    HEADER,
    IS_FULL,
    PROVEN,
    ROOM,
    ROW,
    TRIED,
    Tree,
    add_node,
    begin_turn,
    block_lines,
    block_of,
    clear,
    edges_of,
    find,
    marks_of,
    new_tree,
)
from oddly.engines.search_options import MEMORY

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Sequence

    from oddly.games import Action, DropPosition, Game

SECONDS_A_CHUNK = 0.004
FEWEST_MEGABYTES = 2
PROMISE = 1000
"""What a visit of an action counts in `Searcher.promise`."""
RIVAL_VISITS = 0.1
"""The part of the first action's visits from which another action's results count."""


class Searcher:
    """Searches positions of one game, and keeps what it learnt from turn to turn.

    Raises OptionError if there is no room for its tree.
    """

    untimed_simulations = 10_000
    """Simulations of an action where neither a clock nor an option decides."""
    simulations_at_a_time = 256 if HAS_NUMBA else 1
    """While pondering: so few that stopping takes milliseconds."""
    clock = staticmethod(time.monotonic)

    def __init__(
        self,
        game: Game,
        *,
        threads: int = 1,
        megabytes: int = 256,
        seed: int = 0,
        prior: Prior | None = None,
        judge: Judge | None = None,
        network: Network | None = None,
    ) -> None:
        self.game = game
        self.root = new_state(game)
        actions = action_count(game)
        prior = new_prior(game) if prior is None else prior
        judge = new_judge(game) if judge is None else judge
        if network is None:
            # In plain Python one look would take seconds.
            network = new_network(game) if HAS_NUMBA else NO_NETWORK
        try:
            self.tree = tree = new_tree(actions, max(megabytes, FEWEST_MEGABYTES), threads)
        except MemoryError:
            raise OptionError(
                f"no room for a tree of {megabytes} MB: give option {MEMORY.name} a smaller number"
            ) from None
        widest = block_lines(actions, actions)
        # A searcher that refers to itself would keep its tree until Python looks for such cycles.
        self._make_room = partial(make_room, tree, widest)
        self._barrier = Barrier(self._make_room)
        self.workers = [
            _Worker(
                self.tree,
                self._barrier,
                new_state(game),
                new_scratch(
                    actions,
                    seed + number,
                    prior,
                    copies_in(tree, number, threads),
                    judge,
                    own_room(network),
                ),
            )
            for number in range(threads)
        ]

    def forget(self, seed: int) -> None:
        """Begin again, as a new searcher with that seed would."""
        clear(self.tree)
        for number, worker in enumerate(self.workers):
            worker.scratch.random[:] = generator(seed + number)

    def load(self, position: DropPosition) -> None:
        """Search from `position`."""
        load(self.root, position)
        begin_turn(self.tree)

    def list_only(self, actions: Sequence[int]) -> None:
        """Search only these actions of the position, unless it is in the tree already.

        The actions must be legal. What is proven holds if those left out are no better.
        """
        # Always of one type: a Python number may be signed or not, and machine code differs.
        key, listed = np.uint64(position_hash(self.root)), np.array(actions, np.int32)
        if int(find(self.tree, key)) == 0 and not add_node(self.tree, key, listed, len(listed), 0):
            self._make_room()
            add_node(self.tree, key, listed, len(listed), 0)

    def safe_actions(self) -> list[int]:
        """Return the numbers of the actions that do not surely lose at once."""
        worker = self.workers[0]
        copy_state(worker.state, self.root)
        count = int(safe_actions(worker.state, worker.scratch.legal))
        found: list[int] = worker.scratch.legal[:count].tolist()
        return found

    def play(self, action: int) -> None:
        """Search from the position after `action`."""
        play_action(self.root, action)

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

        `is_stopped` is asked every few milliseconds, and ends the search if it says so.
        Raises what any of the threads raised.
        """
        share = -(-simulations // len(self.workers))
        task = _Task(self.root, settings.as_array(), time, share, self.clock)
        main, *others = self.workers
        self._barrier.begin(len(self.workers))
        helpers = [worker.start(task) for worker in others]
        try:
            main.work(task, lambda: self._look(task, report, is_stopped))
        finally:
            for helper in helpers:
                helper.join()
        for worker in others:
            if worker.error is not None:
                raise worker.error
        return self.finding()

    def _look(
        self,
        task: _Task,
        report: Callable[[], None] | None,
        is_stopped: Callable[[], bool],
    ) -> None:
        """Report on the search, and see whether it has thought enough."""
        if report is not None:
            report()
        if task.time is not None:
            done = sum(worker.simulations for worker in self.workers)
            comparison = comparison_of(self.votes())
            task.is_done = task.time.is_enough(self.clock() - task.began, done, comparison)
        task.is_done = task.is_done or is_stopped()

    def finding(self) -> Finding:
        """Return what is known now of the position searched."""
        votes = self.votes()
        done = sum(worker.simulations for worker in self.workers)
        node = int(find(self.tree, position_hash(self.root)))
        if self.tree.nodes[node * ROW + PROVEN] == BLACK_WINS + int(side_to_move(self.root)):
            for action, vote in votes.items():
                if vote.is_won:
                    return Finding(action, done, 1.0, True)
        return chosen(votes, done)

    def votes(self) -> dict[int, Vote]:
        """Return what is known of each action, also while the threads are at work."""
        return votes_in(self.tree, position_hash(self.root))

    def promise(self) -> np.ndarray:
        """Return how promising each action of the game looks: shape (actions,), int64.

        That is 1000 for each visit in the position searched, plus the average of all-moves-as-first
        in thousandths.
        """
        promise = np.zeros(len(self.workers[0].scratch.marks), np.int64)
        node = int(find(self.tree, position_hash(self.root)))
        if node != 0:
            block = int(block_of(self.tree, node))
            count = int(self.tree.words[block + COUNT])
            actions = self.tree.words[block + HEADER : block + HEADER + count]
            marks = int(marks_of(block, count))
            visits, wins = self.tree.floats[marks : marks + 2 * count].reshape(2, count)
            promise[actions] = PROMISE * (wins + 0.5) / (visits + 1)
            for action, vote in self.votes().items():
                promise[action] += PROMISE * int(vote.visits)
        return promise

    def keep_open(self, actions: Container[int]) -> None:
        """Count all other actions that were tried in the position searched as proven to lose."""
        node = int(find(self.tree, position_hash(self.root)))
        if node == 0:
            return
        words, block = self.tree.words, int(block_of(self.tree, node))
        count, room = int(words[block + COUNT]), int(words[block + ROOM])
        wins, _, _, places = (int(column) for column in edges_of(block, count, room))
        for edge in range(min(int(self.tree.nodes[node * ROW + TRIED]), room)):
            if int(words[block + HEADER + int(words[places + edge])]) not in actions:
                self.tree.doubles[wins + edge] = LOST_WINS

    def variation(self, action: int) -> tuple[int, ...]:
        """Return the line that begins with `action` and is most visited where nothing is proven."""
        line = np.full(MAX_VARIATION, action, np.int64)
        length, _ = self._follow(line, 1)
        return tuple(line[:length].tolist())

    def turns_in(self, line: tuple[int, ...]) -> int:
        """Return how many turns end in a line of actions, which begins at the root."""
        _, turns = self._follow(np.array(line, np.int64), len(line))
        return turns

    def _follow(self, line: np.ndarray, known: int) -> tuple[int, int]:
        length, turns = follow(self.tree, self.root, self.workers[0].state, line, known)
        return int(length), int(turns)

    def spell(self, actions: tuple[int, ...]) -> str:
        """Return actions in the notation of the protocol, with spaces between them."""
        return " ".join(str(self.action_of(action)) for action in actions)

    def action_of(self, number: int) -> Action:
        """Return the action that a number in a finding or a vote stands for."""
        return self.game.action_of(number)


def votes_in(tree: Tree, key: np.uint64) -> dict[int, Vote]:
    """Return what is known of each action of the node with that key; nothing if there is none."""
    node = int(find(tree, key))
    if node == 0:
        return {}
    block = int(block_of(tree, node))
    count, room = int(tree.words[block + COUNT]), int(tree.words[block + ROOM])
    tried = min(int(tree.nodes[node * ROW + TRIED]), room)
    first = block + HEADER
    actions = tree.words[first : first + count].tolist()
    votes = dict.fromkeys(actions, NO_VOTE)
    wins, *others = (int(column) for column in edges_of(block, count, room))
    columns = [tree.doubles[wins : wins + tried]]
    columns += [tree.words[column : column + tried] for column in others]
    for won, visits, ahead, place in zip(*(column.tolist() for column in columns), strict=True):
        votes[actions[place]] = Vote(visits, won, ahead / 2)
    return votes


@dataclass
class _Task:
    """What the threads of a search do, and whether one of them has seen that it is done."""

    root: Any
    settings: np.ndarray
    time: Allotment | None
    simulations: int
    clock: Callable[[], float]
    is_done: bool = False
    began: float = 0.0

    def __post_init__(self) -> None:
        self.began = self.clock()


@dataclass
class _Worker:
    """A thread of a search, with its room for work and its random numbers."""

    tree: Tree
    barrier: Barrier
    state: Any
    scratch: Scratch
    simulations: int = 0
    error: Exception | None = None

    def start(self, task: _Task) -> Thread:
        """Start `work` in a thread of its own, which leaves what it raises in `error`."""
        self.error, self.simulations = None, 0

        def run() -> None:
            try:
                self.work(task)
            except Exception as error:
                self.error = error

        thread = Thread(target=run, name="search", daemon=True)
        thread.start()
        return thread

    def work(self, task: _Task, look: Callable[[], None] = lambda: None) -> None:
        """Simulate, and `look` now and then, until the task is done or nothing is left to find."""
        try:
            self._simulate(task, look)
        finally:
            self.barrier.leave()

    def _simulate(self, task: _Task, look: Callable[[], None]) -> None:
        self.simulations = 0
        chunk = 1
        while True:
            if task.time is None:
                chunk = min(4096, max(task.simulations - self.simulations, 1))
            start = task.clock()
            done = int(
                simulate(self.tree, self.scratch, task.root, self.state, chunk, task.settings)
            )
            self.simulations += done
            now = task.clock()
            is_full = done < chunk and self.tree.used[IS_FULL] != 0
            if is_full:
                self.barrier.wait()
                if self.simulations == 0:
                    continue
            look()
            if task.is_done or (done < chunk and not is_full):
                return
            if task.time is None and self.simulations >= task.simulations:
                return
            if task.time is not None:
                left = task.began + task.time.most - now
                if left <= 0:
                    return
                wanted = min(SECONDS_A_CHUNK, left / 2)
                chunk = max(1, int(done * wanted / max(now - start, 1e-6)))


def comparison_of(votes: dict[int, Vote]) -> Comparison:
    """Return how the actions that are not proven to lose compare."""
    open_votes = sorted(
        (vote for vote in votes.values() if not vote.is_lost), key=lambda vote: -vote.visits
    )
    first, second = (*open_votes, NO_VOTE, NO_VOTE)[:2]
    rivals = (vote for vote in open_votes if vote.visits >= RIVAL_VISITS * first.visits)
    best = max((vote.average for vote in rivals), default=0.0)
    is_best = first.average >= best
    return Comparison(len(open_votes), int(first.visits), int(second.visits), is_best)

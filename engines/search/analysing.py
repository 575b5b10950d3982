"""Searching until something else is wanted, and answering until kernels are compiled.

Here what a search has found becomes an evaluation, as the protocol has it.
"""

from __future__ import annotations

import sys
from dataclasses import replace
from threading import Event, Thread
from time import monotonic
from typing import TYPE_CHECKING

from oddly.engines.engine import Thought
from oddly.engines.kernels.machine_code import has_kernel
from oddly.engines.plain_engines import GreedyEngine
from oddly.engines.search.plain_searcher import PlainSearcher
from oddly.games import Action, Ayu, Drop, DropPosition, Game, IllegalTurn, Position, Turn
from oddly.protocol import Analysis, Evaluation, RankedTurn, TurnEvaluation
from oddly.protocol.evaluation import MAX_RANKED, Candidate

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable, Iterator

    from oddly.engines.search.searcher import Searcher
    from oddly.engines.search.settings import Finding, Settings

    AnySearcher = Searcher | PlainSearcher


def new_searcher(
    game: Game, *, threads: int = 1, megabytes: int = 256, seed: int = 0, plain: bool = False
) -> AnySearcher:
    """Return a searcher by the game's kernel; by its plain rules if `plain` or without a kernel."""
    if plain or not has_kernel(game):
        return PlainSearcher(game, seed)
    from oddly.engines.search.searcher import Searcher

    return Searcher(game, threads=threads, megabytes=megabytes, seed=seed)


def analyses(
    searcher: AnySearcher,
    settings: Settings,
    position: Position,
    interval: float,
    has_more: Callable[[float], bool],
) -> Iterator[Analysis]:
    """Yield what is found every `interval` seconds, and once more when `has_more` ends it.

    `has_more` waits for the seconds it is given, unless something else is wanted sooner.
    """
    searcher.load(DropPosition(position))
    shown = monotonic()
    is_done = False
    while True:
        if not is_done:
            found = searcher.think(settings, simulations=searcher.simulations_at_a_time)
            is_done = found.is_proven or found.simulations == 0
        is_ended = has_more(interval if is_done else 0)
        if is_ended or monotonic() - shown >= interval:
            shown = monotonic()
            yield analysis_of(searcher, position)
        if is_ended:
            return


def analysis_of(
    searcher: AnySearcher, position: Position, most: int | None = MAX_RANKED
) -> Analysis:
    """Return what `searcher` knows of the whole turns of `position`, the best first.

    `most` is the maximum number of turns; None for all that it has tried.
    """
    votes = {action: vote for action, vote in searcher.votes().items() if vote.visits}
    if not votes:
        return Analysis(())
    found = searcher.finding()
    order = sorted(votes, key=lambda a: (a == found.action, votes[a].visits), reverse=True)
    ranked: dict[Turn, RankedTurn] = {}
    for number in order:
        if len(ranked) == most:
            break
        actions = map(searcher.action_of, searcher.variation(number))
        variation = turns_of(position, actions)
        if variation and variation[0] not in ranked:
            vote = votes[number]
            rate = found.win_rate if number == found.action else vote.win_rate
            ranked[variation[0]] = RankedTurn(variation[0], int(vote.visits), rate, None, variation)
    return Analysis(tuple(ranked.values()))


def evaluation_of(searcher: AnySearcher, found: Finding) -> Evaluation:
    """Return what a search knows of its actions, its choice first."""
    best = searcher.action_of(found.action)
    votes = searcher.votes()
    total = sum(vote.visits for vote in votes.values())
    candidates = [
        Candidate(searcher.action_of(action), vote.visits / total, vote.win_rate)
        for action, vote in votes.items()
        if vote.visits
    ]
    candidates.sort(key=lambda c: (c.action == best, c.share))
    return Evaluation(found.win_rate, found.simulations, tuple(reversed(candidates)))


def thought_of(searcher: AnySearcher, at: DropPosition, found: Finding) -> Thought:
    """Return what a search knows of `at`, with the line that it thinks best."""
    line = map(searcher.action_of, searcher.variation(found.action))
    return Thought(at, evaluation_of(searcher, found), tuple(line))


def turn_evaluation_of(searcher: AnySearcher, found: Finding) -> TurnEvaluation | None:
    """Return what `searcher` expects of what it `found`; None of an action that chance chose.

    It is called while the clock still runs, when the plain rules would take too long.
    """
    if found.is_drawn:
        return None
    depth = searcher.turns_in(searcher.variation(found.action))
    return TurnEvaluation(found.win_rate, depth or None, found.simulations or None)


def print_info(searcher: AnySearcher, found: Finding) -> None:
    """Tell on standard error what a search found."""
    proven = " proven" if found.is_proven else ""
    print(
        f"info simulations {found.simulations} win_rate {found.win_rate:.4f}{proven} "
        f"variation {searcher.spell(searcher.variation(found.action))}",
        file=sys.stderr,
        flush=True,
    )


def turns_of(position: Position, actions: Iterable[Action]) -> tuple[Turn, ...]:
    """Return the whole turns that `actions` make up, as far as they are legal."""
    at, turns = DropPosition(position), list[Turn]()
    for action in actions:
        before = at
        try:
            at = at.act(action)
        except IllegalTurn:
            break
        if not at.drops:
            turns.append(before.turn_with(action))
    return tuple(turns)


class Pondering:
    """A search of the opponent's position, whose tree serves the next turn."""

    def __init__(self) -> None:
        self._stop = Event()
        self._thread: Thread | None = None

    def begin(self, searcher: AnySearcher, settings: Settings, position: Position) -> None:
        """Search until stopped, or until the position is proven."""
        self.stop()
        self._stop.clear()
        self._thread = Thread(
            target=self._run, args=(searcher, settings, position), name="pondering", daemon=True
        )
        self._thread.start()

    def stop(self) -> None:
        """Return when nothing uses the searcher any more."""
        if self._thread is not None:
            self._stop.set()
            self._thread.join()
            self._thread = None

    def _run(self, searcher: AnySearcher, settings: Settings, position: Position) -> None:
        searcher.load(DropPosition(position))
        while not self._stop.is_set():
            if searcher.think(settings, simulations=searcher.simulations_at_a_time).is_proven:
                return


SECONDS_AN_ACTION = 0.35
"""A turn has at most two actions, and should take less than a second."""

NOTICE = "until the kernels are compiled, the plain rules answer: weaker, but within a second"
MAX_WAIT = 0.5
RULES = "plain"
"""The value of `rules` in what `analyze` reports meanwhile."""


class StandIn:
    """The plain rules of one game."""

    def __init__(self, game: Game, seed: int) -> None:
        self.game = game
        self.searcher = PlainSearcher(game, seed)
        self._greedy = GreedyEngine()
        self._greedy.set_option("seed", str(seed))

    def turn(
        self, at: DropPosition, think: Callable[[PlainSearcher], Finding]
    ) -> tuple[Turn, TurnEvaluation | None]:
        """Return a turn and what is expected of it, where `think` finds each of its actions."""
        while True:
            self.searcher.load(at)
            found = think(self.searcher)
            action = self.searcher.action_of(found.action)
            if isinstance(action, Drop) and (after := at.act(action)).drops:
                at = after
                continue
            return at.turn_with(action), turn_evaluation_of(self.searcher, found)

    def analyses(
        self,
        settings: Settings,
        position: Position,
        interval: float,
        has_more: Callable[[float], bool],
        is_wanted: Callable[[], bool],
    ) -> Generator[Analysis, None, bool]:
        """Yield what is found while it `is_wanted`; return whether `has_more` ended it."""
        is_ended = False

        def has_more_or_is_unwanted(seconds: float) -> bool:
            nonlocal is_ended
            is_ended = has_more(min(seconds, MAX_WAIT))
            return is_ended or not is_wanted()

        found = analyses(self.searcher, settings, position, interval, has_more_or_is_unwanted)
        for analysis in found:
            turns = tuple(replace(turn, rules=RULES) for turn in analysis.turns)
            yield Analysis(turns)
        return is_ended

    def glance(self, position: Position) -> Turn | None:
        """Return a turn in a game that takes more than a second to search; None in others."""
        return self._greedy.choose(position) if isinstance(self.game, Ayu) else None

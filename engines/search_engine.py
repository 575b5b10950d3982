"""What the search engines share: options, the two actions of a turn, and the clock."""

from __future__ import annotations

import sys
import time
from abc import abstractmethod
from typing import TYPE_CHECKING, ClassVar

from engines.engine import Engine
from engines.kernels.available import has_kernel, tell_of_plain_rules
from engines.kernels.loading import Loading
from engines.options import SEED, Option
from engines.search.analysing import analyses, turn_evaluation_of
from engines.search.memory import LEAST_MEGABYTES, MAX_MEGABYTES, default_megabytes
from engines.search.pondering import Pondering
from engines.search.timing import allotment, turns_to_come
from engines.thought import Thought
from games.drop_level import DropPosition, End
from games.sampling import random_turn
from games.turns import Drop, Drops
from protocol.evaluation import Candidate, Evaluation
from protocol.messages import RESIGN, Resign
from protocol.turn_evaluation import TurnEvaluation

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from engines.search.finding import Finding
    from engines.search.plain_searcher import PlainSearcher
    from engines.search.searcher import Searcher
    from engines.search.settings import Settings
    from engines.search.timing import Allotment
    from games.game import Game, Position
    from games.turns import Turn
    from protocol.analysis import Analysis
    from protocol.messages import Command, MalformedCommand

    AnySearcher = Searcher | PlainSearcher

HOPELESS = 0.02
LEAST_SIMULATIONS = 16
"""Simulations of an action that is chosen although the search is stopped already."""
SECONDS_BETWEEN_REPORTS = 0.5

SIMULATIONS = Option(
    "simulations", "integer", 0, 0, 10**9,
    summary="simulations a drop or move, regardless of the clock; 0: as many as the clock "
    "allows, or 10000 without a clock (500 in a game without a kernel)",
)  # fmt: skip
THREADS = Option("threads", "integer", 1, 1, 256, summary="number of threads, which share one tree")
MEMORY = Option(
    "memory", "integer", 0, 0, 65_536,
    summary=f"megabytes for the tree; 0: a quarter of the free memory, {LEAST_MEGABYTES} to "
    f"{MAX_MEGABYTES}",
)  # fmt: skip
RESIGN_OPTION = Option(
    "resign", "boolean", False, summary=f"resign when winning less than {HOPELESS:.0%} of games"
)
INFO = Option("info", "boolean", False, summary="report the search on standard error")
PONDER = Option("ponder", "boolean", False, summary="think in the opponent's time")
EXPLORATION = Option(
    "exploration", "number", -1, -1, 10, summary="weight of rarely tried actions; -1: tuned value"
)
EXPANSION = Option(
    "expansion", "integer", -1, -1, 1000,
    summary="visits before a position gets a node; -1: the tuned value",
)  # fmt: skip


class SearchEngine(Engine):
    """Monte Carlo tree search; subclasses say with which settings."""

    options: ClassVar[tuple[Option, ...]] = (
        SEED, SIMULATIONS, THREADS, MEMORY, RESIGN_OPTION, INFO, PONDER, EXPLORATION, EXPANSION,
    )  # fmt: skip
    can_analyze = True

    def __init__(self) -> None:
        super().__init__()
        self._loading = Loading()
        self._game: Game | None = None
        self._searcher: AnySearcher | None = None
        self._pondering = Pondering()
        self._to_ponder: Position | None = None
        self._ponders_on_command = False
        self._last_evaluation: TurnEvaluation | None = None
        self._reported = 0.0
        self._at: DropPosition | None = None

    @abstractmethod
    def settings(self, game: Game) -> Settings:
        """Return the settings for `game`, as the options have it."""

    def solve(self, at: DropPosition, seconds: float | None) -> Turn | None:
        """Return a turn that is proven to win, if the engine looks for one before it searches."""
        return None

    def rehearse(self, game: Game) -> None:
        """Call everything that a game needs once, with as little work as possible."""
        from engines.search.searcher import Searcher

        small = Searcher(game, megabytes=1)
        small.load(DropPosition(game.start()))
        small.think(self.settings(game), simulations=4)
        small.forget(0)

    def prepare(self, game: Game) -> None:
        """Compile what playing `game` needs, unless that was done on this machine before."""
        self._pondering.stop()
        self._game = game
        if has_kernel(game):
            self._loading.begin(self.name, game, lambda: self.load(game))
        else:
            self.load(game)

    def wait_until_ready(self) -> None:
        """Wait until everything is loaded and the tree is there."""
        self._pondering.stop()
        self._loading.wait()
        if self._game is not None:
            self.make_ready(self._game)

    def make_ready(self, game: Game) -> None:
        """Make what a turn of `game` needs and takes time to make."""
        self._searcher_for(game)

    def load(self, game: Game) -> None:
        """Compile what playing `game` needs; a game that has no kernel needs nothing."""
        if not has_kernel(game):
            tell_of_plain_rules(game)
            return
        from engines.kernels.interface import new_state
        from engines.kernels.warm import warm

        warm(self.name, new_state(game), lambda: self.rehearse(game))

    def new_game(self) -> None:
        """Forget the last game's tree."""
        self._pondering.stop()
        self._last_evaluation = None
        super().new_game()
        if self._searcher is not None:
            self._searcher.forget(int(self.values[SEED.name]))

    def set_option(self, name: str, text: str) -> None:
        """Set an option and forget the last search. Raises OptionError."""
        super().set_option(name, text)
        self._pondering.stop()
        if name in (THREADS.name, MEMORY.name):
            self._searcher = None
        elif self._searcher is not None:
            self._searcher.forget(int(self.values[SEED.name]))

    def choose(self, position: Position) -> Turn | Resign:
        """Return the turn that the search likes best, within the time there is."""
        turn = self._search(position)
        if self.ponders and not isinstance(turn, Resign):
            after = position.play(turn)
            self._to_ponder = None if after.is_over else after
        return turn

    def evaluate(self, at: DropPosition) -> Evaluation:
        """Return what the search finds with the simulations that an action gets without a clock."""
        self.wait_until_ready()
        game = at.start.game
        searcher = self._searcher_for(game)
        searcher.load(at)
        found = searcher.think(
            self.settings(game), simulations=self.simulations, is_stopped=self.is_stopped
        )
        return evaluation_of(searcher, found)

    def analyze(
        self, position: Position, interval: float, has_more: Callable[[float], bool]
    ) -> Iterator[Analysis]:
        """Yield what the search finds, on top of what it knows from before."""
        self.wait_until_ready()
        searcher = self._searcher_for(position.game)
        return analyses(searcher, self.settings(position.game), position, interval, has_more)

    def ponder(self, position: Position) -> None:
        """Search `position` from the reply on, until the next command."""
        self._to_ponder = position
        self._ponders_on_command = True

    def stop_pondering(self) -> None:
        """Stop a search that `ponder` began; the option's goes on until a turn is wanted."""
        if self._ponders_on_command:
            self._ponders_on_command, self._to_ponder = False, None
            self._pondering.stop()

    def last_evaluation(self) -> TurnEvaluation | None:
        """Return what the search found about the turn that was chosen last in this game."""
        return self._last_evaluation

    def deliver(
        self,
        command: Command | MalformedCommand,
        reply: bytes,
        write: Callable[[bytes], None],
    ) -> None:
        """Send a reply, and ponder after a turn if the option says so."""
        super().deliver(command, reply, write)
        if self._to_ponder is not None:
            position, self._to_ponder = self._to_ponder, None
            self._loading.wait()
            searcher = self._searcher_for(position.game)
            self._pondering.begin(searcher, self.settings(position.game), position)

    def _search(self, position: Position) -> Turn | Resign:
        start = time.monotonic()
        self.wait_until_ready()
        searcher, settings = self._searcher_for(position.game), self.settings(position.game)
        time_for_turn = self._allotment(position)
        at = DropPosition(position)
        seconds = None if time_for_turn is None else time_for_turn.wished
        if (proven := self.solve(at, seconds)) is not None:
            self._last_evaluation = TurnEvaluation(1.0)
            return self._checked(position, proven)
        searcher.load(at)
        self._reported = start
        drops: list[Drop] = []
        while True:
            self._at = at
            given = time_for_turn
            if given is not None:
                if position.most_drops > 1 and not drops:
                    given = given.for_first_drop()
                given = given.less(time.monotonic() - start)
            found = self.think(searcher, settings, given)
            if self.values[INFO.name]:
                self._tell(searcher, found)
            if self.values[RESIGN_OPTION.name] and not drops and found.win_rate < HOPELESS:
                return RESIGN
            self._last_evaluation = turn_evaluation_of(searcher, found)
            action = searcher.action_of(found.action)
            if isinstance(action, Drop):
                drops.append(action)
                at = at.act(action)
                if at.drops:
                    searcher.play(found.action)
                    continue
            if isinstance(action, Drop | End):
                return self._checked(position, Drops(tuple(drops)))
            return self._checked(position, action)

    def think(
        self, searcher: AnySearcher, settings: Settings, time_for_action: Allotment | None
    ) -> Finding:
        """Return what the search finds for one action, within the time there is."""
        return searcher.think(
            settings,
            time=time_for_action,
            simulations=LEAST_SIMULATIONS if self.is_stopped() else self.simulations,
            report=self._report_on(searcher),
            is_stopped=self.is_stopped,
        )

    def _checked(self, position: Position, turn: Turn) -> Turn:
        """Return `turn` if it is legal, else a random one: a wrong kernel must not end the game."""
        if position.is_legal(turn):
            return turn
        print(f"oddly: {self.name} chose {turn}, which is illegal: a bug", file=sys.stderr)
        return random_turn(position, self.random)

    def _searcher_for(self, game: Game) -> AnySearcher:
        if self._searcher is None or self._searcher.game != game:
            # The old tree goes before the new one comes.
            self._searcher = None
            self._searcher = new_searcher(
                game,
                threads=int(self.values[THREADS.name]),
                megabytes=self.megabytes or default_megabytes(),
                seed=int(self.values[SEED.name]),
            )
        return self._searcher

    def _allotment(self, position: Position) -> Allotment | None:
        if self.values[SIMULATIONS.name]:
            return None
        left = self.time.left.get(position.to_move)
        return allotment(self.time.control, left, turns_to_come(position))

    @property
    def megabytes(self) -> int:
        """The megabytes for the tree; 0: as many as the machine has to spare."""
        return int(self.values[MEMORY.name])

    @property
    def ponders(self) -> bool:
        """Whether to think while the opponent does."""
        return bool(self.values[PONDER.name])

    @property
    def simulations(self) -> int:
        """Simulations of an action, where no clock decides."""
        untimed = 0 if self._searcher is None else self._searcher.untimed_simulations
        return int(self.values[SIMULATIONS.name]) or untimed

    def _report_on(self, searcher: AnySearcher) -> Callable[[], None] | None:
        told, shown = bool(self.values[INFO.name]), self.on_thought
        if not told and shown is None:
            return None

        def report() -> None:
            if time.monotonic() - self._reported > SECONDS_BETWEEN_REPORTS:
                self._reported = time.monotonic()
                found = searcher.finding()
                if told:
                    self._tell(searcher, found)
                if shown is not None and self._at is not None:
                    line = map(searcher.action_of, searcher.variation(found.action))
                    shown(Thought(self._at, evaluation_of(searcher, found), tuple(line)))

        return report

    def _tell(self, searcher: AnySearcher, found: Finding) -> None:
        proven = " proven" if found.is_proven else ""
        print(
            f"info simulations {found.simulations} win_rate {found.win_rate:.4f}{proven} "
            f"variation {searcher.spell(searcher.variation(found.action))}",
            file=sys.stderr,
            flush=True,
        )


def evaluation_of(searcher: AnySearcher, found: Finding) -> Evaluation:
    """Return what a search knows of its actions, the one that it chooses first."""
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


def new_searcher(
    game: Game, *, threads: int = 1, megabytes: int = 256, seed: int = 0
) -> AnySearcher:
    """A searcher that plays by the game's kernel, or by its plain rules if it has none."""
    if not has_kernel(game):
        from engines.search.plain_searcher import PlainSearcher

        return PlainSearcher(game, seed)
    from engines.search.searcher import Searcher

    return Searcher(game, threads=threads, megabytes=megabytes, seed=seed)

"""The base of search engines: options, turns of two actions, a clock. And `uct`, the yardstick."""

from __future__ import annotations

import sys
import time
from abc import abstractmethod
from typing import TYPE_CHECKING, ClassVar

from oddly.engines.compiling import CompiledEngine
from oddly.engines.engine import SEED, Option
from oddly.engines.kernels.machine_code import tell_once
from oddly.engines.levels import think_briefly
from oddly.engines.search.analysing import NOTICE as STAND_IN_NOTICE
from oddly.engines.search.analysing import (
    SECONDS_AN_ACTION,
    Pondering,
    StandIn,
    analyses,
    evaluation_of,
    new_searcher,
    print_info,
    thought_of,
    turn_evaluation_of,
)
from oddly.engines.search.settings import Settings
from oddly.engines.search.thinking_time import Allotment, allotment, turns_to_come
from oddly.engines.search_options import (
    EXPANSION,
    EXPLORATION,
    HOPELESS,
    INFO,
    MEMORY,
    PLAIN,
    PONDER,
    RESIGN_OPTION,
    SIMULATIONS,
    THREADS,
    WAIT,
    WHILE_COMPILING,
    default_megabytes,
)  # fmt: skip
from oddly.games import Drop, DropPosition, Game, Position, Turn, random_turn
from oddly.protocol import Resign, TurnEvaluation
from oddly.protocol.messages import RESIGN

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from oddly.engines.search.analysing import AnySearcher
    from oddly.engines.search.plain_searcher import PlainSearcher
    from oddly.engines.search.settings import Finding
    from oddly.protocol import Analysis, Command, Evaluation, MalformedCommand

LEAST_SIMULATIONS = 16
"""Simulations of an action that is chosen although the search is stopped already."""
SECONDS_BETWEEN_REPORTS = 0.5
MAX_SIMULATIONS = 10**9

TUNED_EXPLORATION = 0.25
TUNED_EXPANSION = 1


class SearchEngine(CompiledEngine):
    """Monte Carlo tree search; subclasses say with which settings."""

    options: ClassVar[tuple[Option, ...]] = (
        SEED, SIMULATIONS, THREADS, MEMORY, RESIGN_OPTION, INFO, PONDER, EXPLORATION, EXPANSION,
        WHILE_COMPILING, PLAIN,
    )  # fmt: skip
    can_analyze = True

    def __init__(self) -> None:
        super().__init__()
        self._searcher: AnySearcher | None = None
        self._pondering = Pondering()
        self._to_ponder: Position | None = None
        self._ponders_on_command = False
        self._last_evaluation: TurnEvaluation | None = None
        self._reported = 0.0
        self._at: DropPosition | None = None
        self._stand_in: StandIn | None = None

    @abstractmethod
    def settings(self, game: Game) -> Settings:
        """Return the settings of a search of `game`, which the options may override."""

    def solve(self, at: DropPosition, seconds: float | None) -> Turn | None:
        """Return a turn that is proven to win, if the engine looks for one before it searches."""
        return None

    def rehearsals(self, game: Game) -> dict[str, Callable[[], None]]:
        """Return functions, by name, that call everything a game needs once, with little work."""
        return {"search": lambda: self._rehearse_search(game)}

    def _rehearse_search(self, game: Game) -> None:
        from oddly.engines.search.searcher import Searcher

        small = Searcher(game, megabytes=1)
        small.load(DropPosition(game.start()))
        small.list_only(small.safe_actions())
        found = small.think(self.settings(game), simulations=4)
        # A turn's evaluation is made while its clock runs.
        small.turns_in(small.variation(found.action))
        small.play(found.action)
        small.forget(0)

    def prepare(self, game: Game) -> None:
        """Stop pondering, and begin to load what playing `game` needs."""
        self._pondering.stop()
        super().prepare(game)

    def uses_kernel(self, game: Game) -> bool:
        """Return whether machine code searches, once it is compiled, and not the plain rules."""
        return super().uses_kernel(game) and not self.values[PLAIN.name]

    def wait_until_ready(self) -> None:
        """Wait until everything is loaded and the tree is there, unless plain rules answer."""
        self._pondering.stop()
        if self._game is not None and self.stands_in():
            return
        self._loading.wait()
        if self._game is not None:
            self.make_ready(self._game)

    def stands_in(self) -> bool:
        """Return whether the plain rules answer for now, because the kernels are not there yet."""
        game, is_patient = self._game, self.values[WHILE_COMPILING.name] == WAIT
        if game is None or is_patient or self.values[SIMULATIONS.name]:
            return False
        if not self.goes_on_beside(game):
            self._stand_in = None
            return False
        tell_once(STAND_IN_NOTICE)
        return True

    def make_ready(self, game: Game) -> None:
        """Make in advance what a turn of `game` needs."""
        self._searcher_for(game)

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
        self.prepare_again()
        if name in (THREADS.name, MEMORY.name, PLAIN.name):
            self._searcher = None
            if name == PLAIN.name and self._game is not None:
                self.prepare(self._game)
        elif self._searcher is not None:
            self._searcher.forget(int(self.values[SEED.name]))

    def choose(self, position: Position) -> Turn | Resign:
        """Return the turn that the search likes best, within the time there is."""
        turn = self._turn_from(DropPosition(position))
        if self.ponders and not isinstance(turn, Resign):
            after = position.play(turn)
            self._to_ponder = None if after.is_over else after
        return turn

    def finish(self, at: DropPosition) -> Turn | None:
        """Return the search's best turn with the drops of `at`, in a turn's time."""
        turn = self._turn_from(at)
        return None if isinstance(turn, Resign) else turn

    def evaluate(self, at: DropPosition) -> Evaluation:
        """Return what the search finds with the simulations that an action gets without a clock."""
        game = at.start.game
        if self.stands_in():
            stand_in = self._stand_in_for(game).searcher
            stand_in.load(at)
            found = self.think_plainly(stand_in, self.settings(game))
            return self._shown(stand_in, at, found)
        self.wait_until_ready()
        searcher, settings = self._searcher_for(game), self.settings(game)
        searcher.load(at)
        found = searcher.think(settings, simulations=self.simulations, is_stopped=self.is_stopped)
        return self._shown(searcher, at, found)

    def _shown(self, searcher: AnySearcher, at: DropPosition, found: Finding) -> Evaluation:
        """Return an evaluation; `on_thought`, if set, receives it with its line."""
        if self.on_thought is None:
            return evaluation_of(searcher, found)
        self.on_thought(thought := thought_of(searcher, at, found))
        return thought.evaluation

    def analyze(
        self, position: Position, interval: float, has_more: Callable[[float], bool]
    ) -> Iterator[Analysis]:
        """Yield what the search finds, on top of what it knows from before."""
        settings = self.settings(position.game)
        if self.stands_in():
            rules = self._stand_in_for(position.game)
            if (yield from rules.analyses(settings, position, interval, has_more, self.stands_in)):
                return
        self.wait_until_ready()
        searcher = self._searcher_for(position.game)
        yield from analyses(searcher, settings, position, interval, has_more)

    def ponder(self, position: Position) -> None:
        """Search `position` from the reply on, until the next command."""
        self._to_ponder = position
        self._ponders_on_command = True

    def stop_pondering(self) -> None:
        """Stop a search that `ponder` began; the option's lasts until the next turn is wanted."""
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
            if self.stands_in():
                return
            self._loading.wait()
            searcher = self._searcher_for(position.game)
            self._pondering.begin(searcher, self.settings(position.game), position)

    def _turn_from(self, at: DropPosition) -> Turn | Resign:
        return self._search_plainly(at) if self.stands_in() else self._search(at)

    def _search(self, at: DropPosition) -> Turn | Resign:
        """Return a turn with the drops of `at`, which the search chooses action by action."""
        began, start, position = time.monotonic(), at, at.start
        self.wait_until_ready()
        searcher, settings = self._searcher_for(position.game), self.settings(position.game)
        time_for_turn = self._allotment(position)
        seconds = None if time_for_turn is None else time_for_turn.wished
        if (proven := self.solve(at, seconds)) is not None:
            return self._proven(start, proven)
        self.begin(searcher, at)
        self._reported = began
        while True:
            self._at, time_for_action = at, time_for_turn
            if time_for_action is not None:
                if position.most_drops > 1 and not at.drops:
                    time_for_action = time_for_action.for_first_drop()
                time_for_action = time_for_action.less(time.monotonic() - began)
            found = self.think(searcher, settings, time_for_action)
            if self.values[INFO.name]:
                print_info(searcher, found)
            if self.values[RESIGN_OPTION.name] and not at.drops and found.win_rate < HOPELESS:
                return RESIGN
            self._last_evaluation = turn_evaluation_of(searcher, found)
            action = searcher.action_of(found.action)
            if not (isinstance(action, Drop) and (after := at.act(action)).drops):
                return self._checked(start, at.turn_with(action))
            searcher.play(found.action)
            at = after
            # The first drop may have brought a proof within reach.
            proven = self.solve(at, None) if seconds is None and self.goes_all_out else None
            if proven is not None:
                return self._proven(start, proven)

    def begin(self, searcher: AnySearcher, at: DropPosition) -> None:
        """Load the position that a turn is wanted in."""
        searcher.load(at)

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

    def _search_plainly(self, at: DropPosition) -> Turn:
        """Return a turn by the plain rules, within a second."""
        stand_in = self._stand_in_for(at.start.game)
        if self.goes_all_out and (turn := stand_in.glance(at.start)) is not None:
            self._last_evaluation = None
            return turn
        settings = self.settings(at.start.game)
        turn, self._last_evaluation = stand_in.turn(
            at, lambda searcher: self.think_plainly(searcher, settings)
        )
        return turn

    @property
    def goes_all_out(self) -> bool:
        """Whether it plays as well as it can."""
        return True

    def think_plainly(self, searcher: PlainSearcher, settings: Settings) -> Finding:
        """Return what the plain rules find for one action in the time that an answer may take."""
        return think_briefly(
            searcher, settings, MAX_SIMULATIONS, SECONDS_AN_ACTION, self.is_stopped
        )

    def _stand_in_for(self, game: Game) -> StandIn:
        if self._stand_in is None or self._stand_in.game != game:
            self._stand_in = StandIn(game, int(self.values[SEED.name]))
        return self._stand_in

    def _proven(self, at: DropPosition, turn: Turn) -> Turn:
        """Return a turn that is proven to win, and note that it does."""
        self._last_evaluation = TurnEvaluation(1.0)
        return self._checked(at, turn)

    def _checked(self, at: DropPosition, turn: Turn) -> Turn:
        """Return `turn` if it is legal, else a random one: a wrong kernel must not end the game."""
        if at.start.is_legal(turn):
            return turn
        print(f"oddly: {self.name} chose {turn}, which is illegal: a bug", file=sys.stderr)
        if at.drops:
            return self.random.choice(list(at.completions()))
        return random_turn(at.start, self.random)

    def _searcher_for(self, game: Game) -> AnySearcher:
        if self._searcher is None or self._searcher.game != game:
            # Free the old tree before making the new one.
            self._searcher = None
            self._searcher = new_searcher(
                game,
                threads=int(self.values[THREADS.name]),
                megabytes=self.megabytes or default_megabytes(),
                seed=int(self.values[SEED.name]),
                plain=bool(self.values[PLAIN.name]),
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
        prints_info, on_thought = bool(self.values[INFO.name]), self.on_thought
        if not prints_info and on_thought is None:
            return None

        def report() -> None:
            if time.monotonic() - self._reported > SECONDS_BETWEEN_REPORTS:
                self._reported = time.monotonic()
                found = searcher.finding()
                if prints_info:
                    print_info(searcher, found)
                if on_thought is not None and self._at is not None:
                    on_thought(thought_of(searcher, self._at, found))

        return report


class UctEngine(SearchEngine):
    """Kocsis and Szepesvari, "Bandit based Monte-Carlo planning" (2006), and proven results."""

    name = "uct"

    def settings(self, game: Game) -> Settings:
        """Return the same settings for all games."""
        exploration = float(self.values[EXPLORATION.name])
        expansion = int(self.values[EXPANSION.name])
        return Settings(
            exploration=TUNED_EXPLORATION if exploration < 0 else exploration,
            equivalence=0.0,
            expansion=TUNED_EXPANSION if expansion < 0 else expansion,
        )

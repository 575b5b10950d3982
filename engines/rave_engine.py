"""The strong engine: UCT that learns from every action of a simulation, wherever it was made."""

from __future__ import annotations

from dataclasses import replace
from time import monotonic
from typing import TYPE_CHECKING, ClassVar, cast

from oddly.engines.engine import Option
from oddly.engines.levels import (
    HIGHEST,
    SECONDS_AN_ACTION,
    SECONDS_AN_ACTION_PLAINLY,
    SECONDS_AT_THE_HIGHEST,
    levels,
    obvious_win,
    sampled,
    think_briefly,
)
from oddly.engines.search.settings import MAX_PLAYOUTS, Finding, Settings
from oddly.engines.search.thinking_time import TIME_PART, Allotment, of_a_fixed_time
from oddly.engines.search_engine import SearchEngine
from oddly.engines.search_options import EXPANSION, EXPLORATION, PLAIN, SIMULATIONS
from oddly.engines.solver.odd_endings import rehearse
from oddly.engines.solver.solution import database_for, known_solution
from oddly.engines.solver.solve import ending_when
from oddly.games import Ayu, Odd, Xodd, Yodd
from oddly.games.drop_level import has_symmetry, kinds_of
from oddly.protocol import TimeKind

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy as np

    from oddly.engines.levels import Level
    from oddly.engines.search.analysing import AnySearcher
    from oddly.engines.search.endgame import Endgame
    from oddly.engines.search.plain_searcher import PlainSearcher
    from oddly.engines.search.searcher import Searcher
    from oddly.games import DropPosition, Game, Position, Turn

EQUIVALENCE = Option(
    "equivalence", "number", -1, -1, 1e9,
    summary="visits at which an action's own average and all-moves-as-first have equal weight; "
    "0: no all-moves-as-first; -1: the tuned value",
)  # fmt: skip
PLIES = Option(
    "plies", "integer", -2, -2, 10_000,
    summary="actions of a random game before it is judged, in games with a judge; "
    "-1: play to the end; -2: the tuned value",
)  # fmt: skip
BEST_OF = Option(
    "best_of", "integer", 0, 0, 20,
    summary="moves drawn for each one of a random game in Ayu, which plays the most promising of "
    "them; 1: all moves alike; 0: the tuned value",
)  # fmt: skip
PLAYOUTS = Option(
    "playouts", "integer", 0, 0, MAX_PLAYOUTS,
    summary="random games from each leaf of the tree in Odd, of which the mean counts; 0: the "
    "tuned value",
)  # fmt: skip
WORTH = Option(
    "worth", "number", -1, -1, 100,
    summary="log-odds that a group of lead at the end of a random game is worth, in Ayu one of "
    "the judge's log-odds; 0: only the winner counts; -1: the tuned value",
)  # fmt: skip
SOLVER = Option("solver", "boolean", True, summary="solve the end of a game exactly")
LEVEL = Option(
    "level", "integer", 0, 0, HIGHEST,
    summary=f"strength for people: 1 is the weakest, {HIGHEST} the strongest, within a second "
    "a turn; 0: full strength",
)  # fmt: skip
MEGABYTES_OF_A_LEVEL = 16
NODES_AT_A_LEVEL = 400
"""The most nodes of a proof at a level: enough for some five empty cells."""

NODES_A_SIMULATION, MAX_NODES = 100, 400_000
"""Without a clock: nodes of a proof for each simulation of an action, and the most in all."""

SIMULATIONS_BEFORE_A_PROOF = 1000
"""To say which actions to try first: in Yodd and Xodd a proof then takes a tenth of the nodes."""

SHORT, SHORT_IN_YODD = 4000, 10_000
SHORT_SECONDS_IN_YODD = 0.2
"""The longest searches that use the prior alone: simulations an action, and seconds a turn.

In longer ones few games were played, and few won (docs/explanation/engines.md).
"""

NETWORK_BOARDS = frozenset({("yodd", 8), ("xodd", 12)})
"""The boards with a learnt network (`engines/kernels/network.py`)."""

LEARNING = Option(
    "learning", "choice", "short", choices=("short", "always", "never"),
    summary="use the learnt prior of each action; short: only if `simulations` is set, to at "
    f"most {SHORT}, in Yodd {SHORT_IN_YODD}, and in Yodd with at most {SHORT_SECONDS_IN_YODD} "
    "seconds for every turn or beside the network",
)  # fmt: skip
NETWORK = Option(
    "network", "choice", "long", choices=("long", "always", "never"),
    summary="go by the learnt network in positions to which the search comes back often, on Yodd 8 "
    f"and Xodd 12; long: unless `simulations` is set to at most {SHORT}, in Yodd {SHORT_IN_YODD}",
)  # fmt: skip
TRIED_SHARE = 0.6
"""The judge's share in the matches of docs/explanation/engines.md, and in training."""
JUDGE = Option(
    "judge", "number", 0, 0, 1,
    summary="the learnt judge's share in the value of a random game in Yodd and Xodd, on an empty "
    "board; it falls as the board fills and with the simulations; 0: none; "
    f"{TRIED_SHARE} was tried",
)  # fmt: skip
LEARNT = (Yodd, Xodd)
"""Games whose short searches use what was learnt. Long ones leave out what symmetry makes equal."""

SOLVABLE = (Yodd, Xodd, Odd, Ayu)
"""Games in which the solver knows how near the end is (`endgame.py`)."""

LEAST_SECONDS_IN_AYU = 0.3
"""In less time the search finds what a proof would (docs/explanation/engines-laboratory.md)."""

TUNED: dict[type[Game], Settings] = {
    Yodd: Settings(0.0, 3000, expansion=3, worth=0.25, trust=400, spread=0.03, puct=0.4),
    Xodd: Settings(0.0, 3000, expansion=3, worth=0.25, trust=400, spread=0.03, puct=0.4),
    Odd: Settings(0.25, 3000, expansion=1, trust=400, spread=0.03),
    Ayu: Settings(0.0, 1000, expansion=1, plies=2, worth=0.6),
}
"""The settings that won the matches in docs/explanation/engines.md, by the class of game."""

UNTUNED = Settings(exploration=0.25, equivalence=1000, expansion=1)
"""For every other game."""

GUIDED_AYU, PLIES_GUIDED, BEST_OF_GUIDED = 9, 12, 3
"""The smallest board on which random games go by the policy, their plies, and the moves drawn for
each one; on 7x7 that loses."""

LARGE_AYU, PLIES_IN_LARGE_AYU = 11, 8

LONG_IN_ODD = replace(TUNED[Odd], exploration=0.0, playouts=8)
"""In short searches without exploration, a neglected action stays neglected."""


def tuned_for(game: Game, *, is_long: bool = True) -> Settings:
    """Return the tuned settings for a game on its board, for long searches or short ones."""
    tuned = TUNED.get(type(game), UNTUNED)
    if type(game) is not Ayu:
        return LONG_IN_ODD if type(game) is Odd and is_long else tuned
    if is_long and game.board.size >= GUIDED_AYU:
        return replace(tuned, plies=PLIES_GUIDED, best_of=BEST_OF_GUIDED)
    return replace(tuned, plies=PLIES_IN_LARGE_AYU) if game.board.size >= LARGE_AYU else tuned


def board_of(game: Game) -> tuple[str, int]:
    """Return the name of a game and the size of its board."""
    return game.name, game.board.size


class RaveEngine(SearchEngine):
    """Monte Carlo tree search with AMAF statistics (see `engines/search/simulation.py`)."""

    name = "rave"
    options: ClassVar[tuple[Option, ...]] = (
        *SearchEngine.options,
        EQUIVALENCE,
        PLIES,
        BEST_OF,
        PLAYOUTS,
        WORTH,
        SOLVER,
        LEVEL,
        LEARNING,
        NETWORK,
        JUDGE,
    )

    def __init__(self) -> None:
        super().__init__()
        self._endgame: Endgame | None = None

    def new_game(self) -> None:
        """Forget the last game's tree and proofs."""
        super().new_game()
        if self._endgame is not None:
            self._endgame.forget()

    def set_option(self, name: str, text: str) -> None:
        """Set an option and forget the last search. Raises OptionError."""
        super().set_option(name, text)
        if name == LEVEL.name:
            self._searcher = None

    def level(self, game: Game) -> Level | None:
        """Return the level to play at; None for full strength, as at the highest level."""
        return levels(game)[self._level_number - 1] if self.is_levelled else None

    @property
    def _level_number(self) -> int:
        return int(self.values[LEVEL.name])

    @property
    def is_levelled(self) -> bool:
        """Whether it plays weaker than it can: at a level below the highest."""
        return 0 < self._level_number < HIGHEST

    @property
    def megabytes(self) -> int:
        """The megabytes for the tree; 0: as many as the machine has to spare."""
        return super().megabytes or (MEGABYTES_OF_A_LEVEL if self.is_levelled else 0)

    def _allotment(self, position: Position) -> Allotment | None:
        given = super()._allotment(position)
        if self._level_number < HIGHEST or self.values[SIMULATIONS.name]:
            return given
        most = of_a_fixed_time(SECONDS_AT_THE_HIGHEST)
        return most if given is None else given.at_most(most)

    def learns(self, game: Game) -> bool:
        """Return whether to use what was learnt; weaker levels, measured without it, do not."""
        if self.is_levelled:
            return False
        if (wish := str(self.values[LEARNING.name])) != "short":
            return wish == "always"
        return self.is_brief(game) or (type(game) is Yodd and self.consults(game))

    def is_brief(self, game: Game) -> bool:
        """Return whether searches are so short that the learnt prior helps by itself."""
        is_yodd = type(game) is Yodd
        if simulations := int(self.values[SIMULATIONS.name]):
            return simulations <= (SHORT_IN_YODD if is_yodd else SHORT)
        control = self.time.control
        if not is_yodd or control is None or control.kind is not TimeKind.FIXED:
            return False
        return control.main_seconds <= SHORT_SECONDS_IN_YODD

    def consults(self, game: Game) -> bool:
        """Return whether to go by the network, where there is one."""
        wish = str(self.values[NETWORK.name])
        if board_of(game) not in NETWORK_BOARDS or self.is_levelled or wish == "never":
            return False
        # The studies set few simulations, and were played without the network.
        return wish == "always" or not (self.values[SIMULATIONS.name] and self.is_brief(game))

    @property
    def ponders(self) -> bool:
        """Whether to think while the opponent does."""
        return super().ponders and not self.values[LEVEL.name]

    def solve(self, at: DropPosition, seconds: float | None) -> Turn | None:
        """Return a turn that wins by force, where that can be proved in time."""
        game = at.start.game
        if self.is_levelled and not at.drops and (turn := obvious_win(at.start)) is not None:
            return turn
        if type(game) not in SOLVABLE or not self.values[SOLVER.name]:
            return None
        began, most = monotonic(), None if seconds is None else TIME_PART * seconds
        if not (self.is_levelled or at.drops):
            progress = ending_when(self.is_stopped)
            if (known := known_solution(at.start, most, progress)) is not None:
                return known.turn
        is_brief = type(game) is Ayu and seconds is not None and seconds < LEAST_SECONDS_IN_AYU
        if is_brief or not self._proves(game):
            return None
        endgame = self._endgame_for(game)
        if self.is_levelled:
            return endgame.winning_turn(at, None, NODES_AT_A_LEVEL)
        nodes = min(self.simulations * NODES_A_SIMULATION, MAX_NODES)
        left = None if most is None else max(most - (monotonic() - began), 0.0)
        turn = endgame.winning_turn(
            at, left, nodes, self.is_stopped, lambda most: self._promise(at, most)
        )
        if endgame.still_open is not None:
            self._searcher_at(at).keep_open(endgame.still_open)
        return turn

    def _searcher_at(self, at: DropPosition) -> Searcher:
        """Return the machine-code searcher, with `at` loaded."""
        searcher = cast("Searcher", self._searcher_for(at.start.game))
        searcher.load(at)
        return searcher

    def _promise(self, at: DropPosition, seconds: float) -> np.ndarray:
        """Return how promising a short search finds each action; what it learns stays known."""
        searcher, settings = self._searcher_at(at), self.settings(at.start.game)
        most = min(self.simulations, SIMULATIONS_BEFORE_A_PROOF)
        think_briefly(searcher, settings, most, seconds, self.is_stopped)
        return searcher.promise()

    def begin(self, searcher: AnySearcher, at: DropPosition) -> None:
        """Load a position; long searches try only one of the actions that symmetry makes equal.

        On an empty board of Yodd 8, that is 40 actions instead of 338.
        """
        super().begin(searcher, at)
        game = at.start.game
        is_short = self.is_levelled or (self.is_brief(game) and self.learns(game))
        if at.drops or is_short or type(game) not in LEARNT or not self.uses_kernel(game):
            return
        if not has_symmetry(at.start):
            return
        by_kernel = cast("Searcher", searcher)
        kinds = kinds_of(at.start, by_kernel.safe_actions())
        by_kernel.list_only([self.random.choice(kind) for kind in kinds])

    def think(
        self, searcher: AnySearcher, settings: Settings, time_for_action: Allotment | None
    ) -> Finding:
        """Return what the search finds for one action; at a level, what it draws by chance."""
        level = self.level(searcher.game)
        if level is None:
            return super().think(searcher, settings, time_for_action)
        wished = SECONDS_AN_ACTION if time_for_action is None else time_for_action.wished
        seconds = min(wished, SECONDS_AN_ACTION)
        found = think_briefly(searcher, settings, level.simulations, seconds)
        return self._drawn(searcher, found, level.temperature)

    def think_plainly(self, searcher: PlainSearcher, settings: Settings) -> Finding:
        """Return what the plain rules find for one action; at a level, what it draws by chance."""
        level = self.level(searcher.game)
        if level is None:
            return super().think_plainly(searcher, settings)
        found = think_briefly(searcher, settings, level.simulations, SECONDS_AN_ACTION_PLAINLY)
        return self._drawn(searcher, found, level.temperature)

    def _drawn(self, searcher: AnySearcher, found: Finding, temperature: float) -> Finding:
        """Return what was found, with an action drawn by chance unless it is proven."""
        drawn = None if found.is_proven else sampled(searcher.votes(), temperature, self.random)
        return found if drawn is None else found.instead(drawn)

    @property
    def goes_all_out(self) -> bool:
        """Whether it plays as well as it can."""
        return not self.is_levelled

    def program(self, game: Game) -> str:
        """Return the name of what is compiled for `game`: with the solver or without."""
        return f"{self.name}-and-solver" if self._proves(game) else self.name

    def rehearsals(self, game: Game) -> dict[str, Callable[[], None]]:
        """Return functions, by name, that search and solve once, with little work."""
        parts = super().rehearsals(game)
        if self._proves(game):
            parts["solver"] = lambda: self._endgame_for(game).rehearse()
        if type(game) is Odd and database_for(game) is not None:
            parts["endings"] = rehearse
        return parts

    def make_ready(self, game: Game) -> None:
        """Make a tree and tables for `game`."""
        super().make_ready(game)
        if self._proves(game):
            self._endgame_for(game)
        if type(game) in SOLVABLE:
            # The first look into a database takes longer than the next ones, and no clock runs yet.
            known_solution(game.start())

    def _proves(self, game: Game) -> bool:
        """Return whether the solver may ever be asked to prove a win.

        The levels of Ayu below the highest were measured without it. By the plain rules a proof
        takes too long.
        """
        if self.values[PLAIN.name] or not self.values[SOLVER.name]:
            return False
        return type(game) in SOLVABLE and not (type(game) is Ayu and self.is_levelled)

    def _endgame_for(self, game: Game) -> Endgame:
        if self._endgame is None or self._endgame.game != game:
            from oddly.engines.search.endgame import Endgame

            self._endgame = None
            self._endgame = Endgame(game)
        return self._endgame

    def settings(self, game: Game) -> Settings:
        """Return the tuned settings for the game, unless the options say otherwise."""
        best_of, playouts = (int(self.values[each.name]) for each in (BEST_OF, PLAYOUTS))
        is_long = best_of > 1 if type(game) is Ayu and best_of else self._is_long(game)
        tuned = tuned_for(game, is_long=is_long)
        exploration = float(self.values[EXPLORATION.name])
        equivalence = float(self.values[EQUIVALENCE.name])
        worth = float(self.values[WORTH.name])
        expansion, plies = int(self.values[EXPANSION.name]), int(self.values[PLIES.name])
        return Settings(
            exploration=tuned.exploration if exploration < 0 else exploration,
            equivalence=tuned.equivalence if equivalence < 0 else equivalence,
            expansion=tuned.expansion if expansion < 0 else expansion,
            plies=tuned.plies if plies < -1 else plies,
            worth=tuned.worth if worth < 0 else worth,
            trust=tuned.trust if self.learns(game) else 0.0,
            spread=tuned.spread,
            judge_share=0.0 if self.is_levelled else float(self.values[JUDGE.name]),
            puct=tuned.puct if self.consults(game) else 0.0,
            best_of=best_of or tuned.best_of,
            playouts=playouts or tuned.playouts,
        )

    def _is_long(self, game: Game) -> bool:
        """Return whether to use the settings for long searches."""
        # The levels and the studies were measured with the others.
        return not (self.is_levelled or (self.values[SIMULATIONS.name] and self.is_brief(game)))

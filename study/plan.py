"""The games of a study: engines of rising strength, each against itself and the one below."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from itertools import pairwise
from typing import TYPE_CHECKING

from oddly.engines import engine_class
from oddly.engines.search_engine import SearchEngine
from oddly.games import Drops, Exchange
from oddly.tournaments.results.schedule import scheduled

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from oddly.games import Game
    from oddly.tournaments import ScheduledGame

RANDOM = "random"
AGAIN = " again"
"""The end of the name of the second of two equal players."""


class Purpose(Enum):
    """Why a pairing is played."""

    EQUAL = "equal strength"
    LADDER = "strong against weak"
    MIRROR = "copying"


@dataclass(frozen=True, slots=True)
class StudyEngine:
    """One of our engines with its options and its name in the study."""

    name: str
    engine: str
    options: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class StudyPairing:
    """Two engines that play each other; the stronger or the copying one comes first.

    In each round they play two games, one in either seat.
    """

    purpose: Purpose
    one: str
    other: str
    rounds: int


@dataclass(frozen=True, slots=True)
class StudyPlan:
    """Everything that a study of `game` plays. `levels` are names of engines, weakest first."""

    game: Game
    engine: str
    levels: tuple[str, ...]
    engines: tuple[StudyEngine, ...]
    pairings: tuple[StudyPairing, ...]
    seed: int

    @property
    def event(self) -> str:
        """The name of the tournament that its games form."""
        return f"study {self.game} {self.engine}"

    @property
    def rounds(self) -> int:
        """The rounds of the pairing that plays most."""
        return max(pairing.rounds for pairing in self.pairings)

    def schedule(self) -> list[ScheduledGame]:
        """Return all games round by round, each pairing with either side moving first."""
        found: list[ScheduledGame] = []
        for round_ in range(1, self.rounds + 1):
            for pairing in self.pairings:
                if pairing.rounds < round_:
                    continue
                seats = (pairing.one, pairing.other)
                for first, second in (seats, seats[::-1]):
                    number = len(found) + 1
                    found.append(
                        scheduled(number, self.game, round_, first, second, self.seed, self.event)
                    )
        return found


def make_plan(
    game: Game,
    engine: str,
    simulations: Sequence[int],
    games: int,
    seed: int,
    equal_games: Sequence[int] = (),
) -> StudyPlan:
    """Return the plan for one of our engines, with rising simulations if it searches.

    Each pairing plays `games` games, rounded up to pairs. `equal_games` are the games that each
    player plays with itself, weakest first; one number is for all players. Raises
    UnknownEngineError if there is no engine of that name, ValueError if `equal_games` are neither
    one nor as many as there are players.
    """
    steps = list(_steps(engine, simulations))
    levels = tuple(step.name for step in steps)
    of_equals = list(equal_games) or [games]
    if len(of_equals) == 1:
        of_equals *= len(levels)
    if len(of_equals) != len(levels):
        raise ValueError(
            f"{len(of_equals)} numbers of games between equals for {len(levels)} players: "
            f"{', '.join(levels)}"
        )
    twins = [StudyEngine(step.name + AGAIN, step.engine, step.options) for step in steps]
    copiers = list(_copiers(game))
    # No copying strategy beats an engine that searches, so the weakest one suffices.
    opponent = levels[1] if len(levels) > 1 else levels[0]
    pairings = [
        StudyPairing(Purpose.EQUAL, name, name + AGAIN, _rounds(number))
        for name, number in zip(levels, of_equals, strict=True)
    ]
    rounds = _rounds(games)
    pairings += [
        StudyPairing(Purpose.LADDER, strong, weak, rounds) for weak, strong in pairwise(levels)
    ]
    pairings += [StudyPairing(Purpose.MIRROR, copier.name, opponent, rounds) for copier in copiers]
    engines = (*steps, *twins, *copiers)
    return StudyPlan(game, engine, levels, engines, tuple(pairings), seed)


def _rounds(games: int) -> int:
    return (games + 1) // 2


def searches(engine: str) -> bool:
    """Return whether the engine of that name takes a number of simulations."""
    return issubclass(engine_class(engine), SearchEngine)


def _steps(engine: str, simulations: Sequence[int]) -> list[StudyEngine]:
    bottom = [StudyEngine(RANDOM, RANDOM, {})]
    if engine == RANDOM:
        return bottom
    if not searches(engine):
        return [*bottom, StudyEngine(engine, engine, {})]
    return [
        *bottom,
        *(
            StudyEngine(f"{engine} {number}", engine, {"simulations": str(number), "memory": "64"})
            for number in simulations
        ),
    ]


def _copiers(game: Game) -> list[StudyEngine]:
    """Yield the copying strategies, some of which exchange the colour of a drop."""
    found = []
    has_colours = game.exchange is not Exchange.NOTHING and Drops in game.turn_kinds
    exchanges = (True, False) if has_colours else (False,)
    for symmetry in game.mirrors:
        for exchange in exchanges:
            name = f"mirror {symmetry}" + " exchanged" * exchange
            options = {"symmetry": symmetry, "exchange": str(exchange).lower()}
            found.append(StudyEngine(name, "mirror", options))
    return [*found, StudyEngine("mirror copy", "mirror", {"symmetry": "copy", "exchange": "false"})]

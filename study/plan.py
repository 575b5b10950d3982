"""The games of a study: engines of rising strength, each against itself and the one below."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from itertools import pairwise
from typing import TYPE_CHECKING

from engines.catalogue import engine_class
from engines.search_engine import SearchEngine
from games.game import Exchange
from games.turns import Drops
from tournaments.schedule import scheduled

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from games.game import Game
    from tournaments.schedule import ScheduledGame

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
    """One of our engines with its options, and the name it plays under."""

    name: str
    engine: str
    options: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class StudyPairing:
    """Two engines that play each other; the stronger or the copying one comes first."""

    purpose: Purpose
    one: str
    other: str


@dataclass(frozen=True, slots=True)
class StudyPlan:
    """Everything that a study of `game` plays. `levels` are names of engines, weakest first."""

    game: Game
    engine: str
    levels: tuple[str, ...]
    engines: tuple[StudyEngine, ...]
    pairings: tuple[StudyPairing, ...]
    rounds: int
    seed: int

    @property
    def event(self) -> str:
        """The name of the tournament that its games form."""
        return f"study {self.game} {self.engine}"

    def schedule(self) -> list[ScheduledGame]:
        """Return all games round by round, each pairing with either side moving first."""
        found: list[ScheduledGame] = []
        for round_ in range(1, self.rounds + 1):
            for pairing in self.pairings:
                seats = (pairing.one, pairing.other)
                for first, second in (seats, seats[::-1]):
                    number = len(found) + 1
                    found.append(
                        scheduled(number, self.game, round_, first, second, self.seed, self.event)
                    )
        return found


def make_plan(
    game: Game, engine: str, simulations: Sequence[int], games: int, seed: int
) -> StudyPlan:
    """Return the plan for one of our engines, with rising simulations if it searches.

    Each pairing plays `games` games, rounded up to pairs. Raises UnknownEngineError if there is no
    engine of that name.
    """
    steps = list(_steps(engine, simulations))
    levels = tuple(step.name for step in steps)
    twins = [StudyEngine(step.name + AGAIN, step.engine, step.options) for step in steps]
    copiers = list(_copiers(game))
    # No copying strategy beats an engine that searches, so the weakest of those will do.
    opponent = levels[1] if len(levels) > 1 else levels[0]
    pairings = [StudyPairing(Purpose.EQUAL, name, name + AGAIN) for name in levels]
    pairings += [StudyPairing(Purpose.LADDER, strong, weak) for weak, strong in pairwise(levels)]
    pairings += [StudyPairing(Purpose.MIRROR, copier.name, opponent) for copier in copiers]
    engines = (*steps, *twins, *copiers)
    return StudyPlan(game, engine, levels, engines, tuple(pairings), (games + 1) // 2, seed)


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

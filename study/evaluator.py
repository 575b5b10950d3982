"""Evaluating positions by search, and a fingerprint of the engine that does it.

Two engines with the same fingerprint chose the same turns and found the same values. A study keeps
the fingerprint of its engine, so a study whose engine has changed since can be told from one that
still holds.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from hashlib import sha256
from random import Random
from typing import TYPE_CHECKING, cast

from oddly.engines import engine_class, has_kernel
from oddly.engines.search.analysing import new_searcher
from oddly.engines.search_engine import SearchEngine
from oddly.engines.solver.solution import without_databases
from oddly.games import PASS, Action, Colour, DropPosition, Game, Position, Swap, random_turn

if TYPE_CHECKING:
    from collections.abc import Iterator


FALLBACK = "rave"
"""The engine that evaluates if the engine studied does not search."""

MEGABYTES = 64
BY_GAMES_ALONE = {"learning": "never", "network": "never"}
"""Options of an engine that evaluates: what was learnt may change with each version."""
MAX_PLAIN_SIMULATIONS = 100
"""The simulations of an evaluation by the plain rules, which are too slow for more."""


def evaluator_name(engine: str) -> str:
    """Return the engine whose search evaluates in a study of `engine`.

    Raises UnknownEngineError if there is no engine of that name.
    """
    return engine if issubclass(engine_class(engine), SearchEngine) else FALLBACK


class Evaluator:
    """Evaluates positions by short searches with an engine's settings, each from an empty tree.

    Playouts run to the end of the game, so that a value is a share of games won.
    """

    def __init__(self, game: Game, engine: str, simulations: int) -> None:
        player = cast("SearchEngine", engine_class(evaluator_name(engine))())
        self.simulations = simulations
        for name, value in (BY_GAMES_ALONE | {"simulations": str(simulations)}).items():
            if name in player.values:
                player.set_option(name, value)
        self._settings = replace(player.settings(game), plies=-1)
        self._searcher = new_searcher(game, megabytes=MEGABYTES)
        player.load(game)

    def for_black(self, at: DropPosition, seed: int, simulations: int | None = None) -> float:
        """Return Black's expected points, 0 to 1."""
        result = at.start.result
        if result is not None:
            return 0.5 if result.winner is None else float(result.winner is Colour.BLACK)
        self._searcher.forget(seed)
        self._searcher.load(at)
        number = simulations or self.simulations
        if not has_kernel(at.start.game):
            number = min(number, MAX_PLAIN_SIMULATIONS)
        found = self._searcher.think(self._settings, simulations=number)
        value = min(max(found.win_rate, 0.0), 1.0)
        return value if at.start.to_move is Colour.BLACK else 1 - value

    def after(
        self, at: DropPosition, action: Action, seed: int, simulations: int | None = None
    ) -> float:
        """Return the expected points, after `action`, of the player who made it."""
        value = self.for_black(at.act(action), seed, simulations)
        is_black = at.start.to_move is Colour.BLACK
        if isinstance(action, Swap):
            # The player who swaps plays the other colour from then on.
            is_black = not is_black
        return value if is_black else 1 - value

    def doing_nothing(self, position: Position, seed: int) -> float | None:
        """Return what the player to move can expect after a pass, or None if a pass is illegal."""
        if position.most_drops < 1 or not position.is_legal(PASS):
            return None
        return self.after(DropPosition(position), PASS, seed)


FINGERPRINT_TURNS = (0, 6, 14)
"""The positions: the start, and those after 6 and 14 random turns."""

FINGERPRINT_SIMULATIONS = 60
FINGERPRINT_SEED = 20
FINGERPRINT_DIGITS = 12
"""The number of hexadecimal digits of the hash that are kept."""


@dataclass(frozen=True, slots=True)
class EngineFingerprint:
    """An engine's hash and the settings of its search, such as `exploration 0.25`."""

    digest: str
    settings: str


def fingerprint(game: Game, engine: str) -> EngineFingerprint:
    """Return the fingerprint of one of our engines in `game`.

    The engine plays with a fixed seed, in one thread, with a fixed number of simulations and
    without databases. Raises UnknownEngineError if there is no engine of that name.
    """
    player = engine_class(engine)()
    is_searching = isinstance(player, SearchEngine)
    player.set_option("seed", str(FINGERPRINT_SEED))
    if is_searching:
        for option, value in (
            ("simulations", FINGERPRINT_SIMULATIONS),
            ("threads", 1),
            ("memory", 16),
        ):
            player.set_option(option, str(value))
    player.prepare(game)
    lines = [str(game), engine]
    with without_databases():
        for position in _fingerprint_positions(game):
            player.new_game()
            lines.append(str(player.choose(position)))
            found = player.last_evaluation()
            if found is not None:
                lines.append(f"{found.win_rate:.4f}")
    settings = ""
    if isinstance(player, SearchEngine):
        named = asdict(player.settings(game))
        for learnt, without in (
            ("judge_share", 0.0),
            ("puct", 0.0),
            ("best_of", 1),
            ("playouts", 1),
        ):
            if named[learnt] == without:
                # Such a search is that of older studies, made before it had these.
                del named[learnt]
        settings = ", ".join(f"{name} {value:g}" for name, value in named.items())
    return EngineFingerprint(
        sha256("\n".join(lines).encode()).hexdigest()[:FINGERPRINT_DIGITS], settings
    )


def _fingerprint_positions(game: Game) -> Iterator[Position]:
    """Yield the positions after each of FINGERPRINT_TURNS, unless the game ends first."""
    random, position = Random(FINGERPRINT_SEED), game.start()
    for turn in range(max(FINGERPRINT_TURNS) + 1):
        if position.is_over:
            return
        if turn in FINGERPRINT_TURNS:
            yield position
        position = position.play(random_turn(position, random))

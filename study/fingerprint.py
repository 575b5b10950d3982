"""A fingerprint of an engine: what it does in a few positions, as a hash, with its settings.

Two engines with the same fingerprint chose the same turns and found the same values. A study keeps
the fingerprint of the engine that it was made with, so that a study of an engine that has changed
since can be told from one that still holds.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from hashlib import sha256
from random import Random
from typing import TYPE_CHECKING

from oddly.engines.catalogue import engine_class
from oddly.engines.search_engine import SearchEngine
from oddly.games.sampling import random_turn

if TYPE_CHECKING:
    from collections.abc import Iterator

    from oddly.games.game import Game, Position

TURNS = (0, 6, 14)
"""The positions: the start, and those after 6 and 14 random turns."""

SIMULATIONS = 60
SEED = 20
DIGITS = 12
"""Hexadecimal digits of the hash that are kept."""


@dataclass(frozen=True, slots=True)
class EngineFingerprint:
    """An engine's hash and the settings of its search, such as `exploration 0.25`."""

    digest: str
    settings: str


def fingerprint(game: Game, engine: str) -> EngineFingerprint:
    """Return the fingerprint of one of our engines in `game`.

    The engine plays with a fixed seed, in one thread and with a fixed number of simulations. Raises
    UnknownEngineError if there is no engine of that name.
    """
    player = engine_class(engine)()
    is_searching = isinstance(player, SearchEngine)
    player.set_option("seed", str(SEED))
    if is_searching:
        for option, value in (("simulations", SIMULATIONS), ("threads", 1), ("memory", 16)):
            player.set_option(option, str(value))
    player.prepare(game)
    lines = [str(game), engine]
    for position in _positions(game):
        player.new_game()
        lines.append(str(player.choose(position)))
        found = player.last_evaluation()
        if found is not None:
            lines.append(f"{found.win_rate:.4f}")
    settings = ""
    if isinstance(player, SearchEngine):
        named = asdict(player.settings(game)).items()
        settings = ", ".join(f"{name} {value:g}" for name, value in named)
    return EngineFingerprint(sha256("\n".join(lines).encode()).hexdigest()[:DIGITS], settings)


def _positions(game: Game) -> Iterator[Position]:
    """Yield the positions of TURNS, as far as the game lasts."""
    random, position = Random(SEED), game.start()
    for turn in range(max(TURNS) + 1):
        if position.is_over:
            return
        if turn in TURNS:
            yield position
        position = position.play(random_turn(position, random))

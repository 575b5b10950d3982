"""The engines that come with oddly, by name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from engines.greedy_engine import GreedyEngine
from engines.misbehaving_engine import MisbehavingEngine
from engines.random_engine import RandomEngine
from games.errors import did_you_mean

if TYPE_CHECKING:
    from engines.engine import Engine

ENGINES: dict[str, type[Engine]] = {
    engine.name: engine for engine in (RandomEngine, GreedyEngine, MisbehavingEngine)
}


class UnknownEngineError(ValueError):
    """A name that is no engine of ours. The message is one sentence."""


def create_engine(name: str) -> Engine:
    """The engine of that name. Raises UnknownEngineError."""
    if name not in ENGINES:
        raise UnknownEngineError(
            f"unknown engine {name!r}: expected one of {', '.join(ENGINES)}"
            + did_you_mean(name, ENGINES)
        )
    return ENGINES[name]()

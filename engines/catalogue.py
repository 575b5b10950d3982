"""The engines that come with oddly, by name. A module is imported when its engine is wanted."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING

from oddly.games import did_you_mean

if TYPE_CHECKING:
    from oddly.engines.engine import Engine


@dataclass(frozen=True, slots=True)
class EngineEntry:
    """Where an engine is found, and its line in `oddly engine --help`."""

    module: str
    class_name: str
    summary: str
    is_compiled: bool = False
    """Whether it has machine code to prepare, which `oddly warm` does in advance."""

    def load(self) -> type[Engine]:
        """Return the engine's class."""
        engine: type[Engine] = getattr(import_module(self.module), self.class_name)
        return engine


ENGINES: dict[str, EngineEntry] = {
    "random": EngineEntry(
        "oddly.engines.plain_engines",
        "RandomEngine",
        "any legal turn, each with the same probability",
    ),
    "greedy": EngineEntry(
        "oddly.engines.plain_engines",
        "GreedyEngine",
        "the best group difference after its turn, ties at random",
    ),
    "uct": EngineEntry(
        "oddly.engines.uct_engine",
        "UctEngine",
        "Monte Carlo tree search, plain: a yardstick",
        is_compiled=True,
    ),
    "rave": EngineEntry(
        "oddly.engines.rave_engine",
        "RaveEngine",
        "Monte Carlo tree search with all-moves-as-first statistics: the strongest",
        is_compiled=True,
    ),
    "mirror": EngineEntry(
        "oddly.engines.plain_engines",
        "MirrorEngine",
        "the image of the opponent's last turn, or any turn where that is illegal",
    ),
    "misbehave": EngineEntry(
        "oddly.engines.misbehaving_engine",
        "MisbehavingEngine",
        "random turns and one fault (--fault, --at; --list shows them), to try referees on",
    ),
}


class UnknownEngineError(ValueError):
    """A name that is not one of our engines. The message is one sentence."""


def known_name(name: str) -> str:
    """`name`, if an engine has it. Raises UnknownEngineError."""
    if name in ENGINES:
        return name
    raise UnknownEngineError(
        f"unknown engine {name!r}: expected one of {', '.join(ENGINES)}"
        + did_you_mean(name, ENGINES)
    )


def engine_class(name: str) -> type[Engine]:
    """Return the class of the engine of that name. Raises UnknownEngineError."""
    return ENGINES[known_name(name)].load()


def create_engine(name: str) -> Engine:
    """Return the engine of that name that comes with oddly. Raises UnknownEngineError.

    >>> import oddly
    >>> position = oddly.create_game("yodd", 3).start()
    >>> turn = oddly.create_engine("greedy").choose(position)
    >>> turn in position.legal_turns()
    True
    """
    return engine_class(name)()

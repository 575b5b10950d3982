"""The engine side: what an engine written in Python sits on, and the reference engines.

An engine in ten lines:

    from engines import Engine, run

    class First(Engine):
        name = "first"

        def choose(self, position):
            return next(position.legal_turns())

    run(First())
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from engines.catalogue import ENGINES, UnknownEngineError, create_engine
    from engines.engine import Engine
    from engines.options import Option, OptionError
    from engines.solver.solution import Solution
    from engines.solver.solve import Solver, solve
    from engines.stdio import run

__all__ = [
    "ENGINES",
    "Engine",
    "Option",
    "OptionError",
    "Solution",
    "Solver",
    "UnknownEngineError",
    "create_engine",
    "run",
    "solve",
]

_HOMES = {
    "ENGINES": "engines.catalogue",
    "Engine": "engines.engine",
    "Option": "engines.options",
    "OptionError": "engines.options",
    "Solution": "engines.solver.solution",
    "Solver": "engines.solver.solve",
    "UnknownEngineError": "engines.catalogue",
    "create_engine": "engines.catalogue",
    "run": "engines.stdio",
    "solve": "engines.solver.solve",
}


def __getattr__(name: str) -> object:
    """Import a public name when it is first used. Raises AttributeError for any other."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value: object = getattr(import_module(_HOMES[name]), name)
    globals()[name] = value
    return value

"""The engine side: what an engine written in Python sits on, and the reference engines.

An engine in ten lines:

    from engines import Engine, run

    class First(Engine):
        name = "first"

        def choose(self, position):
            return next(position.legal_turns())

    run(First())
"""

from typing import TYPE_CHECKING

from games.exports import importer

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

__getattr__ = importer(globals(), _HOMES)

"""The engine side: what an engine written in Python sits on, and the reference engines.

An engine in ten lines:

    from engines import Engine, run

    class First(Engine):
        name = "first"

        def choose(self, position):
            return next(position.legal_turns())

    run(First())
"""

from engines.engine import Engine
from engines.options import Option
from engines.stdio import run

__all__ = ["Engine", "Option", "run"]

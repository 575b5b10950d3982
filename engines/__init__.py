"""The engine side: what an engine written in Python sits on, and the reference engines.

An engine in ten lines:

    from oddly.engines import Engine, run

    class First(Engine):
        name = "first"

        def choose(self, position):
            return next(position.legal_turns())

    run(First())
"""

from lazy_loader import attach_stub

__getattr__, __dir__, __all__ = attach_stub(__name__, __file__)

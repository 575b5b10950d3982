"""The engine side: what an engine written in Python builds on, and the reference engines.

Nothing here knows a referee: an engine reads commands and writes replies. Start with `engine.py`,
the class to write. `session.py` keeps the game so far, `dispatcher.py` answers each command, and
`stdio.py` is the loop. Our strong engines are `search_engine.py` on top of `search/`, which plays
on `kernels/`. `searching.py` searches for other programs: `oddly.search`. The public names are in
`__init__.pyi`. An engine in ten lines:

    from oddly.engines import Engine, run

    class First(Engine):
        name = "first"

        def choose(self, position):
            return next(position.legal_turns())

    run(First())
"""

from lazy_loader import attach_stub

__getattr__, __dir__, __all__ = attach_stub(__name__, __file__)

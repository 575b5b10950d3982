"""Tournaments on top of the referee: formats, schedules, ledgers, results and ratings.

A format makes a plan. The plan says which games may begin and learns how they end; an executor
plays them; the ledger keeps them. A killed run can continue because the plan is deterministic: the
same results always give the same games.

Start with `formats/format.py` and `formats/plan.py`, then `run/runner.py`, the loop around them.
`results/` and `ratings/` are pure functions of finished games. The public names are in
`__init__.pyi`.
"""

from lazy_loader import attach_stub

__getattr__, __dir__, __all__ = attach_stub(__name__, __file__)

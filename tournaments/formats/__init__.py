"""The formats of tournaments: who plays whom next, given the results so far.

A format is one file with its settings and its plan; a long pairing or report has a file of its own
beside it, such as `swiss_pairing.py`. A `Format` is the settings; its `Plan` yields games and
learns results, without a clock and without chance of its own. The runner and the ledger know only
these base classes, so other packages can add their own.

Start with `format.py` and `plan.py`, then `round_robin.py`, the simplest formats. In `knockout.py`
results decide who meets. `derived_plans.py` makes a plan of several games, or of a run that is
resumed. `tournament.py` joins a format with games and engines.
"""

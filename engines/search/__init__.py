"""Monte Carlo tree search over actions, the same for every kernel.

`tree.py` holds what is known, `simulation.py` adds one simulation to it, in which `selection.py`
chooses the actions; `searcher.py` runs them until a deadline, which `timing.py` decides on.
`memory.py` says how large a tree is by default.
"""

"""Monte Carlo tree search over actions, the same for every kernel.

`tree.py` holds what is known, `simulation.py` adds one simulation to it, `searcher.py` runs them
until a deadline, and `timing.py` decides on the deadline.
"""

"""Monte Carlo tree search over actions, the same for every kernel.

`tree.py` holds what is known and `recycling.py` makes room in it. `simulation.py` adds one
simulation, in which `selection.py` chooses the actions; `searcher.py` runs them, in threads that
stop together by `meeting.py`, until a deadline, which `timing.py` decides on. `memory.py` says how
large a tree is by default.
"""

"""Who wins with perfect play, proved by search.

Start with `solve.py`: it answers who wins, and with which turn. It runs `search.py` in slices on
the arrays of `tables.py`, so a proof can be stopped at any time. `tables.py` also has what the
solver knows of a game besides its kernel. `solution.py` looks into databases of whole boards
first, and solves games without a kernel.
"""

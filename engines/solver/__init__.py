"""Who wins with perfect play, proved by search.

Start with `solve.py`: it answers who wins, and with which turn. `prover.py` runs `search.py` in
slices on the arrays of `table.py`, so a proof can be stopped at any time. `plan.py` is what the
solver knows of a game besides its kernel. `known_values.py` looks into databases of whole boards
first, and `plain_solver.py` solves games without a kernel.
"""

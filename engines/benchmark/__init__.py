"""The speed of the kernels, beside small references in C: `oddly bench kernels`.

Implementations take turns in slices of time, so a machine that slows down slows all of them. Start
with `kernel_speed.py`, which measures: it builds the programs in C and plays by the plain rules.
`decided_positions.py` has positions for `oddly bench errors`.
"""

"""The rules of games/ again, at native speed, for search engines.

A kernel is a set of functions on arrays, which Numba compiles and plain Python runs as well. The
tests prove each equal to games/. Start with `interface.py`, which says what every kernel offers.

`group_kernel.py` plays Yodd and Xodd, `odd_kernel.py` Odd, and `ayu_kernel.py` Ayu. `learnt.py` has
what is known of an action and a position before any search. `jit.py` compiles the kernels where
Numba is installed, ahead of the clock, and `machine_code.py` keeps what is compiled between runs.
"""

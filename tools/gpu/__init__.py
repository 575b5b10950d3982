"""Solves Odd and Xodd on 5x5 with a GPU: a second program, by another way than the solvers.

A position is a number in base 3, a digit for each cell: 0 black, 1 white, 2 empty. Its last LOW
cells make up a block of 3^LOW positions; the others, the *high* cells, name the block. A drop on a
high cell leads to the same place in another block, so whole blocks are combined word by word, 32
positions at a time. Then a block is solved in the GPU's shared memory, from its full positions to
its empty ones. Blocks with `e` empty high cells need those with `e - 1` alone, so two such layers
are in memory at a time. Symmetry is not used. Start reading in `solving.py`.
"""

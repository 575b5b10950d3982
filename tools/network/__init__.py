"""Learns the networks of Yodd and Xodd (`engines/kernels/network.py`) from games of `rave`.

    python -m tools.network play xodd 12 --games 500 --simulations 10000 --output xodd-1.npz
    python -m tools.network read xodd 12 docs/studies/xodd-12.games.jsonl.xz --output xodd-0.npz
    python -m tools.network learn xodd 12 xodd-0.npz xodd-1.npz --minutes 5 --output FOLDER

An *example* is a position, how often a search tried each action there, and who won. `examples.py`
takes them from games that `rave` plays against itself, in one process, or that a study published;
`learning.py` fits a network to them with PyTorch, on a GPU if there is one.
"""

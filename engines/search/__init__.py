"""Monte Carlo tree search over actions, the same for every kernel.

Threads share one tree. Each adds simulation after simulation until a deadline, which `settings.py`
sets. Start with `searcher.py`, which runs the threads, then `simulation.py`, a single simulation,
and `leaf.py`, where it ends.

`tree.py` holds what is known, `selection.py` chooses the actions and follows the
most visited ones, and `recycling.py` makes room, for which all threads stop together.
`plain_searcher.py` searches games that have no kernel. `settings.py` also has every number that can
be tuned, and `../levels.py` plays for people.
"""

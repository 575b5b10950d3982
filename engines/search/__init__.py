"""Monte Carlo tree search over actions, the same for every kernel.

Threads share one tree. Each adds simulation after simulation until a deadline, which `timing.py`
sets. Start with `searcher.py`, which runs the threads, then `simulation.py`, a single simulation.

`tree.py` holds what is known, `selection.py` chooses the actions, and `recycling.py` makes room,
for which all threads stop together. `plain_searcher.py` searches games that have no kernel.
`levelled.py` plays for people, and `settings.py` has every number that can be tuned.
"""

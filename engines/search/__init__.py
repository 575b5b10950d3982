"""Monte Carlo tree search over actions, the same for every kernel.

Threads share one tree. Each adds simulation after simulation until the time is over or more of it
is no use (`Allotment.is_enough` in `thinking_time.py`). Start with `searcher.py`, which runs the
threads, then `simulation.py`, a single simulation.

`tree.py` holds what is known, `selection.py` chooses the actions and follows the most visited ones,
and `recycling.py` makes room, for which all threads stop together. `plain_searcher.py` searches
games that have no kernel. `settings.py` has the settings of a search and what it finds,
`../rave_engine.py` the values tuned for each game, and `../levels.py` plays for people.
"""

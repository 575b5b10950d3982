"""Executors: games played in this process, in several on this machine, or on a cluster.

An executor has slots and plays one game in each; it knows nothing of schedules or ledgers. Start
with `executor.py`, the base and the local executor. `referees/` spreads games over processes and
`cluster/` over machines. `capacity.py` says how many games this machine can run at once.
"""

"""Executors: games played in this process, in several on this machine, or on a cluster.

An executor has slots and plays one game in each; it knows nothing of schedules or ledgers. Start
with `executor.py`, the base and the local executor. `conditions.py` says under which conditions
games are played, and `capacity.py` how many this machine can run at once. `referees/` spreads games
over processes and `cluster/` over machines.
"""

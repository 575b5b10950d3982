"""Executors: games played in this process, in several on this machine, or on a cluster.

An executor has slots and plays one game in each; it knows nothing of schedules or ledgers. Start
with `executor.py`, the base and the local executor. `conditions.py` says under which conditions
games are played, how many this machine can run at once, and which engines were absent.

`referees_executor.py` hands games to several referee processes on this machine. One process plans
the run, writes the ledger and shows what happens. The others play. Each has its own loop, engines
and descriptors, so if one hangs or dies, only its own games suffer. `referee_process.py` is such a
process as the planning process sees it, `referee_serving.py` its inside and the messages between
the two, and `referee_start.py` the script that it runs.

`cluster_executor.py` sends games to the workers of a Dask cluster, or of one that it starts on this
machine. A game may reach two workers when one of them seems dead; the first result counts.
`cluster_address.py` says which cluster and how securely. `cluster_session.py` is loaded by workers
that we start ourselves.
"""

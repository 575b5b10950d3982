"""Several referee processes on this machine: an executor that hands games to them.

One process plans the run, writes the ledger and shows what happens. The others play. Each has its
own loop, engines and descriptors, so if one hangs or dies, only its own games suffer.

Start with `executor.py`, which gives each game to a process. `referee_process.py` is such a process
as the planning process sees it, `serving.py` its inside, and `start.py` the script that it runs.
`messages.py` has the messages between the two, and their socket.
"""

"""Several referee processes on this machine: an executor that hands games to them.

One process plans the run, writes the ledger and shows what happens. The others play: each has its
own loop, engines and descriptors, so that one that stands still or dies touches its own games only.

`executor.py` gives each game to a process. `referee_process.py` is such a process as seen from the
one that plans, `serving.py` as seen from within, and `start.py` is the script that it runs.
`messages.py` and `link.py` are what goes between the two.
"""

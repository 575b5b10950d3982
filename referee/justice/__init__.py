"""Rules on games: outcomes, faults, clocks, deadlines and records.

Nothing here knows a process or a pipe: rulings follow from times, texts and positions that callers
pass, so each can be tested and repeated from a record. Start with `outcome.py`, the ways in which a
game ends. `ruling.py` judges an answer to `genmove`, in time or not, so games are lost on time
there; `clock.py` counts a player's time, and `record.py` keeps a game so that it can be replayed.
"""

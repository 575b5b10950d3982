"""Rules on games: outcomes, faults, clocks, deadlines and records.

Nothing here knows a process or a pipe: rulings follow from times, texts and positions that callers
pass, so each can be tested and repeated from a record. Start with `outcome.py`, the ways in which a
game ends. `deadline.py` says whether an answer came in time, `legality.py` whether it is a legal
turn. `clock.py` counts a player's time, and has the times of a game as a record keeps them;
`record.py` has the whole game, so that it can be replayed. Commands that only read records import
none of it but these two and `outcome.py`, which need no trio.
"""

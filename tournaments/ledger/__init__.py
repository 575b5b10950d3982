"""The ledger: an SQLite file that remembers an event and its games, whatever happens.

A game is on the disk before anyone hears that it ended. A ledger may be damaged or come from a
stranger, so `ledger_file.py` is the only way to open one, and a chain of checksums vouches for its
rows.

Start with `store.py`, which reads and writes games, and `schema.py`, the tables and the chain.
`recorded_event.py` reads an event with its results, and `summaries.py` counts them without reading
games. `verification.py`, `salvage.py`, `merging.py` and `arbiter.py` each stand behind a command.
"""

"""What the arena remembers, whatever happens: an SQLite file of its own, and a ledger a pool.

`arena_file.py` has who is registered, the running games with every turn, and how far the arena's
clock had come; `schema.py` its tables, and how an older file gets them. `pool_ledgers.py` puts
finished games into ordinary ledgers, which all commands for ledgers read. `store.py` is both
together: a batch is written whole or not at all, and a finished game is filed exactly once.
"""

"""The arena's durable memory: its own SQLite file, and one ledger for each pool.

`arena_file.py` has the registered engines, the running games with every turn, and the time of the
arena's clock; `schema.py` has its tables, and upgrades older files. `store.py` combines this file
with ordinary ledgers of finished games, which all commands for ledgers read: a batch is written
completely or not at all, and a finished game is filed exactly once. `backup.py` copies all files
while the arena runs. Start with `store.py`.
"""

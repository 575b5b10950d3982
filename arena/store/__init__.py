"""The arena's durable memory: its own SQLite file, and one ledger for each pool.

`arena_file.py` has the registered engines, the running games with every turn, and the time of the
arena's clock; `rows.py` has the keeper's rows in it. `files.py` has its tables, upgrades older
files, and copies all files while the arena runs. `store.py` combines this file with ordinary
ledgers of finished games, which all commands for ledgers read: a batch is written completely or not
at all, and a finished game is filed exactly once. Start with `store.py`.
"""

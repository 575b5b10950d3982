"""Files that survive a crash: bounded SQLite, and files that appear whole or not at all.

A file may be cut short by a crash, or written by a stranger. So every write is durable before it
counts, and every read is bounded. Nothing here knows what the files are for.

`whole_files.py` writes beside the target first; `sqlite_file.py` opens databases, locks them and
bounds their queries; `own_database.py` upgrades databases that only one process uses;
`sqlite_pages.py` reads what is left of a damaged one. `bounded_json.py` reads JSON of strangers.
Start with `whole_files.py`.
"""

from lazy_loader import attach_stub

__getattr__, __dir__, __all__ = attach_stub(__name__, __file__)

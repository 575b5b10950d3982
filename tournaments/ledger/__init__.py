"""The ledger: an SQLite file that remembers an event and its games, whatever happens.

`schema.py` opens files and knows their versions, `store.py` reads and writes games, `event.py` says
what an event is and whether a changed one may go on, and `keeper.py` writes games as they end.
"""

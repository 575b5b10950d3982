"""The ledger: an SQLite file that remembers an event and its games, whatever happens.

`schema.py` opens files and knows their versions, `store.py` reads and writes games, and `keeper.py`
writes them as they end. `event_facts.py` says what an event is and whether a changed one may
continue; `recorded_event.py` reads an event with its results.
"""

"""The wire of the arena, version 1: JSON messages over a WebSocket, and the proof of a key.

`from_engine.py` and `from_arena.py` have the messages of either side: start with them. `message.py`
reads and writes messages, and `members.py` checks their members. `proof.py` proves (`prove`) and
checks (`is_proof`) that a side holds its key.
"""

"""The wire of the arena, version 1: JSON messages over a WebSocket, and the proof of a key.

`from_engine.py` and `from_arena.py` have the messages of either side, `message.py` how they are
read and written, `members.py` the bounds of what is in them, and `proof.py` the keys.
"""

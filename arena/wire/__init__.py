"""The wire of the arena, version 1: JSON messages over a WebSocket, and the proof of a key.

`from_engine.py` and `from_arena.py` have the messages of either side, `message.py` reads and writes
them and deals with keys, and `members.py` checks their members.
"""

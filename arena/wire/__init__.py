"""The wire of the arena, version 1: JSON messages over a WebSocket, and the proof of a key.

`messages.py` has the messages of either side: start with it. `members.py` reads and writes messages
and checks their members. `proof.py` proves (`prove`) and checks (`is_proof`) that a side holds its
key.
"""

"""The engine's side of the arena: what `oddly join` runs.

`machine.py` decides without input or output what to do about each message and about what the engine
does. Its steps are in `effects.py`, and what it tells people in `events.py`. `joining.py` has the
loop in trio around it, over `connection.py` and `engine.py`. Start with `machine.py`.
"""

"""The engine's side of the arena: what `oddly join` runs.

`machine.py` decides, without input or output, how to react to messages and to the engine. Its steps
and its news for people are in `events.py`. `joining.py` has the trio loop around it, which uses
`connection.py` and `engine.py`. Start with `machine.py`.
"""

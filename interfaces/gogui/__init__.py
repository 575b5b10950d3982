"""Engines in GoGui, whose moves are single taps on points.

`games/partial_turn.py` is a turn made of taps. Start with `session.py`, a conversation in taps, and
`dispatcher.py`, GoGui's commands on it. `display.py` writes boards, sentences and an engine's
settings, and `marks.py` paints the turn and an engine's thoughts on the board. `native_engine.py`
puts any native engine's program behind these commands, and finds the turns that it must know.
`preferences.py` sets GoGui up on this machine.
"""

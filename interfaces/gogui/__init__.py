"""Engines in GoGui, whose moves are single taps on points.

`games/partial_turn.py` is a turn made of taps. Start with `session.py`, a conversation in taps, and
`dispatcher.py`, GoGui's commands on it. `display.py` writes boards and sentences, and `marks.py`
paints the turn and an engine's thoughts on the board. `settings_dialog.py` has an engine's level
and time. `native_engine.py` puts any native engine's program behind these commands, and finds the
turns that it must know. `preferences.py` sets GoGui up on this machine.
"""

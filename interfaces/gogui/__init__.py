"""Engines in GoGui, whose moves are single taps on points.

`games/taps.py` is a turn made of taps; `session.py` and `dispatcher.py` are GoGui's commands on
it. `display.py` writes boards and sentences, `marks.py` what is painted on the board.
`native_engine.py` and `native_loop.py` put any native engine's program behind these commands;
`turns.py` finds the turns that it must know.
"""

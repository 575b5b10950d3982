"""The GoGui profile: our games and engines for a program that knows Go's moves only.

`taps.py` is a turn as single taps on points, `planning.py` the way from a turn to its taps,
`session.py` one conversation's state, `dispatcher.py` its commands, `display.py` what GoGui is
shown. `docs/gogui.md` tells players how to use it.
"""

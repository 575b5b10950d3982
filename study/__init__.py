"""Studying a game by playing it: how long, how wide, how fair, how deep.

`plan.py` says which games are played and `playing.py` has the referee play them. Each measurement
has a file of its own with functions from games or positions to figures (`figure.py`); `chapters.py`
makes sections of them, which `markdown.py`, `as_json.py` and `page.py` write down.
"""

"""Drawn boards: where everything lies (geometry), and pictures of positions as SVG and PNG.

`geometry.py` is the one place that knows how a board looks on paper or on a screen; whoever draws
one, in Python or in a browser, draws what it says. `trace.py` tells what is to be marked after some
turns, `picture.py` holds what a picture shows, `svg.py` and `png.py` write it.
"""

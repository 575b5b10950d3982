"""Drawn boards: where everything lies (geometry), and pictures of positions as SVG and PNG.

`geometry.py` is the one place that knows how a board looks on paper or on a screen, and every
program that draws one asks it. `trace.py` says what to mark after some turns, `picture.py` holds
what a picture shows, and `svg.py` and `png.py` write it. `charts.py` draws charts, on the axes of
`axis.py`.
"""

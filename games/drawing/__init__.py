"""Drawn boards: where everything lies (geometry), and pictures of positions as SVG and PNG.

Only `geometry.py` knows how a board looks on paper or on a screen; all drawing code asks it.
`picture.py` says what a picture shows, marks included; `svg.py` and `png.py` write it. `charts.py`
draws charts with their axes. Start with `picture.py`.
"""

"""Drawn boards: where everything lies (geometry), and pictures of positions as SVG and PNG.

Only `picture.py` knows how a board looks on paper or on a screen; all drawing code asks it. It also
says what a picture shows, marks included; `svg.py` and `png.py` write it. `moving.py` shows a whole
game, and `charts.py` draws charts with their axes. Start with `picture.py`.
"""

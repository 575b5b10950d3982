"""Drawn boards: where everything lies (geometry), and pictures of positions as SVG and PNG.

Only `picture.py` knows how a board looks on paper or on a screen; all drawing code asks it. It also
says what a picture shows, marks included; `svg.py` writes it, as SVG or PNG. `moving.py` shows a
whole game, and `charts.py` draws charts with their axes. Start with `picture.py`.
"""

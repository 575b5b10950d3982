"""Values of all positions of a small board, found backwards from the full board.

A layer is all positions with the same number of stones; its values follow from layers with more.
`layers.py` gives every position a number and finds the values of a layer, and `files.py` keeps one
bit for each position. Start with `database.py`.
"""

"""A game that people click or type, shared by the page, the terminal and GoGui.

Start with `game_in_progress.py`: an immutable value with the turns so far and the turn that is
being made. It decides whether a click is a drop, the end of a turn or a mistake. `recording.py`
keeps such games, `sentences.py` has what people read beside the board, `levels.py` the levels of
`rave` in words, and `lessons/` the lessons.
"""

"""A game that people click or type, shared by the page, the terminal and GoGui.

Start with `game_in_progress.py`: an immutable value with the turns so far and the turn that is
being made. It decides whether a click is a drop, the end of a turn or a mistake. `recording.py`
keeps such games, and `sentences.py` has the text beside the board. `lesson.py` reads the lessons
and puzzles of `lessons/`, and says whether a turn reaches the goal.
"""

"""Interactive lessons: one file a game, read and judged by the rules.

`lesson.py` is what a lesson is and whether a turn reaches its goal; `course.py` reads the files.
"""

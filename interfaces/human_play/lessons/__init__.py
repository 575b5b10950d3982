"""Interactive lessons: one file a game, read and judged by the rules.

`lesson.py` reads the files, and says what a lesson is and whether a turn reaches its goal. The
lessons are `yodd.toml` and its siblings, the puzzles `puzzles.jsonl`.
"""

"""What a terminal shows while games are played.

`run_history.py` collects what happens, `run_snapshot.py` is what is known at a moment, and
`view.py` draws that for a terminal of any size, with `standings_lines.py` and `game_lines.py`.
These are pure. `keyboard.py` reads keys, and `screen.py` joins them with a real terminal.
"""

"""What a terminal shows while games are played.

`scene.py` is what is known at a moment, `view.py` draws that for a terminal of any size, with
`standings_lines.py` and `game_lines.py`; these are pure. `keyboard.py` reads keys, and `screen.py`
is the observer that joins them with a real terminal.
"""

"""What a terminal shows while games are played.

Start with `view.py`, which draws a run for a terminal of any size from `run_snapshot.py`, what is
known at a moment. `run_history.py` collects that as games begin and end, and `lines.py` has lines
of an exact width. These are pure. `screen.py` joins them with a real terminal and its keys, and
`progress.py` chooses between the live view and plain lines.
"""

"""What a terminal shows while games are played.

Start with `view.py`, which draws a run for a terminal of any size from a `RunSnapshot`, and
collects the facts as games begin and end. `lines.py` makes lines of an exact width. These are pure.
`screen.py` joins them with a real terminal and its keys, and `progress.py` chooses between the live
view and plain lines.
"""

"""The report of an event: one HTML file with everything in it, for people.

`reported_event.py` reads a ledger, `game_section.py` and `convergence.py` take tables and charts
from the summaries of its results, `replay.py` prepares games to be played through, and `page.py`
fills the templates.
"""

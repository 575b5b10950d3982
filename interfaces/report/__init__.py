"""The report of an event: one HTML file with everything in it, for people.

Start with `page.py`, which fills the templates. `reported_event.py` reads a ledger,
`game_section.py` takes tables and charts from the summaries of its results, and `replay.py`
prepares games to be played through.
"""

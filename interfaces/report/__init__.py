"""The report of an event: one HTML file with everything in it, for people.

Start with `page.py`, which fills the templates and prepares games for replay. `reported_event.py`
reads a ledger, and `game_section.py` takes tables and charts from the summaries of its results.
"""

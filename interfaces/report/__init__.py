"""The report of an event: one HTML file with everything in it, for people.

Start with `page.py`, which reads a ledger, fills the templates and prepares games for replay.
`game_section.py` takes tables and charts from the summaries of the results.
"""

"""The report of an event: one HTML file with everything in it, for people.

`event.py` reads a ledger, `chapter.py` and `convergence.py` take figures from the statistics,
`charts.py` draws them, `replay.py` prepares games to be played through, and `page.py` fills the
templates.
"""

"""The face of an arena: read-only pages for everybody, drawn on the server.

`ladder.py` has the rows of tables, `shown.py` one game as a page shows it, `reading.py` what is on
the disk, `feed.py` the changes that spectators get, and `site.py` what all pages share.
"""

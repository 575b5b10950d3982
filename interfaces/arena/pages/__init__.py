"""The face of an arena: read-only pages for everybody, drawn on the server.

`site.py` is what all pages share, with the rows of tables. `shown.py` has one game as a page shows
it, `reading.py` what is on the disk, and `feed.py` the changes that spectators get.
"""

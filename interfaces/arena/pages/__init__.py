"""The site of an arena: read-only pages for everybody, drawn on the server.

`site.py` has what all pages share, with the rows of tables. `shown.py` has one game as a page shows
it, `reading.py` reads the disk, and `feed.py` sends spectators the changes.
"""

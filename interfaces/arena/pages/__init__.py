"""The site of an arena: pages for everybody, drawn on the server.

Start with `site.py`, which has what all pages share, then `rating_pages.py`, the front page, the
ladders and the engines. `game_pages.py` has the games, and `shown.py` one game as a page shows it.
`reading.py` reads the disk, and `feed.py` sends spectators the changes. All pages are read-only but
those of `visit_pages.py`, for games against engines.
"""

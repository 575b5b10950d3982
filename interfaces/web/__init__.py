"""The web page: a room to watch a tournament in, and one to play in.

`server.py` listens, `application.py` says what is at which address, and `security.py` stands in
front of both. `play_room.py` has the games of people, each a `page_game.py` at a table of
`interfaces/human_play/`, with `engine_seat.py` for engines; `watch_room.py` reads a ledger and its
feed. `views.py` is what a browser gets to see of either. The rules stay here: the scripts
in `static/` draw and send clicks.
"""

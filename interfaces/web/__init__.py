"""The web page: a room to watch a tournament in, and one to play in.

`server.py` listens, `application.py` says what is at which address, and `security.py` stands in
front of both. `lobby.py` has the games that people play, each a `page_game.py`; `broadcast.py`
reads a ledger and its feed. `views.py` is what a browser sees of either, and `websockets.py` sends
it. The rules stay here: the scripts in `static/` draw and send clicks.
"""

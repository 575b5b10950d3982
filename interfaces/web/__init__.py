"""The web page to play on and to watch tournaments on.

A browser is a stranger: every request, message and number of games is bounded (`bounds.py`), and
the rules stay here. The scripts in `static/` draw and send clicks.

Start with `server.py`, which says what answers at each address, and `page_game.py`, one game that
people play; `lobby.py` has all of them, and `seats.py` says who may play in one. `broadcast.py`
reads a ledger and its feed, `views.py` is what a browser sees of either, and `websockets.py` sends
it.
"""

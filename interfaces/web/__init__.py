"""The web page to play on and to watch tournaments on.

`server.py` listens, `application.py` routes addresses, and `security.py` admits requests.
`lobby.py` has the games that people play, each a `page_game.py`; `broadcast.py`
reads a ledger and its feed. `views.py` is what a browser sees of either, and `websockets.py` sends
it. The rules stay here: the scripts in `static/` draw and send clicks.
"""

"""A game in a terminal against an engine or another human.

`play_session.py` turns lines into requests and `driver.py` carries them out; `scoresheet.py` is the
game with its players. `completion.py`, `legality.py` and `messages.py` are what the session says.
"""

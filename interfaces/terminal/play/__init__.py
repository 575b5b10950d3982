"""A game in a terminal against an engine or another human.

Start with `play_session.py`, a pure machine that turns lines into requests; `driver.py` carries
them out, and waits for people and engines. `scoresheet.py` is the game with its players.
`messages.py` has the texts of the session. `driver.py` reads lines from a pipe or a simple
terminal; `prompting.py` has the prompt on a real terminal.
"""

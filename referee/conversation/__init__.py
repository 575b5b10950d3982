"""Speaks the protocol with an engine, in a game between engines or with people.

Start with `player.py`: one engine in one game, with a deadline for every reply. `commands.py` has
the commands and their ids. `seat.py` lets an engine play in a game of people, and restarts it when
it fails; `analysis.py` reports what it thinks meanwhile.
"""

"""A game as people play it: a turn is put together stone by stone, and nothing is final before.

`table.py` is the state machine and `sentences.py` what it says; both are pure, know no screen, and
are shared by whoever lets people play.
"""

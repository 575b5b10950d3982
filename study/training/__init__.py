"""Learns what guides a search, a prior or a judge, from games that it plays against itself.

Start with `course.py`, which goes from generation to generation, plays the new weights against the
old, and reports the results. `subject.py` says what is taught. `self_play.py` plays the games of a
generation, keeps examples and fits weights to them. docs/how-to/train-an-engine.md explains it all.
"""

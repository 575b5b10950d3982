"""Learning which actions a search would try, from games that it plays with itself.

`course.py` goes from generation to generation: `self_play.py` plays games and keeps examples,
`fitting.py` learns weights from them, `contest.py` plays the new weights against the old, and
`report.py` reports the results. docs/how-to/train-an-engine.md is about all of this.
"""

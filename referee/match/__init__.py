"""Plays games between engines, adjudicates them, and judges them again.

Start with `game.py`: two players, one position of our own, and the loop between them.
`engine_pool.py` asks engines who they are, and keeps them running from game to game.
`adjudication.py` ends a game early. `wire_log.py` keeps every line of a game as evidence, and
`judgement.py` judges the game again from that alone.
"""

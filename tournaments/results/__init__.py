"""The results of finished games: standings, ratings, tests, times and faults.

Text, JSON, the report, the live view and the page show the same numbers, because all of them show
a `GameSummary`. Start with `schedule.py`, a game before and after it is played, and
`game_summary.py`, which has its standings too. `counts.py` and `sequential.py` compute its other
parts, and `results_json.py` writes it.
"""

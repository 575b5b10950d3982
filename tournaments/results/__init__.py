"""The results of finished games: standings, ratings, tests, times and faults.

Text, JSON, the report, the live view and the page show the same numbers, because all of them show
a `GameSummary`. Start with `schedule.py`, a game before and after it is played, and
`game_summary.py`. `counts.py`, `standings.py` and `sequential.py` compute its parts, and
`results_json.py` writes it.
"""

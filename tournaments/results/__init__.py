"""The results of finished games: standings, ratings, tests, times and faults."""

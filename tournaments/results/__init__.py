"""What finished games say: standings, ratings, tests, times and faults."""

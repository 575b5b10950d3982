"""What finished games add up to: standings, ratings, tests, times and faults."""

"""Ratings with error bars, and sequential tests, from the results of games."""

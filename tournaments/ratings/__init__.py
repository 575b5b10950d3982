"""From results of games to ratings with error bars, and to decisions by sequential tests."""

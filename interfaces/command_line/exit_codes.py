"""The exit codes of `oddly`."""

DONE = 0
FORFEITS = 1
"""Done, but games were forfeited."""
BAD_INPUT = 2
"""Something is wrong with the input, known before the first game."""
INTERRUPTED = 3
NO_START = 4
"""Done, but an engine could not start."""

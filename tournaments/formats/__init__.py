"""The formats of tournaments: who plays whom next, given the results so far."""

"""The formats of tournaments, pure: who plays whom next, given who won so far."""

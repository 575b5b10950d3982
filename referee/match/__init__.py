"""Plays games between engines, adjudicates them, and judges them again."""

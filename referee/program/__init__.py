"""Starts, bounds, isolates and ends an engine's program."""

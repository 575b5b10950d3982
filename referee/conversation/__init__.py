"""Speaks with an engine in the protocol, in a game of engines or of people."""

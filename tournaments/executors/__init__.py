"""Executors: games played in this process, in several on this machine, or on a cluster."""

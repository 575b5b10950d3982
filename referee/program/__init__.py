"""Starts, bounds, isolates and ends an engine's program.

A program may hang, flood its pipes, fork or outlive its game. Each wait is therefore bounded, and
whatever a program leaves behind is found and killed. Start with `process.py`. `starting.py` and
`launcher.py` start a program, `configuration.py` says how it is entered for games and what it may
use, `isolation.py` walls it in, and `orphans.py` ends what is left.
"""

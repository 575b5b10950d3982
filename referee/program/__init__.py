"""Starts, bounds, isolates and ends an engine's program.

A program may hang, flood its pipes, fork or outlive its game. Each wait is therefore bounded, and
whatever a program leaves behind is found and killed. Start with `process.py`. `starting.py` and
`launcher.py` start a program, `limits.py` and `isolation.py` say what it may use, and `orphans.py`
and `cleanup.py` end what is left. `configuration.py` is an engine as it is entered for games.
"""

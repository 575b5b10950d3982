"""A conformance check of one engine, step by step, against docs/reference/protocol.md.

A step is a function with a decorator (`step.py`) that names its section. The engine under test may
do anything, so `conversation.py` is lenient and keeps evidence. Start with `checker.py`, which runs
the steps, then read the files `*_steps.py`. `report.py` writes the results, and
`mutation_score.py` says how many faulty engines the check finds.
"""

"""A conformance check of one engine, step by step, against docs/reference/protocol.md.

A step is a function with a decorator (`step.py`) that names its section and its topic; topics rest
on each other, so a later failure may follow from an earlier one. The engine under test may do
anything, so `conversation.py` is lenient and keeps evidence. `referee_side.py` lends its process to
the code that plays matches. Start with `checker.py`, which runs the steps, then read the files
`*_steps.py`. Two of them are made of tables: `survey.py` follows random games once for many steps,
and `state_steps.py` sends each command of the table in `step.py` in each state of a game.
"""

"""Playing a tournament: the runner, what it records, who observes it, and how it is resumed.

The loop is in `runner.py`: ask the plan for games, have the executor play them, record each, then
let the plan learn. Start there, and with `playing.py`, which puts ledger, observers and executor
together. `recording.py` writes down the games that have ended, `live_feed.py` those being played.
`resuming.py` continues an earlier run, `observer.py` says what a run tells, `control.py` how it is
stopped, and `matches.py` plays two engines without a tournament file.
"""

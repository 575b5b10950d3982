"""The referee side: two engine processes, one game, and an outcome by our own rules.

What is named here is what other programs may build on; each name is imported when it is used.
"""

from typing import TYPE_CHECKING

from games.exports import importer

if TYPE_CHECKING:
    from referee.analysis_stream import AnalysisStream
    from referee.check.checker import CheckReport, check_engine
    from referee.check.engine_under_test import CheckOptions
    from referee.check.running import run_check
    from referee.check.step import StepResult
    from referee.early_end import Adjudicator, EarlyEnds, Verdict
    from referee.fault import EngineFault
    from referee.limits import Limits
    from referee.match import play_game
    from referee.outcome import Outcome, Termination
    from referee.player import EngineConfiguration
    from referee.pool import Restart
    from referee.program import ProgramError, find_program
    from referee.record import GameRecord, PlayedTurn, RecordError, replay
    from referee.replay import Judgement, WireLogError, judge
    from referee.resources import Resources
    from referee.seat import EngineSeat
    from referee.snapshot import Snapshot
    from referee.turn_limit import LimitResult

__all__ = [
    "Adjudicator",
    "AnalysisStream",
    "CheckOptions",
    "CheckReport",
    "EarlyEnds",
    "EngineConfiguration",
    "EngineFault",
    "EngineSeat",
    "GameRecord",
    "Judgement",
    "LimitResult",
    "Limits",
    "Outcome",
    "PlayedTurn",
    "ProgramError",
    "RecordError",
    "Resources",
    "Restart",
    "Snapshot",
    "StepResult",
    "Termination",
    "Verdict",
    "WireLogError",
    "check_engine",
    "find_program",
    "judge",
    "play_game",
    "replay",
    "run_check",
]

_HOMES = {
    "Adjudicator": "referee.early_end",
    "AnalysisStream": "referee.analysis_stream",
    "CheckOptions": "referee.check.engine_under_test",
    "CheckReport": "referee.check.checker",
    "EarlyEnds": "referee.early_end",
    "EngineConfiguration": "referee.player",
    "EngineFault": "referee.fault",
    "EngineSeat": "referee.seat",
    "GameRecord": "referee.record",
    "Judgement": "referee.replay",
    "LimitResult": "referee.turn_limit",
    "Limits": "referee.limits",
    "Outcome": "referee.outcome",
    "PlayedTurn": "referee.record",
    "ProgramError": "referee.program",
    "RecordError": "referee.record",
    "Resources": "referee.resources",
    "Restart": "referee.pool",
    "Snapshot": "referee.snapshot",
    "StepResult": "referee.check.step",
    "Termination": "referee.outcome",
    "Verdict": "referee.early_end",
    "WireLogError": "referee.replay",
    "check_engine": "referee.check.checker",
    "find_program": "referee.program",
    "judge": "referee.replay",
    "play_game": "referee.match",
    "replay": "referee.record",
    "run_check": "referee.check.running",
}

__getattr__ = importer(globals(), _HOMES)

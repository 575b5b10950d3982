"""Tournaments on top of the referee: formats, schedules, ledgers, results and ratings.

What is named here is what other programs may build on; each name is imported when it is used.
"""

from typing import TYPE_CHECKING

from games.exports import importer

if TYPE_CHECKING:
    from tournaments.cluster.address import (
        Certificates,
        ClusterAddress,
        ClusterError,
        parse_cluster_address,
    )
    from tournaments.control import Control
    from tournaments.formats.fixed import Gauntlet, Match, RoundRobin
    from tournaments.formats.format import Format
    from tournaments.formats.knockout import Knockout
    from tournaments.formats.plan import Plan
    from tournaments.formats.pool import RatingPool
    from tournaments.formats.sprt import Sprt
    from tournaments.formats.swiss import Swiss
    from tournaments.formats.tuning import Tuning
    from tournaments.ledger.arbiter import RulingError, rule
    from tournaments.ledger.merging import merge
    from tournaments.ledger.recorded_event import RecordedEvent, read_event
    from tournaments.ledger.rulings import Ruling
    from tournaments.ledger.salvage import Salvage, salvage
    from tournaments.ledger.schema import LedgerError
    from tournaments.ledger.store import Ledger
    from tournaments.ledger.verification import Verification, verify
    from tournaments.matches import engine, run_match, run_sprt
    from tournaments.missing_extra import MissingExtraError
    from tournaments.observer import Observer, RunStart
    from tournaments.openings import read_openings
    from tournaments.playing import play_tournament, run_tournament
    from tournaments.playing_settings import PlayingSettings
    from tournaments.random_openings import OpeningsError
    from tournaments.ratings.bradley_terry import advantage_test, rate
    from tournaments.ratings.csv_file import ResultsFileError, read_csv
    from tournaments.ratings.ordered_pairs import RatedGame, Results, collect
    from tournaments.ratings.over_time import rate_over_time
    from tournaments.ratings.ratings import AdvantageTest, Ratings
    from tournaments.ratings.ratings_json import ratings_json
    from tournaments.ratings.sprt import Hypotheses, SequentialTest, SprtState
    from tournaments.record_file import RecordFile
    from tournaments.results.engine_statistics import EngineStatistics
    from tournaments.results.game_summary import GameSummary, game_summaries
    from tournaments.results.played_game import PlayedGame
    from tournaments.results.results_json import results_json
    from tournaments.results.sequential import PairTest, Question
    from tournaments.results.standings import Score, Standing
    from tournaments.results.strength import Strength
    from tournaments.results_file import ResultsFile, read_results
    from tournaments.runner import Run
    from tournaments.schedule import ScheduledGame
    from tournaments.tournament import Tournament
    from tournaments.tournament_file import TournamentFileError, load_tournament
    from tournaments.tuning.course import TuningReport
    from tournaments.tuning.option import TunedOption
    from tournaments.tuning.spsa import Spsa
    from tournaments.tunings import run_tuning, tuning_so_far

__all__ = [
    "AdvantageTest",
    "Certificates",
    "ClusterAddress",
    "ClusterError",
    "Control",
    "EngineStatistics",
    "Format",
    "GameSummary",
    "Gauntlet",
    "Hypotheses",
    "Knockout",
    "Ledger",
    "LedgerError",
    "Match",
    "MissingExtraError",
    "Observer",
    "OpeningsError",
    "PairTest",
    "Plan",
    "PlayedGame",
    "PlayingSettings",
    "Question",
    "RatedGame",
    "RatingPool",
    "Ratings",
    "RecordFile",
    "RecordedEvent",
    "Results",
    "ResultsFile",
    "ResultsFileError",
    "RoundRobin",
    "Ruling",
    "RulingError",
    "Run",
    "RunStart",
    "Salvage",
    "ScheduledGame",
    "Score",
    "SequentialTest",
    "Sprt",
    "SprtState",
    "Spsa",
    "Standing",
    "Strength",
    "Swiss",
    "Tournament",
    "TournamentFileError",
    "TunedOption",
    "Tuning",
    "TuningReport",
    "Verification",
    "advantage_test",
    "collect",
    "engine",
    "game_summaries",
    "load_tournament",
    "merge",
    "parse_cluster_address",
    "play_tournament",
    "rate",
    "rate_over_time",
    "ratings_json",
    "read_csv",
    "read_event",
    "read_openings",
    "read_results",
    "results_json",
    "rule",
    "run_match",
    "run_sprt",
    "run_tournament",
    "run_tuning",
    "salvage",
    "tuning_so_far",
    "verify",
]

_HOMES = {
    "AdvantageTest": "tournaments.ratings.ratings",
    "Certificates": "tournaments.cluster.address",
    "ClusterAddress": "tournaments.cluster.address",
    "ClusterError": "tournaments.cluster.address",
    "Control": "tournaments.control",
    "EngineStatistics": "tournaments.results.engine_statistics",
    "Format": "tournaments.formats.format",
    "GameSummary": "tournaments.results.game_summary",
    "Gauntlet": "tournaments.formats.fixed",
    "Hypotheses": "tournaments.ratings.sprt",
    "Knockout": "tournaments.formats.knockout",
    "Ledger": "tournaments.ledger.store",
    "LedgerError": "tournaments.ledger.schema",
    "Match": "tournaments.formats.fixed",
    "MissingExtraError": "tournaments.missing_extra",
    "Observer": "tournaments.observer",
    "OpeningsError": "tournaments.random_openings",
    "PairTest": "tournaments.results.sequential",
    "Plan": "tournaments.formats.plan",
    "PlayedGame": "tournaments.results.played_game",
    "PlayingSettings": "tournaments.playing_settings",
    "Question": "tournaments.results.sequential",
    "RatedGame": "tournaments.ratings.ordered_pairs",
    "RatingPool": "tournaments.formats.pool",
    "Ratings": "tournaments.ratings.ratings",
    "RecordFile": "tournaments.record_file",
    "RecordedEvent": "tournaments.ledger.recorded_event",
    "Results": "tournaments.ratings.ordered_pairs",
    "ResultsFile": "tournaments.results_file",
    "ResultsFileError": "tournaments.ratings.csv_file",
    "RoundRobin": "tournaments.formats.fixed",
    "Ruling": "tournaments.ledger.rulings",
    "RulingError": "tournaments.ledger.arbiter",
    "Run": "tournaments.runner",
    "RunStart": "tournaments.observer",
    "Salvage": "tournaments.ledger.salvage",
    "ScheduledGame": "tournaments.schedule",
    "Score": "tournaments.results.standings",
    "SequentialTest": "tournaments.ratings.sprt",
    "Sprt": "tournaments.formats.sprt",
    "SprtState": "tournaments.ratings.sprt",
    "Spsa": "tournaments.tuning.spsa",
    "Standing": "tournaments.results.standings",
    "Strength": "tournaments.results.strength",
    "Swiss": "tournaments.formats.swiss",
    "Tournament": "tournaments.tournament",
    "TournamentFileError": "tournaments.tournament_file",
    "TunedOption": "tournaments.tuning.option",
    "Tuning": "tournaments.formats.tuning",
    "TuningReport": "tournaments.tuning.course",
    "Verification": "tournaments.ledger.verification",
    "advantage_test": "tournaments.ratings.bradley_terry",
    "collect": "tournaments.ratings.ordered_pairs",
    "engine": "tournaments.matches",
    "game_summaries": "tournaments.results.game_summary",
    "load_tournament": "tournaments.tournament_file",
    "merge": "tournaments.ledger.merging",
    "parse_cluster_address": "tournaments.cluster.address",
    "play_tournament": "tournaments.playing",
    "rate": "tournaments.ratings.bradley_terry",
    "rate_over_time": "tournaments.ratings.over_time",
    "ratings_json": "tournaments.ratings.ratings_json",
    "read_csv": "tournaments.ratings.csv_file",
    "read_event": "tournaments.ledger.recorded_event",
    "read_openings": "tournaments.openings",
    "read_results": "tournaments.results_file",
    "results_json": "tournaments.results.results_json",
    "rule": "tournaments.ledger.arbiter",
    "run_match": "tournaments.matches",
    "run_sprt": "tournaments.matches",
    "run_tournament": "tournaments.playing",
    "run_tuning": "tournaments.tunings",
    "salvage": "tournaments.ledger.salvage",
    "tuning_so_far": "tournaments.tunings",
    "verify": "tournaments.ledger.verification",
}

__getattr__ = importer(globals(), _HOMES)

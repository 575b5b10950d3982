"""Running a tuning from a program, and reading its state."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from oddly.tournaments.executors.playing_settings import PlayingSettings
from oddly.tournaments.formats.plan import ResumedPlan
from oddly.tournaments.formats.tournament import Tournament
from oddly.tournaments.formats.tuning import Tuning
from oddly.tournaments.ledger.store import Ledger
from oddly.tournaments.ratings.tuning.course import TuningReport
from oddly.tournaments.run.matches import engine as engine_of
from oddly.tournaments.run.playing import event_of, run_tournament

if TYPE_CHECKING:
    from collections.abc import Sequence

    from oddly.games.game import Game
    from oddly.referee.program.configuration import EngineConfiguration
    from oddly.tournaments.ratings.tuning.course import TunedOption
    from oddly.tournaments.run.observer import Observer


def run_tuning(
    engine: EngineConfiguration | str,
    game: Game,
    options: Sequence[TunedOption],
    games: int,
    *,
    opponent: EngineConfiguration | str | None = None,
    opening_turns: int = 0,
    seed: int = 0,
    settings: PlayingSettings | None = None,
    ledger: str | Path | None = None,
    observers: Sequence[Observer] = (),
) -> TuningReport | None:
    """Tune options of an engine by games, and return the report; None without a result.

    Raises what `run_tournament` raises, and ProgramError if there is no such program.
    """
    known = engine_of(engine) if isinstance(engine, str) else engine
    entered = [replace(known, name=f"{known.name} {side}") for side in "+-"]
    if opponent is not None:
        entered.append(engine_of(opponent) if isinstance(opponent, str) else opponent)
    tournament = Tournament(
        name="tuning",
        format=Tuning(tuple(options), games),
        games=(game,),
        engines=tuple(entered),
        seed=seed,
        settings=settings or PlayingSettings(),
        opening_turns={game: opening_turns} if opening_turns else {},
    )
    run = run_tournament(tournament, ledger, observers)
    report = run.plan.reports()[str(game)]
    return report if isinstance(report, TuningReport) else None


def tuning_so_far(tournament: Tournament, ledger: str | Path) -> dict[str, TuningReport]:
    """Return the report of a tuning from its ledger, by the title of the game, without playing.

    Raises LedgerError for a ledger that is damaged or of another event.
    """
    with Ledger(Path(ledger), read_only=True) as opened:
        known = {game.scheduled.id: game for game in opened.each_played()}
        annulled = opened.rulings().annulled
    plan = ResumedPlan(tournament.format.plan(event_of(tournament)), known, annulled)
    while plan.next() is not None:
        pass
    reports = plan.reports()
    return {title: each for title, each in reports.items() if isinstance(each, TuningReport)}

"""Playing a tournament: its ledger, its observers and its executor, put together.

`run_tournament` waits until the tournament is over; `play_tournament` does the same within a trio
program. Both go on from the games that the ledger has.
"""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import replace
from functools import partial
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, TypedDict, Unpack

import trio

from oddly.games import did_you_mean, install_command
from oddly.referee.justice.outcome import first_error
from oddly.referee.program.guard import guarded
from oddly.tournaments.executors.cluster_address import ClusterAddress, ClusterError
from oddly.tournaments.executors.conditions import (
    AbsenceCheck,
    Conditions,
    EngineIsolation,
    check_capacity,
    isolated_as,
    isolation_of,
    referees_for,
)
from oddly.tournaments.executors.executor import Executor, local_executor
from oddly.tournaments.formats.format import Event
from oddly.tournaments.ledger.identity import under_new_names
from oddly.tournaments.ledger.ledger_file import utc_now
from oddly.tournaments.ledger.store import Ledger
from oddly.tournaments.openings.openings import openings_of
from oddly.tournaments.results.counts import EngineStatistics, merged, statistics_of
from oddly.tournaments.run.control import Control
from oddly.tournaments.run.live_feed import FeedWriter
from oddly.tournaments.run.observer import Observer, Observers
from oddly.tournaments.run.preparing import Arrangement, handshakes, warm_engines
from oddly.tournaments.run.recording import LedgerRecorder
from oddly.tournaments.run.resuming import (
    LiveRulings,
    begin,
    entrant,
    plan_after_rulings,
    plan_without_annulled,
    what_engines_lack,
)
from oddly.tournaments.run.runner import Run, run_plan

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping, Sequence
    from contextlib import AbstractAsyncContextManager

    from oddly.referee import EngineConfiguration, GameRecord, Player
    from oddly.tournaments.formats.tournament import Tournament
    from oddly.tournaments.ledger.rulings import Ruling
    from oddly.tournaments.results.schedule import PlayedGame


class RunOptions(TypedDict, total=False):
    """How a tournament is run; every key is optional."""

    control: Control | None
    """Decides how many games are played at once, and can pause and stop the run."""
    log_directory: Path | None
    """A folder for the wire log of each game."""
    cluster: ClusterAddress | None
    """The cluster on which games are played; without one, this machine plays them."""
    as_new: bool
    """Whether a changed engine continues as a new one, such as `mine@2`."""


KEYWORDS = tuple(RunOptions.__annotations__)


def _checked(how: RunOptions) -> RunOptions:
    """Return `how`. Raises TypeError for an unknown keyword."""
    if unknown := [word for word in how if word not in KEYWORDS]:
        raise TypeError(f"unexpected keyword {unknown[0]!r}{did_you_mean(unknown[0], KEYWORDS)}")
    return how


def run_tournament(
    tournament: Tournament | Arrangement,
    ledger: str | Path | None = None,
    observers: Sequence[Observer] = (),
    **how: Unpack[RunOptions],
) -> Run:
    """Play a tournament to its end; return the run with its results.

    An arrangement becomes a tournament when its engines have identified themselves; they stay up
    and play the first game.

    With a `ledger`, each game is saved in that file as it ends, and games that it already has are
    not played again. An engine that has changed since its games in the ledger is refused, unless it
    runs `as_new`. If only its files have changed, the change is reported. `how` has the keywords of
    `RunOptions`: `control`, `log_directory`, `cluster` and `as_new`.

    In the main thread, Ctrl-C and the other signals of `run_plan` are handled. Raises LedgerError
    for a ledger of another event, OpeningsError if balanced openings cannot be found, ClusterError
    if the cluster cannot be used, IsolationError if engines must be isolated and cannot, and
    CapacityError if this machine cannot play a single game.

    >>> import oddly
    >>> club = oddly.Tournament(
    ...     name="club",
    ...     format=oddly.RoundRobin(rounds=1),
    ...     games=(oddly.create_game("xodd", 3),),
    ...     engines=(
    ...         oddly.engine("oddly engine greedy", "5", name="Greedy"),
    ...         oddly.engine("oddly engine random", "5", name="Chance"),
    ...     ),
    ... )
    >>> run = oddly.run_tournament(club, "club.sqlite")
    >>> print(len(run.played), [row.rank for row in run.summaries()[0].table])
    2 [1, ...]
    """
    how = _checked(how)
    play = partial(_play, ledger=ledger, observers=observers, how=how, handle_signals=True)
    try:
        if isinstance(tournament, Arrangement):
            return trio.run(_shake_hands_and_play, tournament, play)
        return trio.run(play, tournament, event_of(tournament))
    except BaseExceptionGroup as group:
        if (error := _only_cluster_error(group)) is None:
            raise
        raise ClusterError(f"{error}; no game in the ledger is lost") from None


async def play_tournament(
    tournament: Tournament,
    ledger: str | Path | None = None,
    observers: Sequence[Observer] = (),
    **how: Unpack[RunOptions],
) -> Run:
    """Do what `run_tournament` does within a trio program, without handling signals.

    Errors of a cluster come in the exception groups of trio.
    """
    how = _checked(how)
    event = await _planned(tournament)
    return await _play(
        tournament, event, ledger=ledger, observers=observers, how=how, handle_signals=False
    )


async def _shake_hands_and_play(
    arrangement: Arrangement, play: Callable[..., Awaitable[Run]]
) -> Run:
    """Shake hands with the engines, then make the tournament and `play` it."""
    failure: Exception | None = None
    asked, settings = arrangement.asked, arrangement.settings
    check_capacity()
    async with handshakes(arrangement.engines, asked, settings) as known:
        try:
            tournament = arrangement.make(known.engines, known.options)
            event = await _planned(tournament)
            return await play(tournament, event, waiting=known.waiting, unheard=known.unheard)
        except Exception as error:
            # If raised here, it would be inside a group.
            failure = error
    raise failure


async def _planned(tournament: Tournament) -> Event:
    """Return the event that the format plans for; other tasks go on if that takes long."""
    if tournament.opening_turns:
        return await trio.to_thread.run_sync(event_of, tournament)
    return event_of(tournament)


async def _play(
    tournament: Tournament,
    event: Event,
    *,
    ledger: str | Path | None,
    observers: Sequence[Observer],
    how: RunOptions,
    handle_signals: bool,
    waiting: Mapping[str, Player] | None = None,
    unheard: Sequence[str] = (),
) -> Run:
    control = how.get("control") or Control(tournament.settings.concurrency)
    cluster = how.get("cluster")
    waits = tournament.format.waits_for_engines
    if cluster is None and ledger is not None and not Path(ledger).exists():
        # If that is refused, no new ledger is left.
        _isolation(tournament, None)
    with ExitStack() as stack:
        opened = None if ledger is None else stack.enter_context(Ledger(Path(ledger)))
        given: Sequence[Ruling] = ()
        own: list[Observer] = []
        if opened is not None:
            entrants = [entrant(engine) for engine in tournament.engines]
            tournament, given = under_new_names(
                tournament, opened, entrants, utc_now(), as_new=how.get("as_new", False)
            )
            own = [LedgerRecorder(opened), FeedWriter(opened.path)]
        # The machines of a cluster check this themselves.
        isolation = None if cluster is not None else _isolation(tournament, opened)
        plan, start, event, retired = begin(tournament, event, control, opened, given, isolation)
        playing = [engine for engine in tournament.engines if engine.name not in retired]
        every = Observers([*own, *observers], control.say)
        stack.enter_context(every.during(start))
        for sentence in unheard:
            control.say(sentence)
        if not start.is_done:
            await warm_engines(playing, tournament.games)
        conditions = _conditions(tournament, control, how.get("log_directory"), every)
        if cluster is not None:
            # Other machines start their own.
            for player in (waiting or {}).values():
                await player.stop()
        elif not start.is_done:
            check_capacity(len(waiting or {}))
            stack.enter_context(guarded())
        referees = referees_for(tournament.settings.referees, control.at_once, plan.total)
        names = [engine.name for engine in playing]
        lacks = what_engines_lack(tournament, event, retired, is_local=cluster is None)
        by_name = {
            engine.name: engine
            for engine in tournament.engines
            if engine.name not in {*tournament.inactive, *lacks}
        }
        executor = _executor(cluster, tournament, by_name, conditions, referees, waiting, names)
        rulings = None
        if opened is not None:
            anew = partial(plan_after_rulings, tournament, event, opened, retired)
            # Others may have been given since, while the engines warmed up.
            known = len(start.rulings)
            rulings = LiveRulings(
                opened,
                plan,
                control,
                retired,
                tournament.inactive,
                anew,
                known,
                lacks,
                tournament.format.takes_retirements,
            )
        run = await run_plan(
            plan,
            executor,
            every,
            control,
            handle_signals=handle_signals,
            follow_rulings=rulings,
            absence_check=AbsenceCheck(tournament.engines) if waits else None,
        )
        run.engines, run.by_elo, run.isolation = start.engines, start.by_elo, isolation
        _add_earlier(run, [*start.earlier, *plan.restored.values()], opened)
        if run.annulled and opened is not None:
            run.plan = plan_without_annulled(tournament, event, opened, retired) or run.plan
    # An observer may fail when it finishes.
    run.failures += [failure for failure in every.failures if failure not in run.failures]
    return run


def _isolation(tournament: Tournament, ledger: Ledger | None) -> EngineIsolation:
    """Return which engines with games this machine isolates. Raises IsolationError."""
    wanted = tournament.settings.isolation
    idle = tournament.inactive | (frozenset() if ledger is None else ledger.rulings().retired)
    return isolation_of(
        isolated_as(engine, wanted) for engine in tournament.engines if engine.name not in idle
    )


def _conditions(
    tournament: Tournament, control: Control, log_directory: Path | None, observers: Observers
) -> Conditions:
    """Return how the games of the run are played."""
    conditions = replace(
        tournament.settings.conditions(),
        concurrency=control.at_once,
        log_directory=log_directory,
        on_turn=observers.turned if observers.follows_turns else None,
        say=control.say,
    )
    if tournament.format.waits_for_engines or not tournament.format.withdraws:
        # The plan lets an engine rest instead, or knows better.
        return replace(conditions, withdraw_after=None)
    return conditions


def _add_earlier(run: Run, earlier: Sequence[PlayedGame], ledger: Ledger | None) -> None:
    """Add to a run the results of earlier runs in its ledger, and the rulings given meanwhile."""
    # A game of an earlier run may have been annulled and restored in this one.
    played = {game.scheduled.id: game for game in (*earlier, *run.played)}
    run.played = sorted(played.values(), key=lambda game: game.scheduled.number)
    if ledger is None:
        run.statistics_by_title = _statistics_by_title(run.records)
        return
    run.statistics_by_title = ledger.tallies().statistics_by_title
    run.noticed, run.rulings = tuple(ledger.noticed), ledger.rulings()
    every, annulled = run.played, run.rulings.annulled
    run.played = [game for game in every if game.scheduled.id not in annulled]
    run.annulled = len(every) - len(run.played)


def event_of(tournament: Tournament) -> Event:
    """Return the event that the format plans for.

    Raises OpeningsError if too few balanced openings can be found.
    """
    names = tuple(engine.name for engine in tournament.engines)
    openings = openings_of(tournament)
    return Event(
        tournament.name,
        tournament.seed,
        tournament.games,
        names,
        openings,
        retired=tournament.inactive,
    )


def _executor(
    address: ClusterAddress | None,
    tournament: Tournament,
    by_name: Mapping[str, EngineConfiguration],
    conditions: Conditions,
    referees: int,
    waiting: Mapping[str, Player] | None,
    playing: Sequence[str],
) -> AbstractAsyncContextManager[Executor]:
    """Return an executor on this cluster, or with this many processes here. Raises ClusterError.

    `by_name` has the engines that it may start; `playing` are those that are not retired.
    """
    if address is None and referees == 1:
        return local_executor(by_name, conditions, waiting)
    if address is None:
        from oddly.tournaments.executors.referees_executor import referees_executor

        return referees_executor(by_name, conditions, referees, waiting)
    try:
        from oddly.tournaments.executors.cluster_executor import cluster_executor
    except ModuleNotFoundError as error:
        raise ClusterError(
            f"--cluster needs the package {error.name}: {install_command('cluster')}"
        ) from None
    # Without two engines no game is played.
    pairs = tournament.format.fixed_pairs(playing) if len(playing) > 1 else ()
    meeting = [*combinations(playing, 2)] if pairs is None else pairs
    return cluster_executor(address, by_name, conditions, meeting)


def _only_cluster_error(group: BaseExceptionGroup[BaseException]) -> ClusterError | None:
    """Return the error of the cluster that ended a run; None if other errors came with it."""
    found, rest = group.split(ClusterError)
    if found is None or rest is not None:
        return None
    error = first_error(found)
    return error if isinstance(error, ClusterError) else None


def _statistics_by_title(records: Sequence[GameRecord]) -> dict[str, dict[str, EngineStatistics]]:
    """Return the statistics of engines in these games, by game and name."""
    found: dict[str, list[dict[str, EngineStatistics]]] = {}
    for record in records:
        if not record.outcome.is_void:
            found.setdefault(str(record.game), []).append(statistics_of(record.players, [record]))
    return {title: merged(parts) for title, parts in found.items()}

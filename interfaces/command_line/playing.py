"""What `match` and `tournament` share: options, running a schedule, printing what came of it."""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass, replace
from tempfile import TemporaryFile
from typing import TYPE_CHECKING, Any

import trio

from games.untrusted_text import sentence_beside_tables
from interfaces.command_line.cluster_options import (
    cluster_options,
    executor_at,
    only_cluster_error,
)
from interfaces.command_line.command import flag, gathered, option
from interfaces.command_line.errors import BadInputError
from interfaces.command_line.exit_codes import DONE, FORFEITS, INTERRUPTED, NO_START
from interfaces.command_line.values import FILE, POSITIVE, SECONDS, TABLE_FORMAT, OneOf
from interfaces.terminal.live.progress import progress
from interfaces.text.format_reports import reports_text
from interfaces.text.summary_tables import summaries_text
from interfaces.text.tables import DEFAULT_FORMAT
from referee.limits import Limits
from referee.pool import Restart
from tournaments.control import Control
from tournaments.executor import Conditions
from tournaments.ledger.feed import FeedKeeper
from tournaments.ledger.keeper import LedgerKeeper
from tournaments.record_keeper import RecordKeeper, game_facts
from tournaments.results.engine_statistics import merged, statistics_of
from tournaments.results.game_summary import game_summaries
from tournaments.results.results_json import results_json
from tournaments.runner import run_attended

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from contextlib import AbstractAsyncContextManager
    from pathlib import Path

    from interfaces.command_line.cluster_options import ClusterOptions
    from interfaces.terminal.live.progress import PlainProgress
    from interfaces.terminal.live.screen import LiveProgress
    from referee.player import EngineConfiguration
    from referee.record import GameRecord
    from referee.snapshot import Snapshot
    from tournaments.executor import Executor
    from tournaments.formats.plan import Plan
    from tournaments.ledger.store import Ledger
    from tournaments.results.engine_statistics import EngineStatistics
    from tournaments.results.played_game import PlayedGame
    from tournaments.runner import Observer, Run
    from tournaments.schedule import ScheduledGame

    TurnWatch = Callable[[ScheduledGame, Snapshot], None]


@dataclass(frozen=True, slots=True)
class PlayingOptions:
    """How games are run and results are printed."""

    concurrency: int | None
    margin: float
    format: str
    json: bool
    restart: str
    withdraw_after: int
    log_dir: Path | None
    records: Path | None


GROUP = "Playing and printing"


def playing_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options, which the function takes as `options: PlayingOptions`, and a cluster's."""
    add = gathered(
        "options",
        PlayingOptions,
        option(
            "--concurrency",
            type=POSITIVE,
            metavar="N",
            help="games at once; by default one per core",
            group=GROUP,
        ),
        option(
            "--margin",
            type=SECONDS,
            default=Limits().margin,
            metavar="SECONDS",
            help=f"granted on top of the clock (default: {Limits().margin})",
            group=GROUP,
        ),
        option(
            "--format",
            type=TABLE_FORMAT,
            default=DEFAULT_FORMAT,
            metavar="NAME",
            help="a table format of tabulate: simple, github, grid, html, ... "
            f"(default: {DEFAULT_FORMAT})",
            group=GROUP,
        ),
        flag("--json", help="print all facts as one JSON object", group=GROUP),
        option(
            "--restart",
            type=OneOf(*(policy.value for policy in Restart)),
            default=Restart.ON_FAULT.value,
            metavar="WHEN",
            help="when an engine's process is replaced: "
            f"{', '.join(policy.value for policy in Restart)} (default: {Restart.ON_FAULT.value})",
            group=GROUP,
        ),
        option(
            "--withdraw-after",
            type=POSITIVE,
            default=3,
            metavar="N",
            help="faults in a row after which an engine's games are forfeited (default: 3)",
            group=GROUP,
        ),
        option(
            "--log-dir",
            type=FILE,
            metavar="DIR",
            help="write a wire log of every game into DIR",
            group=GROUP,
        ),
        option(
            "--records",
            type=FILE,
            metavar="FILE",
            help="write every game to FILE as JSON Lines",
            group=GROUP,
        ),
    )
    return add(cluster_options(function))


def play_and_print(
    plan: Plan,
    configurations: Sequence[EngineConfiguration],
    options: PlayingOptions,
    cluster: ClusterOptions,
    concurrency: int | None = None,
    ledger: Ledger | None = None,
    *,
    by_elo: bool = False,
    title: str = "match",
    reread: Callable[[], int] | None = None,
) -> int:
    """Play the plan's games, print all results, those in the ledger included; the exit code.

    A plan with a ledger must know already which games are in it. With `by_elo` the tables are in
    the order of ratings, not of points. `reread` is what `Control` has.
    """
    by_name = {configuration.name: configuration for configuration in configurations}
    check_writable(options.records, options.log_dir)
    address = cluster.address()
    earlier = [] if ledger is None else list(ledger.each_played())
    control = Control(options.concurrency or concurrency, reread)
    statistics_by_name = ledger.statistics_by_title() if ledger is not None and options.json else {}
    with progress(
        title,
        plan.total,
        list(by_name),
        control,
        earlier,
        by_elo=by_elo,
        question=plan.question,
    ) as observer:
        feed = None if ledger is None else FeedKeeper(observer, ledger.path)
        conditions = Conditions(
            concurrency=control.at_once,
            limits=replace(Limits(), margin=options.margin),
            restart=Restart(options.restart),
            patience=options.withdraw_after,
            log_directory=options.log_dir,
            watch=watched_by(observer.watch, None if feed is None else feed.watch),
            say=control.say,
        )
        keepers: list[RecordKeeper | LedgerKeeper] = []
        told: Observer = feed or observer
        if options.records:
            keepers.append(RecordKeeper(told, options.records))
        if ledger is not None:
            keepers.append(LedgerKeeper(keepers[-1] if keepers else told, ledger))
        try:
            run = run_in(
                executor_at(address, by_name, conditions),
                plan,
                keepers[-1] if keepers else told,
                observer,
                control,
            )
        finally:
            if feed is not None:
                feed.close()
    records = dict(zip((game.scheduled.id for game in run.played), run.records, strict=True))
    if options.json:
        statistics_by_name = with_statistics(statistics_by_name, run.records)
        records |= earlier_records(ledger, earlier)
    run.played = sorted([*earlier, *run.played], key=lambda game: game.scheduled.number)
    print_results(run, records, statistics_by_name, plan, list(by_name), options, by_elo=by_elo)
    tell_of_lag(run)
    if ledger is not None:
        tell_of_engines(ledger)
    failures = [run.failure, *(keeper.failure for keeper in keepers)]
    if any(failures):
        said = "; ".join(failure for failure in failures if failure)
        print(f"oddly: {said}; --json prints all games", file=sys.stderr)
        return FORFEITS
    if run.interrupted:
        tell_of_interruption(run, ledger)
        return INTERRUPTED
    if run.no_starts:
        return NO_START
    return FORFEITS if run.forfeits else DONE


def watched_by(*watches: TurnWatch | None) -> TurnWatch | None:
    """One that tells all of them; None if there are none."""
    known = [watch for watch in watches if watch is not None]
    if len(known) < 2:
        return known[0] if known else None

    def tell(scheduled: ScheduledGame, snapshot: Snapshot) -> None:
        for watch in known:
            watch(scheduled, snapshot)

    return tell


def run_in(
    executor: AbstractAsyncContextManager[Executor],
    plan: Plan,
    observer: Observer,
    progress: LiveProgress | PlainProgress,
    control: Control,
) -> Run:
    """Play the plan there. Raises BadInputError if the cluster cannot be reached, or is gone."""
    try:
        return trio.run(run_attended, progress, plan, executor, observer, control)
    except BaseExceptionGroup as group:
        if (error := only_cluster_error(group)) is None:
            raise
        raise BadInputError(f"{error}; no game in the ledger is lost") from None


def earlier_records(ledger: Ledger | None, earlier: Sequence[PlayedGame]) -> dict[str, GameRecord]:
    """The records of games of earlier runs, by their ids."""
    if ledger is None or not earlier:
        return {}
    known = {game.scheduled.id for game in earlier}
    return {name: record for name, record in ledger.each_record() if name in known}


def with_statistics(
    statistics_by_name: Mapping[str, Mapping[str, EngineStatistics]], records: Sequence[GameRecord]
) -> dict[str, dict[str, EngineStatistics]]:
    """EngineStatisticsByName by game and engine, those in these games included."""
    own: dict[str, list[dict[str, EngineStatistics]]] = {}
    for record in records:
        if not record.outcome.is_void:
            own.setdefault(str(record.game), []).append(statistics_of(record.players, [record]))
    return {
        title: merged([statistics_by_name.get(title, {}), *own.get(title, [])])
        for title in dict.fromkeys([*statistics_by_name, *own])
    }


def print_results(
    run: Run,
    records: Mapping[str, GameRecord],
    statistics_by_name: Mapping[str, Mapping[str, EngineStatistics]],
    plan: Plan,
    names: list[str],
    options: PlayingOptions,
    *,
    by_elo: bool = False,
) -> None:
    """Tables or JSON on standard output; for JSON, `records` has those of all games, by id."""
    found = game_summaries(names, run.played, statistics_by_name, by_elo=by_elo)
    if options.json:
        format_facts = plan.facts()
        value = {
            **results_json(found),
            **({"format": format_facts} if format_facts else {}),
            "games": [game_facts(played, records[played.scheduled.id]) for played in run.played],
            "forfeits": run.forfeits,
            "interrupted": run.interrupted,
        }
        print(json.dumps(value, indent=2))
    elif run.played:
        parts = (
            summaries_text(found, options.format),
            reports_text(plan.reports(), options.format),
            sentence_beside_tables(plan.verdict(), options.format),
        )
        print("\n\n".join(part for part in parts if part))


def tell_of_interruption(run: Run, ledger: Ledger | None) -> None:
    """Say how far it came, and how to go on."""
    rest = "plays them all from the start" if ledger is None else "goes on from there"
    in_all = "" if run.games is None else f" of {run.games}"
    print(
        f"interrupted: {len(run.played)}{in_all} games were played; the same command {rest}",
        file=sys.stderr,
    )


def tell_of_lag(run: Run) -> None:
    """Warn of games whose times were taken on an overloaded machine."""
    marked = [game.outcome.lag for game in run.played if game.outcome.is_marked]
    if marked:
        print(
            f"{len(marked)} of {len(run.played)} games are marked: the referee itself was up to "
            f"{max(marked):.3f} s late; fewer games at once (--concurrency) would help",
            file=sys.stderr,
        )


def tell_of_engines(ledger: Ledger) -> None:
    """Say which engines told another version than in earlier games."""
    for noticed in ledger.noticed:
        print(f"{ledger.path}: {noticed}", file=sys.stderr)


def check_writable(records: Path | None, log_directory: Path | None) -> None:
    """Raise BadInputError before the first game if something could not be written after it."""
    try:
        if records is not None:
            if records.exists() and records.stat().st_size:
                raise BadInputError(f"{records} has records already: name a file that is new")
            records.open("a", encoding="utf-8").close()
        if log_directory is not None:
            log_directory.mkdir(parents=True, exist_ok=True)
            TemporaryFile(dir=log_directory).close()
    except OSError as error:
        place = error.filename or log_directory
        raise BadInputError(f"cannot write {place}: {error.strerror}") from None

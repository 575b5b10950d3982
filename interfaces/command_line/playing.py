"""What commands that play games share: options, playing, and printing the results."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from contextlib import contextmanager
from dataclasses import replace
from os.path import realpath
from pathlib import Path
from tempfile import TemporaryFile
from typing import TYPE_CHECKING, Any

from oddly.games.wording import counted
from oddly.interfaces.command_line.command import OneOf, Value, within
from oddly.interfaces.command_line.common_options import JSON, TableOptions
from oddly.interfaces.command_line.declaring import (
    WrittenFile,
    collected,
    flag,
    option,
    options,
    with_default,
    word_of,
)
from oddly.interfaces.command_line.errors import (
    BadInputError,
    ExitCode,
    refusing,
    say,
    tell_of_known_winners,
)
from oddly.interfaces.terminal.live.progress import progress
from oddly.protocol import NO_CLOCK
from oddly.referee import ProgramError
from oddly.referee.program.isolation import IsolationError
from oddly.safe_files.sqlite_file import SIDECARS, file_beside, lock_path
from oddly.tournaments import (
    Certificates,
    ClusterError,
    Control,
    Ledger,
    LedgerError,
    Observer,
    RecordFile,
    parse_cluster_address,
    results_json,
    run_tournament,
)
from oddly.tournaments.executors.conditions import CapacityError
from oddly.tournaments.formats.tournament import PLAYING_SETTINGS, SettingKind
from oddly.tournaments.results.game_summary import distinct_games
from oddly.tournaments.run.live_feed import feed_path
from oddly.tournaments.run.observer import game_facts

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    import click

    from oddly.games import Game
    from oddly.referee import GameRecord
    from oddly.tournaments import ClusterAddress, PlayingSettings, Run, RunStart, Tournament
    from oddly.tournaments.run.preparing import Arrangement


GROUP = "Playing and printing"
SETTING = "playing_"
"""The prefix of parameters that are settings of playing."""


def _setting_option(kind: SettingKind) -> click.Parameter:
    """Return the option of a setting of playing."""
    summary = f"{kind.summary}: {', '.join(kind.choices)}" if kind.choices else kind.summary
    summary = with_default(summary, kind.default)
    word = word_of(kind.name)
    value: Value | None = OneOf(*kind.choices) if kind.choices else None
    if kind.least is not None and kind.most is not None:
        value = within(kind.kind, kind.least, kind.most)
    declared = (
        flag(summary, names=word, group=GROUP)
        if kind.kind is bool
        else option(kind.unit, summary, kind=value, names=word, group=GROUP)
    )
    made: click.Parameter = declared.parameter(SETTING + kind.name, kind.kind | None)
    return made


@options("Many machines (see docs/how-to/many-machines.md)")
class ClusterOptions:
    """The cluster on which games are played, if any."""

    cluster: str | None = option(
        "ADDRESS",
        "play on a Dask cluster: tls://HOST:8786, tcp://HOST:8786, or local for one made here",
    )
    tls_ca: Path | None = option("FILE", "the certificate authority")
    tls_cert: Path | None = option("FILE", "our certificate")
    tls_key: Path | None = option("FILE", "our key")
    insecure: bool = flag(
        "reach another machine without TLS: anyone in that network can run programs"
    )

    def address(self) -> ClusterAddress | None:
        """Return the address of the cluster, if any. Raises BadInputError if it cannot be used."""
        files = (self.tls_ca, self.tls_cert, self.tls_key)
        if self.cluster is None:
            if any(files) or self.insecure:
                raise BadInputError(
                    "--tls-ca, --tls-cert, --tls-key and --insecure go with --cluster"
                )
            return None
        if any(files) and not all(files):
            raise BadInputError("--tls-ca, --tls-cert and --tls-key go together")
        authority, certificate, key = files
        certificates = None
        if authority and certificate and key:
            certificates = Certificates(authority, certificate, key)
        with refusing(ClusterError):
            return parse_cluster_address(self.cluster, certificates, insecure=self.insecure)


@options(GROUP)
class PlayingOptions:
    """How games are played and results are printed."""

    settings: Mapping[str, Any] = collected(
        SETTING, lambda: map(_setting_option, PLAYING_SETTINGS.values())
    )
    """The given settings of playing, by name."""
    tables: TableOptions
    json: bool = JSON
    quiet: bool = flag("show no games during play, only the results")
    log_dir: Path | None = option("DIR", "write a wire log of every game into DIR")
    records: Path | None = option(
        "FILE", "write every game to FILE as JSON Lines", kind=WrittenFile("records go")
    )
    cluster: ClusterOptions

    def applied(self, tournament: Tournament) -> Tournament:
        """Return the tournament with its settings replaced by those given.

        Raises what `changed` raises.
        """
        return replace(tournament, settings=self.changed(tournament.settings))

    def changed(self, settings: PlayingSettings) -> PlayingSettings:
        """Return the settings with the given ones replaced.

        Raises BadInputError if there is no such program as the adjudicator.
        """
        given = {name: PLAYING_SETTINGS[name].value(each) for name, each in self.settings.items()}
        settings = settings.changed(given)
        with refusing(ProgramError, where=f"adjudicator {settings.adjudicator!r}"):
            settings.early_ends()
        return settings


class EarlierChanges(Observer):
    """Prints what has changed since earlier runs."""

    def start(self, start: RunStart) -> None:
        """Print it on standard error."""
        for change in start.changes:
            print(f"{start.ledger}: {change}", file=sys.stderr)


class EarlierGames(Observer):
    """Prints how many games were played in earlier runs, and if there are none to play."""

    def start(self, start: RunStart) -> None:
        """Print it on standard error."""
        if played := len(start.earlier):
            rest = "no game is left" if start.is_done else "the others follow"
            print(
                f"{start.ledger}: {_were_played(played, start.games)} before; {rest}",
                file=sys.stderr,
            )
        elif start.is_done:
            print("no game is to be played, since too few engines take part", file=sys.stderr)


class KnownWinners(Observer):
    """Warns before a run's first game about games whose winner is proved."""

    def __init__(self, games: Iterable[Game]) -> None:
        self._games = games

    def start(self, start: RunStart) -> None:
        """Print it on standard error."""
        if not start.is_done:
            tell_of_known_winners(self._games)


def play_and_print(
    tournament: Tournament | Arrangement,
    options: PlayingOptions,
    ledger: Path | None = None,
    reread: Callable[[], int] | None = None,
    show: Callable[[Run, Path | None, PlayingOptions], None] | None = None,
    *,
    told: Observer | None = None,
    as_new: bool = False,
) -> int:
    """Play the games, print the results, those of earlier runs included; return the exit code.

    `reread` is passed to `Control`; `show` replaces `print_results`, and `told` the usual progress.
    Raises BadInputError.
    """
    with (
        opened_records(options.records, ledger) as records,
        refusing(CapacityError, LedgerError, ClusterError, IsolationError),
    ):
        check_writable(options.log_dir)
        run = run_tournament(
            tournament,
            ledger,
            [
                *records,
                EarlierChanges(),
                *([] if options.quiet else [EarlierGames(), KnownWinners(tournament.games)]),
                told or progress(quiet=options.quiet),
            ],
            control=Control(tournament.settings.concurrency, reread),
            log_directory=options.log_dir,
            cluster=options.cluster.address(),
            as_new=as_new,
        )
        (show or print_results)(run, ledger, options)
    if any(engine.time != NO_CLOCK for engine in tournament.engines):
        tell_of_lag(run)
    for noticed in run.noticed:
        print(f"{ledger}: {noticed}", file=sys.stderr)
    if run.annulled:
        tell_of_annulled(run)
    if run.failures:
        say(f"{'; '.join(run.failures)}; --json prints every game")
    if run.interrupted:
        tell_of_interruption(run, ledger, options.records)
        return ExitCode.INTERRUPTED
    if run.no_starts and not run.failures:
        return ExitCode.NO_START
    return ExitCode.FORFEITS if run.failures or run.forfeits else ExitCode.DONE


def print_results(run: Run, ledger: Path | None, options: PlayingOptions) -> None:
    """Print tables or JSON on standard output. Raises LedgerError if the ledger is damaged."""
    found, plan = run.summaries(), run.plan
    if options.json:
        facts = plan.facts()
        records = records_of(run, ledger)
        value = {
            **results_json(found),
            "played": len(run.played),
            "distinct": distinct_games(found),
            **({"format": facts} if facts else {}),
            **({"isolation": run.isolation.facts()} if run.isolation else {}),
            **({"rulings": run.rulings.facts()} if run.rulings.given else {}),
            "games": [game_facts(played, records[played.scheduled.id]) for played in run.played],
            "forfeits": run.forfeits,
            "interrupted": run.interrupted,
        }
        print(json.dumps(value, indent=2))
    elif run.played:
        # Imported late, so that the first move comes sooner.
        from oddly.interfaces.text.format_reports import reports_text
        from oddly.interfaces.text.summary_tables import rulings_text, summaries_text
        from oddly.interfaces.text.tables import folded

        parts = (
            summaries_text(found, options.tables.chosen),
            reports_text(plan.reports(), options.tables.chosen),
            folded(plan.verdict(), options.tables.chosen),
            rulings_text(run.rulings, options.tables.chosen),
        )
        print("\n\n".join(part for part in parts if part))


def records_of(run: Run, ledger: Path | None) -> dict[str, GameRecord]:
    """Return the records of all games by their ids, those of earlier runs included."""
    if ledger is None:
        return run.records_by_id
    with Ledger(ledger, read_only=True) as opened:
        return {**opened.records(), **run.records_by_id}


def tell_of_interruption(run: Run, ledger: Path | None, records: Path | None = None) -> None:
    """Say how many games were played, and how to continue."""
    command = "the same command" + (" with a new file for --records" if records else "")
    rest = "plays them all from the start" if ledger is None else "goes on from there"
    played = _were_played(len(run.played), run.games)
    print(f"interrupted: {played}; {command} {rest}", file=sys.stderr)


def _were_played(games: int, in_all: int | None) -> str:
    """Return in words how many games were played."""
    number = counted(games, "game") if in_all is None else f"{games} of {counted(in_all, 'game')}"
    return f"{number} {'was' if games == 1 else 'were'} played"


def tell_of_lag(run: Run) -> None:
    """Warn about games that were timed on an overloaded machine."""
    marked = [game.outcome.lag for game in run.played if game.outcome.is_marked]
    if marked:
        print(
            f"{len(marked)} of {counted(len(run.played), 'game')} "
            f"{'is' if len(marked) == 1 else 'are'} marked: the referee itself was up to "
            f"{max(marked):.3f} s late; fewer games at once (--concurrency) would help",
            file=sys.stderr,
        )


def tell_of_annulled(run: Run) -> None:
    """Say what becomes of the games that a ruling annulled during the run."""
    annulled = f"{counted(run.annulled, 'game')} {'was' if run.annulled == 1 else 'were'} annulled"
    print(f"{annulled} meanwhile; the same command plays again what is needed", file=sys.stderr)


@contextmanager
def opened_records(path: Path | None, ledger: Path | None) -> Iterator[Sequence[RecordFile]]:
    """Yield the file of records, held for this run, if one is named.

    Raises BadInputError if it has records, is a file of the ledger, or cannot be written.
    """
    if path is None:
        yield ()
        return
    if ledger is not None and realpath(path) in _files_of(ledger):
        raise BadInputError(f"--records: {path} is a file of the ledger {ledger}: name another one")
    file = RecordFile(path)
    with refusing(OSError, where=f"cannot write {path}"):
        file.open()
    try:
        if path.stat().st_size:
            raise BadInputError(f"{path} already contains records: name a new file")
        yield (file,)
    finally:
        file.finish()


def check_writable(log_directory: Path | None) -> None:
    """Raise BadInputError if logs could not be written."""
    if log_directory is None:
        return
    try:
        log_directory.mkdir(parents=True, exist_ok=True)
        TemporaryFile(dir=log_directory).close()
    except OSError as error:
        place = error.filename or log_directory
        raise BadInputError(f"cannot write {place}: {error.strerror}") from None


def _files_of(ledger: Path) -> set[str]:
    """Return the real paths of a ledger's file, and of those that lie beside it during a run."""
    beside = (file_beside(ledger, end) for end in SIDECARS)
    return {*map(realpath, (ledger, lock_path(ledger), feed_path(ledger), *beside))}

"""`oddly tournament FILE`: all games of a TOML file, then its tables; and `oddly tune FILE`.

Tuning finds an engine's best options by games.
"""

from __future__ import annotations

import json
from contextlib import suppress
from dataclasses import replace
from functools import partial
from itertools import starmap
from pathlib import Path
from typing import TYPE_CHECKING, Any

from oddly.games import one_line
from oddly.games.untrusted_text import file_name
from oddly.games.wording import counted
from oddly.interfaces.command_line.command import (
    WHOLE_NUMBER,
    command,
    file_keys,
    only_one,
    tournament_keys,
)
from oddly.interfaces.command_line.copying_commands import shipped_examples
from oddly.interfaces.command_line.declaring import WrittenFile, argument, flag, option, options
from oddly.interfaces.command_line.errors import BadInputError, ExitCode, refusing, say
from oddly.interfaces.command_line.playing import (
    PlayingOptions,
    play_and_print,
    print_results,
)
from oddly.interfaces.text.format_reports import tuning_text
from oddly.interfaces.text.tables import folded
from oddly.protocol import parse_time_control
from oddly.safe_files import replace_file, try_to_write
from oddly.tournaments import (
    Ledger,
    LedgerError,
    OpeningsError,
    TournamentFileError,
    Tuning,
    TuningReport,
    load_tournament,
    spelled,
    tuning_so_far,
)
from oddly.tournaments.executors.conditions import cores
from oddly.tournaments.formats.derived_plans import plan_without_ledger
from oddly.tournaments.formats.format import SettingsError
from oddly.tournaments.formats.tuning import confirmation_of
from oddly.tournaments.ledger.identity import successors
from oddly.tournaments.results.schedule import scheduled_facts
from oddly.tournaments.run.matches import arranged_tuning
from oddly.tournaments.run.playing import event_of
from oddly.tournaments.run.preparing import duration, preview

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from oddly.tournaments import Run, Tournament
    from oddly.tournaments.formats.format import Event
    from oddly.tournaments.results.schedule import ScheduledGame
    from oddly.tournaments.run.preparing import Duration


TOML_FILE = argument("FILE", "a TOML file")


@options()
class FileOptions:
    """Options that override settings of a tournament file, or that only check it."""

    time: str | None = option("SPEC", "the clock of all engines without one of their own")
    seed: int | None = option("N", "the seed of everything random", kind=WHOLE_NUMBER)
    ledger: Path | None = option(
        "FILE", "the ledger that keeps the games (default: beside the TOML file, as .sqlite)"
    )


@options()
class TournamentOptions(FileOptions):
    """The options of a tournament other than those of playing."""

    no_ledger: bool = flag("keep no ledger")
    as_new: bool = flag("enter an engine that has changed as a new one, such as NAME@2")
    check: bool = flag("only check the file")
    dry_run: bool = flag("only list the games, and estimate their duration")


@command("tournament club.toml --log-dir logs", also=file_keys(tournament_keys))
def tournament_command(
    file: Path = TOML_FILE, *, own: TournamentOptions, options: PlayingOptions
) -> int:
    """Play the tournament."""
    only_one(ledger=own.ledger, no_ledger=own.no_ledger)
    only_one(check=own.check, dry_run=own.dry_run)
    time = parse_time_control(own.time) if own.time is not None else None
    # A path such as `.` names no file, which is noticed below.
    beside = file.with_suffix(".sqlite") if file.name else None
    ledger = None if own.no_ledger else own.ledger or beside
    try:
        tournament = options.applied(load_tournament(file, time, *retired_in(ledger)))
    except TournamentFileError as error:
        raise BadInputError(_shipped(file) or str(error)) from None
    if isinstance(tournament.format, Tuning):
        raise BadInputError(f"{file}: it is a tuning: 'oddly tune {file}' plays it")
    if own.seed is not None:
        tournament = replace(tournament, seed=own.seed)
    with refusing(OpeningsError, where=str(file)):
        if own.check or own.dry_run:
            tell_before(tournament, lists_games=own.dry_run, as_json=options.json)
            return ExitCode.DONE
        return play_and_print(
            tournament, options, ledger, partial(games_at_once, file, ledger), as_new=own.as_new
        )


def _shipped(file: Path) -> str:
    """Return how to get a missing file that comes with oddly; empty for any other."""
    name = f"{file.stem}.toml"
    if file.exists() or name not in shipped_examples():
        return ""
    return f"there is no file {file}, but one comes with oddly: 'oddly examples {name}' copies it"


def retired_in(ledger: Path | None) -> tuple[frozenset[str], dict[str, str]]:
    """Return the engines that a ledger has retired, and as whom some play on.

    There are none without a readable ledger.
    """
    if ledger is not None and ledger.is_file():
        with suppress(LedgerError), Ledger(ledger, read_only=True) as opened:
            retired = opened.rulings().retired
            return retired, successors(retired, (opened.event() or {}).get("engines", {}))
    return frozenset(), {}


def games_at_once(path: Path, ledger: Path | None) -> int:
    """Return the number of games at once in the current file. Raises ValueError if it is wrong."""
    try:
        return load_tournament(path, None, *retired_in(ledger)).settings.concurrency or cores()
    except TournamentFileError as error:
        raise ValueError(str(error)) from None


def tell_before(tournament: Tournament, *, lists_games: bool, as_json: bool) -> None:
    """Print what is known before the first game."""
    event = event_of(tournament)
    plan = plan_without_ledger(tournament.format, event)
    schedule = preview(plan) if lists_games else []
    expected = duration(tournament, event)
    if as_json:
        games = {"schedule": list(map(scheduled_facts, schedule))} if lists_games else {}
        print(json.dumps({**size_facts(tournament, event, expected), **games}, indent=2))
        return
    print_schedule(schedule, plan.total)
    print(summary(tournament, event, expected))


def size_facts(tournament: Tournament, event: Event, expected: Duration) -> dict[str, Any]:
    """Return for machines what `summary` says: durations in seconds, null if unknown."""
    return {
        "name": tournament.name,
        "engines": playing(tournament),
        "games": expected.games,
        "end": end_of(tournament, event, expected) or None,
        "concurrency": tournament.settings.concurrency or cores(),
        "seconds": expected.seconds,
        "seconds_a_game": expected.seconds_a_game,
    }


def end_of(tournament: Tournament, event: Event, expected: Duration) -> str:
    """Return in words when the tournament ends; empty if the number of games says so."""
    return "" if expected.games == 0 else tournament.format.end(event)


def playing(tournament: Tournament) -> list[str]:
    """Return the engines that the file does not pause."""
    names = (engine.name for engine in tournament.engines)
    return [name for name in names if name not in tournament.inactive]


def print_schedule(schedule: Sequence[ScheduledGame], total: int | None) -> None:
    """Print a line for each game; `total` is the number of all, if known."""
    width = len(str(total or len(schedule)))
    for game in schedule:
        opening = f"  {' '.join(game.opening)}" if game.opening else ""
        players = f"{one_line(game.first)} - {one_line(game.second)}"
        print(f"{game.number:>{width}}  {game.game}  {players}{opening}")
    if schedule and len(schedule) != total:
        print("... what follows depends on the results")


def summary(tournament: Tournament, event: Event, expected: Duration) -> str:
    """Return the size and the expected duration of the tournament, on one line."""
    at_once = tournament.settings.concurrency or cores()
    games = [counted(expected.games, "game")] if expected.games is not None else []
    if end := end_of(tournament, event, expected):
        games.append(end)
    if expected.seconds is not None:
        how_long = f"about {spelled(expected.seconds)} if engines use their time"
    elif expected.seconds_a_game is not None:
        how_long = f"about {spelled(expected.seconds_a_game)} a game if engines use their time"
    else:
        how_long = "no clock, so the duration is unknown"
    engines = counted(len(playing(tournament)), "engine")
    return (
        f"{one_line(tournament.name)}: {engines}, {', '.join(games)}, {at_once} at once, {how_long}"
    )


@options()
class TuneOptions(FileOptions):
    """The options of a tuning other than those of playing."""

    plot: Path | None = option(
        "FILE", "write the course of the options to FILE as SVG", kind=WrittenFile("the plot goes")
    )
    show: bool = flag("only show the current state of the tuning")
    check: bool = flag("only check the file")
    confirm: bool = flag(
        "then test the new values against the start: a sequential test, with a ledger of its own"
    )


@command("tune tuning.toml", also=file_keys(tournament_keys))
def tune_command(file: Path = TOML_FILE, *, own: TuneOptions, options: PlayingOptions) -> int:
    """Tune the engine, or print the state of its tuning."""
    time = parse_time_control(own.time) if own.time is not None else None
    with refusing(TournamentFileError):
        tournament = options.applied(load_tournament(file, time))
    tuning = tournament.format
    if not isinstance(tuning, Tuning):
        raise BadInputError(
            f"{file}: the format is {tuning.name!r}: 'oddly tournament {file}' plays "
            'it, and a tuning has format = "tuning"'
        )
    if own.seed is not None:
        tournament = replace(tournament, seed=own.seed)
    if own.check:
        facts = tuning_facts(tournament, tuning)
        print(json.dumps(facts, indent=2) if options.json else tuning_summary(tournament, tuning))
        return ExitCode.DONE
    if own.show and own.confirm:
        raise BadInputError("tune: --show plays nothing, and --confirm plays a test: give one")
    ledger = own.ledger or file.with_suffix(".sqlite")
    check_plot(own.plot)
    told = Told(options, own.plot, offers=not own.confirm)
    reread = partial(games_at_once, file)
    code: int = ExitCode.DONE
    with refusing(OpeningsError, LedgerError, SettingsError, where=str(file)):
        if own.show:
            told.tell(tuning_so_far(tournament, ledger))
        else:
            tuned = arranged_tuning(tournament)
            code = play_and_print(tuned, options, ledger, reread, told.tell_run)
        if own.confirm and code != ExitCode.INTERRUPTED:
            code = confirm(tournament, told, ledger, reread) or code
    told.end()
    return code or (ExitCode.DONE if told.has_plot else ExitCode.FORFEITS)


def confirm(tournament: Tournament, told: Told, ledger: Path, reread: Callable[[], int]) -> int:
    """Play the test of each game that shows a gain; return the first exit code that is not 0."""
    options = told.options
    # A file of records holds one run.
    options = replace(
        options, records=None, log_dir=options.log_dir and options.log_dir / "confirm"
    )
    codes = []
    for title, report in told.reports.items():
        test = confirmation_of(tournament, title, report) if report.is_over else None
        if test is not None:
            show = partial(told.tell_test, title)
            own = confirming_ledger(ledger, report, title if len(told.reports) > 1 else "")
            codes.append(play_and_print(test, options, own, reread, show))
    return next(filter(None, codes), ExitCode.DONE)


def confirming_ledger(ledger: Path, report: TuningReport, title: str) -> Path:
    """Return the ledger of a test, beside that of the tuning.

    More games of the tuning may lead to other values, whose test has another ledger.
    """
    words = (ledger.stem, "confirm", str(report.played), title)
    return ledger.with_name(file_name("-".join(filter(None, words))) + ledger.suffix)


def tuning_facts(tournament: Tournament, format_: Tuning) -> dict[str, Any]:
    """Return what is tuned; `against` is null for an engine that plays itself."""
    return {
        "name": tournament.name,
        "engine": tournament.engines[0].name.removesuffix(" +"),
        "options": [option.name for option in format_.options],
        "games": format_.games,
        "against": tournament.engines[2].name if len(tournament.engines) > 2 else None,
    }


def tuning_summary(tournament: Tournament, format_: Tuning) -> str:
    """Return what is tuned, on one line."""
    facts = tuning_facts(tournament, format_)
    names, games = ", ".join(facts["options"]), counted(facts["games"], "game")
    against = facts["against"] or "itself"
    return f"{facts['name']}: {names} of {facts['engine']} in {games} against {against}"


def check_plot(plot: Path | None) -> None:
    """Raise BadInputError if the plot could not be written."""
    if plot is not None:
        with refusing(OSError, where=f"cannot write {plot}"):
            try_to_write(plot)


class Told:
    """The results of a tuning and its tests, printed at once, or at the end as JSON."""

    def __init__(self, options: PlayingOptions, plot: Path | None, *, offers: bool) -> None:
        self.options = options
        self.reports: Mapping[str, TuningReport] = {}
        """What the tuning found, by the title of the game."""
        self.has_plot = True
        """False if the plot was wanted and could not be written."""
        self._plot = plot
        self._offers = offers
        """Whether tests are only suggested, because they are not played."""
        self._facts: dict[str, Any] = {}

    def tell_run(self, run: Run, _: Path | None, options: PlayingOptions) -> None:
        """Print the state of the tuning after a run."""
        reports = run.plan.reports()
        void = [record.outcome for record in run.records if record.outcome.is_void]
        self.tell(
            {title: each for title, each in reports.items() if isinstance(each, TuningReport)},
            f"no game counts: {void[-1].reason}" if void else "no result yet",
        )
        self._facts |= {"forfeits": run.forfeits, "interrupted": run.interrupted}

    def tell(self, reports: Mapping[str, TuningReport], nothing: str = "no result yet") -> None:
        """Print a table for each game, keep the facts for JSON, and write the plot.

        `nothing` is printed if there is no report.
        """
        self.reports = reports
        self._facts["tuning"] = {title: each.facts() for title, each in reports.items()}
        if not self.options.json:
            print("\n\n".join(starmap(self._text, reports.items())) or nothing)
        if self._plot is not None and reports:
            from oddly.games.drawing.charts import file_of
            from oddly.interfaces.text.format_reports import tuning_plot

            chart = file_of(tuning_plot(next(iter(reports.values()))))
            self._write_plot(self._plot, chart)

    def _write_plot(self, plot: Path, chart: str) -> None:
        """Write the plot; if that fails, say so, and let the rest go on."""
        try:
            replace_file(plot, chart)
        except OSError as error:
            self.has_plot = False
            say(f"cannot write {plot}: {error.strerror}")

    def _text(self, title: str, report: TuningReport) -> str:
        text = f"{title}: {tuning_text(report, self.options.tables.chosen)}"
        if not self._offers or not report.is_over or (test := report.test) is None:
            return text
        offer = f"--confirm tests this by new games: {test.elo1:g} Elo above the start, or 0"
        return f"{text}\n{folded(offer, self.options.tables.chosen)}"

    def tell_test(self, title: str, run: Run, ledger: Path | None, options: PlayingOptions) -> None:
        """Print the results of a test and their consequence, or keep the facts for JSON."""
        facts = run.plan.facts()[title]
        confirmed = {"H1": True, "H0": False}.get(facts["decision"])
        self._facts.setdefault("confirmation", {})[title] = {"confirmed": confirmed, **facts}
        if options.json:
            return
        print()
        print_results(run, ledger, options)
        told = self.reports[title].told(confirmed)
        print(folded(told, options.tables.chosen))

    def end(self) -> None:
        """Print the facts, if JSON is wanted."""
        if self.options.json:
            print(json.dumps(self._facts, indent=2))

"""`oddly standings`, `oddly report` and `oddly replay`: what happened in an event, or in a game.

Tables of an event, finished or still running; one HTML file with every game to play through; and a
game judged again from its wire log.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

from oddly.games import draw, one_line
from oddly.games.wording import counted
from oddly.interfaces.command_line.command import POSITIVE, WHOLE_NUMBER, Value, command
from oddly.interfaces.command_line.common_options import JSON, LEDGER, TableOptions
from oddly.interfaces.command_line.declaring import argument, flag, option, options
from oddly.interfaces.command_line.errors import (
    BadInputError,
    ExitCode,
    UnknownValueError,
    nearest_ledger,
    refusing,
)
from oddly.interfaces.command_line.main import version_text
from oddly.interfaces.text.format_reports import reports_text
from oddly.interfaces.text.summary_tables import MAX_CROSSTABLE, rulings_text, summaries_text
from oddly.referee import RecordError
from oddly.safe_files import is_sqlite_file, replace_file
from oddly.tournaments import (
    Hypotheses,
    Ledger,
    LedgerError,
    Question,
    RecordedEvent,
    read_event,
    results_json,
)
from oddly.tournaments.ratings.elo import MAX_ELO
from oddly.tournaments.ratings.sprt import SCALES
from oddly.tournaments.results.game_summary import distinct_games

if TYPE_CHECKING:
    from collections.abc import Iterable

    from oddly.interfaces.report.page import ReportedEvent
    from oddly.referee import Judgement
    from oddly.tournaments.ledger.summaries import PlayedResult


CLEAR = "\x1b[H\x1b[2J"
"""The sequence that clears a terminal."""

EVERY = 2.0
"""Seconds between two readings of a ledger."""


def question(text: str) -> Question:
    """Read `0,50` or `0,50,bradley-terry`. Raises ValueError or UnknownValueError."""
    elo0, _, rest = text.partition(",")
    elo1, _, scale = rest.partition(",")
    try:
        hypotheses = Hypotheses(float(elo0), float(elo1))
    except ValueError:
        raise ValueError(
            "two Elo values are expected, the smaller first and both from "
            f"{-MAX_ELO} to {MAX_ELO}, as in 0,50, not {text!r}"
        ) from None
    if scale and scale not in SCALES:
        raise UnknownValueError("scale", scale, SCALES)
    return Question(hypotheses, scale or "logistic")


@options()
class StandingsOptions:
    """What is printed, and how."""

    follow: bool = flag("print the tables again whenever games end, until all have ended")
    sprt: Question | None = option(
        "ELO0,ELO1[,SCALE]",
        "test by pairs of games whether engines are ELO0 or ELO1 stronger than those that "
        f"were entered after them; SCALE is {' or '.join(SCALES)} (default with two engines: 0,50)",
        kind=Value(question),
    )
    crosstable: bool | None = flag(
        f"print the crosstables, or not (default: up to {MAX_CROSSTABLE} engines)"
    )
    top: int | None = option("N", "print only the first N engines of each table", kind=POSITIVE)
    tables: TableOptions
    json: bool = JSON


@command("standings club.sqlite --wide")
def standings_command(ledger: Path = LEDGER, *, options: StandingsOptions) -> None:
    """Read the ledger, which is not changed, and print its tables."""
    with (
        refusing(LedgerError, hint=nearest_ledger(ledger)),
        Ledger(ledger, read_only=True) as opened,
    ):
        event = read_event(opened, with_games=options.sprt is not None)
        tell(event, options)
        if options.follow:
            follow(opened, event, options)


def tell(event: RecordedEvent, options: StandingsOptions) -> None:
    """Print the results of the event so far."""
    found = event.summaries(options.sprt)
    played = event.tallies.games
    if options.json:
        plan = event.plan()
        facts = {
            "event": event.name,
            "played": played,
            "distinct": distinct_games(found),
            "games": event.games,
            "engines": [known.facts() for known in event.programs],
            "rulings": event.rulings.facts(),
            **results_json(found),
            **({} if plan is None else {"format": plan.facts()}),
        }
        # One line each time, so that a program can tell them apart.
        print(json.dumps(facts, indent=None if options.follow else 2), flush=True)
        return
    games = (
        counted(played, "game")
        if event.games is None
        else f"{played} of {counted(event.games, 'game')}"
    )
    print(f"{one_line(event.name)}: {games}")
    if played:
        text = summaries_text(
            found,
            options.tables.chosen,
            with_statistics=True,
            crosstable=options.crosstable,
            top=options.top,
        )
        print(f"\n{text}")
        if (plan := event.plan()) is not None:
            print(f"\n{reports_text(plan.reports(), options.tables.chosen)}")
    if event.rulings.given:
        print(f"\n{rulings_text(event.rulings, options.tables.chosen)}")
    sys.stdout.flush()


def follow(ledger: Ledger, event: RecordedEvent, options: StandingsOptions) -> None:
    """Print the results again whenever games have ended, until all have ended or Ctrl-C."""
    printed = event.tallies.games
    try:
        while event.games is None or printed < event.games:
            time.sleep(EVERY)
            if ledger.number_of_games() == printed:
                continue
            event = read_event(ledger, with_games=options.sprt is not None)
            printed = event.tallies.games
            if not options.json:
                print(CLEAR if sys.stdout.isatty() else "\n", end="")
            tell(event, options)
    except KeyboardInterrupt:
        return


@command("report club.sqlite -o club.html")
def report_command(
    ledger: Path = LEDGER,
    *,
    output: Path | None = option(
        "FILE",
        "the file of the page, - for standard output (default: the ledger's name with .html, here)",
        names="--output -o",
    ),
    games: int = option(
        "N", "the number of recent games to replay", kind=WHOLE_NUMBER, default=200
    ),
) -> None:
    """Read the ledger, which is not changed, and write the page."""
    event = _read(ledger, games)
    output = output or Path(ledger.name).with_suffix(".html")
    from oddly.interfaces.report.page import page

    with refusing(RecordError, where=f"report: {ledger} is damaged"):
        text = page(event, version_text())
    if str(output) == "-":
        # The page says that it is UTF-8.
        sys.stdout.buffer.write(text.encode())
        return
    _write(output, text, ledger)
    kept = len(event.latest)
    print(f"{output}: {counted(event.event.tallies.games, 'game')}, {kept} of them to replay")


def _read(path: Path, most_games: int) -> ReportedEvent:
    from oddly.interfaces.report.page import read_reported_event

    with (
        refusing(LedgerError, where="report", hint=nearest_ledger(path)),
        Ledger(path, read_only=True) as ledger,
    ):
        total = ledger.number_of_games()
        return read_reported_event(ledger, most_games, lambda games: _watched(games, total))


def _watched(games: Iterable[PlayedResult], total: int) -> Iterable[PlayedResult]:
    """Yield the games, with a progress bar on a terminal."""
    if not sys.stderr.isatty():
        return games
    from rich.console import Console
    from rich.progress import track

    return track(games, "reading games", total, console=Console(stderr=True), transient=True)


def _write(output: Path, text: str, ledger: Path) -> None:
    """Write the whole file, or leave what was there. Raises BadInputError if that fails."""
    try:
        if output.is_file() and is_sqlite_file(output):
            which = "the ledger itself" if output.samefile(ledger) else "a ledger"
            raise BadInputError(f"report: {output} is {which}: name another --output")
        replace_file(output, text)
    except BrokenPipeError:
        # The output is a pipe whose reader has left.
        raise
    except OSError as error:
        raise BadInputError(f"report: cannot write {output}: {error.strerror}") from None


@command("replay logs/00001-*.log")
def replay_command(
    log: Path = argument("LOG", "a wire log, written by --log-dir"), *, as_json: bool = JSON
) -> int:
    """Judge the game; the exit code is 1 if the log contradicts its outcome or was cut too soon."""
    # It imports trio, which the other commands here do without.
    from oddly.referee.match.judgement import WireLogError, facts, judge, lines_of

    try:
        with (
            refusing(OSError, where=f"replay: cannot read {log}"),
            refusing(WireLogError, where=f"replay: {log}"),
            log.open(encoding="utf-8") as file,
        ):
            judgement = judge(lines_of(file))
    except UnicodeDecodeError:
        raise BadInputError(f"replay: {log} is not UTF-8 text") from None
    if as_json:
        print(json.dumps(facts(judgement), indent=2))
    else:
        tell_judgement(judgement)
    return ExitCode.FORFEITS if judgement.cut or judgement.contradictions() else ExitCode.DONE


def tell_judgement(judgement: Judgement) -> None:
    """Print the game, its last position, and whether the outcome agrees."""
    print(
        f"{judgement.game}, {counted(len(judgement.turns), 'turn')}: {' '.join(judgement.turns)}\n"
    )
    print(draw(judgement.position))
    if judgement.fault:
        print(f"Fault: {judgement.fault}")
    print(f"Slowest answer: {judgement.slowest:.3f} s")
    if judgement.recorded is not None:
        outcome = judgement.recorded.outcome
        print(one_line(f"Recorded: {outcome.result_text}: {outcome.reason}"))
    if judgement.cut:
        print(f"{judgement.cut[0].upper()}{judgement.cut[1:]}.")
    for contradiction in judgement.contradictions():
        print(one_line(f"But {contradiction}."))

"""`oddly standings LEDGER`: the tables of an event, finished or still running."""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path

from oddly.games import one_line
from oddly.interfaces.command_line.command import POSITIVE, Value, command
from oddly.interfaces.command_line.declaring import flag, option, options
from oddly.interfaces.command_line.errors import DONE, BadInputError, UnknownValueError
from oddly.interfaces.command_line.hints import nearest_ledger
from oddly.interfaces.command_line.shared_options import JSON, LEDGER, TableOptions
from oddly.interfaces.text.format_reports import reports_text
from oddly.interfaces.text.summary_tables import (
    MAX_CROSSTABLE,
    TableChoice,
    rulings_text,
    summaries_text,
)
from oddly.tournaments import (
    Hypotheses,
    Ledger,
    LedgerError,
    Question,
    RecordedEvent,
    read_event,
    results_json,
)
from oddly.tournaments.ratings.sprt import SCALES
from oddly.tournaments.results.game_summary import distinct_games

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
            f"two Elo values are expected, the smaller first, as in 0,50, not {text!r}"
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


@command()
def run(ledger: Path = LEDGER, *, options: StandingsOptions) -> int:
    """Read the ledger, which is not changed, and print its tables."""
    try:
        with Ledger(ledger, read_only=True) as opened:
            event = read_event(opened, with_games=options.sprt is not None)
            tell(event, options)
            if options.follow:
                follow(opened, event, options)
    except LedgerError as error:
        near = nearest_ledger(ledger)
        raise BadInputError(f"{error}{near}") from None
    return DONE


def tell(event: RecordedEvent, options: StandingsOptions) -> None:
    """Print the results of the event so far."""
    found = event.summaries(options.sprt)
    played = event.tallies.games
    if options.json:
        counted = {"played": played, "distinct": distinct_games(found), "games": event.games}
        progress = {"event": event.name, **counted}
        # One line each time, so that a program can tell them apart.
        indent = None if options.follow else 2
        programs = {"engines": [known.facts() for known in event.programs]}
        rulings = {"rulings": event.rulings.facts()}
        plan = event.plan()
        formatted = {} if plan is None else {"format": plan.facts()}
        facts = {**progress, **programs, **rulings, **results_json(found), **formatted}
        print(json.dumps(facts, indent=indent), flush=True)
        return
    in_all = "" if event.games is None else f" of {event.games}"
    print(f"{one_line(event.name)}: {played}{in_all} games")
    if played:
        choice = TableChoice(options.tables.chosen, True, options.crosstable, options.top)
        print(f"\n{summaries_text(found, choice=choice)}")
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

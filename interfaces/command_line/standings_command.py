"""`oddly standings LEDGER`: the tables of an event, finished or still running."""

from __future__ import annotations

import argparse
import json
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from games.errors import did_you_mean
from games.untrusted_text import one_line
from interfaces.command_line.exit_codes import DONE
from interfaces.command_line.parser import BadInputError
from interfaces.command_line.playing import table_format
from interfaces.text.results import results
from interfaces.text.tables import DEFAULT_FORMAT
from tournaments.formats.catalogue import FORMATS
from tournaments.formats.fixed import Gauntlet, RoundRobin
from tournaments.ledger.event import FREE
from tournaments.ledger.schema import LedgerError
from tournaments.ledger.store import Ledger
from tournaments.ratings.sprt import SCALES, Hypotheses
from tournaments.results.chapters import RANKED_BY_ELO, Chapter, chapters
from tournaments.results.results_json import results_json
from tournaments.results.sequential import Question
from tournaments.schedule import pairs_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tournaments.ledger.engines import KnownEngine
    from tournaments.ledger.event import Facts
    from tournaments.results.engine_statistics import EngineStatistics
    from tournaments.results.standings import PlayedGame

USUAL = Question(Hypotheses(0, 50))
"""What two engines are tested for if nobody says otherwise."""

CLEAR = "\x1b[H\x1b[2J"
"""Empties a terminal."""

EVERY = 2.0
"""Seconds between two looks at a ledger that is followed."""


def fill(parser: argparse.ArgumentParser) -> None:
    """Add the arguments."""
    parser.add_argument(
        "ledger", type=Path, metavar="LEDGER", help="the .sqlite file of a tournament"
    )
    parser.add_argument(
        "--follow",
        action="store_true",
        help="print the tables again whenever games have ended, until all have",
    )
    parser.add_argument(
        "--sprt",
        type=question,
        metavar="ELO0,ELO1[,SCALE]",
        help="test by pairs of games whether engines are ELO0 or ELO1 stronger than those that "
        f"were entered after them; SCALE is {' or '.join(SCALES)} (default with two engines: 0,50)",
    )
    parser.add_argument(
        "--format",
        type=table_format,
        default=DEFAULT_FORMAT,
        metavar="NAME",
        help="a table format of tabulate: simple, github, grid, html, ... (default: %(default)s)",
    )
    parser.add_argument("--json", action="store_true", help="print all facts as one JSON object")
    parser.set_defaults(run=run, parser=parser)


def question(text: str) -> Question:
    """`0,50`, or `0,50,bradley-terry`."""
    elo0, _, rest = text.partition(",")
    elo1, _, scale = rest.partition(",")
    try:
        hypotheses = Hypotheses(float(elo0), float(elo1))
    except ValueError:
        raise argparse.ArgumentTypeError(
            f"two numbers of Elo are expected, the smaller first, as in 0,50, not {text!r}"
        ) from None
    if scale and scale not in SCALES:
        raise argparse.ArgumentTypeError(
            f"unknown scale {scale!r}: expected one of {', '.join(SCALES)}"
            + did_you_mean(scale, SCALES)
        )
    return Question(hypotheses, scale or "logistic")


@dataclass(frozen=True, slots=True)
class Event:
    """What a ledger holds of its event so far."""

    name: str
    format: str
    engines: list[str]
    games: int | None
    """How many there are in all; None if nobody knows."""
    settings: Facts
    """Those of its format."""
    played: list[PlayedGame]
    """Those that count, in the order in which they ended."""
    statistics_by_name: Mapping[str, Mapping[str, EngineStatistics]]
    """How the engines behaved, by the title of the game."""
    programs: list[KnownEngine]
    """What was run, in which versions."""

    @classmethod
    def read(cls, ledger: Ledger) -> Event:
        """The event of a ledger. Raises LedgerError."""
        facts = ledger.event()
        if facts is None:
            raise LedgerError(f"{ledger.path} is a ledger in which no event has begun")
        games = games_of(facts)
        return cls(
            facts["name"],
            facts["format"],
            list(facts["engines"]),
            games,
            facts.get("settings", {}),
            list(ledger.each_played()),
            ledger.statistics_by_name(),
            ledger.engines(),
        )

    def chapters(self, question: Question | None) -> list[Chapter]:
        """Everything that is told of it."""
        return chapters(
            self.engines,
            self.played,
            self.statistics_by_name,
            question or self.question(),
            by_elo=self.format in RANKED_BY_ELO,
        )

    def question(self) -> Question | None:
        """What is tested if nobody says: what the event was played for, or anything of two."""
        if self.format == "sprt":
            bounds = (self.settings[key] for key in ("elo0", "elo1", "alpha", "beta"))
            return Question(Hypotheses(*bounds), self.settings["scale"])
        return USUAL if len(self.engines) == 2 else None


def run(arguments: argparse.Namespace) -> int:
    """Read the ledger, which is not changed, and print its tables."""
    path: Path = arguments.ledger
    try:
        with Ledger(path, read_only=True) as ledger:
            event = Event.read(ledger)
            tell(event, arguments)
            if arguments.follow:
                follow(ledger, event, arguments)
    except LedgerError as error:
        near = "" if path.exists() else did_you_mean(path.name, ledgers_beside(path))
        raise BadInputError(f"{error}{near}") from None
    return DONE


def tell(event: Event, arguments: argparse.Namespace) -> None:
    """Print the event as it stands."""
    found = event.chapters(arguments.sprt)
    played = len(event.played)
    if arguments.json:
        progress = {"event": event.name, "played": played, "games": event.games}
        # One line for each look, so that who follows can tell them apart.
        indent = None if arguments.follow else 2
        programs = {"engines": [known.facts() for known in event.programs]}
        facts = {**progress, **programs, **results_json(found)}
        print(json.dumps(facts, indent=indent), flush=True)
        return
    in_all = "" if event.games is None else f" of {event.games}"
    print(f"{one_line(event.name)}: {played}{in_all} games")
    if played:
        print(f"\n{results(found, arguments.format, with_statistics=True)}")
    sys.stdout.flush()


def follow(ledger: Ledger, event: Event, arguments: argparse.Namespace) -> None:
    """Tell the event again whenever games have ended, until all have; Ctrl-C ends it sooner."""
    told = len(event.played)
    try:
        while event.games is None or told < event.games:
            time.sleep(EVERY)
            if sum(ledger.counts().values()) == told:
                continue
            event = Event.read(ledger)
            told = len(event.played)
            if not arguments.json:
                print(CLEAR if sys.stdout.isatty() else "\n", end="")
            tell(event, arguments)
    except KeyboardInterrupt:
        return


def games_of(facts: Facts) -> int | None:
    """How many games the event has in all; None if that depends on their results, or on nobody."""
    if facts.get("format") == FREE:
        return None
    if isinstance(scheduled := facts.get("scheduled"), int):
        # Not everybody meets everybody in a study.
        return scheduled
    keys = ("format", "engines", "games", "rounds")
    format_, engines, games, rounds = (facts.get(key) for key in keys)
    if format_ in FORMATS and format_ not in (RoundRobin.name, Gauntlet.name):
        return None
    if not (
        isinstance(format_, str)
        and isinstance(engines, dict)
        and isinstance(games, list)
        and isinstance(rounds, int)
    ):
        raise LedgerError(f"the ledger is damaged: its event lacks one of {', '.join(keys)}")
    return 2 * len(list(pairs_of(format_, list(engines)))) * len(games) * rounds


def ledgers_beside(path: Path) -> list[str]:
    """The names of ledgers in the folder of `path`."""
    return [other.name for other in path.parent.glob("*.sqlite")]

"""`oddly study`: how a game plays, from games that our referee ran."""

from __future__ import annotations

import argparse
import platform
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from engines.catalogue import ENGINES
from games.errors import did_you_mean
from interfaces.command_line.exit_codes import DONE, FORFEITS, INTERRUPTED
from interfaces.command_line.parser import (
    BadInputError,
    add_game_arguments,
    game_from,
    positive,
    version_text,
    whole_number,
)
from interfaces.command_line.playing import tell_of_interruption, tell_of_lag
from interfaces.command_line.warming import warm_configurations
from tournaments.ledger.schema import LedgerError
from tournaments.ledger.store import Ledger
from tournaments.results.standings import PlayedGame

if TYPE_CHECKING:
    from collections.abc import Mapping

    from referee.player import EngineConfiguration
    from study.document import Study
    from study.plan import Plan
    from tournaments.runner import Run

DEFAULT_LEVELS = "30,100,300,1000"
MAX_SIMULATIONS = 1_000_000
STUDIED = tuple(name for name in ENGINES if name not in ("mirror", "misbehave"))
"""Engines that play of their own accord."""


def fill(parser: argparse.ArgumentParser) -> None:
    """Add the arguments."""
    add_game_arguments(parser)
    parser.add_argument(
        "--engine",
        type=engine,
        default="rave",
        metavar="NAME",
        help=f"who plays: {', '.join(STUDIED)} (default: %(default)s)",
    )
    parser.add_argument(
        "--games",
        type=positive,
        default=20,
        metavar="N",
        help="of each pairing, in both seats; an odd number is rounded up (default: %(default)s)",
    )
    parser.add_argument(
        "--levels",
        type=levels,
        default=DEFAULT_LEVELS,
        metavar="N,N,...",
        help="simulations for an action, rising, of an engine that searches (default: %(default)s)",
    )
    parser.add_argument(
        "--simulations",
        type=positive,
        default=400,
        metavar="N",
        help="of each evaluation (default: %(default)s)",
    )
    parser.add_argument(
        "--seed", type=whole_number, default=0, metavar="N", help="decides all seeds (default: 0)"
    )
    parser.add_argument(
        "--concurrency", type=positive, metavar="N", help="games at once; by default one per core"
    )
    parser.add_argument(
        "--output",
        type=Path,
        default=Path(),
        metavar="DIR",
        help="where the study is written, as Markdown, JSON, HTML and SVG (default: here)",
    )
    parser.add_argument(
        "--ledger",
        type=Path,
        metavar="FILE",
        help="where games are kept, to go on from (default: in DIR, as .sqlite)",
    )
    parser.add_argument("--json", action="store_true", help="print all figures as one JSON object")
    parser.set_defaults(run=run, parser=parser)


def engine(text: str) -> str:
    """The name of an engine that can be studied."""
    if text not in STUDIED:
        raise argparse.ArgumentTypeError(
            f"unknown engine {text!r}: expected one of {', '.join(STUDIED)}"
            + did_you_mean(text, STUDIED)
        )
    return text


def levels(text: str) -> tuple[int, ...]:
    """Rising whole numbers from 1, apart by commas."""
    words = text.split(",")
    if not all(word.isascii() and word.isdigit() and len(word) <= 7 for word in words):
        raise argparse.ArgumentTypeError(
            f"whole numbers apart by commas are expected, as in {DEFAULT_LEVELS}, not {text!r}"
        )
    numbers = tuple(map(int, words))
    if sorted(set(numbers)) != list(numbers):
        raise argparse.ArgumentTypeError(f"rising numbers are expected, not {text!r}")
    if not 1 <= numbers[0] <= numbers[-1] <= MAX_SIMULATIONS:
        raise argparse.ArgumentTypeError(
            f"numbers from 1 to {MAX_SIMULATIONS} are expected, not {text!r}"
        )
    return numbers


def run(arguments: argparse.Namespace) -> int:
    """Play what has not been played, measure, and write the study."""
    game = game_from(arguments)
    from study.files import file_name
    from study.plan import plan_of

    plan = plan_of(game, arguments.engine, arguments.levels, arguments.games, arguments.seed)
    name = file_name(game)
    folder: Path = arguments.output
    make_writable(folder)
    try:
        with Ledger(arguments.ledger or folder / f"{name}.sqlite") as ledger:
            code = play_games(plan, ledger, arguments.concurrency)
            if isinstance(code, int):
                return code
            try:
                study = measured(plan, code, arguments)
            except KeyboardInterrupt:
                print(
                    f"oddly: interrupted while measuring; all games are kept in {ledger.path}, and "
                    "the same command goes on from them",
                    file=sys.stderr,
                )
                return INTERRUPTED
            forfeits = code.forfeits
    except LedgerError as error:
        raise BadInputError(str(error)) from None
    write(study, folder, name, as_json=arguments.json)
    return FORFEITS if forfeits else DONE


def play_games(plan: Plan, ledger: Ledger, concurrency: int | None) -> Run | int:
    """All games of the study, or the exit code of one that cannot go on."""
    from interfaces.terminal.live.progress import progress
    from study.playing import configurations, event_facts, play
    from tournaments.control import Control

    for what in ledger.begin(event_facts(plan)):
        print(f"{ledger.path}: {what}", file=sys.stderr)
    schedule, earlier = plan.schedule(), ledger.records()
    known = sum(game.id in earlier for game in schedule)
    if known:
        rest = "no game is left" if known == len(schedule) else "the others follow"
        print(
            f"{ledger.path}: {known} of {len(schedule)} games were played before; {rest}",
            file=sys.stderr,
        )
    entered: Mapping[str, EngineConfiguration] = configurations(plan)
    if known < len(schedule):
        warm_configurations(list(entered.values()), [plan.game])
    control = Control(concurrency)
    played = [PlayedGame(game, earlier[game.id].outcome) for game in schedule if game.id in earlier]
    with progress(plan.event, len(schedule), list(entered), control, played) as view:
        run, failure = play(plan, ledger, control, view)
    tell_of_lag(run)
    if failure:
        print(f"oddly: {failure}", file=sys.stderr)
        return FORFEITS
    if run.interrupted:
        tell_of_interruption(run, ledger)
        return INTERRUPTED
    return run


def measured(plan: Plan, played: Run, arguments: argparse.Namespace) -> Study:
    """The study of those games."""
    from interfaces.command_line.measuring_progress import MeasuringProgress
    from study.chapters import Effort, study_of
    from study.playing import by_pairing

    effort = Effort(simulations=arguments.simulations)
    with MeasuringProgress() as teller:
        return study_of(plan, by_pairing(plan, played), effort, teller, facts(plan, played))


def facts(plan: Plan, played: Run) -> dict[str, str]:
    """What was studied, and on what."""
    from study.searching import evaluator_name

    return {
        "game": str(plan.game),
        "board": f"{plan.game.board}, {len(plan.game.board)} cells",
        "players": ", ".join(plan.levels),
        "games": f"{len(played.played)}, {2 * plan.rounds} of each of {len(plan.pairings)} pairings"
        + (f", {played.forfeits} forfeited" if played.forfeits else ""),
        "evaluations": f"searches by {evaluator_name(plan.engine)}",
        "seed": str(plan.seed),
        "program": f"{version_text()}, Python {platform.python_version()}, {platform.machine()}",
    }


def make_writable(folder: Path) -> None:
    """Make the folder, and see that files can be written there. Raises BadInputError."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        probe = folder / ".oddly-study"
        probe.touch()
        probe.unlink()
    except OSError as error:
        raise BadInputError(f"study: cannot write to {folder}: {error.strerror}") from None


def write(study: Study, folder: Path, name: str, *, as_json: bool) -> None:
    """The study's files; their names on standard output, or the JSON there."""
    from study.files import files_of, json_text

    files = files_of(study, name)
    try:
        for file, content in files.items():
            (folder / file).write_text(content, encoding="utf-8")
    except OSError as error:
        raise BadInputError(
            f"study: cannot write {error.filename or folder}: {error.strerror}; the games are kept"
        ) from None
    if as_json:
        print(json_text(study), end="")
        return
    for file in list(files)[:3]:
        print(folder / file)

"""`oddly replay LOG`: a game judged again from its wire log."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

from games.diagram import draw
from interfaces.command_line.exit_codes import DONE, FORFEITS
from interfaces.command_line.parser import BadInputError
from referee.replay import Judgement, WireLogError, facts, judge

if TYPE_CHECKING:
    import argparse


def fill(parser: argparse.ArgumentParser) -> None:
    """Add the arguments."""
    parser.add_argument("log", type=Path, metavar="LOG", help="a wire log, written by --log-dir")
    parser.add_argument("--json", action="store_true", help="print all facts as one JSON object")
    parser.set_defaults(run=run, parser=parser)


def run(arguments: argparse.Namespace) -> int:
    """Judge the game; the exit code is 1 if the log contradicts its own outcome."""
    try:
        with arguments.log.open(encoding="utf-8") as lines:
            judgement = judge(lines)
    except OSError as error:
        raise BadInputError(f"replay: cannot read {arguments.log}: {error.strerror}") from None
    except UnicodeDecodeError:
        raise BadInputError(f"replay: {arguments.log} is not UTF-8 text") from None
    except WireLogError as error:
        raise BadInputError(f"replay: {arguments.log}: {error}") from None
    if arguments.json:
        print(json.dumps(facts(judgement), indent=2))
    else:
        tell(judgement)
    return FORFEITS if judgement.contradictions() else DONE


def tell(judgement: Judgement) -> None:
    """Print the game, its last position, and whether the outcome agrees."""
    print(f"{judgement.game}, {len(judgement.turns)} turns: {' '.join(judgement.turns)}\n")
    print(draw(judgement.position))
    if judgement.fault:
        print(f"Fault: {judgement.fault}")
    print(f"Slowest answer: {judgement.slowest:.3f} s")
    if judgement.recorded is not None:
        outcome = judgement.recorded.outcome
        print(f"Recorded: {outcome.score}, {outcome.termination.value}: {outcome.reason}")
    for contradiction in judgement.contradictions():
        print(f"But {contradiction}.")

"""`oddly replay LOG`: a game judged again from its wire log."""

from __future__ import annotations

import json
from pathlib import Path

from oddly.games import draw
from oddly.interfaces.command_line.command import command
from oddly.interfaces.command_line.declaring import argument
from oddly.interfaces.command_line.errors import DONE, FORFEITS, BadInputError
from oddly.interfaces.command_line.shared_options import JSON
from oddly.referee import Judgement, WireLogError, judge
from oddly.referee.match.wire_log import facts


@command()
def run(
    log: Path = argument("LOG", "a wire log, written by --log-dir"), *, as_json: bool = JSON
) -> int:
    """Judge the game; the exit code is 1 if the log contradicts its own outcome."""
    try:
        with log.open(encoding="utf-8") as lines:
            judgement = judge(lines)
    except OSError as error:
        raise BadInputError(f"replay: cannot read {log}: {error.strerror}") from None
    except UnicodeDecodeError:
        raise BadInputError(f"replay: {log} is not UTF-8 text") from None
    except WireLogError as error:
        raise BadInputError(f"replay: {log}: {error}") from None
    if as_json:
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

"""`oddly train`: teach the search of a game which actions are promising, by games with itself."""

from __future__ import annotations

import platform
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from oddly.interfaces.command_line.command import (
    FILE,
    POSITIVE,
    WHOLE_NUMBER,
    command,
    flag,
    option,
)
from oddly.interfaces.command_line.errors import DONE, INTERRUPTED, BadInputError
from oddly.interfaces.command_line.game_options import game_options
from oddly.interfaces.command_line.main import version_text

if TYPE_CHECKING:
    from oddly.interfaces.command_line.game_options import GameOptions


@command()
@game_options()
@option(
    "--generations",
    type=POSITIVE,
    default=2,
    metavar="N",
    help="rounds of new games and learning (default: 2)",
)
@option(
    "--games",
    type=POSITIVE,
    default=500,
    metavar="N",
    help="to learn from, in each generation (default: 500)",
)
@option(
    "--simulations",
    type=POSITIVE,
    default=1000,
    metavar="N",
    help="for each action of a game (default: 1000)",
)
@option(
    "--pairs",
    type=WHOLE_NUMBER,
    default=50,
    metavar="N",
    help="of games, of each generation against the one before (default: 50)",
)
@option(
    "--seed",
    type=WHOLE_NUMBER,
    default=1,
    metavar="N",
    help="the seed of everything random (default: 1)",
)
@option(
    "--output",
    "folder",
    type=FILE,
    metavar="DIR",
    help="the folder of games, weights and the report, to resume from "
    "(default: training-GAME-SIZE here)",
)
@flag("--json", "as_json", help="print the report as one JSON object")
def run(
    game: GameOptions,
    generations: int,
    games: int,
    simulations: int,
    pairs: int,
    seed: int,
    folder: Path | None,
    as_json: bool,
) -> int:
    """Play what is missing, learn, and write the weights and the report."""
    learner = game.create()
    from oddly.engines.kernels.prior import can_learn, learners
    from oddly.interfaces.command_line.command_progress import MeasuringProgress
    from oddly.study import file_name, files_of
    from oddly.study.files import json_text
    from oddly.study.training.course import (
        Training,
        TrainingError,
        TrainingPlan,
        report,
        save_weights,
    )

    if not can_learn(learner):
        raise BadInputError(f"train: {learner.name} cannot be trained, only {learners()}")
    name = f"training-{file_name(learner)}"
    folder = folder or Path(name)
    plan = TrainingPlan(generations, games, simulations, pairs, seed)
    facts = {
        "game": str(learner),
        "games": f"{games} in each generation, {simulations} simulations an action",
        "matches": f"{pairs} pairs of games each",
        "seed": str(seed),
        "program": f"{version_text()}, Python {platform.python_version()}, {platform.machine()}",
    }
    try:
        with MeasuringProgress("training") as progress:
            weights, found = Training(learner, plan, folder).run(progress.begin)
        study = report(facts, found)
        weights_file = save_weights(folder, learner, weights)
        for file, content in files_of(study, name).items():
            (folder / file).write_text(content, encoding="utf-8")
    except KeyboardInterrupt:
        print(
            f"oddly: interrupted; finished work is kept in {folder}, and the same command goes "
            "on from it",
            file=sys.stderr,
        )
        return INTERRUPTED
    except TrainingError as error:
        raise BadInputError(f"train: {error}") from None
    except OSError as error:
        raise BadInputError(
            f"train: cannot write {error.filename or folder}: {error.strerror}"
        ) from None
    if as_json:
        print(json_text(study), end="")
        return DONE
    print(weights_file)
    for suffix in ("md", "json", "html"):
        print(folder / f"{name}.{suffix}")
    return DONE

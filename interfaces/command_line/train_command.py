"""`oddly train`: teach a game's search which actions are promising, by games against itself."""

from __future__ import annotations

import platform
from pathlib import Path
from typing import TYPE_CHECKING, Any

from oddly.games import settings_of
from oddly.games.wording import counted
from oddly.interfaces.command_line.command import POSITIVE, WHOLE_NUMBER, command
from oddly.interfaces.command_line.common_options import NamedGame
from oddly.interfaces.command_line.declaring import flag, option, word_of
from oddly.interfaces.command_line.errors import BadInputError, ExitCode, say
from oddly.interfaces.command_line.main import version_text
from oddly.safe_files import replace_file

if TYPE_CHECKING:
    from oddly.games import Game
    from oddly.study.training.subject import Subject


@command("train --game odd --size 3 --games 20 -o learnt")
def run(
    *,
    game: NamedGame,
    generations: int = option("N", "rounds of new games and learning", kind=POSITIVE, default=2),
    games: int = option("N", "games to learn from, in each generation", kind=POSITIVE, default=500),
    simulations: int = option(
        "N", "simulations for each action of a game", kind=POSITIVE, default=1000
    ),
    pairs: int = option(
        "N",
        "pairs of games of each generation against the previous one",
        kind=WHOLE_NUMBER,
        default=50,
    ),
    judge: bool = flag("learn to judge positions instead of actions", names="--judge"),
    seed: int = option("N", "the seed of everything random", kind=WHOLE_NUMBER, default=1),
    folder: Path | None = option(
        "DIR",
        "the folder of games, weights and the report, to resume from "
        "(default: training-GAME-SIZE, for judges training-GAME-SIZE-judge, here)",
        names="--output -o",
    ),
    as_json: bool = flag("print the report as one JSON object", names="--json"),
) -> int:
    """Play the missing games, learn, and write the weights and the report."""
    learner = game.create()
    from oddly.engines.kernels.judge import has_judge, judged_games
    from oddly.engines.kernels.prior import can_learn, learners
    from oddly.interfaces.text.progress import MeasuringProgress
    from oddly.study import file_name, files_of
    from oddly.study.document import json_text
    from oddly.study.training.course import (
        Training,
        TrainingError,
        TrainingPlan,
        report,
        save_weights,
    )
    from oddly.study.training.subject import JudgeSubject, PriorSubject

    if judge and not has_judge(learner):
        raise BadInputError(f"train: {learner.name} has no judge to train, only {judged_games()}")
    if not can_learn(learner):
        raise BadInputError(f"train: {learner.name} cannot be trained, only {learners()}")
    subject: Subject[Any] = JudgeSubject(learner) if judge else PriorSubject(learner)
    name = f"training-{file_name(learner)}" + (f"-{subject.name}" if judge else "")
    folder = folder or Path(name)
    plan = TrainingPlan(generations, games, simulations, pairs, seed)
    words = [*_words_of(learner), *(["--judge"] if judge else [])]
    words += ["--generations", str(generations), "--games", str(games)]
    words += ["--simulations", str(simulations), "--pairs", str(pairs), "--seed", str(seed)]
    facts = {
        "game": str(learner),
        "command": f"oddly train {' '.join(words)}",
        "games": f"{games} in each generation, {simulations} simulations an action",
        "matches": f"{counted(pairs, 'pair')} of games each",
        "seed": str(seed),
        "program": f"{version_text()}, Python {platform.python_version()}, {platform.machine()}",
    }
    try:
        with MeasuringProgress("training") as progress:
            weights, found = Training(learner, subject, plan, folder).run(progress.begin)
        study = report(facts, found)
        weights_file = save_weights(folder, subject, weights, facts, found[-1])
        for file, content in files_of(study, name).items():
            replace_file(folder / file, content)
    except KeyboardInterrupt:
        say(f"interrupted; finished work is kept in {folder}, and the same command goes on from it")
        return ExitCode.INTERRUPTED
    except TrainingError as error:
        raise BadInputError(f"train: {error}") from None
    except OSError as error:
        raise BadInputError(
            f"train: cannot write {error.filename or folder}: {error.strerror}"
        ) from None
    if as_json:
        print(json_text(study), end="")
        return ExitCode.DONE
    print(weights_file)
    for suffix in ("md", "json", "html"):
        print(folder / f"{name}.{suffix}")
    return ExitCode.DONE


def _words_of(game: Game) -> list[str]:
    """Return the options that name a game; settings that it has by default need none."""
    words = ["--game", game.name, "--size", str(game.size)]
    usual = settings_of(type(game))
    for name, value in game.settings.items():
        if value != usual[name].default:
            words += [word_of(name), str(value)]
    return words

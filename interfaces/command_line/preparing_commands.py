"""What our engines need ahead of a game: `oddly warm` compiles them, `oddly train` teaches them.

A search learns which actions are promising, or to judge positions, by games against itself.
"""

from __future__ import annotations

import platform
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any

from oddly.engines import ENGINES
from oddly.games import Game, GameError, create_game, settings_of
from oddly.games.wording import counted
from oddly.interfaces.command_line.command import POSITIVE, WHOLE_NUMBER, OneOf, command
from oddly.interfaces.command_line.common_options import GameOptions, NamedGame
from oddly.interfaces.command_line.declaring import flag, option, word_of
from oddly.interfaces.command_line.errors import BadInputError, ExitCode, say
from oddly.interfaces.command_line.main import version_text
from oddly.interfaces.text.progress import waiting
from oddly.safe_files import replace_file

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from oddly.study.training.subject import Subject


COMPILED = [name for name, entry in ENGINES.items() if entry.is_compiled]
LARGEST_SIZE = 26
SECONDS_EACH = 12
"""The approximate seconds for one engine and game on an idle machine."""


@command("warm --game odd --size 3 --engine rave")
def warm_command(
    *,
    game: GameOptions,
    engine: tuple[str, ...] = option(
        "NAME",
        "an engine to compile; repeat it for more (default: all of them)",
        kind=OneOf(*COMPILED),
    ),
) -> None:
    """Compile, and print a line for each engine and game."""
    # With the kernels, Numba is imported, which takes a second.
    from oddly.engines import HAS_NUMBA, create_engine, has_kernel
    from oddly.engines.kernels.jit import IS_INSTALLED, without_numba
    from oddly.engines.kernels.machine_code import KERNEL_MODULES, tell_of_plain_rules

    named = game.create_if_named("warm")
    if not HAS_NUMBA:
        disabled = "NUMBA_DISABLE_JIT is set, so there is nothing to compile"
        say(disabled if IS_INSTALLED else without_numba())
        return
    if named and not has_kernel(named):
        tell_of_plain_rules(named)
        return
    kinds = [named] if named else [each() for each in KERNEL_MODULES]
    games = kinds if game.size else [each for kind in kinds for each in one_of_each_type(kind)]
    programs: dict[str, Any] = {name: create_engine(name) for name in engine or COMPILED}
    jobs = [(name, each) for name in programs for each in games]
    say(plan_text(programs, jobs))
    for number, (name, each) in enumerate(jobs, start=1):
        began = perf_counter()
        try:
            with waiting(f"{number} of {len(jobs)}: compiling {name} for {each}"):
                programs[name].compile(each)
        except GameError as error:
            print(f"{name:<6}{each!s:<34}not: {error}", flush=True)
        else:
            print(f"{name:<6}{each!s:<34}{perf_counter() - began:6.1f} s", flush=True)


def plan_text(programs: Mapping[str, Any], jobs: Sequence[tuple[str, Game]]) -> str:
    """Return what will be compiled, and about how long it will take."""
    left = sum(not programs[name].is_compiled(game) for name, game in jobs)
    if not left:
        return f"compiled before, all {len(jobs)}: loading each takes a second"
    return f"{left} of {len(jobs)} to compile, about {left * SECONDS_EACH} seconds on two cores"


def one_of_each_type(game: Game) -> Iterator[Game]:
    """Yield `game`, then the same on the first board of each other type of machine code."""
    from oddly.engines import new_state
    from oddly.engines.kernels.jit import type_name

    seen = set()
    for size in (game.size, *range(LARGEST_SIZE)):
        try:
            sized = create_game(game.name, size, game.settings)
        except GameError:
            continue
        kind = type_name(new_state(sized))
        if kind not in seen:
            seen.add(kind)
            yield sized


@command("train --game odd --size 3 --games 20 -o learnt")
def train_command(
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
    from oddly.engines.kernels.learnt import can_learn, has_judge, judged_games, learners
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

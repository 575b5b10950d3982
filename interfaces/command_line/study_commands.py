"""`oddly study`: how a game plays, from games that our referee ran; `oddly atlas` compares boards.

The atlas is one page and JSON about the boards of several studies.
"""

from __future__ import annotations

import platform
from pathlib import Path
from typing import TYPE_CHECKING, Any

from oddly.engines import ENGINES
from oddly.games import one_line
from oddly.interfaces.command_line.command import POSITIVE, OneOf, Value, command
from oddly.interfaces.command_line.common_options import SEED, NamedGame
from oddly.interfaces.command_line.declaring import argument, flag, option
from oddly.interfaces.command_line.errors import BadInputError, ExitCode, refusing, say
from oddly.interfaces.command_line.main import version_text
from oddly.interfaces.command_line.playing import (
    EarlierChanges,
    EarlierGames,
    KnownWinners,
    tell_of_interruption,
    tell_of_lag,
)
from oddly.interfaces.text.progress import MeasuringProgress, waiting
from oddly.safe_files import replace_file
from oddly.tournaments import Ledger, LedgerError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from oddly.games import Game
    from oddly.referee import GameRecord
    from oddly.study import Study, StudyPlan
    from oddly.study.published import PublishedGames, StudyRecipe
    from oddly.tournaments import Run


DEFAULT_LEVELS = "30,100,300,1000"
MAX_SIMULATIONS = 1_000_000
STUDIED = tuple(name for name in ENGINES if name not in ("mirror", "misbehave"))
"""The engines that can be studied."""


def _levels(text: str) -> tuple[int, ...]:
    """Read rising whole numbers from 1, separated by commas. Raises ValueError."""
    numbers = _whole_numbers(text, DEFAULT_LEVELS)
    if sorted(set(numbers)) != list(numbers):
        raise ValueError(f"increasing numbers are expected, not {text!r}")
    if not 1 <= numbers[0] <= numbers[-1] <= MAX_SIMULATIONS:
        raise ValueError(f"numbers from 1 to {MAX_SIMULATIONS} are expected, not {text!r}")
    return numbers


def _equal_games(text: str) -> tuple[int, ...]:
    return _whole_numbers(text, "1000,200", least=1)


def _whole_numbers(text: str, example: str, least: int = 0) -> tuple[int, ...]:
    """Read whole numbers separated by commas. Raises ValueError, which has an example."""
    words = text.split(",")
    if not all(
        word.isascii() and word.isdigit() and len(word) <= 7 and int(word) >= least
        for word in words
    ):
        raise ValueError(
            "whole numbers from 1, separated by commas, are expected, as in "
            f"{example}, not {text!r}"
        )
    return tuple(map(int, words))


@command("study --game odd --size 2 --games 4 --levels 10,20 -o studies")
def study_command(
    *,
    game: NamedGame,
    engine: str = option(
        "NAME",
        f"the engine that plays: {', '.join(STUDIED)}",
        kind=OneOf(*STUDIED, kind="engine"),
        default="rave",
    ),
    games: int = option(
        "N",
        "of each pairing, in both seats; an odd number is rounded up",
        kind=POSITIVE,
        default=20,
    ),
    equal_games: tuple[int, ...] | None = option(
        "N,N,...",
        "of each player against itself: one number for all, or one for each, 'random' first "
        "(default: as --games)",
        kind=Value(_equal_games),
    ),
    first_turn_games: int | None = option(
        "N",
        "from each first turn up to symmetry, by the player with most games against itself "
        "(default: none)",
        kind=POSITIVE,
    ),
    levels: tuple[int, ...] | None = option(
        "N,N,...",
        "simulations for an action, rising, of an engine that searches "
        f"(default: {DEFAULT_LEVELS})",
        kind=Value(_levels),
    ),
    simulations: int = option("N", "of each evaluation", kind=POSITIVE, default=400),
    seed: int = SEED,
    concurrency: int | None = option("N", "games at once; by default one per core", kind=POSITIVE),
    output: Path = option(
        "DIR",
        "where the study is written, as Markdown, JSON, HTML and SVG",
        default=Path(),
        names="--output -o",
    ),
    ledger: Path | None = option(
        "FILE", "the ledger that keeps the games (default: in DIR, as .sqlite)"
    ),
    beside: tuple[Path, ...] = option(
        "FILE",
        "games of others to set beside the engine's, in any format that 'oddly convert' reads; "
        "the file's name names them; may be repeated",
    ),
    as_json: bool = flag("print all figures as one JSON object", names="--json"),
) -> int:
    """Play the games that are missing, measure, and write the study."""
    studied = game.create()
    from oddly.engines.solver.solution import without_databases
    from oddly.study import Effort, file_name, make_plan
    from oddly.study.atlas import SUFFIX
    from oddly.study.playing import searches
    from oddly.study.published import StudyRecipe, published

    if levels is not None and not searches(engine):
        raise BadInputError(f"study: --levels is for an engine that searches, not {engine}")
    wanted: dict[str, Any] = {
        "engine": engine,
        "simulations": levels or _levels(DEFAULT_LEVELS),
        "games": games,
        "seed": seed,
        "equal_games": equal_games or (),
        "first_turn_games": first_turn_games or 0,
    }
    with refusing(ValueError, where="study"):
        plan = make_plan(studied, **wanted)
    name = file_name(studied)
    make_writable(output)
    earlier = published_before(output / f"{name}{SUFFIX}")
    others = _others(studied, beside) if beside or earlier is None else earlier.others
    path = ledger or output / f"{name}.sqlite"
    with refusing(LedgerError):
        if earlier is not None and not path.exists():
            begin_with(earlier, plan, path)
        with without_databases(), Ledger(path) as kept:
            played = play_all_games(plan, kept, concurrency)
            if played.failures or played.interrupted:
                return stopped(played, kept.path)
            recipe = StudyRecipe(
                studied, wanted, Effort(simulations=simulations), facts(plan, played)
            )
            try:
                study = measured(recipe, played.records, others)
            except KeyboardInterrupt:
                say(
                    f"interrupted while measuring; all games are kept in {kept.path}, and the same "
                    "command goes on from them"
                )
                return ExitCode.INTERRUPTED
    content = published(recipe, played.records, others)
    write(study, output, name, {f"{name}{SUFFIX}": content}, as_json=as_json)
    return ExitCode.FORFEITS if played.forfeits else ExitCode.DONE


def _others(game: Game, files: Sequence[Path]) -> dict[str, list[GameRecord]]:
    """Return the finished games of that board in each file. Raises BadInputError."""
    from oddly.game_records import read_games
    from oddly.referee import RecordError

    found: dict[str, list[GameRecord]] = {}
    for path in files:
        name = one_line(path.stem)
        if name in found:
            raise BadInputError(f"study: two files of --beside are named {name!r}: rename one")
        with (
            refusing(RecordError, where=f"study: {path}"),
            refusing(OSError, where=f"study: cannot read {path}"),
        ):
            every = [kept.record for kept in read_games(path)]
        found[name] = [r for r in every if r.game == game and not r.outcome.is_void]
        if not found[name]:
            raise BadInputError(f"study: {path} has no finished games of {game}")
    return found


def published_before(path: Path) -> PublishedGames | None:
    """Return the games that an earlier study published there, if any.

    Raises BadInputError if they cannot be read.
    """
    if not path.is_file():
        return None
    from oddly.study.atlas import AtlasError
    from oddly.study.published import read_published

    try:
        with waiting(f"reading the games of {path}"):
            return read_published(path)
    except AtlasError as error:
        raise BadInputError(
            f"study: {error}; move that file away to begin without its games"
        ) from None


def begin_with(earlier: PublishedGames, plan: StudyPlan, ledger: Path) -> None:
    """Write a new ledger with published games.

    Raises BadInputError if they are of another study, LedgerError if it cannot be written.
    """
    from oddly.study.first_turns import StudyError
    from oddly.study.published import begin_ledger

    said = f"writing the games of {earlier.path} into {ledger}"
    with refusing(StudyError, where="study"), waiting(said):
        begin_ledger(ledger, earlier, plan, _engine_facts(plan)["fingerprint"])


def play_all_games(plan: StudyPlan, ledger: Ledger, concurrency: int | None) -> Run:
    """Play all games of the study; return the run, which a signal may cut short."""
    from oddly.interfaces.terminal.live.progress import progress
    from oddly.study import play_games
    from oddly.tournaments import Control

    run = play_games(
        plan,
        ledger,
        Control(concurrency),
        [EarlierChanges(), EarlierGames(), KnownWinners([plan.game]), progress()],
    )
    tell_of_lag(run)
    return run


def stopped(run: Run, ledger: Path) -> int:
    """Say why the study cannot go on; return the exit code."""
    if run.failures:
        say("; ".join(run.failures))
    if run.interrupted:
        tell_of_interruption(run, ledger)
        return ExitCode.INTERRUPTED
    return ExitCode.FORFEITS


def measured(
    recipe: StudyRecipe,
    records: Sequence[GameRecord],
    others: Mapping[str, Sequence[GameRecord]],
) -> Study:
    """Return the study of these games. Raises BadInputError if they contradict each other."""
    from oddly.study.first_turns import StudyError

    with refusing(StudyError, where="study"), MeasuringProgress() as observer:
        return recipe.study(records, others, observer)


def facts(plan: StudyPlan, played: Run) -> dict[str, str]:
    """Return what was studied, and on which machine."""
    from oddly.study.evaluator import evaluator_name

    return {
        "game": str(plan.game),
        "board": f"{plan.game.board}, {len(plan.game.board)} cells",
        "players": ", ".join(plan.levels),
        "games": f"{len(played.played):,} of {len(plan.pairings)} pairings"
        + (f", {played.forfeits} forfeited" if played.forfeits else ""),
        "evaluations": f"searches by {evaluator_name(plan.engine)}",
        "seed": str(plan.seed),
        **_engine_facts(plan),
        "program": f"{version_text()}, Python {platform.python_version()}, {platform.machine()}",
    }


def _engine_facts(plan: StudyPlan) -> dict[str, str]:
    """Return the settings and the fingerprint of the engine that plays and evaluates."""
    from oddly.study.evaluator import evaluator_name, fingerprint

    name = evaluator_name(plan.engine)
    found = fingerprint(plan.game, name)
    return {"settings": f"{name}: {found.settings}", "fingerprint": f"{name} {found.digest}"}


def make_writable(folder: Path) -> None:
    """Make the folder. Raises BadInputError if no files can be written there."""
    with refusing(OSError, where=f"study: cannot write to {folder}"):
        folder.mkdir(parents=True, exist_ok=True)
        probe = folder / ".oddly-study"
        probe.touch()
        probe.unlink()


def write(
    study: Study,
    folder: Path,
    name: str,
    games: Mapping[str, bytes] | None = None,
    *,
    as_json: bool,
) -> None:
    """Write the study's files and its games, and print their names, or the study as JSON.

    Raises BadInputError if a file cannot be written.
    """
    from oddly.study import files_of
    from oddly.study.document import json_text

    files = files_of(study, name)
    contents: dict[str, str | bytes] = {**files, **(games or {})}
    for file, content in contents.items():
        try:
            replace_file(folder / file, content)
        except OSError as error:
            raise BadInputError(
                f"study: cannot write {folder / file}: {error.strerror}; the games are kept"
            ) from None
    if as_json:
        print(json_text(study), end="")
        return
    for file in [*list(files)[:3], *(games or {})]:
        print(folder / file)


@command("atlas studies")
def atlas_command(
    folder: Path | None = argument(
        "[DIR]", "the folder of the studies' JSON, where the atlas is written (default: here)"
    ),
    *,
    check: bool = flag("derive all pages from the published games; write nothing"),
    as_json: bool = flag("print all figures as one JSON object", names="--json"),
) -> int:
    """Write the atlas of the studies in DIR, by default here, beside them."""
    from oddly.study.atlas import ATLAS, AtlasError, make_atlas, read_studies

    place = folder or Path()
    if check:
        return checked(place)
    with refusing(AtlasError, where="atlas"):
        study = make_atlas(read_studies(place))
    make_writable(place)
    write(study, place, ATLAS, as_json=as_json)
    return ExitCode.DONE


def checked(folder: Path) -> int:
    """Derive all studies and the atlas again; print the differences, a line each.

    Raises BadInputError if there are no studies, or no games of one.
    """
    from oddly.engines.solver.solution import without_databases
    from oddly.study.atlas import AtlasError
    from oddly.study.first_turns import StudyError
    from oddly.study.published import differences

    is_as_published = True
    with (
        refusing(AtlasError, StudyError, where="atlas"),
        without_databases(),
        MeasuringProgress("deriving") as observer,
    ):
        for said in differences(folder, observer):
            print(f"atlas: {said}")
            is_as_published = False
    if not is_as_published:
        return ExitCode.FORFEITS
    print("atlas: as published")
    return ExitCode.DONE

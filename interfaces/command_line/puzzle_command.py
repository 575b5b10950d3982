"""`oddly puzzle`: find the only turn that wins, in the terminal; or find new puzzles."""

from __future__ import annotations

import json
import random
from collections import Counter
from typing import TYPE_CHECKING

from oddly.games import Game, IllegalTurn, Turn, did_you_mean, draw, one_line
from oddly.games.wording import counted
from oddly.interfaces.command_line.command import POSITIVE, WHOLE_NUMBER, OneOf, command, only_one
from oddly.interfaces.command_line.common_options import GameOptions
from oddly.interfaces.command_line.declaring import argument, flag, option, options, word_of
from oddly.interfaces.command_line.errors import BadInputError, ExitCode, say
from oddly.interfaces.human_play.lesson import Lesson, Puzzle, puzzles
from oddly.interfaces.terminal.play.messages import QUIT
from oddly.interfaces.terminal.play.play_session import with_commas
from oddly.protocol import NotationError, parse_turn

if TYPE_CHECKING:
    from collections.abc import Sequence


GRADES = "12345"
HELP = "A turn such as {}; an empty line shows the answer, q ends."

EPILOG = (
    "Each puzzle is a position with exactly one winning turn, which is proven. Grades say how "
    "often weak engines miss it: 1 at most a fifth of the time, 5 more than four fifths."
)


@options()
class PuzzleOptions:
    """Which puzzles, and what is done with them."""

    grade: str | None = option("K", "only puzzles of grade K, 1 to 5", kind=OneOf(*GRADES))
    seed: int | None = option("N", "the order, and what is found", kind=WHOLE_NUMBER)
    as_list: bool = flag("print how many puzzles there are, instead of asking one", names="--list")
    make: int | None = option("N", "find N new puzzles, and print them as JSON", kind=POSITIVE)
    as_json: bool = flag("print the list as one JSON object", names="--json")


@command("puzzle --game yodd --size 3", epilog=EPILOG)
def run(
    name: str | None = argument("[ID]", "one puzzle, such as yodd-3-17"),
    *,
    game: GameOptions,
    options: PuzzleOptions,
) -> int:
    """Ask puzzles until the player ends, or list or find some."""
    only_one(list=options.as_list, make=options.make)
    only_one(make=options.make, grade=options.grade)
    if name is not None:
        _check_alone(name, game, options)
    if options.make is not None:
        return _make(game.create(), options.make, options.seed or 0)
    known = _chosen(name, game, options)
    if options.as_list or options.as_json:
        _print_list(known, as_json=options.as_json)
        return ExitCode.DONE
    order = sorted(known)
    random.Random(options.seed).shuffle(order)
    order.sort(key=lambda each: known[each].grade)
    return _ask_all([known[each].lesson for each in order])


def _check_alone(name: str, game: GameOptions, options: PuzzleOptions) -> None:
    """Raise BadInputError if options choose other puzzles than the one that is named."""
    chosen = {"grade": options.grade, "make": options.make}
    given = [*game.given, *(key for key, value in chosen.items() if value is not None)]
    if given:
        raise BadInputError(f"puzzle: give either the ID {name!r} or {word_of(given[0])}")


def _chosen(name: str | None, game: GameOptions, options: PuzzleOptions) -> dict[str, Puzzle]:
    """Return the requested puzzles, by id. Raises BadInputError if there are none."""
    every = puzzles()
    if name is not None:
        if name not in every:
            raise BadInputError(f"puzzle: there is no puzzle {name!r}{did_you_mean(name, every)}")
        return {name: every[name]}
    wanted = game.create_if_named("puzzle")
    found = {
        each: puzzle
        for each, puzzle in every.items()
        if options.grade in (None, str(puzzle.grade))
        and (
            wanted is None
            or _is_of(puzzle.lesson.start.game, wanted, of_any_size=game.size is None)
        )
    }
    if not found:
        raise BadInputError(
            "puzzle: there are no such puzzles; 'oddly puzzle --list' shows what there is, and "
            "'oddly puzzle --make 10 --game GAME --size N' finds new ones"
        )
    return found


def _is_of(game: Game, wanted: Game, *, of_any_size: bool) -> bool:
    """Return whether a puzzle has the wanted game."""
    if of_any_size:
        return (game.name, game.settings) == (wanted.name, wanted.settings)
    return game == wanted


def _print_list(known: dict[str, Puzzle], *, as_json: bool) -> None:
    """Print how many puzzles each board has, by grade."""
    counts: dict[str, Counter[int]] = {}
    for puzzle in known.values():
        counts.setdefault(str(puzzle.lesson.start.game), Counter())[puzzle.grade] += 1
    if as_json:
        facts = [
            {"game": title, "by_grade": {str(grade): numbers[grade] for grade in sorted(numbers)}}
            for title, numbers in counts.items()
        ]
        print(json.dumps({"puzzles": facts}, indent=2))
        return
    from tabulate import tabulate

    rows = [
        (title, *(numbers[int(grade)] for grade in GRADES), numbers.total())
        for title, numbers in counts.items()
    ]
    print(tabulate(rows, ("board", *(f"grade {grade}" for grade in GRADES), "all")))


def _make(game: Game, number: int, seed: int) -> int:
    """Find puzzles, print each as a line of JSON, easy ones first, and say if there are fewer."""
    from rich.console import Console
    from rich.progress import Progress

    from oddly.study.puzzles import GAMES_IN_VAIN, FoundPuzzle, some_puzzles

    console = Console(stderr=True)
    found: list[FoundPuzzle] = []
    is_interrupted = False
    with Progress(console=console, transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task("finding puzzles", total=number)
        try:
            for puzzle in some_puzzles(game, number, seed):
                found.append(puzzle)
                bar.advance(task)
        except KeyboardInterrupt:
            is_interrupted = True
    found.sort(key=lambda puzzle: puzzle.missed)
    for place, puzzle in enumerate(found, 1):
        print(json.dumps({"id": f"{game.name}-{game.size}-{place}", **puzzle.facts()}))
    so_far = f"{len(found)} of {counted(number, 'puzzle')}"
    if is_interrupted:
        say(f"puzzle: interrupted with {so_far}")
        return ExitCode.INTERRUPTED
    if len(found) < number:
        why = f"{GAMES_IN_VAIN:,} games in a row had no new one"
        say(f"puzzle: only {so_far} found on {game}: {why}")
    return ExitCode.DONE


def _ask_all(lessons: Sequence[Lesson]) -> int:
    """Ask one puzzle after the other, until the player ends or there are no more."""
    solved = asked = 0
    try:
        for lesson in lessons:
            is_solved = _ask(lesson)
            if is_solved is None:
                break
            asked += 1
            solved += is_solved
    except KeyboardInterrupt:
        # Below the prompt.
        print()
        raise
    finally:
        if asked:
            print(f"{solved} of {asked} solved at once.")
    return ExitCode.DONE


def _ask(lesson: Lesson) -> bool | None:
    """Ask a puzzle; return whether the first turn was right, or None if the player ends."""
    (step,) = lesson.steps
    print(f"\n{lesson.title}, {lesson.id}\n\n{draw(lesson.start)}\n\n{step.ask}")
    is_first = True
    while True:
        try:
            line = input("> ").strip()
        except EOFError:
            print()
            return None
        if line.lower() in QUIT:
            return None
        if not line:
            print(f"{step.solution}. {step.right.removeprefix('Yes. ')}")
            return False
        turn = _read(line, lesson)
        if turn is None:
            continue
        progress = lesson.follow([turn])
        print(progress.said)
        if progress.is_solved:
            return is_first
        is_first = False


def _read(line: str, lesson: Lesson) -> Turn | None:
    """Return the turn in a line; say why there is none."""
    try:
        turn = parse_turn(with_commas(line))
        lesson.start.play(turn)
    except (IllegalTurn, NotationError) as error:
        print(f"{one_line(str(error))}. {HELP.format(lesson.start.game.example_turns)}")
        return None
    return turn

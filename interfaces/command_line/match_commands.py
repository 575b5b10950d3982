"""`oddly match`: two engines, some games, a table; `oddly demo`: three engines, all four games."""

from __future__ import annotations

import sys
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from oddly.games import Game, install_command
from oddly.interfaces.command_line.command import (
    POSITIVE,
    OneOf,
    Value,
    command,
    number,
    whole_number,
)
from oddly.interfaces.command_line.common_options import SEED, NamedGame
from oddly.interfaces.command_line.copying_commands import shipped_examples
from oddly.interfaces.command_line.declaring import argument, option, options
from oddly.interfaces.command_line.errors import (
    BadInputError,
    ExitCode,
    nearest_engine,
    own_name,
    refusing,
)
from oddly.interfaces.command_line.playing import (
    PlayingOptions,
    play_and_print,
    print_results,
)
from oddly.interfaces.terminal.live.progress import ScoreProgress
from oddly.interfaces.text.progress import has_screen
from oddly.interfaces.text.tables import DEFAULT_FORMAT
from oddly.protocol import parse_time_control
from oddly.referee import EngineConfiguration, ProgramError
from oddly.tournaments import (
    Match,
    OpeningsError,
    PlayingSettings,
    Sprt,
    engine,
    read_openings,
)
from oddly.tournaments.openings.openings import DEFAULT_TURNS
from oddly.tournaments.ratings.sprt import ERROR_RATE, SCALES
from oddly.tournaments.run.matches import match_of_two

if TYPE_CHECKING:
    from oddly.tournaments import Run
    from oddly.tournaments.results.schedule import Opening


DEFAULT_GAMES = 10
MAX_TURNS = 100
"""The most turns in an opening."""

OpeningsOption = int | Path
"""A number of random turns, or a file."""


def _elo_bounds(text: str) -> tuple[float, float]:
    try:
        elo0, elo1 = map(float, text.split(","))
    except ValueError:
        raise ValueError(
            f"two numbers of Elo separated by a comma are expected, as in 0,10, not {text!r}"
        ) from None
    return elo0, elo1


def _openings(text: str) -> OpeningsOption:
    """Read `none`, a number of turns, or the name of a file. Raises ValueError."""
    if text == "none":
        return 0
    if not text.isdecimal():
        return Path(text)
    if (turns := whole_number(text)) > MAX_TURNS:
        raise ValueError(f"at most {MAX_TURNS} turns are expected, not {text}")
    return turns


PROBABILITY = number("a number between 0 and 1", lambda value: 0 < value < 1)


@options("Sequential test")
class SprtOptions:
    """The sequential test, if any."""

    sprt: tuple[float, float] | None = option(
        "ELO0,ELO1",
        "play until it is clear whether the first engine is ELO1 or only ELO0 stronger",
        kind=Value(_elo_bounds),
    )
    alpha: float | None = option(
        "P",
        f"probability of accepting ELO1 if ELO0 is true (default: {ERROR_RATE})",
        kind=PROBABILITY,
    )
    beta: float | None = option(
        "P",
        f"probability of accepting ELO0 if ELO1 is true (default: {ERROR_RATE})",
        kind=PROBABILITY,
    )
    scale: str | None = option(
        "NAME", f"what Elo means: {' or '.join(SCALES)} (default: logistic)", kind=OneOf(*SCALES)
    )


@command('match "oddly engine greedy" "oddly engine random" --game odd --games 4')
def match_command(
    first: str = argument("CMD", "an engine's command line, in quotes"),
    second: str = argument("CMD", "the other engine's; the two take turns to open"),
    *,
    game: NamedGame,
    number_of_games: int | None = option(
        "N",
        f"(default: {DEFAULT_GAMES}; with --sprt the most, by default any number)",
        kind=POSITIVE,
        names="--games",
    ),
    time: str = option(
        "SPEC",
        "the clock: 5 (seconds a turn), 300+2 (main time and increment), 600+20/300 "
        "(Canadian), 600+5x30 (Japanese), none",
        default="10",
    ),
    seed: int = SEED,
    openings: OpeningsOption | None = option(
        "none|FILE|N",
        "what each pair of games begins with: the next opening of FILE, or N balanced random "
        f"turns (default: {DEFAULT_TURNS} if neither engine has an option seed, else none)",
        kind=Value(_openings),
    ),
    test: SprtOptions,
    options: PlayingOptions,
) -> int:
    """Play the match."""
    played = game.create()
    parse_time_control(time)
    format_ = format_from(test, number_of_games)
    one, other = (engine_from(command, time) for command in (first, second))
    listed, settings = read_listed(openings, played), options.changed(PlayingSettings())
    arrangement = match_of_two(
        (one, other), played, format_, listed, seed, settings, tell_of_openings, are_asked=True
    )
    with refusing(OpeningsError, where="match: --openings"):
        return play_and_print(arrangement, options)


def tell_of_openings(turns: int) -> None:
    """Say why there are openings that were not requested."""
    print(
        f"each pair of games but the first begins with {turns} random turns, balanced, "
        "since neither engine has an option seed: without them the same games would come "
        "again and again (--openings none|FILE|N)",
        file=sys.stderr,
    )


def read_listed(openings: OpeningsOption | None, game: Game) -> int | tuple[Opening, ...] | None:
    """Return the openings of a file, or the number of turns. Raises BadInputError."""
    if not isinstance(openings, Path):
        return openings
    with refusing(OpeningsError, where="match: --openings"):
        return read_openings(openings, game)


def format_from(test: SprtOptions, games: int | None) -> Match | Sprt:
    """Return a match or a sequential test.

    Raises BadInputError if the arguments contradict each other.
    """
    names = ("alpha", "beta", "scale")
    given = {name: value for name in names if (value := getattr(test, name)) is not None}
    if test.sprt is None:
        for name in given:
            raise BadInputError(f"match: --{name} goes with --sprt ELO0,ELO1")
        return Match(games or DEFAULT_GAMES)
    if games is not None and games % 2:
        raise BadInputError(
            f"match: a sequential test is of pairs of games, so --games is even, not {games}"
        )
    elo0, elo1 = test.sprt
    sprt = Sprt(elo0, elo1, games=games, **given)
    with refusing(ValueError, where="match: --sprt"):
        _ = sprt.hypotheses
    return sprt


def engine_from(command: str, time: str) -> EngineConfiguration:
    """Return the engine behind a command line. Raises BadInputError if there is no program."""
    where = f"match: engine {command!r}"
    with refusing(ProgramError, where=where, hint=nearest_engine(command)):
        return engine(command, time)


LEDGER = Path("demo.sqlite")
WHAT_IS_PLAYED = """\
Yodd, Xodd, Odd and Ayu on small boards. Three engines play each other at them:
rave searches, greedy takes the best next turn, and random takes any turn.
"""
EXPLANATION = """\
Elo with 95 % error bars. An engine 100 Elo ahead wins 64 % of the games. Where
two bars overlap, it takes more games to tell which engine is stronger."""
FASTER = """
Here rave searched by the plain rules. With Numba it is machine code, hundreds
of times faster. To install Numba:
  {}"""


@command("demo")
def demo_command(
    *,
    ledger: Path = option("FILE", "the ledger that keeps the games", default=LEDGER),
    options: PlayingOptions,
) -> int:
    """Play the demo, which takes about 15 seconds."""
    # It imports pydantic, which a match does without.
    from oddly.tournaments import load_tournament

    tournament = options.applied(load_tournament(shipped_examples()["demo.toml"].path))
    if options.json or options.quiet:
        return play_and_print(tournament, options, ledger)
    print(WHAT_IS_PLAYED, file=sys.stderr)
    told = None if has_screen() else ScoreProgress()
    code = play_and_print(tournament, options, ledger, show=print_ratings, told=told)
    if code == ExitCode.DONE:
        print(what_next(ledger), file=sys.stderr)
    return code


def print_ratings(run: Run, ledger: Path | None, options: PlayingOptions) -> None:
    """Print the ratings in each game and who beat whom, on standard output."""
    from oddly.interfaces.text.summary_tables import (
        crosstable_table,
        distinct_line,
        ratings_by_game,
    )

    found = run.summaries()
    if not found or options.tables.chosen != DEFAULT_FORMAT:
        print_results(run, ledger, options)
        return
    parts = (
        EXPLANATION,
        ratings_by_game(found),
        crosstable_table(found[-1]),
        distinct_line(found[-1].counts),
    )
    # What is said next goes to standard error, and must not come before the tables.
    print("\n\n".join(parts), flush=True)


def what_next(ledger: Path) -> str:
    """Return the three commands to type next, and how to make rave fast if it is not."""
    oddly = own_name()
    page = ledger.with_suffix(".html")
    steps = {
        f"{oddly} play --game yodd --size 4 --level 2": "play here, gently",
        f"{oddly} report {ledger} --output {page}": "replay these games",
        f"{oddly} new-engine python my-engine": "begin your engine",
    }
    width = max(map(len, steps))
    lines = [f"  {words:<{width}}   {what}" for words, what in steps.items()]
    faster = [] if find_spec("numba") else [FASTER.format(install_command("fast"))]
    return "\n".join(["", "Next:", *lines, *faster])

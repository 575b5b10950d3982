"""The rows of the table: what each plays or measures."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).parent
POSITIONS = HERE / "positions.jsonl"
"""The positions of the rows on errors, as `oddly bench errors --positions` made them."""

DEFAULT_BOARDS = (("yodd", 8), ("xodd", 12), ("odd", 5), ("ayu", 11))
SMALL_BOARDS = (("yodd", 5), ("xodd", 6), ("odd", 4), ("ayu", 7))
PLATEAU_BOARDS = (("yodd", 6), ("xodd", 9), ("ayu", 9))
TEN_SECONDS = {"yodd": 1_280_000, "xodd": 1_280_000, "odd": 2_560_000, "ayu": 1_280_000}
"""Simulations of a drop or move that ten seconds a turn reach on an idle core at most, rounded."""
AT_THE_START = {"yodd": 640_000, "xodd": 640_000, "odd": 2_560_000, "ayu": 1_280_000}
"""The same at the start of a game, when there is most to consider."""
DOUBLINGS = 3
"""Below the last one, every third doubling is played."""


@dataclass(frozen=True, slots=True)
class Match:
    """Games between two settings of `rave`; the row is the score of the first."""

    name: str
    game: str
    size: int
    first: str
    second: str
    games: int = 40

    def toml(self) -> str:
        """Return the match as a tournament file."""
        lines = [*head(self.name, "round-robin", f"rounds = {self.games // 2}")]
        lines += board(self.game, self.size)
        for options in (self.first, self.second):
            lines += engine(options, options)
        return "\n".join(lines) + "\n"


@dataclass(frozen=True, slots=True)
class Errors:
    """Wins that `rave` throws away; the row is their share."""

    name: str
    options: str
    time: str

    def words(self) -> list[str]:
        """Return the words after `oddly bench errors`."""
        engine = f"oddly engine rave {self.options}".strip()
        return [engine, "--time", self.time, "--positions", str(POSITIONS), "--json"]


@dataclass(frozen=True, slots=True)
class Kept:
    """What pondering leaves of its simulations; the row is the visits of the expected reply."""

    name: str
    game: str
    size: int
    megabytes: int
    simulations: int = 1_000_000


Row = Match | Errors | Kept


def board(game: str, size: int) -> list[str]:
    """Return the lines that name the game."""
    return ["", "[[game]]", f'game = "{game}"', f"size = {size}"]


def head(name: str, form: str, length: str) -> list[str]:
    """Return the first lines of a tournament file. Without a clock a busy machine does no harm."""
    return [
        "[tournament]",
        f'name = "{name}"',
        f'format = "{form}"',
        length,
        "seed = 16",
        'time = "none"',
        "concurrency = 1",
    ]


def engine(name: str, options: str) -> list[str]:
    """Return the lines of an engine in a tournament file."""
    words = ", ".join(f'"{word}"' for word in ["oddly", "engine", "rave", *options.split()])
    return ["", "[[engine]]", f'name = "{name}"', f"command = [{words}]"]


def doublings() -> list[Match]:
    """Return the matches of twice the simulations against once, up to ten seconds a turn."""
    rows = []
    for game, size in DEFAULT_BOARDS:
        most = TEN_SECONDS[game]
        for steps in (2 * DOUBLINGS, DOUBLINGS, 0):
            twice = most >> steps
            first, second = f"--simulations {twice}", f"--simulations {twice // 2}"
            rows.append(Match(f"doubling-{game}-{size}-{twice}", game, size, first, second))
    return rows


def eightfolds() -> list[Match]:
    """Return the matches of eight times the simulations against once, at ten seconds a turn."""
    return [
        Match(
            f"eightfold-{game}-{size}",
            game,
            size,
            f"--simulations {AT_THE_START[game]}",
            f"--simulations {AT_THE_START[game] // 8}",
        )
        for game, size in DEFAULT_BOARDS
    ]


def threads() -> list[Match]:
    """Return the matches of several threads against one with as many simulations in all."""
    return [
        Match(
            f"threads-{number}-{game}-{size}", game, size,
            f"--simulations 4000 --memory 64 --threads {number}", "--simulations 4000 --memory 64",
            80,
        )
        for number in (4, 8)
        for game, size in SMALL_BOARDS
    ]  # fmt: skip


def plateaus() -> list[Match]:
    """Return the matches of longer searches against shorter ones in little memory."""
    short = [
        Match(
            f"plateau-{game}-{size}", game, size,
            "--simulations 24000 --memory 8", "--simulations 12000 --memory 8",
        )
        for game, size in PLATEAU_BOARDS
    ]  # fmt: skip
    long = [
        Match(
            f"long-{game}-{size}",
            game,
            size,
            "--simulations 800000",
            "--simulations 100000",
        )
        for game, size in PLATEAU_BOARDS[:2]
    ]
    return short + long


def errors() -> list[Errors]:
    """Return the rows on wins thrown away: at fixed simulations, and by the clock."""
    fixed = [
        Errors(f"errors-{simulations}", f"--simulations {simulations}", "none")
        for simulations in (1_000, 10_000, 100_000)
    ]
    return [*fixed, Errors("errors-0.1s", "", "0.1"), Errors("errors-1s", "", "1")]


def pondering() -> list[Kept]:
    """Return the rows on pondering, in as much memory as is the default on a large machine."""
    return [Kept(f"pondering-{game}-{size}", game, size, 1024) for game, size in DEFAULT_BOARDS]


def all_rows() -> dict[str, Row]:
    """Return every row by its name, the short ones first."""
    rows: list[Row] = [*errors(), *pondering(), *plateaus(), *threads()]
    rows += [*doublings(), *eightfolds()]
    return {row.name: row for row in rows}

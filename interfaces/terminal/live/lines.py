"""A run at one moment as immutable values, and its games and standings as lines of exact width."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from rich.cells import cell_len, set_cell_size
from rich.text import Text

from oddly.games import SYMBOLS, Colour, Game, one_line
from oddly.games.diagram import draw_board
from oddly.games.wording import counted
from oddly.interfaces.text.summary_tables import verdict_text
from oddly.interfaces.text.tables import points_text
from oddly.referee.justice.clock import HARD_CAP
from oddly.tournaments.ratings.elo import (
    FEW_OPENINGS,
    LOST_ALL,
    NO_GAMES,
    SAME_SEAT,
    TOO_FEW,
    WON_ALL,
)
from oddly.tournaments.results.game_summary import game_summary
from oddly.tournaments.results.sequential import sequential_tests

if TYPE_CHECKING:
    from collections.abc import Sequence

    from oddly.referee import Snapshot
    from oddly.tournaments import (
        GameSummary,
        PairTest,
        PlayedGame,
        Question,
        ResultCounts,
        ScheduledGame,
        Standing,
    )


@dataclass(frozen=True, slots=True)
class RunningGame:
    """A game that has begun and not ended. Moments are seconds of one clock."""

    scheduled: ScheduledGame
    began: float
    snapshot: Snapshot | None = None
    """The game after its last turn; None before the first, and if nothing reports turns."""
    last_turn: float = 0.0
    """The moment of the last turn."""


@dataclass(frozen=True)
class GameResults:
    """The results of one game so far, summarised when they are first drawn."""

    game: Game
    engines: tuple[str, ...]
    counts: ResultCounts
    by_elo: bool = False
    """Whether engines are sorted by rating."""
    question: Question | None = None
    """The question of the sequential test, if there is one."""
    played: tuple[PlayedGame, ...] = ()
    """The games that the test counts."""
    running: tuple[ScheduledGame, ...] = ()
    """The running games that the test waits for."""

    @property
    def title(self) -> str:
        """The name of the game in tables."""
        return str(self.game)

    @cached_property
    def summary(self) -> GameSummary:
        """The standings and ratings of the results."""
        return game_summary(self.engines, self.game, self.counts, by_elo=self.by_elo)

    @cached_property
    def tests(self) -> list[PairTest]:
        """The states of the sequential tests."""
        if self.question is None:
            return []
        return sequential_tests(self.engines, self.played, self.question, self.running)


@dataclass(frozen=True, slots=True)
class RunSnapshot:
    """Everything that a view shows. Moments, such as `now`, are seconds of one clock."""

    title: str
    games: int | None
    """All games of the tournament; None if unknown."""
    played: int
    """Games played, those of earlier runs included."""
    began: float
    """The moment when this run began."""
    now: float
    running: tuple[RunningGame, ...] = ()
    results: GameResults | None = None
    """The results of the game whose standings are shown."""
    games_with_results: int = 1
    """The number of different games with results."""
    news: tuple[str, ...] = ()
    """Lines about the last finished games, the newest last."""
    faults: int = 0
    """Forfeited and void games."""
    mean_seconds: float | None = None
    """The mean time of a game of this run; None before the first has ended."""
    at_once: int = 1
    paused: bool = False
    stopping: bool = False
    said: str = ""
    """The last message about the run itself."""
    helping: bool = False
    """Whether the help for keys is shown."""
    has_keys: bool = True
    """Whether keys have an effect."""
    reporting: bool = False
    """Whether the report of the format takes the place of games and standings."""
    report: tuple[str, ...] = ()
    """The lines of a bracket or another report, a heading and an empty line first."""

    @property
    def seconds_left(self) -> float | None:
        """The time for the remaining games, by the mean so far; None if unknown."""
        if self.games is None or self.mean_seconds is None:
            return None
        gone = sum(min(self.now - game.began, self.mean_seconds) for game in self.running)
        rest = (self.games - self.played) * self.mean_seconds - gone
        return max(0.0, rest) / max(1, min(self.at_once, self.games - self.played))


GAP = 3
"""Columns between two cards."""
MAX_NAME_LENGTH = 16
"""Columns for a name in the list of finished games."""
NARROW = 60
"""Columns below which a line omits the name of the game."""
SMALLEST_CARD = 36
STONES = {"X": "bold", "O": "bold cyan", ".": "dim"}


def card(game: RunningGame, now: float) -> list[Text]:
    """Return a game with its board as lines of equal width."""
    board = board_lines(game)
    width = max(SMALLEST_CARD, *(len(row) for row in board))
    rows = [
        line(width, (fitted(title(game), width), "bold")),
        *(player_line(game, player, now, width) for player in (0, 1)),
        *(_stones(row, width) for row in board),
        line(width, (fitted(last_turn(game), width), "dim")),
    ]
    for row in rows:
        row.pad_right(width - row.cell_len)
    return rows


def board_lines(game: RunningGame) -> list[str]:
    """Return the board as it is now."""
    position = game.snapshot.position if game.snapshot else game.scheduled.game.start()
    return [row.rstrip() for row in draw_board(position)]


def player_line(game: RunningGame, player: int, now: float, width: int) -> Text:
    """Return a player with its colour, groups and clock, marked if it is to move."""
    name = one_line((game.scheduled.first, game.scheduled.second)[player])
    if game.snapshot is None:
        return line(width, fitted(f"  {'XO'[player]} {name}", width))
    moves = game.snapshot.mover == player
    position = game.snapshot.position
    colour = position.to_move if moves else position.to_move.other
    counts = position.group_counts
    groups = counts.black if colour is Colour.BLACK else counts.white
    plural = f"{position.game.counted}s"
    word = plural if groups != 1 else f"{position.game.counted} "
    facts = f" {groups:>3} {word} {clock(game, game.snapshot, player, now):>6}"
    mark = ">" if moves else " "
    words = f"{mark} {SYMBOLS[colour]} {fitted(name, width - 4 - len(facts))}{facts}"
    return line(width, (words, "bold" if moves else ""))


def game_line(game: RunningGame, now: float, width: int) -> Text:
    """Return a running game as one line."""
    start = f"{title(game)}  " if width >= NARROW else f"#{game.scheduled.number}  "
    if game.snapshot is None:
        return line(width, start, players(game, width - len(start)))
    mover = game.snapshot.mover
    time, last = clock(game, game.snapshot, mover, now), last_turn(game)
    end = f"  {time:>7}"
    counts = game.snapshot.position.group_counts
    wide = f"  {counts.black:>2}-{counts.white:<2}"
    room = width - len(start) - len(end)
    if room >= 40 + len(wide):
        end = wide + end
        room -= len(wide)
    if room >= 36 + len(last):
        end += f"  {last}"
        room -= len(last) + 2
    return line(width, start, fitted(players(game, room), room), (end, "dim"))


def ended_line(played: PlayedGame) -> str:
    """Return a finished game in a few words."""
    scheduled, outcome = played.scheduled, played.outcome
    one, other = (
        fitted(one_line(name), MAX_NAME_LENGTH).rstrip()
        for name in (scheduled.first, scheduled.second)
    )
    first, second = played.points
    points = "-" if outcome.is_void else f"{points_text(first)}-{points_text(second)}"
    number = f"#{scheduled.number} {scheduled.game.name}"
    return f"{number}  {one} {points} {other}  {outcome.result_text}"


def players(game: RunningGame, room: int) -> str:
    """Return both names in `room` columns, the one to move with a mark."""
    names = [one_line(game.scheduled.first), one_line(game.scheduled.second)]
    marks = ["", ""]
    if game.snapshot is not None:
        marks[game.snapshot.mover] = "> "
    one, other = (f"{mark}{name}" for mark, name in zip(marks, names, strict=True))
    half = (room - 3) // 2
    if len(one) + len(other) + 3 > room:
        one, other = fitted(one, half).rstrip(), fitted(other, half).rstrip()
    return f"{one} - {other}"


def title(game: RunningGame) -> str:
    """Return a title such as `#12 yodd 6, turn 31`."""
    turn = f", turn {game.snapshot.turns + 1}" if game.snapshot else ""
    return f"#{game.scheduled.number} {game.scheduled.game.name} {game.scheduled.game.size}{turn}"


def last_turn(game: RunningGame) -> str:
    """Return the last turn and its time."""
    if game.snapshot is None:
        return "no turn yet"
    played = game.snapshot.last
    digits = 2 if played.seconds >= 0.1 else 3
    return f"{played.turn} in {played.seconds:.{digits}f} s"


def clock(game: RunningGame, snapshot: Snapshot, player: int, now: float) -> str:
    """Return the time left to a player; without a clock, the time it has been thinking."""
    left = snapshot.seconds_left[player]
    thinks = snapshot.mover == player
    thinking = max(0.0, now - game.last_turn) if thinks else 0.0
    if left >= HARD_CAP:
        return f"+{clock_text(thinking)}" if thinks else ""
    return clock_text(left - thinking)


def _stones(row: str, width: int) -> Text:
    text = line(width, fitted(row, width))
    for symbol, style in STONES.items():
        text.highlight_words([symbol], style)
    return text


COLUMNS = (("Elo", 6), ("+-95 %", 8), ("games", 7), ("points", 8), ("faults", 8))
NARROW_STANDINGS = (("Elo", 6), ("+-95 %", 8), ("games", 7))
MAX_STANDINGS_NAME = 38
SHORTEST_NAME = 12
SHORT = {
    NO_GAMES: "none",
    TOO_FEW: "too few",
    FEW_OPENINGS: "too few",
    SAME_SEAT: "one seat",
    WON_ALL: "no loss",
    LOST_ALL: "no win",
}
"""Why a rating is not shown, short enough for a column."""


def standings_lines(results: GameResults, width: int, height: int) -> list[Text]:
    """Return a heading and the engines that fit; nothing if not even two lines fit."""
    summary = results.summary
    rows = summary.table
    tests = [line(width, test_text(test)) for test in results.tests]
    height -= len(tests)
    if height < 3 or not rows:
        return []
    columns = COLUMNS if width >= columns_width(COLUMNS) + SHORTEST_NAME + 4 else NARROW_STANDINGS
    room = width - columns_width(columns) - 4
    name_width = max(SHORTEST_NAME, min(MAX_STANDINGS_NAME, room, longest_name(results)))
    titles = "".join(f"{title:>{size}}" for title, size in columns)
    found = [line(width, (f"    {fitted(title_text(results), name_width)}{titles}", "bold"))]
    fits = len(rows) <= height - 1
    for row in rows[: height - 1 if fits else height - 2]:
        cells = [
            (f"{cell:>{size}}", "red" if title == "faults" else "")
            for cell, (title, size) in zip(cells_of(row, summary), columns, strict=False)
        ]
        found.append(line(width, f"{row.rank:>3} {fitted(one_line(row.name), name_width)}", *cells))
    if not fits:
        found.append(line(width, (f"    and {len(rows) - height + 2} more", "dim")))
    return [*found, *tests]


def title_text(results: GameResults) -> str:
    """Return the game, the number of its games, and how many are distinct."""
    counts = results.summary.counts
    return f"{results.title}: {counts.distinct_games} of {counts.games} distinct"


def test_text(test: PairTest) -> str:
    """Return the state of a sequential test in a few words."""
    pairs = counted(test.counts.pairs, "pair")
    rest = f", {test.not_counted} not counted" if test.not_counted else ""
    bounds = f"({test.state.lower:.2f}, {test.state.upper:.2f})"
    verdict = verdict_text(test)
    return f"    SPRT: LLR {test.state.llr:z.2f} in {bounds} after {pairs}{rest}: {verdict}"


def cells_of(row: Standing, summary: GameSummary) -> tuple[str, ...]:
    """Return the cell of each of COLUMNS."""
    strength = summary.strength
    if strength is None:
        elo, error = "-", "-"
    elif (unknown := strength.unknown(row.name)) is not None:
        elo, error = "-", SHORT[unknown]
    else:
        elo, error = f"{strength.elo(row.name):z.0f}", f"{strength.error_95(row.name):.0f}"
    return (elo, error, str(row.games), points_text(row.points), str(row.forfeits or ""))


def columns_width(columns: Sequence[tuple[str, int]]) -> int:
    """Return the width of some columns together."""
    return sum(size for _, size in columns)


def longest_name(results: GameResults) -> int:
    """Return the length of the longest name or the title, roughly its width."""
    names = [one_line(row.name) for row in results.summary.table]
    return max(map(len, [title_text(results), *names]))


def fitted(words: str, width: int) -> str:
    """Return the words in exactly `width` columns, padded or cut off with an ellipsis."""
    if cell_len(words) <= width:
        return set_cell_size(words, width)
    return set_cell_size(words, max(0, width - 3)) + "..."[: min(3, width)]


def line(width: int, *parts: str | tuple[str, str]) -> Text:
    """Return parts, plain or with a style, as one line of at most `width` columns."""
    text = Text.assemble(*parts, no_wrap=True)
    text.truncate(width)
    return text


def between(width: int, left: Text, right: Text) -> Text:
    """Return `left` at the left edge and `right`, if it fits, at the right edge."""
    gap = width - left.cell_len - right.cell_len
    if gap < 2:
        left.truncate(width)
        return left
    return Text.assemble(left, " " * gap, right, no_wrap=True)


def clock_text(seconds: float) -> str:
    """Return a time like `9.3`, `1:05` or `2:03:04`."""
    if seconds < 10:
        return f"{max(0.0, seconds):.1f}"
    minutes, rest = divmod(int(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"

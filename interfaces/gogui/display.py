"""What GoGui shows, in its formats and with its vertices: boards, points, sentences and settings.

A board is an empty line and then its rows from the top, with one word for each point. A point that
a hexhex board lacks is `?` in the rules' board and `""` in the others.

The settings of GoGui's dialog are an engine's level, time, threads, pondering, and what is painted.
A line of them is a type, a name and a value. GoGui shows underscores as spaces. It sends each
changed value back with its name, and all of them when it restores or reattaches a program.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from typing import TYPE_CHECKING

from oddly.engines import CommandError, OptionError
from oddly.engines.levels import HIGHEST, NAMES
from oddly.games import (
    EMPTY,
    SYMBOLS,
    Action,
    Board,
    Colour,
    Drop,
    Drops,
    Game,
    Move,
    Parity,
    PartialTurn,
    Pass,
    Turn,
    Vertex,
    did_you_mean,
)
from oddly.games.ayu_units import units
from oddly.games.wording import counted
from oddly.protocol import (
    NO_CLOCK,
    NotationError,
    TimeControl,
    TimeKind,
    grid_width,
    parse_time_control,
)
from oddly.protocol.notation import COLUMN_LETTERS, gogui_vertex, vertex_at

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence


NOTHING = '""'
MOVABLE = "#88cc88"
"""The colour of destinations, and of points that leave an odd number of groups."""


def point(board: Board, tap: Vertex | Pass) -> str:
    """Return a tap as GoGui writes it."""
    return "pass" if isinstance(tap, Pass) else gogui_vertex(board, tap)


def points(board: Board, taps: Iterable[Vertex | Pass]) -> str:
    """Return taps as GoGui lists them."""
    return " ".join(point(board, tap) for tap in taps)


def spelt(board: Board, turn: Turn | Action) -> str:
    """Return a turn or an action with GoGui's vertices: `B K5, W E13`."""
    if isinstance(turn, Drops):
        return ", ".join(spelt(board, drop) for drop in turn.drops)
    if isinstance(turn, Drop):
        return f"{turn.colour.letter} {gogui_vertex(board, turn.vertex)}"
    if isinstance(turn, Move):
        return f"{gogui_vertex(board, turn.origin)}-{gogui_vertex(board, turn.destination)}"
    return str(turn)


def board_size(board: Board) -> str:
    """Return the size for GoGui: `12`, or `15 hex` for a hexhex board of base 8."""
    return f"{grid_width(board)}{' hex' if board.shape == 'hexhex' else ''}"


def game_label(game: Game) -> str:
    """Return a game with its settings for a menu: `Yodd 8`, `Ayu 9, with the pie rule`."""
    shape = f" on a {game.board.shape} board" if "board" in game.settings else ""
    return ", ".join(filter(None, [f"{game.title} {game.size}{shape}", game.variant]))


def rules_board(partial: PartialTurn) -> str:
    """Return all stones, tentative ones included, as X, O and dots."""
    return as_board(
        partial.start.game.board,
        [SYMBOLS[stone] for stone in partial.stones],
        "?",
    )


def as_board(board: Board, words: Sequence[str], missing: str = NOTHING) -> str:
    """Return a board with one word for each index."""
    return "".join(
        "\n" + " ".join(missing if index is None else words[index] for index in row)
        for row in _grid(board)
    )


def drawing(partial: PartialTurn) -> str:
    """Return the board with GoGui's coordinates and the state of the turn, for people."""
    board = partial.start.game.board
    width = grid_width(board)
    rows = as_board(board, [SYMBOLS[stone] for stone in partial.stones], " ").splitlines()[1:]
    lines = [f"{width - number:2} {row}".rstrip() for number, row in enumerate(rows)]
    return "\n".join(["", *lines, f"   {' '.join(COLUMN_LETTERS[:width])}", status(partial)])


def status(partial: PartialTurn) -> str:
    """Return one line: what an unfinished turn needs, the groups, and whose turn it is.

    GoGui cuts the line where its window ends.
    """
    if partial.start.is_over:
        return f"Game over: {final_result(partial)}"
    side = str(partial.to_move).capitalize()
    count = f"{len(partial.drops)} of {counted(partial.start.most_drops, 'stone')} placed"
    if partial.drops:
        return f"{side}: {advice(partial)}. {parity(partial)}; {count}"
    if partial.is_begun:
        return f"{side}: tap a green point, or the taken piece to put it back. {parity(partial)}"
    return f"{parity(partial)}. {side} to move{f', {count}' if partial.takes_drops else ''}"


def advice(partial: PartialTurn) -> str:
    """Return what to tap now that some stones of a turn are placed."""
    if partial.can_end:
        older = partial.start.vertices_with(*Colour)
        how = "tap an older stone, or Pass" if older else "Pass"
        return f"{how} to end the turn, a new stone to change its colour"
    if not partial.can_be_mended:
        return "go Backward"
    if not partial.is_full:
        return "place another stone, or tap the new one to change its colour"
    return "all stones are placed: tap one of them to change its colour"


def parity(partial: PartialTurn) -> str:
    """Return the groups and what their number means for the turn or the game."""
    game, (black, white) = partial.start.game, partial.group_counts
    if not partial.takes_drops or game.parity is Parity.NOTHING:
        return f"{black} black + {white} white = {game.counted_words(black + white)}"
    is_odd = (black + white) % 2 == 1
    sum_of_groups = f"{black} black + {white} white = {black + white}"
    if game.parity is Parity.WINS:
        winner = Colour.BLACK if is_odd else Colour.WHITE
        which = game.counting.replace("groups of", " of").replace(" or more", " stones or more")
        return (
            f"{sum_of_groups}{which}, {'odd' if is_odd else 'even'}: "
            f"as it stands {str(winner).capitalize()} wins"
        )
    if partial.is_begun and is_odd:
        return f"{sum_of_groups}, odd: the turn may end"
    if partial.is_begun and not partial.can_be_mended:
        return f"{sum_of_groups}, even in any colours: take a stone back"
    if partial.is_begun:
        return f"{sum_of_groups}, even: the turn cannot end"
    return f"{sum_of_groups}, {'odd: a pass is legal' if is_odd else 'even: no pass'}"


def final_result(partial: PartialTurn) -> str:
    """Return how the game ended, in a sentence. Raises ValueError while it goes on."""
    result = partial.start.result
    if result is None:
        raise ValueError("the game goes on")
    if result.winner is None:
        return f"Draw: {result.ending.value}"
    black, white = partial.group_counts
    return (
        f"{str(result.winner).capitalize()} wins ({result}): "
        f"{black} black + {white} white {partial.start.game.counted}s; {result.ending.value}"
    )


def group_sizes(partial: PartialTurn) -> str:
    """Return the size of the group of every stone."""
    board = partial.start.game.board
    words = [NOTHING] * len(board)
    for colour in Colour:
        for unit in units(board, partial.stones, colour):
            for index in unit:
                words[index] = str(len(unit))
    return as_board(board, words)


def odd_points(partial: PartialTurn, colour: Colour) -> str:
    """Return the empty points where a stone of `colour` leaves an odd number of groups."""
    start = partial.start
    board = start.game.board
    words = [NOTHING] * len(board)
    for index, stone in enumerate(partial.stones):
        if stone == EMPTY:
            drop = Drop(colour, board.vertices[index])
            if partial.drop(drop).group_counts.total % 2 == 1:
                words[index] = MOVABLE
    return as_board(board, words)


@cache
def _grid(board: Board) -> tuple[tuple[int | None, ...], ...]:
    """Return the indices of the board on GoGui's grid, row by row from the top."""
    axis = range(1, grid_width(board) + 1)
    return tuple(
        tuple(
            None if (vertex := vertex_at(board, x, y)) is None else board.index[vertex]
            for x in axis
        )
        for y in reversed(axis)
    )


class View(StrEnum):
    """The part of an engine's thoughts that the board shows."""

    WINS = "wins"
    VISITS = "visits"
    VARIATION = "variation"
    GROUPS = "groups"


OFFERED = ("level", "threads", "ponder")
"""The options that the dialog offers, if the engine has them."""
TIME, SHOWN = "seconds_a_turn", "while_it_thinks_show"
FULL = "full_strength"
LEVELS = (FULL, *(f"{number}_{name.replace(' ', '_')}" for number, name in enumerate(NAMES, 1)))
"""The levels of our strong engine as GoGui lists them; the first stands for no level."""
_BY_NUMBER = {str(number): level for number, level in enumerate(LEVELS)}
_OUR_LEVEL = re.compile(rf"level type integer default \S+ min 0 max {HIGHEST}")


@dataclass(frozen=True, slots=True)
class OfferedOption:
    """An option that the dialog offers, and how GoGui writes its values."""

    declaration: str
    """Its line in the answer to `list_options`."""
    value: str

    def __str__(self) -> str:
        """Return its line in the dialog."""
        name = self.declaration.split()[0]
        if self._is_boolean:
            return f"[bool] {name} {int(self.value.lower() == 'true')}"
        if self._is_our_level and self.value in _BY_NUMBER:
            return f"[list/{'/'.join(LEVELS)}] {name} {_BY_NUMBER[self.value]}"
        return f"[string] {name} {self.value}"

    def read(self, text: str) -> str:
        """Return the value that GoGui writes as `text`."""
        if self._is_boolean:
            return {"0": "false", "1": "true"}.get(text, text)
        if self._is_our_level and text in LEVELS:
            return str(LEVELS.index(text))
        return text

    @property
    def _is_boolean(self) -> bool:
        return self.declaration.split()[1:3] == ["type", "boolean"]

    @property
    def _is_our_level(self) -> bool:
        """Whether its numbers are our levels: other programs have levels of their own."""
        return _OUR_LEVEL.fullmatch(self.declaration) is not None


@dataclass
class SettingsDialog:
    """The settings that people change while they play.

    `list_options` gives the engine's answer to that command, and `values` the values that differ
    from its defaults. `set_option` sets an option. `time` gives the time control in force, and
    `set_time` sets it.
    """

    list_options: Callable[[], str]
    values: Callable[[], Mapping[str, str]]
    set_option: Callable[[str, str], None]
    time: Callable[[], TimeControl | None]
    set_time: Callable[[TimeControl], None]
    view: View = View.WINS

    def listing(self) -> str:
        """Return all settings, one a line."""
        lines = [str(option) for option in self._offered().values()]
        lines.append(f"[string] {TIME} {self._seconds}")
        lines.append(f"[list/{'/'.join(View)}] {SHOWN} {self.view}")
        return "\n".join(lines)

    def change(self, name: str, text: str) -> None:
        """Change a setting. Raises CommandError."""
        if name == TIME:
            self._change_time(text)
        elif name == SHOWN:
            if text not in set(View):
                raise CommandError(f"{name} is one of {', '.join(View)}, not {text!r}")
            self.view = View(text)
        else:
            offered = self._offered()
            if name not in offered:
                names = [*offered, TIME, SHOWN]
                raise CommandError(
                    f"unknown setting {name!r}: expected one of {', '.join(names)}"
                    f"{did_you_mean(name, names)}"
                )
            try:
                self.set_option(name, offered[name].read(text))
            except OptionError as error:
                raise CommandError(str(error)) from None

    def _offered(self) -> dict[str, OfferedOption]:
        """Return the options that the engine has of those that the dialog offers, by name."""
        values, found = self.values(), {}
        for line in self.list_options().splitlines():
            words = line.split()
            if "default" in words[:-1]:
                value = values.get(words[0], words[words.index("default") + 1])
                found[words[0]] = OfferedOption(line, value)
        return {name: found[name] for name in OFFERED if name in found}

    @property
    def _seconds(self) -> str:
        """The fixed time for a turn, as it is listed; 0 under any other time control."""
        control = self.time()
        return "0" if control is None or control.kind is not TimeKind.FIXED else str(control)

    def _change_time(self, text: str) -> None:
        if text == self._seconds:
            # GoGui sends unchanged values too, and a 0 must not end a clock of its own.
            return
        try:
            control = NO_CLOCK if text in ("0", "none") else parse_time_control(text)
        except NotationError as error:
            raise CommandError(f"{TIME}: {error}") from None
        if control.kind not in (TimeKind.NONE, TimeKind.FIXED):
            raise CommandError(f"{TIME} is a number of seconds, 0 for no limit, not {text!r}")
        self.set_time(control)

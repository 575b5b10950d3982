"""Reading turns, vertices, colours and time controls; and vertices as Go programs write them.

Canonical text is recognised by a compiled expression; all other text goes to the grammar, which
accepts any case, any order of drops and, from people, spaces around commas. Otherwise it points at
the character that is wrong. `games/turns.py` writes turns, and reads what it writes. A time control
is the SPEC of `--time`, TOML and the command `time_control`.

Go programs write `K5` (GoGui), `je` (SGF), or columns and rows. They know one board, a square grid
of points. A square board is that grid. A hexhex board of base n is cut out of a grid of 2n - 1,
GoGui's `hex` board: the point in column x and row y, both counted from 1 at the lower left, exists
iff |x - y| < n, and the neighbours of a cell lie at (1, 0), (0, 1), (1, 1) and the opposites. Our
column is x there and our number 2n - y, so our numbers, which count upwards, go down the grid.
"""

from __future__ import annotations

import re
from contextlib import suppress
from dataclasses import dataclass
from enum import Enum
from string import ascii_lowercase

from oddly.games import Board, Colour, IllegalTurn, Turn, Vertex, did_you_mean
from oddly.games.turns import as_turn
from oddly.protocol.messages import (
    MAX_TURN_LENGTH,
    SECONDS,
    TIME_CONTROL,
    VERTEX,
    NotationError,
    Resign,
)

_COLOURS = {"b": Colour.BLACK, "black": Colour.BLACK, "w": Colour.WHITE, "white": Colour.WHITE}
_BEHIND_MAIN_TIME = re.compile(rf"{SECONDS}\+(?![0-9])")
_TIME_CONTROLS = "; a time control is written as 5, 300+2.5, 600+20/300, 600+5x30 or none"


def parse_turn(text: str) -> Turn:
    """Return the turn that `text` stands for. Raises NotationError.

    >>> import oddly
    >>> turn = oddly.parse_turn("Bc3,Wd4")
    >>> print(turn, [drop.vertex for drop in turn.drops])
    Bc3,Wd4 ['c3', 'd4']
    """
    answer = _turn_or_resign(text)
    if isinstance(answer, Resign):
        raise NotationError("turn", text, 0, "a turn; resign is only an answer to genmove")
    return answer


def parse_answer(text: str) -> Turn | Resign:
    """Return a turn or `resign`, as `genmove` answers: one word. Raises NotationError."""
    answer = _turn_or_resign(text)
    if " " in text:
        raise NotationError("turn", text, text.index(" "), "one word without spaces")
    return answer


def _turn_or_resign(text: str) -> Turn | Resign:
    """Return a turn or `resign`. Raises NotationError."""
    if len(text) <= MAX_TURN_LENGTH:
        # A suppress() would cost as much as the reading.
        try:
            return as_turn(text)
        except IllegalTurn:
            pass
    from oddly.protocol.grammar import read_answer

    return read_answer(text)


def parse_vertex(text: str) -> Vertex:
    """Return a vertex in lower case. Raises NotationError."""
    if VERTEX.fullmatch(text):
        return text
    from oddly.protocol.grammar import read_vertex

    return read_vertex(text)


def parse_colour(text: str) -> Colour:
    """Return the colour that `b`, `black`, `w` or `white` names, in any case.

    Raises NotationError.
    """
    colour = _COLOURS.get(text.lower()) if text.isascii() else None
    if colour is None:
        raise NotationError("colour", text, 0, "b, w, black or white")
    return colour


class TimeKind(Enum):
    """The kinds of time control."""

    NONE = "none"
    FIXED = "fixed"
    FISCHER = "fischer"
    CANADIAN = "canadian"
    JAPANESE = "japanese"


@dataclass(frozen=True, slots=True)
class TimeControl:
    """A time control; all times in seconds.

    FIXED gives `main_seconds` for every turn. FISCHER gives `main_seconds` for the game and
    `increment_seconds` after each turn (sudden death with an increment of 0). After the main time,
    CANADIAN gives `period_seconds` for each `turns` turns, and JAPANESE `periods` periods of
    `period_seconds`, each but the last one lost when it is used up.
    """

    kind: TimeKind
    main_seconds: float = 0.0
    increment_seconds: float = 0.0
    turns: int = 0
    periods: int = 0
    period_seconds: float = 0.0

    def __str__(self) -> str:
        main = _seconds(self.main_seconds)
        match self.kind:
            case TimeKind.NONE:
                return "none"
            case TimeKind.FIXED:
                return main
            case TimeKind.FISCHER:
                return f"{main}+{_seconds(self.increment_seconds)}"
            case TimeKind.CANADIAN:
                return f"{main}+{self.turns}/{_seconds(self.period_seconds)}"
            case TimeKind.JAPANESE:
                return f"{main}+{self.periods}x{_seconds(self.period_seconds)}"


NO_CLOCK = TimeControl(TimeKind.NONE)
"""The time control `none`: as much time as a player likes."""


def parse_time_control(text: str) -> TimeControl:
    """Return the time control that SPEC stands for. Raises NotationError.

    `5` is five seconds a turn, `300+0` sudden death, `300+2.5` main time and increment,
    `600+20/300` Canadian, `600+5x30` Japanese byo-yomi, `none` no clock.
    """
    if text == "none":
        return NO_CLOCK
    found = TIME_CONTROL.fullmatch(text)
    if found is None:
        from oddly.protocol.grammar import reject_time_control

        reject_time_control(text, _nearest_time_control(text))
    main = float(found["main"])
    if found["turns"]:
        control = TimeControl(
            TimeKind.CANADIAN, main, turns=int(found["turns"]), period_seconds=float(found["block"])
        )
    elif found["periods"]:
        control = TimeControl(
            TimeKind.JAPANESE,
            main,
            periods=int(found["periods"]),
            period_seconds=float(found["period"]),
        )
    elif found["increment"]:
        control = TimeControl(TimeKind.FISCHER, main, increment_seconds=float(found["increment"]))
    else:
        control = TimeControl(TimeKind.FIXED, main)
    _check_not_zero(control, text)
    return control


def gtp_time_control(main: int, byo_yomi: int, stones: int) -> TimeControl:
    """Return what GTP's `time_settings` means: byo-yomi time without stones is no clock."""
    if byo_yomi > 0 and stones > 0:
        return TimeControl(TimeKind.CANADIAN, main, turns=stones, period_seconds=byo_yomi)
    if byo_yomi > 0 or main == 0:
        return NO_CLOCK
    return TimeControl(TimeKind.FISCHER, main)


def _nearest_time_control(text: str) -> str:
    """Return `; did you mean '0+40/60'?` for a near miss, else which forms there are.

    It is empty just after main time and a plus, where the grammar says what may follow.
    """
    plain = text[:MAX_TURN_LENGTH].replace(" ", "").replace(",", ".").lower().removesuffix("s")
    # Other programs write turns/seconds and periods x seconds without main time.
    for spelling in (plain, f"0+{plain}"):
        with suppress(NotationError):
            if spelling == str(NO_CLOCK) or TIME_CONTROL.fullmatch(spelling):
                parse_time_control(spelling)
                return f"; did you mean {spelling!r}?"
    hint = did_you_mean(plain, (str(NO_CLOCK),))
    return hint or ("" if _BEHIND_MAIN_TIME.match(text) else _TIME_CONTROLS)


def _check_not_zero(control: TimeControl, text: str) -> None:
    """Raise NotationError for a time control under which nobody could play a turn."""
    if control.kind in (TimeKind.FIXED, TimeKind.FISCHER):
        if control.main_seconds == 0:
            raise NotationError("time control", text, 0, "more than 0 seconds", _TIME_CONTROLS)
    elif control.turns + control.periods == 0:
        raise NotationError("time control", text, text.index("+") + 1, "1 turn or period or more")
    elif control.period_seconds == 0:
        raise NotationError("time control", text, len(text) - 1, "more than 0 seconds")


def _seconds(value: float) -> str:
    return f"{value:.3f}".rstrip("0").rstrip(".")


COLUMN_LETTERS = "ABCDEFGHJKLMNOPQRSTUVWXYZ"
"""GoGui's letters, without I: enough for the largest board, hexhex of base 13."""

_ROW = re.compile("[1-9][0-9]?")


def grid_width(board: Board) -> int:
    """Return the number of points on a side of the grid that holds the board."""
    return 2 * board.size - 1 if board.shape == "hexhex" else board.size


def grid_point(board: Board, vertex: Vertex) -> tuple[int, int]:
    """Return the column and the row of a vertex, from 1 at the grid's lower left."""
    column, number = board.coordinates[board.index[vertex]]
    return column, _mirrored(board, number)


def vertex_at(board: Board, column: int, row: int) -> Vertex | None:
    """Return the vertex on that point of the grid, or None off the board."""
    if not 1 <= column <= grid_width(board):
        return None
    vertex = f"{ascii_lowercase[column - 1]}{_mirrored(board, row)}"
    return vertex if vertex in board else None


def gogui_vertex(board: Board, vertex: Vertex) -> str:
    """Return a vertex as GoGui writes it: `K5`."""
    column, row = grid_point(board, vertex)
    return f"{COLUMN_LETTERS[column - 1]}{row}"


def read_gogui_vertex(board: Board, text: str) -> Vertex:
    """Return the vertex of that name in GoGui, in either case. Raises NotationError."""
    letter, digits = text[:1].upper(), text[1:]
    if letter and letter in COLUMN_LETTERS and _ROW.fullmatch(digits):
        vertex = vertex_at(board, COLUMN_LETTERS.index(letter) + 1, int(digits))
        if vertex is not None:
            return vertex
    raise NotationError("vertex", text, 0, f"a point of the {board} as GoGui names it")


def sgf_point(board: Board, vertex: Vertex) -> str:
    """Return a vertex as SGF writes it: the letters of its column and of its row from the top."""
    column, row = grid_point(board, vertex)
    return ascii_lowercase[column - 1] + ascii_lowercase[grid_width(board) - row]


def read_sgf_point(board: Board, text: str) -> Vertex:
    """Return the vertex of that name in SGF. Raises NotationError."""
    if len(text) == 2 and text.isascii() and text.isalpha() and text.islower():
        column, row_from_top = (ascii_lowercase.index(letter) + 1 for letter in text)
        vertex = vertex_at(board, column, grid_width(board) + 1 - row_from_top)
        if vertex is not None:
            return vertex
    raise NotationError("point", text, 0, f"two letters that name a point of the {board}")


def _mirrored(board: Board, number: int) -> int:
    """Return the grid's row for the number of a vertex, and vice versa."""
    return 2 * board.size - number if board.shape == "hexhex" else number

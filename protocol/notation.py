"""Reading turns, vertices and colours.

Canonical text is recognised by a compiled expression; all other text goes to the grammar, which
accepts any case, any order of drops and spaces around commas, and otherwise points at the
character that is wrong. `games/turns.py` writes turns, and reads what it writes.
"""

from __future__ import annotations

from oddly.games import Colour, IllegalTurn, Turn, Vertex
from oddly.games.turns import as_turn
from oddly.protocol.errors import NotationError
from oddly.protocol.messages import MAX_TURN_LENGTH, VERTEX, Resign

_COLOURS = {"b": Colour.BLACK, "black": Colour.BLACK, "w": Colour.WHITE, "white": Colour.WHITE}


def parse_turn(text: str) -> Turn:
    """Return the turn that `text` stands for. Raises NotationError.

    >>> import oddly
    >>> turn = oddly.parse_turn("Bc3,Wd4")
    >>> print(turn, [drop.vertex for drop in turn.drops])
    Bc3,Wd4 ['c3', 'd4']
    """
    answer = parse_answer(text)
    if isinstance(answer, Resign):
        raise NotationError("turn", text, 0, "a turn; resign is only an answer to genmove")
    return answer


def parse_answer(text: str) -> Turn | Resign:
    """Return a turn or `resign`, as `genmove` answers. Raises NotationError."""
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
    """`b`, `black`, `w` or `white`, in any case. Raises NotationError."""
    colour = _COLOURS.get(text.lower()) if text.isascii() else None
    if colour is None:
        raise NotationError("colour", text, 0, "b, w, black or white")
    return colour

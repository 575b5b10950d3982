"""The whole grammar of the protocol. Each rule is named after its clause in the spec.

`codec.py` and `notation.py` recognise canonical text without it, by the regular expressions of
`messages.py`. All other text is read here, or refused with the place of the error.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NoReturn

import pyparsing as pp

from oddly.games import PASS, SWAP, Colour, Drop, Drops, Move, Turn, Vertex
from oddly.protocol.messages import (
    COUNT,
    MAX_ID,
    MAX_ID_DIGITS,
    MAX_TURN_LENGTH,
    RESIGN,
    SECONDS,
    Command,
    NotationError,
    Resign,
)

if TYPE_CHECKING:
    from collections.abc import Callable


def rule(
    name: str, element: pp.ParserElement, action: Callable[..., object] | None = None
) -> pp.ParserElement:
    """Return a clause of the spec, with its name and its parse action; white space counts."""
    if action is not None:
        element.add_parse_action(action)
    return element.leave_whitespace().set_name(name)


def keyword(text: str, action: Callable[..., object]) -> pp.ParserElement:
    """Return a clause that is one word, its letters A to Z in any case."""
    return rule(text, pp.Regex(text, flags=re.ASCII | re.IGNORECASE), action)


def _as_drop(tokens: pp.ParseResults) -> Drop:
    return Drop(Colour.BLACK if tokens[0] in "Bb" else Colour.WHITE, tokens[1])


letter = rule("a column letter", pp.Regex("[A-Za-z]"))
number = rule("a row number from 1 to 99", pp.Regex("[1-9][0-9]?"))
vertex = rule("vertex", letter + number, lambda tokens: "".join(tokens).lower())

stone = rule("a stone's colour, B or W", pp.Regex("[BbWw]"))
drop = rule("drop", stone + vertex, _as_drop)
comma = rule("comma", pp.Regex(" *, *")).suppress()
drops = rule("drops", drop + (comma - drop)[...], lambda tokens: Drops(tuple(tokens)))
hyphen = rule("a hyphen", pp.Literal("-")).suppress()
move = rule("move", vertex + hyphen - vertex, lambda tokens: Move(tokens[0], tokens[1]))
pass_ = keyword("pass", lambda: PASS)
swap = keyword("swap", lambda: SWAP)
turn = rule("a turn", pass_ | swap | move | drops)

resign = keyword("resign", lambda: RESIGN)
answer = rule("a turn or resign", resign | turn)

spaces = rule("spaces", pp.Regex(" +")).suppress()
identity = rule("id", pp.Regex("[0-9]+(?= |$)"))
word = rule("word", pp.Regex("[^ ]+"))
name = rule("a command's name", pp.Regex("[^ ]+"))
command = rule(
    "command", pp.Optional(identity("id") + pp.Optional(spaces)) + name + (spaces + word)[...]
)

seconds = rule("seconds, as in 5 or 0.5", pp.Regex(SECONDS))
count = rule("count", pp.Regex(COUNT))
plus = rule("plus", pp.Literal("+")).suppress()
block = rule("turns/seconds", count + pp.Literal("/") - seconds)
periods = rule("periods x seconds", count + pp.Literal("x") - seconds)
extra = rule(
    "seconds, turns/seconds or periods x seconds, as in 2.5, 20/300 or 5x30",
    block | periods | seconds,
)
time_control = rule(
    "seconds, a time control or none", pp.Literal("none") | (seconds + pp.Optional(plus - extra))
)


def read_answer(text: str) -> Turn | Resign:
    """Return the turn or resignation that `text` stands for. Raises NotationError."""
    found: Turn | Resign = _read("turn", answer, text)[0]
    return found


def read_vertex(text: str) -> Vertex:
    """Return the vertex that `text` names. Raises NotationError."""
    found: Vertex = _read("vertex", vertex, text)[0]
    return found


def read_command(text: str) -> Command:
    """Return the command in a line without comments and controls. Raises NotationError."""
    found = _read("command", command, text, longest=len(text))
    words = list(found)
    number = words.pop(0) if "id" in found else None
    if number is not None and (len(number) > MAX_ID_DIGITS or int(number) > MAX_ID):
        is_long = len(number) > MAX_ID_DIGITS
        fits = f"of at most {MAX_ID_DIGITS} digits" if is_long else f"from 0 to {MAX_ID}"
        raise NotationError("command", text, 0, f"an id {fits}")
    return Command(words[0], tuple(words[1:]), None if number is None else int(number))


def reject_time_control(text: str, hint: str = "") -> NoReturn:
    """Raise NotationError that says what is wrong with a time control, and ends with `hint`."""
    _read("time control", time_control, text, hint=hint)
    raise NotationError("time control", text, 0, "a time control", hint)


def _read(
    what: str, clause: pp.ParserElement, text: str, longest: int = MAX_TURN_LENGTH, hint: str = ""
) -> pp.ParseResults:
    """Match the whole of `text`. Raises NotationError at the character that is wrong."""
    if len(text) > longest:
        raise NotationError(what, text, longest, f"the end of the {what}", hint)
    whole = clause + rule(f"the end of the {what}", pp.StringEnd())
    try:
        return whole.leave_whitespace().parse_with_tabs().parse_string(text)
    except pp.ParseBaseException as error:
        expected = error.msg.removeprefix("Expected ")
        raise NotationError(what, text, error.loc, expected, hint) from None

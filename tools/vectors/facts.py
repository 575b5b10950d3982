"""The fields of the vectors' lines, in JSON that a regular expression can read as well.

A line is one object without anything nested. Its values are strings, whole numbers from 0, and
booleans; a string is printable ASCII without quotes and backslashes, so that none needs an escape.
A list is a string of words with one space between two.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

from oddly.games import Drops, IllegalTurn, Move, Pass, Swap, make_board
from oddly.games.legal_turns import perft
from oddly.protocol import NotationError, Resign, parse_answer, parse_turn

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from oddly.games import Colour, Game, Position, Shape
    from oddly.games.legal_turns import Step


MAX_LISTED = 400
"""Legal turns that are listed; of more of them only a sample is."""
SAMPLE = 24

OUT_OF_TURN = "out_of_turn"
"""The reason that is no rule of a game: the other player is to move."""

_KINDS = {Drops: "drops", Move: "move", Pass: "pass", Swap: "swap", Resign: "resign"}
_STONES = ".BW"


def board_facts(shape: Shape, size: int, *, with_neighbours: bool) -> Facts:
    """Return a board's vertices in canonical order and what is next to each."""
    board = make_board(shape, size)
    listed = board.neighbours if with_neighbours else ()
    names = [",".join(board.vertices[index] for index in sorted(near)) for near in listed]
    return {
        "board": shape,
        "size": size,
        "count": len(board),
        "edges": sum(map(len, board.neighbours)) // 2,
        "vertices": words(board.vertices),
        "neighbours": words(names),
    }


def position_facts(game: Game, turns: Sequence[str]) -> Facts:
    """Return a position with its legal turns."""
    position = play_all(game, turns)
    legal = [str(turn) for turn in position.legal_turns()]
    is_complete = len(legal) <= MAX_LISTED
    listed = legal if is_complete else legal[:: -(-len(legal) // SAMPLE)]
    black, white = position.group_counts
    return {
        **game_facts(game),
        "turns": words(turns),
        "stones": "".join(_STONES[stone] for stone in position.stones),
        "to_move": str(position.to_move),
        "passes": position.status.passes,
        "may_swap": position.status.may_swap,
        "black_groups": black,
        "white_groups": white,
        "result": str(position.result or ""),
        "legal_count": len(legal),
        "legal_checksum": checksum(legal),
        "legal_complete": is_complete,
        "legal": words(listed),
    }


def illegal_facts(game: Game, turns: Sequence[str], colour: Colour, turn: str) -> Facts:
    """Return a refused turn and why. Raises ValueError if it is legal."""
    reason = refusal(play_all(game, turns), colour, turn)
    if reason is None:
        raise ValueError(f"{turn} is legal after {words(turns)}")
    return {
        **game_facts(game),
        "turns": words(turns),
        "colour": str(colour),
        "turn": turn,
        "reason": reason,
    }


def refusal(position: Position, colour: Colour, turn: str) -> str | None:
    """Return the reason why `play COLOUR TURN` is refused, or None if it is not."""
    if colour is not position.to_move and not position.is_over:
        return OUT_OF_TURN
    try:
        position.play(parse_turn(turn))
    except IllegalTurn as error:
        return error.illegality.name.lower()
    return None


def whole_game_facts(game: Game, turns: Sequence[str]) -> Facts:
    """Return a game from its first turn to its result. Raises ValueError if it is not over."""
    position = game.start()
    counts = []
    for turn in turns:
        position = position.play(parse_turn(turn))
        counts.append(",".join(map(str, position.group_counts)))
    if position.result is None:
        raise ValueError(f"the game is not over after {words(turns)}")
    return {
        **game_facts(game),
        "turns": words(turns),
        "groups": words(counts),
        "result": str(position.result),
        "ending": position.result.ending.name.lower(),
    }


def perft_facts(game: Game, turns: Sequence[str], by: Step, depth: int) -> list[Facts]:
    """Return the counts of depth 1, 2, ... `depth`, a line each."""
    counts = perft(play_all(game, turns), depth, by)
    return [
        {**game_facts(game), "turns": words(turns), "by": by, "depth": number, "count": count}
        for number, count in enumerate(counts, start=1)
    ]


def notation_facts(text: str) -> Facts:
    """Return how a turn is read, and written again."""
    try:
        answer = parse_answer(text)
    except NotationError:
        return {"text": text, "kind": "malformed", "canonical": ""}
    return {"text": text, "kind": _KINDS[type(answer)], "canonical": str(answer)}


def play_all(game: Game, turns: Sequence[str]) -> Position:
    """Return the position after `turns`."""
    position = game.start()
    for turn in turns:
        position = position.play(parse_turn(turn))
    return position


def game_facts(game: Game) -> Facts:
    """Return the fields that every game has, so that all lines of a file have the same ones."""
    return {
        "game": game.name,
        "size": game.size,
        "board": game.board.shape,
        "min_group": int(game.settings.get("min_group", 1)),
        "pie": bool(game.settings.get("pie", False)),
    }


Fact = str | int | bool
"""What a field may hold."""

Facts = dict[str, Fact]
"""One line, its fields in the order in which they are written."""

CHECKSUM_BASE = 257
CHECKSUM_PRIME = 2**31 - 1

_KEY = re.compile("[a-z_]+")
_PLAIN = re.compile(r"[ !#-\[\]-~]*")


def as_line(facts: Mapping[str, Fact]) -> str:
    """Return one line with its line feed. Raises ValueError for what would need an escape."""
    for key, value in facts.items():
        if not _KEY.fullmatch(key):
            raise ValueError(f"{key!r} is no name for a field")
        if isinstance(value, str) and not _PLAIN.fullmatch(value):
            raise ValueError(f"{key}: {value!r} needs an escape")
        if isinstance(value, int) and value < 0:
            raise ValueError(f"{key}: {value} is below 0")
    return json.dumps(facts, separators=(",", ":")) + "\n"


def words(items: Iterable[object]) -> str:
    """Return a list as one string."""
    return " ".join(map(str, items))


def checksum(items: Iterable[object]) -> int:
    """Return a number from 0 to 2**31 - 2 for a set of texts, whatever their order.

    Each text is a polynomial in its bytes, and the values are summed. No step exceeds 2**40, so
    that languages whose numbers are doubles can follow.
    """
    total = 0
    for item in items:
        value = 0
        for byte in str(item).encode("ascii"):
            value = (value * CHECKSUM_BASE + byte) % CHECKSUM_PRIME
        total = (total + value) % CHECKSUM_PRIME
    return total

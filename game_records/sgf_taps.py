"""Games that people clicked: SGF in which each move is a tap, as GoGui saves and reopens it.

A tap is a Go move, `B[ea]`, in the colour of the player to move, and PL says who taps next.
`games/partial_turn.py` says what a tap does. GoGui opens such a file and plays on from it if the
board is square; its files have no hexagons.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from oddly.game_records.sgf_collection import game_text
from oddly.game_records.sgf_values import Node, points
from oddly.game_records.sgf_writing import heading
from oddly.games import (
    GAMES,
    PASS,
    Board,
    Colour,
    Game,
    GameError,
    IllegalTurn,
    PartialTurn,
    Pass,
    Turn,
    Vertex,
    create_game,
    one_line,
)
from oddly.games.partial_turn import tapped, taps_of, turn_ended_by
from oddly.protocol import NotationError, grid_width, parse_turn
from oddly.protocol.notation import read_sgf_point
from oddly.referee import GameRecord, RecordError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from oddly.game_records.kept_game import KeptGame

_OLD_PASS = b"tt"
"""A pass on boards of up to 19 points a side, in SGF before version 4."""
_SHAPES: tuple[dict[str, str], ...] = ({}, {"board": "hexhex"}, {"board": "square"})


def has_taps(nodes: Iterable[Node]) -> bool:
    """Return whether any node is a Go move on a point."""
    return any(
        value.strip() not in (b"", _OLD_PASS)
        for node in nodes
        for colour in Colour
        for value in node.get(colour.letter, ())
    )


def read_tap(node: Node, partial: PartialTurn) -> tuple[PartialTurn, Turn | None] | None:
    """Return the turn after a node's tap, and the turn that the tap ended, if any.

    Returns None for a node without a move. Raises RecordError for a tap that is not legal.
    """
    for colour in Colour:
        for value in node.get(colour.letter, ()):
            text = f"{colour.letter}[{one_line(value.strip()[:20])}]"
            tap = _tap(partial.start.game.board, colour, value)
            if colour is not partial.to_move and not partial.start.is_over:
                raise RecordError(f"{text}: it is {partial.to_move}'s turn")
            try:
                after = tapped(partial, tap)
            except IllegalTurn as error:
                place = "" if tap == PASS else f"{text}: "
                raise RecordError(f"{place}{error.reason}") from None
            ended = after.start is not partial.start
            return after, turn_ended_by(partial, tap) if ended else None
    return None


def games_of_width(width: int) -> Iterator[Game]:
    """Yield every game, otherwise with default settings, whose board has a grid of that width."""
    found: set[str] = set()
    for name in GAMES:
        for size in (width, (width + 1) // 2):
            for shape in _SHAPES:
                try:
                    game = create_game(name, size, shape)
                except GameError:
                    continue
                if grid_width(game.board) == width and str(game) not in found:
                    found.add(str(game))
                    yield game


def other_rules(game: Game) -> Iterator[Game]:
    """Yield games on the same board, each with another value of a setting."""
    for name, value in game.settings.items():
        if isinstance(value, int):
            other = not value if isinstance(value, bool) else value + 1
            yield create_game(game.name, game.size, {**game.settings, name: other})


def sgf_of_taps(kept: KeptGame) -> str:
    """Return the text of one game, tap by tap, with a newline.

    Raises RecordError for a game that the rules contradict.
    """
    # Without what GoGui would take for stones or a side to move.
    return game_text([heading(kept.record), *_tap_nodes(kept.record)])


def _tap(board: Board, colour: Colour, value: bytes) -> Vertex | Pass:
    if not value.strip() or (value.strip() == _OLD_PASS and grid_width(board) <= 19):
        return PASS
    text = value.decode("ascii", "replace").strip()
    try:
        return read_sgf_point(board, text)
    except NotationError as error:
        raise RecordError(f"{colour.letter}[{one_line(text)[:20]}]: {error}") from None


def _tap_nodes(record: GameRecord) -> Iterator[Node]:
    position = record.game.start()
    for number, played in enumerate(record.turns, start=1):
        turn = parse_turn(played.turn)
        try:
            after = position.play(turn)
            taps: Sequence[Vertex | Pass] = list(taps_of(position, turn))
        except (IllegalTurn, ValueError) as error:
            raise RecordError(f"turn {number}: {error}") from None
        for count, tap in enumerate(taps, start=1):
            value = [b""] if isinstance(tap, Pass) else points(record.game.board, [tap])
            then = after.to_move if count == len(taps) else played.colour
            yield {played.colour.letter: value, "PL": [then.letter.encode()]}
        position = after

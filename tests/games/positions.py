"""Short ways to the small positions that the examples speak of."""

from collections.abc import Iterator
from random import Random
from textwrap import dedent

from oddly.games.catalogue import create_game
from oddly.games.diagram import read
from oddly.games.game import Game, Position
from oddly.games.legal_turns import random_turn
from oddly.games.result import Status
from oddly.games.turns import EMPTY, Colour, Drop, GameError, Turn
from tests.games import brute_force
from tests.games.lockstep import COLOURS, turn_from_text

SIZES = {"yodd": 3, "xodd": 4, "odd": 3, "ayu": 5}
"""A small board of each game."""


def diagram(name: str, size: int, text: str, **settings: object) -> Position:
    """The position of a diagram written between triple quotes."""
    return read(create_game(name, size, settings), dedent(text.strip("\n")))


def place(
    name: str, size: int, black: str = "", white: str = "", to_move: Colour = Colour.BLACK
) -> Position:
    """The position with stones on the vertices named in `black` and in `white`."""
    game = create_game(name, size)
    stones = [EMPTY] * len(game.board)
    for colour, vertices in ((Colour.BLACK, black), (Colour.WHITE, white)):
        for vertex in vertices.split():
            stones[game.board.index[vertex]] = colour
    return game.set_up(stones, to_move, Status())


def played(name: str, size: int, *turns: str, **settings: object) -> Position:
    """The position after these turns from the start."""
    position = create_game(name, size, settings).start()
    for turn in turns:
        position = position.play(turn_from_text(turn))
    return position


NEARLY_FULL = diagram(
    "yodd",
    3,
    """
        . . O  5
       O X X O  4
      X X . O .  3
     a O O X X  2
      b O . X  1
       c d e
    White (O) to move
    """,
)
"""White at c3 would join two groups, and no other cell then changes parity once more."""

CYCLE = ("d4-b3", "a1-b4", "b3-d4", "b4-a1")
"""Turns of Ayu that come back to `cycle_start`; the rules text calls that impossible."""


def cycle_start() -> Position:
    return place("ayu", 5, black="b2 b5 c2 d2 d3 d4", white="a1 a2 a3 a4 e2 e3")


def handed_over(position: Position) -> Position:
    """The same stones with the other side to move, as if it had just begun."""
    return position.game.set_up(position.stones, position.to_move.other, Status())


def walked(game: Game, draw: Random, turns: int, *, to_the_end: bool = True) -> Position:
    """The position after so many random turns, or where the game ends first, or just before."""
    position = game.start()
    for _ in range(turns):
        after = position if position.is_over else position.play(random_turn(position, draw))
        if after.is_over and not to_the_end:
            break
        position = after
    return position


def strewn(game: Game, draw: Random, empty: int) -> Position:
    """A position, not over, with random stones on all but so many vertices."""
    while True:
        stones: list[int] = [draw.choice(tuple(Colour)) for _ in game.board.vertices]
        for index in draw.sample(range(len(stones)), empty):
            stones[index] = EMPTY
        for to_move in draw.sample(tuple(Colour), 2):
            try:
                position = game.set_up(stones, to_move, Status())
            except GameError:
                continue
            if not position.is_over:
                return position


def turns_of(position: Position) -> list[str]:
    """The legal turns as text."""
    return [str(turn) for turn in position.legal_turns()]


def turns_with(position: Position, drop: str) -> Iterator[Turn]:
    """The legal turns that contain a drop written as `Bk5`."""
    return position.turns_with(Drop(COLOURS[drop[0]], drop[1:]))


def naive_board(position: Position) -> tuple[brute_force.Neighbours, brute_force.Stones]:
    """The board and the stones as the brute force knows them."""
    board = position.game.board
    shape = brute_force.hexhex if board.shape == "hexhex" else brute_force.square
    stones = zip(board.vertices, position.stones, strict=True)
    return shape(board.size), {
        name: Colour(stone).letter for name, stone in stones if stone != EMPTY
    }


def joined(position: Position, vertex: str, other: str) -> bool:
    """Whether two vertices hold stones of one group, by the brute force."""
    return other in brute_force.group_of(*naive_board(position), vertex)

"""The choice of games, positions and turns for the vectors: random, but always the same."""

from __future__ import annotations

from itertools import chain, combinations
from random import Random
from typing import TYPE_CHECKING, NamedTuple

from oddly.games import (
    EMPTY,
    PASS,
    SWAP,
    Colour,
    Drop,
    Drops,
    Illegality,
    Move,
    create_game,
    random_turn,
)
from oddly.protocol import parse_turn
from oddly.referee.check.variants import AYU_SIZE, REPETITIONS
from tools.vectors.facts import play_all, refusal

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from oddly.games import Board, Game, Position, Shape, Turn, Vertex
    from oddly.games.legal_turns import Step

Turns = tuple[str, ...]
"""A way from the start of a game to a position."""

GAMES: tuple[Game, ...] = (
    create_game("yodd", 2),
    create_game("yodd", 3),
    create_game("yodd", 4),
    create_game("yodd", 8),
    create_game("xodd", 2),
    create_game("xodd", 3),
    create_game("xodd", 5),
    create_game("xodd", 12),
    create_game("odd", 2, {"min_group": 2}),
    create_game("odd", 3, {"min_group": 3}),
    create_game("odd", 5),
    create_game("odd", 2, {"board": "square", "min_group": 1}),
    create_game("odd", 4, {"board": "square", "min_group": 2}),
    create_game("odd", 9, {"board": "square"}),
    create_game("ayu", 3),
    create_game("ayu", 5),
    create_game("ayu", 7),
    create_game("ayu", 11),
    create_game("ayu", 3, {"pie": True}),
    create_game("ayu", 5, {"pie": True}),
)

NEIGHBOURS_UP_TO = 5
"""The boards whose neighbours are listed are those up to this size, and the default ones."""

BOARDS: tuple[tuple[Shape, int, bool], ...] = (
    *(("hexhex", size, size <= NEIGHBOURS_UP_TO or size == 8) for size in range(2, 14)),
    *(("square", size, size <= NEIGHBOURS_UP_TO or size in (11, 12)) for size in range(2, 20)),
)
"""Every board there is, and whether its neighbours are listed."""

SMALL_BOARD = 60
"""Vertices."""

GAMES_EACH = 3
PASSES_FROM = 0.1
"""How often the passing games pass where they may."""

CYCLES = tuple(tuple(line.split()) for line in REPETITIONS)
"""Games of Ayu whose last turn brings a position back."""


class Perft(NamedTuple):
    """Sequences to count: from a game's start or, if `skipped`, from within its first game."""

    game: Game
    by: Step
    depth: int
    skipped: int = 0


PERFTS = (
    Perft(create_game("yodd", 2), "turn", 4),
    Perft(create_game("yodd", 2), "drop", 5),
    Perft(create_game("yodd", 3), "turn", 2),
    Perft(create_game("yodd", 3), "drop", 3),
    Perft(create_game("yodd", 3), "turn", 5, 9),
    Perft(create_game("yodd", 8), "drop", 1),
    Perft(create_game("xodd", 2), "turn", 8),
    Perft(create_game("xodd", 2), "drop", 10),
    Perft(create_game("xodd", 3), "turn", 2),
    Perft(create_game("xodd", 3), "drop", 3),
    Perft(create_game("xodd", 3), "turn", 6, 4),
    Perft(create_game("xodd", 4), "turn", 2),
    Perft(create_game("odd", 2, {"min_group": 2}), "turn", 4),
    Perft(create_game("odd", 3, {"min_group": 3}), "turn", 2),
    Perft(create_game("odd", 3, {"min_group": 3}), "turn", 5, 15),
    Perft(create_game("odd", 2, {"board": "square", "min_group": 1}), "turn", 5),
    Perft(create_game("odd", 4, {"board": "square", "min_group": 2}), "turn", 2),
    Perft(create_game("ayu", 3), "turn", 4),
    Perft(create_game("ayu", 3, {"pie": True}), "turn", 5),
    Perft(create_game("ayu", 5), "turn", 3),
    Perft(create_game("ayu", 5, {"pie": True}), "turn", 2),
    Perft(create_game("ayu", 7), "turn", 2),
    Perft(create_game("ayu", 11), "turn", 1),
)

NOTATIONS = (
    # Canonical.
    *("pass", "swap", "resign", "Bk5", "Wa1", "Bs19", "Bi9", "d4-d5", "s19-s18"),
    *("Bk5,We13", "Wa2,Bb2", "Ba9,Ba10", "Wb1,Ba2"),
    # Readable, but not canonical.
    *("PASS", "Swap", "RESIGN", "bk5", "wA1", "BK5", "D4-d5", "We13,Bk5", "bb2,wa2", "Ba10,Ba9"),
    # Well-formed turns that no rules accept.
    *("Bz99", "Ba1,Ba1", "Wa1,Ba1", "Ba3,Ba2,Ba1", "d4-d4"),
    # Not turns at all.
    *("k5", "B", "Bk", "B5", "Bk0", "Bk05", "Bk100", "Gk5", "Bk5,", ",Bk5", "Bk5,,We13"),
    *("Bk5;We13", "Bk5We13", "Bk5-We13", "k5,e13", "d4", "d4-", "-d5", "d4d5", "d4-d5-d6"),
    *("passe", "pas", "Bk5,pass", "swap,pass", "end", "null", "none"),
)


def games_of(game: Game) -> list[Turns]:
    """Whole games: some random, and those that show what random ones seldom do."""
    found = [_random_game(game, Random(f"{game} {number}")) for number in range(GAMES_EACH - 1)]
    found.append(_random_game(game, Random(f"{game} passing"), passing=PASSES_FROM))
    if game == create_game("ayu", AYU_SIZE):
        found += CYCLES
    return list(dict.fromkeys(found))


def positions_of(game: Game) -> list[Turns]:
    """Ways to positions: the first turns, some in the middle, the last turns and the end.

    Early positions of a large board have tens of thousands of turns, so one game's are enough.
    """
    ways = []
    for number, turns in enumerate(games_of(game)):
        length = len(turns)
        moments = {0, *range(max(0, length - 3), length + 1)}
        if number == 0 or len(game.board) <= SMALL_BOARD:
            moments |= {1, 2, length // 3, 2 * length // 3}
        ways += [turns[:moment] for moment in sorted(moments) if moment <= length]
    return list(dict.fromkeys(ways))


def illegal_turns_of(game: Game) -> Iterator[tuple[Turns, Colour, str]]:
    """For each reason and each shape of turn one that is refused, and the way there."""
    found: dict[tuple[str, str], tuple[Turns, Colour, str]] = {}
    for turns in positions_of(game):
        position = play_all(game, turns)
        for colour, turn in _candidates(position, Random(f"{game} {turns}")):
            reason = refusal(position, colour, str(turn))
            if reason is not None:
                shape = "" if position.is_over else _shape(turn, game.board)
                key = (reason, shape)
                found.setdefault(key, (turns, colour, str(turn)))
    order = ["out_of_turn", *(illegality.name.lower() for illegality in Illegality)]
    for key in sorted(found, key=lambda key: order.index(key[0])):
        yield found[key]


def perft_start(perft: Perft) -> Turns:
    """Return the turns before the counting begins."""
    return games_of(perft.game)[0][: perft.skipped]


def _random_game(game: Game, random: Random, passing: float = 0.0) -> Turns:
    """A game of random turns. The swap is taken if there is one and `passing` is above 0."""
    position = game.start()
    turns = []
    while not position.is_over:
        turn: Turn = random_turn(position, random)
        if passing and position.status.may_swap:
            turn = SWAP
        elif random.random() < passing and position.is_legal(PASS):
            turn = PASS
        turns.append(str(turn))
        position = position.play(parse_turn(str(turn)))
    return tuple(turns)


def _shape(turn: Turn, board: Board) -> str:
    """Turns of one shape take the same way through a program that judges them."""
    if isinstance(turn, Drops):
        return f"{len(turn.drops)} drops"
    if isinstance(turn, Move):
        origin, destination = board.index.get(turn.origin), board.index.get(turn.destination)
        near = origin is not None and destination in board.neighbours[origin]
        return "near move" if near else "far move"
    return str(turn)


def _just_off(board: Board) -> Vertex:
    """A vertex beside the board; beside a hexhex one that its letter and number alone allow."""
    if board.shape == "hexhex":
        return "a1"
    return f"{chr(ord('a') + board.size)}1"


def _candidates(position: Position, random: Random) -> Iterator[tuple[Colour, Turn]]:
    """Turns that are often illegal, with the player who tries them."""
    vertices = position.game.board.vertices
    empty = [v for v, stone in zip(vertices, position.stones, strict=True) if stone == EMPTY]
    taken = [vertex for vertex in vertices if vertex not in set(empty)]
    off = _just_off(position.game.board)
    if not position.is_over:
        yield position.to_move.other, random_turn(position, random)
    turns = chain(
        _drops(empty, taken, off),
        _moves(position.game.board, taken, off, random),
        (PASS, SWAP),
    )
    for turn in turns:
        yield position.to_move, turn


def _drops(empty: list[Vertex], taken: list[Vertex], off: Vertex) -> Iterator[Turn]:
    black, white = Colour.BLACK, Colour.WHITE
    for vertex in [*empty[:8], *taken[:2], off]:
        yield Drops((Drop(black, vertex),))
        yield Drops((Drop(white, vertex),))
    for pair in combinations(empty[:5], 2):
        yield Drops(tuple(Drop(black, vertex) for vertex in pair))
    if empty:
        yield Drops((Drop(black, empty[0]), Drop(white, empty[0])))
    if empty and taken:
        yield Drops((Drop(black, empty[0]), Drop(white, taken[0])))
    if len(empty) > 2:
        yield Drops(tuple(Drop(black, vertex) for vertex in empty[:3]))


def _moves(board: Board, taken: list[Vertex], off: Vertex, random: Random) -> Iterator[Turn]:
    """Moves to neighbours first, so that what is illegal is not only the distance."""
    for origin in [*taken, board.vertices[0]]:
        for index in board.neighbours[board.index[origin]]:
            yield Move(origin, board.vertices[index])
    for origin in taken[:8]:
        for destination in [*_sample(board.vertices, 12, random), off]:
            if origin != destination:
                yield Move(origin, destination)


def _sample(items: Sequence[Vertex], most: int, random: Random) -> list[Vertex]:
    return random.sample(items, min(most, len(items)))

"""The games that a check plays: variants, games that repeat a position, and illegal turns in them.

An example of an illegal turn breaks exactly one rule of its game. A turn that breaks two rules says
nothing about an engine that lacks one of them, so turns that are legal but for one rule come first.
"""

from __future__ import annotations

from collections import defaultdict
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from itertools import chain
from random import Random
from typing import TYPE_CHECKING, NamedTuple

from oddly.games import (
    EMPTY,
    PASS,
    SWAP,
    Colour,
    Drop,
    Drops,
    Game,
    GameError,
    Groups,
    Illegality,
    IllegalTurn,
    Move,
    Parity,
    Position,
    Status,
    Turn,
    Vertex,
    create_game,
    random_turn,
)
from oddly.games.ayu_units import closest_distance, unit_at
from oddly.games.game import MAX_SIZE
from oddly.protocol import parse_turn

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence


_ODD_THRESHOLDS = (1, 2, 3, 4, 6)
_SMALL: dict[str, tuple[tuple[int, dict[str, object]], ...]] = {
    "yodd": ((2, {}), (3, {}), (4, {})),
    "xodd": ((2, {}), (3, {}), (4, {}), (5, {})),
    "odd": (
        *((3, {"board": "hexhex", "min_group": least}) for least in _ODD_THRESHOLDS),
        *((4, {"board": "square", "min_group": least}) for least in _ODD_THRESHOLDS),
        (2, {"board": "hexhex", "min_group": 7}),
        (2, {"board": "square", "min_group": 2}),
    ),
    "ayu": ((3, {}), (5, {}), (7, {}), (5, {"pie": True})),
}
"""Small boards of each game, as size and settings."""
MAX_TURNS = 400
PASSING = 0.25
"""The probability of a pass in a game of passes, where it is legal."""


class Playout(NamedTuple):
    """A whole game: its positions, from the start to the end, and its turns."""

    positions: list[Position]
    turns: list[tuple[Colour, Turn]]


def small_variants(game: Game, commands: frozenset[str]) -> list[Game]:
    """Return a game on small boards with various settings, as far as the engine can set them.

    Without `boardsize` there is only the board asked for, and without `set_game` there are only
    its settings.
    """
    if "boardsize" not in commands:
        return [game]
    known = _SMALL.get(game.name)
    wanted = [create_game(game.name, size, settings) for size, settings in known or ()]
    if "set_game" not in commands:
        wanted = [variant for variant in wanted if variant.settings == game.settings]
    return wanted or [smallest(game)]


def smallest(game: Game, cells: int = 1) -> Game:
    """Return a game on the smallest board with that many cells; itself if none is smaller."""
    smaller = _boards(game.name, game.settings, range(1, game.size))
    return next((each for each in smaller if len(each.board) >= cells), game)


def _boards(name: str, settings: Mapping[str, object], sizes: Iterable[int]) -> Iterator[Game]:
    """Yield a game on each of these boards that its settings allow."""
    for size in sizes:
        with suppress(GameError):
            yield create_game(name, size, settings)


def all_boards(game: Game, commands: frozenset[str]) -> list[Game]:
    """Return a game on every board, smallest first, as far as the engine can set it."""
    if "boardsize" not in commands:
        return [game]
    every = [dict(game.settings)]
    if game.name == "odd" and "set_game" in commands:
        every = [{**game.settings, "board": board} for board in ("hexhex", "square")]
    return [
        board
        for settings in every
        for board in _boards(game.name, settings, range(1, MAX_SIZE + 1))
    ]


def random_game(game: Game, seed: str, passing: float = 0.0, most: float = MAX_TURNS) -> Playout:
    """Return a game of random turns, at most `most`.

    The swap is taken, and there are passes, if `passing` is above 0.
    """
    random = Random(seed)
    positions: list[Position] = [game.start()]
    turns: list[tuple[Colour, Turn]] = []
    while not positions[-1].is_over and len(turns) < most:
        position = positions[-1]
        turn = random_turn(position, random)
        if passing and position.status.may_swap:
            turn = SWAP
        elif passing and random.random() < passing and position.is_legal(PASS):
            turn = PASS
        turns.append((position.to_move, turn))
        positions.append(position.play(turn))
    return Playout(positions, turns)


def played_out(start: Position, turns: Sequence[Turn]) -> Playout:
    """Return the game of these turns from a position, up to its end. Raises IllegalTurn."""
    positions, played = [start], []
    for turn in turns:
        if positions[-1].is_over:
            break
        played.append((positions[-1].to_move, turn))
        positions.append(positions[-1].play(turn))
    return Playout(positions, played)


def ayu_game(text: str) -> Playout:
    """Return the game of Ayu on AYU_SIZE with these turns, separated by spaces."""
    return played_out(create_game("ayu", AYU_SIZE).start(), list(map(parse_turn, text.split())))


def letters(position: Position) -> str:
    """Return a position's stones as a word, as in `setup`."""
    return "".join(".BW"[stone] for stone in position.stones)


def setup_line(position: Position) -> str:
    """Return the command that sets up a position, or "" if its game has none."""
    try:
        position.game.set_up(position.stones, position.to_move, position.status)
    except GameError:
        return ""
    past = f" passes {position.status.passes}" if position.status.passes else ""
    past = " swap" if position.status.may_swap else past
    return f"setup {position.to_move} {letters(position)}{past}"


AYU_SIZE = 5
REPETITIONS = (
    "d5-d4 c2-c3 d1-d2 c3-b4 b1-b2 c4-a3 d4-c2 e4-e3 b3-d4 b4-a1 d4-b3 a1-b4",
    "d3-c3 a2-b2 c3-b4 c4-d4 b1-c1 e2-d2 b3-c5 e4-d3 b4-e5 b2-c4 e5-b4 c4-b2",
)
"""Games whose last turn repeats a position, as in `ayu_game`."""
CORNERS = (
    "d3-c3 e4-d4 d5-c5 e2-d2 d1-c1 a2-b2 c1-a1 b2-d3 c3-b2 c2-b4 b5-d5",
    "b5-c5 a2-b2 c5-d4 e2-e3 b1-c1 a4-b4 d5-d2 e3-e5 d4-c3 c2-a2",
    "d5-d4 a2-b2 d1-c1 e2-e3 b1-d1 a4-b4 d4-d2 e3-d4 b5-a5 b2-c3 a5-a4",
    "b1-c1 a4-b4 d5-c5 a2-b2 b3-c3 e2-d2 c1-e1 c4-b3 b5-c4 e4-e3 e1-c1 e3-e2 d3-b5",
)
"""Games in which a piece may leave a corner, which is rare; a different corner in each."""


PLAYOUTS = 2
LOOKS = 5
"""Positions of a game at which examples are sought."""
POSITIONS = 4
"""Positions with examples of one kind."""
TURNS = 10
"""Examples of one kind at one position."""
PAIRS = 80
ORIGINS = 8
OFF_BOARD = "z26"


@dataclass(frozen=True, slots=True)
class Example:
    """Illegal turns of one kind: after the turns `before`, each of `turns` is illegal.

    `turns` has the reasons too; `legal` is a legal turn there, or None after the end.
    """

    illegality: Illegality
    before: tuple[tuple[Colour, Turn], ...]
    colour: Colour
    turns: tuple[tuple[Turn, str], ...]
    legal: Turn | None


@cache
def illegal_examples(game: Game, seed: int = 0) -> tuple[Example, ...]:
    """Return examples of each kind of illegal turn in a few random games."""
    clean: defaultdict[Illegality, list[Example]] = defaultdict(list)
    other: defaultdict[Illegality, list[Example]] = defaultdict(list)
    for number in range(PLAYOUTS):
        positions, turns = random_game(game, f"illegal {seed} {number}")
        every = max(1, len(turns) // LOOKS)
        for index, position in enumerate(positions):
            if index % every and index > 2 and index < len(turns) - 2:
                continue
            random = Random(f"{seed} {number} {index}")
            for found, only in ((clean, True), (other, False)):
                for kind, illegal in _illegal_at(position, random, only=only).items():
                    legal = None if position.is_over else random_turn(position, random)
                    before = tuple(turns[:index])
                    found[kind].append(
                        Example(kind, before, position.to_move, tuple(illegal[:TURNS]), legal)
                    )
    chosen = [_spread(clean.get(kind) or other.get(kind, [])) for kind in Illegality]
    return tuple(chain.from_iterable(chosen))


def _spread(examples: list[Example]) -> list[Example]:
    """Return a few examples from all over the games, the richest one first."""
    ordered = sorted(examples, key=lambda example: -len(example.turns))
    return ordered[:: max(1, -(-len(ordered) // POSITIONS))][:POSITIONS]


def _illegal_at(
    position: Position, random: Random, *, only: bool
) -> dict[Illegality, list[tuple[Turn, str]]]:
    """Return illegal turns by kind; with `only`, those that are legal but for that rule."""
    found: defaultdict[Illegality, dict[str, tuple[Turn, str]]] = defaultdict(dict)
    for turn in _candidates(position, random):
        try:
            position.play(turn)
        except IllegalTurn as error:
            if not only or breaks_only(position, turn, error.illegality):
                found[error.illegality].setdefault(str(turn), (turn, error.reason))
    return {kind: _varied(list(turns.values()), random) for kind, turns in found.items()}


def _varied(illegal: list[tuple[Turn, str]], random: Random) -> list[tuple[Turn, str]]:
    """Return the turns in an order in which each shape comes early."""
    random.shuffle(illegal)
    seen: defaultdict[str, int] = defaultdict(int)
    order: list[tuple[int, int, tuple[Turn, str]]] = []
    for turn, reason in illegal:
        shape = f"{len(turn.drops)} drops" if isinstance(turn, Drops) else type(turn).__name__
        order.append((seen[shape], len(order), (turn, reason)))
        seen[shape] += 1
    return [each for _, _, each in sorted(order, key=lambda item: item[:2])]


def _candidates(position: Position, random: Random) -> Iterator[Turn]:
    """Return turns that are often illegal."""
    vertices = position.game.board.vertices
    empty = [v for v, stone in zip(vertices, position.stones, strict=True) if stone == EMPTY]
    taken = [vertex for vertex in vertices if vertex not in set(empty)]
    return chain(_drops(vertices, empty, random), _moves(position, taken, random), (PASS, SWAP))


def _drops(vertices: Sequence[Vertex], empty: Sequence[Vertex], random: Random) -> Iterator[Turn]:
    for vertex in [*vertices, OFF_BOARD]:
        for colour in Colour:
            yield Drops((Drop(colour, vertex),))
    for vertex in empty[:12]:
        yield Drops((Drop(Colour.BLACK, vertex), Drop(Colour.WHITE, vertex)))
        yield Drops((Drop(Colour.BLACK, vertex), Drop(Colour.BLACK, vertex)))
        yield Drops((Drop(Colour.WHITE, vertex), Drop(Colour.WHITE, OFF_BOARD)))
    for _ in range(PAIRS):
        pair = random.sample(list(vertices), 2)
        yield Drops(tuple(Drop(random.choice(list(Colour)), vertex) for vertex in pair))
    if len(empty) > 2:
        for _ in range(PAIRS // 4):
            three = random.sample(list(empty), 3)
            yield Drops(tuple(Drop(random.choice(list(Colour)), vertex) for vertex in three))


def _moves(position: Position, taken: Sequence[Vertex], random: Random) -> Iterator[Turn]:
    """Yield moves, to neighbours first, so that more than the distance is illegal."""
    board = position.game.board
    vertices = board.vertices
    origins = random.sample(list(taken), min(len(taken), 3 * ORIGINS))
    for origin in [*origins, vertices[0], random.choice(vertices)]:
        for index in board.neighbours[board.index[origin]]:
            yield Move(origin, vertices[index])
    for origin in origins[:ORIGINS]:
        for destination in [*random.sample(vertices, min(len(vertices), 12)), OFF_BOARD]:
            if origin != destination:
                yield Move(origin, destination)


def breaks_only(position: Position, turn: Turn, rule: Illegality) -> bool:
    """Return whether a turn that `rule` forbids breaks no other rule.

    This is presumed of turns of other packages' games, and where `rule` is checked last.
    """
    if isinstance(turn, Move) and rule is not Illegality.WRONG_KIND:
        return _move_breaks_only(position, turn, rule)
    if isinstance(turn, Drops) and position.game.parity is not Parity.NOTHING:
        return _drops_break_only(position, turn.drops, rule)
    return True


def _drops_break_only(position: Position, drops: Sequence[Drop], rule: Illegality) -> bool:
    """Judge drops. Their parity depends on which check an engine lacks, so all ways must be odd."""
    board, stones = position.game.board, position.stones
    known = [drop for drop in drops if drop.vertex in board.index]
    taken = [drop for drop in known if stones[board.index[drop.vertex]] != EMPTY]
    twice = len({drop.vertex for drop in drops}) < len(drops)
    too_many = len(drops) > 2 or (len(drops) == 2 and position.most_drops == 1)
    broken = {
        Illegality.OFF_BOARD: len(known) < len(drops),
        Illegality.OCCUPIED: bool(taken),
        Illegality.SAME_VERTEX: twice,
        Illegality.DROP_COUNT: too_many and rule is not Illegality.FIRST_TURN,
        Illegality.FIRST_TURN: too_many and len(drops) == 2 and rule is not Illegality.DROP_COUNT,
    }
    if any(is_broken for other, is_broken in broken.items() if other is not rule):
        return False
    if position.game.parity is not Parity.ENDS_TURNS or rule is Illegality.PARITY:
        return True
    free = [drop for drop in known if drop not in taken]
    ways = (known, known[::-1], free) if len(known) == len(drops) else (known,)
    return all(_is_odd(position, way) for way in ways)


def _is_odd(position: Position, drops: Sequence[Drop]) -> bool:
    """Return whether drops leave an odd number of groups; of two on a vertex the last counts."""
    board, stones = position.game.board, list(position.stones)
    for drop in drops:
        stones[board.index[drop.vertex]] = drop.colour
    return Groups.of(board, stones).counts.total % 2 == 1


def _move_breaks_only(position: Position, move: Move, rule: Illegality) -> bool:
    board = position.game.board
    origin, destination = board.index.get(move.origin), board.index.get(move.destination)
    if origin is None or destination is None:
        return origin is not None and position.stones[origin] == position.to_move
    match rule:
        case Illegality.NO_PIECE:
            return _is_legal_with(position, move, position.to_move, {origin: position.to_move})
        case Illegality.WRONG_PIECE:
            return _is_legal_with(position, move, position.to_move.other, {})
        case Illegality.OCCUPIED:
            return _is_legal_with(position, move, position.to_move, {destination: EMPTY})
        case Illegality.NOT_ADJACENT | Illegality.SPLITS_GROUP:
            return _gets_closer(position, origin, destination)
    return True


def _is_legal_with(position: Position, move: Move, side: Colour, changes: dict[int, int]) -> bool:
    stones = list(position.stones)
    for index, stone in changes.items():
        stones[index] = stone
    try:
        return position.game.set_up(stones, side, Status()).is_legal(move)
    except GameError:
        return False


def _gets_closer(position: Position, origin: int, destination: int) -> bool:
    """Return whether the piece and the rest of its unit, even if split, are closer to a friend."""
    board, after = position.game.board, list(position.stones)
    unit = unit_at(board, after, origin)
    before = closest_distance(board, after, unit)
    after[origin], after[destination] = EMPTY, position.to_move
    moved = unit - {origin} | {destination}
    if unit_at(board, after, destination) - moved:
        return before is not None
    now = closest_distance(board, after, frozenset(moved))
    return before is not None and now is not None and now < before

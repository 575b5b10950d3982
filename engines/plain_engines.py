"""Engines without a search: one plays at random, one looks a turn ahead, one copies.

The mirror answers every turn with its image: it shows what copying is worth in a game.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from oddly.engines.engine import SEED, Engine, Option
from oddly.games import (
    EMPTY,
    PASS,
    SWAP,
    Board,
    Colour,
    Drop,
    Drops,
    Move,
    Position,
    Turn,
    Vertex,
    random_turn,
)
from oddly.games.turns import player_after

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from oddly.games.groups import TurnsByCounts


class RandomEngine(Engine):
    """Plays legal turns, each with the same probability."""

    name = "random"

    def choose(self, position: Position) -> Turn:
        """Return a uniformly random legal turn."""
        return random_turn(position, self.random)


class GreedyEngine(Engine):
    """Plays the turn after which the game scores best; ties are broken at random."""

    name = "greedy"

    def choose(self, position: Position) -> Turn:
        """Return one of the turns that leave the best counts for the player to move.

        Where a game's counts say nothing, a turn that wins is best and one that loses worst.
        """
        turns, side = position.turns_by_counts(), position.to_move
        scores = {counts: position.game.score(counts, side) for counts in turns.counts}
        known = [score for score in scores.values() if score is not None]
        if len(known) < len(scores) or position.is_legal(SWAP):
            return self.random.choice(_best_one_by_one(position, turns))
        best = max(known)
        return self.random.choice(turns.leaving([c for c in scores if scores[c] == best]))


def _best_one_by_one(position: Position, turns: TurnsByCounts) -> list[Turn]:
    """Return the best turns where their counts alone do not tell."""
    best: list[Turn] = []
    best_score: int | None = None
    for turn, counts in turns:
        side = player_after(turn, position.to_move)
        score = position.game.score(counts, side)
        if score is None:
            score = _score_of_result(position.play(turn), side)
        if best_score is None or score > best_score:
            best, best_score = [], score
        if score == best_score:
            best.append(turn)
    return best


def _score_of_result(after: Position, side: Colour) -> int:
    """Return 1 if `side` has won, -1 if it has lost, else 0."""
    if after.result is None or after.result.winner is None:
        return 0
    return 1 if after.result.winner is side else -1


Cell = tuple[int, int]
"""Column and rank, from 1."""

_SQUARE: dict[str, Callable[[int, int, int], Cell]] = {
    "left-right": lambda x, y, span: (span - x, y),
    "top-bottom": lambda x, y, span: (x, span - y),
    "turn": lambda x, y, span: (span - y, x),
}
_HEXHEX: dict[str, Callable[[int, int, int], Cell]] = {
    "left-right": lambda x, y, span: (3 * span // 2 - x - y, y),
    "top-bottom": lambda x, y, span: (x + y - span // 2, span - y),
    "turn": lambda x, y, span: (span - y, x + y - span // 2),
}
_BOTH: dict[str, Callable[[int, int, int], Cell]] = {
    "half-turn": lambda x, y, span: (span - x, span - y),
    "diagonal": lambda x, y, _: (y, x),
    "antidiagonal": lambda x, y, span: (span - y, span - x),
    "copy": lambda x, y, _: (x, y),
}
SYMMETRIES = ("half-turn", "left-right", "top-bottom", "diagonal", "antidiagonal", "turn", "copy")

SYMMETRY = Option(
    "symmetry", "choice", "half-turn", choices=SYMMETRIES,
    summary="the image that it plays; 'turn' is a quarter of a turn on a square board, a sixth on "
    "a hexhex one",
)  # fmt: skip
EXCHANGE = Option(
    "exchange", "boolean", True, summary="drop a stone of the other colour than the opponent did"
)


class MirrorEngine(Engine):
    """Drops in the centre first, then plays the image of the opponent's last turn.

    Where that is illegal, it plays a random turn.
    """

    name = "mirror"
    options: ClassVar[tuple[Option, ...]] = (SEED, SYMMETRY, EXCHANGE)

    def __init__(self) -> None:
        super().__init__()
        self._before: tuple[int, ...] = ()

    def new_game(self) -> None:
        """Forget the last game."""
        super().new_game()
        self._before = ()

    def choose(self, position: Position) -> Turn:
        """Return the image if it is legal, else a random turn."""
        board = position.game.board
        before = self._before or tuple(position.game.start().stones)
        if position.most_drops and not any(position.stones):
            turn: Turn | None = Drops((Drop(Colour.BLACK, centre(board)),))
        else:
            last = turn_between(board, before, position.stones)
            turn = None if last is None else self._image(board, last)
        if turn is None or not position.is_legal(turn):
            turn = random_turn(position, self.random)
        self._before = tuple(position.play(turn).stones)
        return turn

    def _image(self, board: Board, turn: Turn) -> Turn:
        symmetry = str(self.values[SYMMETRY.name])
        if isinstance(turn, Move):
            origin, destination = turn.origin, turn.destination
            return Move(image(board, symmetry, origin), image(board, symmetry, destination))
        if isinstance(turn, Drops):
            is_exchanged = bool(self.values[EXCHANGE.name])
            return Drops(
                tuple(
                    Drop(
                        drop.colour.other if is_exchanged else drop.colour,
                        image(board, symmetry, drop.vertex),
                    )
                    for drop in turn.drops
                )
            )
        return turn


def image(board: Board, symmetry: str, vertex: Vertex) -> Vertex:
    """Return the vertex to which a symmetry of the board takes `vertex`."""
    own = _HEXHEX if board.shape == "hexhex" else _SQUARE
    column, rank = board.coordinates[board.index[vertex]]
    span = 2 * board.size if board.shape == "hexhex" else board.size + 1
    cell = (_BOTH | own)[symmetry](column, rank, span)
    return board.vertices[board.coordinates.index(cell)]


def centre(board: Board) -> Vertex:
    """Return the vertex in the middle; on a board of even size the lower left one of the four."""
    middle = board.size if board.shape == "hexhex" else (board.size + 1) // 2
    return board.vertices[board.coordinates.index((middle, middle))]


def turn_between(board: Board, before: Sequence[int], after: Sequence[int]) -> Turn | None:
    """Return the turn between two positions; None if their stones do not tell."""
    changed = [index for index in range(len(board)) if before[index] != after[index]]
    gone = [index for index in changed if after[index] == EMPTY]
    new = [index for index in changed if before[index] == EMPTY]
    if not changed:
        return PASS
    if len(gone) == len(new) == 1:
        return Move(board.vertices[gone[0]], board.vertices[new[0]])
    if len(new) == len(changed) <= 2:
        return Drops(tuple(Drop(Colour(after[i]), board.vertices[i]) for i in new))
    return None

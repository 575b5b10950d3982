"""Whether an illegal turn would be legal if one rule of its game were missing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from oddly.games.colour import EMPTY
from oddly.games.errors import GameError, Illegality
from oddly.games.game import Parity, Status
from oddly.games.groups import Groups
from oddly.games.turns import Drop, Drops, Move
from oddly.games.units import closest_distance, unit_at

if TYPE_CHECKING:
    from collections.abc import Sequence

    from oddly.games.colour import Colour
    from oddly.games.game import Position
    from oddly.games.turns import Turn


def breaks_only(position: Position, turn: Turn, rule: Illegality) -> bool:
    """Return whether a turn that `rule` forbids breaks no other rule.

    Of rules that are the last to be looked at, and of other packages' games, nothing more is known:
    their turns do.
    """
    if isinstance(turn, Move) and rule is not Illegality.WRONG_KIND:
        return _move_breaks_only(position, turn, rule)
    if isinstance(turn, Drops) and position.game.parity is not Parity.NOTHING:
        return _drops_break_only(position, turn.drops, rule)
    return True


def _drops_break_only(position: Position, drops: Sequence[Drop], rule: Illegality) -> bool:
    """Judge drops. What parity they leave depends on what is missing, so all ways must be odd."""
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
    """Return whether an odd number of groups is left, the first of two stones on a vertex last."""
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

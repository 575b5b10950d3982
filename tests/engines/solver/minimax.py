"""The independent judge of the solver: plain minimax over whole turns of `games/`, memoised.

It shares nothing with the solver but the rules. Draws by repetition are found without following a
path: a position is won for a side if it can be forced to a win in some number of turns, and drawn
if it is won for neither; so the sets of won positions are grown until they stay the same.
"""

from collections.abc import Hashable, Iterator
from typing import cast

from oddly.games.ayu import AyuPosition
from oddly.games.game import Game, Position
from oddly.games.turns import Colour


def all_positions(game: Game) -> Iterator[Position]:
    """Every position that play can come to, once."""
    seen, waiting = set(), [game.start()]
    while waiting:
        position = waiting.pop()
        if position.key not in seen:
            seen.add(position.key)
            yield position
            waiting += [] if position.is_over else map(position.play, position.legal_turns())


def winner(position: Position, known: dict[Hashable, Colour]) -> Colour:
    """The winner with perfect play of a game that always ends; `known` keeps what was found."""
    if position.result is not None:
        return cast("Colour", position.result.winner)
    if position.key not in known:
        mover, turns = position.to_move, position.legal_turns()
        wins = any(winner(position.play(turn), known) is mover for turn in turns)
        known[position.key] = mover if wins else mover.other
    return known[position.key]


def winner_by_every_path(position: Position) -> Colour | None:
    """The winner of a tiny game in which the past counts; None for a draw. Remembers nothing."""
    if position.result is not None:
        return position.result.winner
    found = {winner_by_every_path(position.play(turn)) for turn in position.legal_turns()}
    if position.to_move in found:
        return position.to_move
    return None if None in found else position.to_move.other


def winner_of_ayu(start: AyuPosition) -> Colour | None:
    """The winner of a position of Ayu without a past and without the pie rule; None for a draw."""
    following: dict[Hashable, list[Hashable]] = {}
    won: dict[Hashable, Colour] = {}
    mover = {}
    waiting = [start]
    while waiting:
        position = _without_past(waiting.pop())
        if position.key in following:
            continue
        mover[position.key] = position.to_move
        after = [position.play(turn) for turn in position.legal_turns()]
        following[position.key] = [_without_past(next_).key for next_ in after]
        if not after:
            won[position.key] = position.to_move
        waiting += after
    grew = True
    while grew:
        grew = False
        for key, next_keys in following.items():
            if key not in won:
                winners = [won.get(next_key) for next_key in next_keys]
                if mover[key] in winners:
                    won[key] = mover[key]
                elif all(found is mover[key].other for found in winners):
                    won[key] = mover[key].other
                grew = grew or key in won
    return won.get(start.key)


def _without_past(position: AyuPosition) -> AyuPosition:
    return AyuPosition(position.game, position.stones, position.to_move)

"""Legal turns drawn at random, singly or to the end of a game, and counted in sequences (perft)."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING, Literal

from oddly.games.drop_level import Action, DropPosition
from oddly.games.turns import EMPTY, PASS, Colour, Drop, Drops, IllegalTurn, Pass, Swap, Turn

if TYPE_CHECKING:
    from oddly.games.game import Position


TRIES = 64
"""The candidates that are drawn before the legal turns are listed."""
_COLOURS = tuple(Colour)
_DRAWN = frozenset((Drops, Pass))
"""The kinds of turns that candidates are drawn from."""

MAX_TURNS = 1000
"""Turns after which a random game counts as a draw: not all rules make games end."""
MAX_ESTIMATE = 200
"""Games of an estimate by the plain rules, which are too slow for more."""


def random_turn(position: Position, random: Random) -> Turn:
    """Return a legal turn, each with the same probability. Raises ValueError if there is none.

    Candidates are drawn uniformly from a set that contains all legal turns, and illegal ones are
    rejected; after too many misses the legal turns are listed. Both ways are uniform.

    >>> import oddly
    >>> from random import Random
    >>> position, random = oddly.create_game("yodd", 3).start(), Random(1)
    >>> while not position.is_over:
    ...     position = position.play(oddly.random_turn(position, random))
    >>> print(position.result)
    W+1
    """
    return _drawn(position, random)[0]


def random_step(position: Position, random: Random) -> tuple[Turn, Position]:
    """Return a turn as `random_turn` does, and the position after it. Raises ValueError."""
    turn, after = _drawn(position, random)
    return turn, position.play(turn) if after is None else after


def _drawn(position: Position, random: Random) -> tuple[Turn, Position | None]:
    """Return a random legal turn, and the position after it if it was played to test it."""
    if position.game.turn_kinds <= _DRAWN and position.most_drops in (1, 2):
        vertices = position.game.board.vertices
        empty = [vertices[i] for i, stone in enumerate(position.stones) if stone == EMPTY]
        for _ in range(TRIES):
            turn = _candidate(empty, position.most_drops, random)
            try:
                return turn, position.play(turn)
            except IllegalTurn:
                continue
    turns = list(position.legal_turns())
    if not turns:
        raise ValueError("the game is over: there is no legal turn")
    return random.choice(turns), None


def _candidate(empty: list[str], most_drops: int, random: Random) -> Turn:
    """Return a pass, one drop or a pair, each turn with the same probability."""
    singles = 2 * len(empty)
    pairs = 2 * len(empty) * (len(empty) - 1) if most_drops > 1 else 0
    number = random.randrange(1 + singles + pairs)
    if number == 0:
        return PASS
    vertices = random.sample(empty, 1 if number <= singles else 2)
    return Drops(tuple(Drop(random.choice(_COLOURS), vertex) for vertex in vertices))


def playout(at: DropPosition, random: Random, made: set[Action]) -> float:
    """Return Black's reward, 0 to 1, after uniformly random turns; add the actions to `made`.

    It is that of the player who is Black in `at`, whatever is swapped later.
    """
    while at.drops:
        at = at.act(random.choice(list(at.actions())))
    position, is_exchanged = at.start, False
    for _ in range(MAX_TURNS):
        if position.result is not None:
            break
        turn, position = random_step(position, random)
        is_exchanged ^= isinstance(turn, Swap)
        made.update(turn.drops if isinstance(turn, Drops) else (turn,))
    winner = position.result.winner if position.result else None
    return 0.5 if winner is None else float((winner is Colour.BLACK) is not is_exchanged)


def black_share(at: DropPosition, playouts: int, seed: int) -> float:
    """Return Black's share of the points, 0 to 1, in at most MAX_ESTIMATE random games."""
    random = Random(seed)
    number = min(playouts, MAX_ESTIMATE)
    return sum(playout(at, random, set()) for _ in range(number)) / number


Step = Literal["turn", "drop"]


def perft(position: Position, depth: int, by: Step = "turn") -> list[int]:
    """Return how many sequences of 1, 2, ... `depth` legal steps start at `position`.

    By turn, a pair of drops counts once and a pass is a turn. By drop, single drops, `end` and
    `pass` are the steps. A finished game has no continuation.
    """
    counts = [0] * depth
    if by == "turn":
        _count_turns(position, 0, counts)
    else:
        _count_actions(DropPosition(position), 0, counts)
    return counts


def _count_turns(position: Position, level: int, counts: list[int]) -> None:
    if level == len(counts):
        return
    for turn in position.legal_turns():
        counts[level] += 1
        if level + 1 < len(counts):
            _count_turns(position.play(turn), level + 1, counts)


def _count_actions(position: DropPosition, level: int, counts: list[int]) -> None:
    if level == len(counts):
        return
    for action in position.actions():
        counts[level] += 1
        if level + 1 < len(counts):
            _count_actions(position.act(action), level + 1, counts)

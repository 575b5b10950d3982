"""The state of a kernel and a position of `games/` side by side, and how they are compared."""

import random

import numpy as np

from oddly.engines.kernels import interface as kernel
from oddly.games.drop_level import DropPosition
from oddly.games.turns import SWAP, Colour


def loaded(position: DropPosition):
    """A new state with this position."""
    state = kernel.new_state(position.start.game)
    kernel.load(state, position)
    return state


def marks_for(game):
    """Room for a number for each action."""
    return np.zeros(kernel.action_count(game), np.int32)


def listed(state, game, listing=kernel.legal_actions) -> set[str]:
    """The actions that a kernel lists, each of them once."""
    actions = marks_for(game)
    numbers = actions[: listing(state, actions)].tolist()
    assert len(set(numbers)) == len(numbers)
    found = [game.action_of(number) for number in numbers]
    assert [game.action_number(action) for action in found] == numbers
    return set(map(str, found))


def black_points(position: DropPosition) -> float:
    winner = position.start.result.winner
    return 0.5 if winner is None else float(winner is Colour.BLACK)


def losing_passes(position: DropPosition, legal: set[str]) -> set[str]:
    """A pass of the side that is behind, if there is another action."""
    black, white = position.start.group_counts
    is_behind = black > white if position.start.to_move is Colour.BLACK else white > black
    return {"pass"} if is_behind and not position.drops and len(legal) > 1 else set()


def assert_equal(state, position: DropPosition, *, after_swap: bool = False) -> None:
    """After a swap, a state that it was played in still speaks of the players before it."""
    game, legal = position.start.game, {str(action) for action in position.actions()}
    assert listed(state, game) == legal
    promising = legal - losing_passes(position, legal)
    assert listed(state, game, kernel.safe_actions) == promising
    assert bool(kernel.is_over(state)) == position.is_over
    assert kernel.side_to_move(state) == ((position.start.to_move is Colour.WHITE) ^ after_swap)
    if position.is_over:
        points = black_points(position)
        assert kernel.reward(state) == (1 - points if after_swap else points)


def play_both(position: DropPosition, seed: int, most: int = 1000) -> None:
    """Play at random on both from a position, and compare before and after every action."""
    game, draw, hashes = position.start.game, random.Random(seed), {}
    state, fresh, after_swap = loaded(position), kernel.new_state(game), False
    for _ in range(most):
        kernel.load(fresh, position)
        assert_equal(state, position, after_swap=after_swap)
        assert_equal(fresh, position)
        value = int(kernel.position_hash(state))
        assert (int(kernel.position_hash(fresh)) != value) == after_swap
        assert hashes.setdefault(value, position.key) == position.key
        if position.is_over:
            break
        action = draw.choice(list(position.actions()))
        after_swap = after_swap or action == SWAP
        position = position.act(action)
        kernel.play_action(state, game.action_number(action))


def reached(game, seed: int, actions: int) -> DropPosition:
    """A position, perhaps inside a turn, that is not over."""
    draw = random.Random(seed)
    while True:
        position = DropPosition(game.start())
        for _ in range(actions):
            if not position.is_over:
                position = position.act(draw.choice(list(position.actions())))
        if not position.is_over:
            return position


def assert_drawn_by(seen, expected) -> None:
    """The numbers that were seen are as likely as not, if chance is as expected: chi-square.

    What is expected less than 8 times is counted together.
    """
    assert set(seen) <= set(expected)
    pairs = [(seen[key], number) for key, number in expected.items() if number >= 8]
    rare = [(seen[key], number) for key, number in expected.items() if number < 8]
    if sum(number for _, number in rare) >= 8:
        pairs.append(tuple(map(sum, zip(*rare, strict=True))))
    chi_square = sum((found - number) ** 2 / number for found, number in pairs)
    # Wilson and Hilferty's normal approximation, 3.72 standard deviations out: 0.01 %.
    part = 2 / (9 * max(len(pairs) - 1, 1))
    assert chi_square < max(len(pairs) - 1, 1) * (1 - part + 3.72 * part**0.5) ** 3

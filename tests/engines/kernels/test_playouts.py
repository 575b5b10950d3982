"""Playouts: each way to the end is as likely as by the rules, and is judged and marked right."""

import math
from collections import Counter
from functools import cache
from itertools import product

import numpy as np
import pytest

from oddly.engines.kernels import interface as kernel
from oddly.engines.kernels.group_rules import BLACK, WHITE
from oddly.engines.kernels.jit import HAS_NUMBA
from oddly.engines.kernels.numbers import generator
from oddly.games.ayu import Ayu
from oddly.games.catalogue import create_game
from oddly.games.drop_level import DropPosition
from oddly.games.legal_turns import MAX_ESTIMATE, black_share
from oddly.games.odd import Odd
from oddly.games.turns import EMPTY, SWAP, Colour, Drop
from oddly.games.xodd import Xodd
from tests.engines.kernels.lockstep import assert_drawn_by, loaded, marks_for, reached

many_games = pytest.mark.skipif(not HAS_NUMBA, reason="thousands of games")


def played_out(position, numbers, marks=None, stamp=0):
    """The colours of the cells after a playout of Odd, and what it returned."""
    state = loaded(position)
    value = kernel.playout(state, numbers, marks, stamp)
    return colours(state), value


def colours(state):
    """The colour of every cell of Odd, as the state's bits say."""
    return tuple(int(state.white[p // 64]) >> (p % 64) & 1 for p in map(int, state.points))


def made_by(play, root, games):
    """How often playouts, each with the stamp that it is given, make which actions."""
    state, marks, seen = kernel.new_state(root.start.game), marks_for(root.start.game), Counter()
    start = loaded(root)
    for stamp in range(1, games + 1):
        kernel.copy_state(state, start)
        play(state, marks, stamp)
        seen[tuple(np.nonzero(marks == stamp)[0].tolist())] += 1
    return seen


@pytest.mark.sampled
@many_games
@pytest.mark.parametrize(
    ("name", "made"),
    [("yodd", 0), ("yodd", 3), ("yodd", 4), ("yodd", 6), ("xodd", 0), ("xodd", 2), ("xodd", 3)],
)
def test_a_playout_draws_every_action_alike(name, made):
    """The chance of each finished position, drawn by the rules and by the kernel."""
    game, games, numbers = create_game(name, 2), 40_000, generator(made)
    position = next(
        p for seed in range(50) if len(set((p := reached(game, seed, made)).actions())) > 2
    )

    @cache
    def chances(at):
        """The chance of each set of drops made from here on, by all ways to the end."""
        if at.is_over:
            return {frozenset(): 1.0}
        found, actions = Counter(), list(at.actions())
        for action in actions:
            made = {game.action_number(action)} if isinstance(action, Drop) else set()
            for rest, chance in chances(at.act(action)).items():
                found[rest | made] += chance / len(actions)
        return found

    seen = made_by(lambda *to: kernel.playout(to[0], numbers, *to[1:]), position, games)
    assert_drawn_by(
        seen, {tuple(sorted(made)): games * chance for made, chance in chances(position).items()}
    )


@pytest.mark.sampled
@many_games
def test_a_playout_of_ayu_draws_every_move_alike():
    position, games, numbers = reached(Ayu(5), 7, 6), 30_000, generator(1)
    seen = made_by(lambda *to: kernel.rollout(to[0], numbers, *to[1:], 1, 0.25, 1), position, games)
    moves = [(Ayu(5).action_number(action),) for action in position.actions()]
    assert set(seen) == set(moves)
    assert_drawn_by(seen, dict.fromkeys(moves, games / len(moves)))


@pytest.mark.parametrize("turns", [(), ("b1-b2",), ("b1-b2", "swap")], ids=str)
def test_a_random_game_by_the_plain_rules_counts_for_who_was_black_at_first(turns):
    """The bug: after a swap the other player's wins were counted."""

    def share(position):
        """The chance that who is Black here wins, by all ways to the end."""
        if position.result is not None:
            winner = position.result.winner
            return 0.5 if winner is None else float(winner is Colour.BLACK)
        after = [(turn, share(position.play(turn))) for turn in position.legal_turns()]
        return sum(1 - won if turn == SWAP else won for turn, won in after) / len(after)

    position = Ayu(3, pie=True).start()
    for turn in turns:
        position = position.play(turn)
    assert black_share(DropPosition(position), MAX_ESTIMATE, 1) == pytest.approx(
        share(position), abs=0.1
    )


@pytest.mark.parametrize(("drops", "seed"), [(0, 1), (0, 2), (3, 3)])
def test_every_colouring_of_odd_is_as_likely(drops, seed):
    position, numbers, each = reached(Odd(2, min_group=2), seed, drops), generator(seed), 40
    empty = [index for index, stone in enumerate(position.start.stones) if stone == EMPTY]
    colourings = list(product(*((2 * index, 2 * index + 1) for index in empty)))
    games = each * len(colourings)
    seen = made_by(lambda *to: kernel.playout(to[0], numbers, *to[1:]), position, games)
    assert_drawn_by(seen, dict.fromkeys(colourings, each))


@pytest.mark.sampled
def test_cells_are_coloured_independently():
    """On the large board: no cell and no pair of neighbours leans to one side."""
    game, games, numbers = Odd(), 4000, generator(5)
    position = DropPosition(game.start())
    ends = np.array([played_out(position, numbers)[0] for _ in range(games)])
    limit = 4.5 * games**0.5 / 2
    assert np.abs(ends.sum(axis=0) - games / 2).max() < limit
    for index, near in enumerate(game.board.neighbours):
        for other in near:
            assert abs((ends[:, index] ^ ends[:, other]).sum() - games / 2) < limit


@pytest.mark.parametrize("game", [Odd(2), Odd(5), Odd(9), Odd(12, "square")], ids=str)
def test_playouts_keep_stones_mark_drops_and_judge_right(game):
    cells, numbers = len(game.board), generator(game.size)
    for drops in {0, 1, cells // 2, cells - 1}:
        position = reached(game, game.size, drops)
        marks = np.full(kernel.action_count(game), -1, np.int32)
        white, value = played_out(position, numbers, marks, 7)
        stones = position.start.stones
        assert all(bit + 1 == old for bit, old in zip(white, stones, strict=True) if old != EMPTY)
        made = {2 * i + white[i] for i, stone in enumerate(stones) if stone == EMPTY}
        assert set(np.nonzero(marks == 7)[0]) == made
        assert np.count_nonzero(marks == -1) == len(marks) - len(made)
        for number in made:
            position = position.act(game.action_of(number))
        assert value == (position.start.result.winner is Colour.BLACK)


def test_marks_do_not_change_a_playout_and_a_rollout_is_one():
    position = DropPosition(Odd().start())
    plain = played_out(position, generator(9))
    marked = played_out(position, generator(9), marks_for(Odd()), 1)
    state = loaded(position)
    value = kernel.rollout(state, generator(9), None, 0, 2, 0.25, 1)
    assert plain == marked == (colours(state), value)


@pytest.mark.parametrize("worth", [0.0, 0.25, 2.0])
def test_a_rollout_counts_by_its_lead(worth):
    for seed in range(20):
        state = kernel.new_state(Xodd(5))
        value = kernel.rollout(state, generator(seed), None, 0, -1, worth, 1)
        lead = int(state.numbers[WHITE] - state.numbers[BLACK])
        expected = 1 / (1 + math.exp(-worth * lead)) if worth else float(lead > 0)
        assert value == pytest.approx(expected)


@pytest.mark.parametrize("best_of", [1, 3])
@pytest.mark.parametrize("plies", [0, 1, 4, 1000])
def test_a_rollout_of_ayu_is_judged_between_loss_and_win(plies, best_of):
    marks = marks_for(Ayu(5))
    value = kernel.rollout(kernel.new_state(Ayu(5)), generator(3), marks, 1, plies, 0.25, best_of)
    assert 0 <= value <= 1
    if plies == 1000:
        assert value in (0, 0.5, 1)

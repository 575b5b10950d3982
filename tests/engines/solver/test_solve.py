"""The solver agrees with plain minimax, names turns that keep the win, and keeps to its limits."""

import math
from collections import defaultdict
from functools import cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oddly.engines.solver.perfect_margin import MAX_EMPTY, perfect_margin
from oddly.engines.solver.solution import PlainSolver
from oddly.engines.solver.solve import Solver, solve
from oddly.games.ayu import Ayu, AyuPosition
from oddly.games.catalogue import create_game
from oddly.games.drop_level import DropPosition
from oddly.games.result import Status
from oddly.games.turns import EMPTY, SWAP, Colour
from tests.engines.running import run_python
from tests.engines.solver.minimax import winner, winner_by_every_path, winner_of_ayu
from tests.games.positions import cycle_start, played, strewn, walked

SMALL = [
    create_game("yodd", 2),
    create_game("xodd", 2),
    create_game("odd", 2, {"min_group": 1}),
    create_game("odd", 2, {"min_group": 2}),
    create_game("odd", 2, {"min_group": 3}),
    create_game("odd", 2, {"board": "square", "min_group": 2}),
]
LARGER = [
    create_game("yodd", 3),
    create_game("xodd", 4),
    create_game("odd", 3, {"min_group": 2}),
    create_game("odd", 4, {"board": "square", "min_group": 3}),
]

KNOWN = defaultdict(dict)
"""What minimax has found, by game."""


@cache
def solver(game):
    return Solver(game, 1 << 14)


def agrees(position):
    """The solver's winner is minimax's, and its turn keeps the win; a lost side gets no turn."""
    game = position.game
    found = solver(game).solve(DropPosition(position))
    assert found.winner is winner(position, KNOWN[game])
    if found.winner is position.to_move:
        assert winner(position.play(found.turn), KNOWN[game]) is found.winner
    else:
        assert found.turn is None


@pytest.mark.parametrize("game", SMALL, ids=str)
def test_small_boards_agree_with_minimax_from_the_start(game):
    agrees(game.start())


@given(st.sampled_from(SMALL), st.integers(1, 5), st.randoms(use_true_random=False))
@settings(max_examples=60)
def test_random_games_on_small_boards_agree_with_minimax(game, turns, random):
    agrees(walked(game, random, turns, to_the_end=False))


@given(st.sampled_from(LARGER), st.integers(1, 4), st.randoms(use_true_random=False))
@settings(max_examples=60)
def test_endgames_of_larger_boards_agree_with_minimax(game, empty, random):
    agrees(strewn(game, random, empty))


@given(st.integers(1, 3), st.randoms(use_true_random=False))
@settings(max_examples=30)
def test_positions_inside_a_turn_agree_with_the_turns_that_contain_the_drop(empty, random):
    game = LARGER[random.randrange(2)]
    position = strewn(game, random, empty)
    for action in DropPosition(position).actions():
        inside = DropPosition(position).act(action)
        if inside.drops:
            after = [position.play(turn) for turn in position.turns_with(inside.drops[0])]
            wins = position.to_move in {winner(p, KNOWN[game]) for p in after}
            found = solver(game).solve(inside)
            assert (found.winner is position.to_move) == wins
            if wins:
                assert inside.drops[0] in found.turn.drops


def random_pieces(game, random, most):
    """A position of Ayu with a few pieces anywhere, without a past."""
    points = random.sample(range(len(game.board)), 2 * random.randint(1, most))
    pieces = [EMPTY] * len(game.board)
    for number, index in enumerate(points):
        pieces[index] = 1 + number % 2
    return AyuPosition(game, bytes(pieces), random.choice(tuple(Colour)))


@pytest.mark.sampled
@given(st.sampled_from([3, 5]), st.randoms(use_true_random=False))
@settings(max_examples=50)
def test_ayu_agrees_with_sets_of_won_positions(size, random):
    game = create_game("ayu", size)
    position = random_pieces(game, random, 4 if size == 3 else 2)
    if not position.is_over:
        found = solver(game).solve(DropPosition(position))
        assert found.winner is winner_of_ayu(position)


def test_ayu_where_positions_can_come_back():
    assert solve(DropPosition(cycle_start())).winner is winner_of_ayu(cycle_start())


@given(st.randoms(use_true_random=False))
@settings(max_examples=80)
def test_the_past_counts_in_ayu(random):
    """Any position with as many units may have been before; to come to it again is a draw."""
    game = create_game("ayu", 3)
    position = random_pieces(game, random, 4)
    later, keys = [position], []
    for one in later:
        after = [one.play(turn) for turn in one.legal_turns()]
        after = [next_ for next_ in after if next_.group_counts == position.group_counts]
        keys += [next_.key for next_ in after]
        later += after
    past = frozenset(random.sample(keys, (len(keys) + 1) // 2)) - {position.key}
    position = AyuPosition(game, position.stones, position.to_move, earlier=past)
    if position.is_over:
        return
    found = solver(game).solve(DropPosition(position))
    assert found.winner is winner_by_every_path(position)
    if found.winner is position.to_move or found.winner is None:
        assert winner_by_every_path(position.play(found.turn)) is found.winner


def test_with_the_pie_rule_the_second_player_takes_the_winning_side():
    game, plain = Ayu(3, pie=True), Ayu(3)
    assert solve(DropPosition(game.start())).winner is Colour.WHITE
    for turn in game.start().legal_turns():
        position = game.start().play(turn)
        found = solve(DropPosition(position))
        assert found.winner is Colour.WHITE
        white_wins = solve(DropPosition(plain.start().play(turn))).winner is Colour.WHITE
        assert (found.turn == SWAP) != white_wins


def test_a_limit_of_nodes_or_time_gives_up():
    start = DropPosition(create_game("yodd", 3).start())
    search = solver(start.start.game)
    assert search.solve(start, node_limit=100) is None
    assert search.nodes == 100
    assert search.solve(start, seconds=1e-9) is None


def test_progress_is_told_in_rising_numbers_of_nodes():
    told = []
    start = DropPosition(create_game("xodd", 3).start())
    found = Solver(start.start.game).solve(start, progress=told.append)
    assert told[0] == 0
    assert told == sorted(told)
    assert told[-1] <= found.nodes


def test_a_game_that_is_over_cannot_be_solved():
    with pytest.raises(ValueError, match="the game is over"):
        solve(DropPosition(played("xodd", 2, "Ba1", "Wb1,Wa2", "pass", "pass")))


def test_plain_python_gives_the_same_answer():
    program = (
        "from oddly import create_game\n"
        "from oddly.engines.solver.solve import solve\n"
        "from oddly.games.drop_level import DropPosition\n"
        "for name, size in (('odd', 2), ('ayu', 3)):\n"
        "    found = solve(DropPosition(create_game(name, size).start()))\n"
        "    print(found.winner, found.nodes)\n"
    )
    done = run_python("-W", "error", "-c", program, NUMBA_DISABLE_JIT="1")
    assert done.stderr == ""
    found = [solve(DropPosition(played(*game))) for game in (("odd", 2), ("ayu", 3))]
    assert done.stdout == "".join(f"{one.winner} {one.nodes}\n" for one in found)


@pytest.mark.parametrize("game", [create_game("yodd", 2), create_game("xodd", 3)], ids=str)
@given(st.integers(1, 3), st.randoms(use_true_random=False))
@settings(max_examples=10)
def test_who_wins_by_a_margin_is_the_winner_of_the_solver(game, empty, random):
    position = strewn(game, random, empty)
    won_by, margin = perfect_margin(position)
    assert won_by is PlainSolver(game, 1000).solve(DropPosition(position)).winner
    assert margin >= 1


def test_on_a_full_board_the_count_stands():
    yodd = create_game("yodd", 2)
    # Two passes are still to come.
    full = yodd.set_up([1, 1, 1, 1, 2, 2, 1], Colour.WHITE, Status())
    won_by, margin = perfect_margin(full)
    assert margin == full.group_counts.lead(won_by)
    assert perfect_margin(yodd.start()) is perfect_margin(create_game("ayu", 3).start()) is None
    assert MAX_EMPTY >= 3


@pytest.mark.parametrize("limit", [0, -1, math.nan])
def test_a_limit_that_is_not_above_0_is_refused(limit):
    start = create_game("yodd", 2).start()
    with pytest.raises(ValueError, match=rf"^seconds must be above 0, not {limit}$"):
        solve(start, seconds=limit)
    with pytest.raises(ValueError, match=rf"^node_limit must be above 0, not {limit}$"):
        solve(start, limit)

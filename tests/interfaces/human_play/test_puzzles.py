"""The puzzles that ship: how many there are, and a sample of them proven again."""

from collections import Counter

import pytest

from oddly.engines.solver.solution import PlainSolver
from oddly.engines.solver.solve import solver_of
from oddly.games.drop_level import DropPosition
from oddly.interfaces.human_play.lesson import puzzles
from tests.sampling import drawn

BOARDS = ("yodd 3", "yodd 4", "xodd 4", "xodd 5", "odd 3", "odd 4", "ayu 5", "ayu 7")
EVERY = puzzles()
PLAIN_NODES = 20_000


def winner_after(position, turn, solver, nodes=None):
    """Who wins after the turn; False if the solver gives up."""
    after = position.play(turn)
    if after.is_over:
        return after.result.winner
    solution = solver.solve(DropPosition(after), nodes)
    return False if solution is None else solution.winner


def some(number):
    """Puzzles of each board, drawn by the commit."""
    of_boards = [[name for name in EVERY if title(name) == board] for board in BOARDS]
    return [name for names in of_boards for name in drawn(names, number)]


def title(name):
    start = EVERY[name].lesson.start
    return f"{start.game.name} {start.game.size}"


def test_there_are_two_hundred_of_each_board_and_all_grades():
    assert Counter(map(title, EVERY)) == dict.fromkeys(BOARDS, 200)
    assert {puzzle.grade for puzzle in EVERY.values()} == {1, 2, 3, 4, 5}
    assert len({(title(name), EVERY[name].lesson.start.key) for name in EVERY}) == len(EVERY)


@pytest.mark.parametrize("board", BOARDS)
@pytest.mark.parametrize(
    "chosen",
    [
        pytest.param(lambda: some(4), marks=pytest.mark.sampled, id="some"),
        pytest.param(lambda: EVERY, marks=pytest.mark.soak, id="all"),
    ],
)
def test_exactly_one_turn_wins(board, chosen):
    names = [name for name in chosen() if title(name) == board]
    solver = solver_of(EVERY[names[0]].lesson.start.game)
    for name in names:
        lesson = EVERY[name].lesson
        start = lesson.start
        turns = list(start.legal_turns())
        winning = [t for t in turns if winner_after(start, t, solver) is start.to_move]
        assert [lesson.steps[0].solution] == winning, name
        assert lesson.follow(winning).is_solved
        assert lesson.follow([t for t in turns if t not in winning][:1]).missed


def test_plain_rules_say_the_same():
    proven = 0
    for name in some(1):
        lesson = EVERY[name].lesson
        start, right = lesson.start, lesson.steps[0].solution
        solver = PlainSolver(start.game, 100_000)
        others = [turn for turn in start.legal_turns() if turn != right][:3]
        for turn in (right, *others):
            winner = winner_after(start, turn, solver, PLAIN_NODES // 20)
            if winner is not False:
                proven += 1
                assert (winner is start.to_move) == (turn == right), (name, turn)
    assert proven >= len(BOARDS)

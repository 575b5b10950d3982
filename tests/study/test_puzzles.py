"""Puzzles are found, the same ones for a seed, and a tie or a second way to win is none."""

from oddly.engines.solver.solution import PlainSolver
from oddly.games.catalogue import create_game
from oddly.study.puzzles import FoundPuzzle, only_winning_turn, some_puzzles

ODD = create_game("odd", 3)


def test_a_seed_always_finds_the_same_puzzles():
    steps = []
    found = some_puzzles(ODD, 3, 5, steps.append)
    assert [puzzle.facts() for puzzle in some_puzzles(ODD, 3, 5)] == [p.facts() for p in found]
    assert steps[-1] == 3
    assert sorted(puzzle.missed for puzzle in found) == [puzzle.missed for puzzle in found]
    for puzzle in found:
        assert only_winning_turn(puzzle.position, PlainSolver(ODD, 100_000)) == puzzle.turn


def test_a_second_way_to_win_is_no_puzzle():
    game = create_game("xodd", 2)
    # Black wins anywhere, or nowhere: by symmetry there is no only turn.
    assert only_winning_turn(game.start(), PlainSolver(game, 10_000)) is None


def test_grades_go_by_what_is_missed():
    grades = [FoundPuzzle(ODD.start(), None, missed).grade for missed in (0, 0.2, 0.25, 0.8, 1)]
    assert grades == [1, 1, 2, 4, 5]

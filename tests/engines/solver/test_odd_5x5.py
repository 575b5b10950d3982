"""Odd 5x5, whose openings come with oddly: what they say, and how they are used."""

import json
import random
from dataclasses import replace
from itertools import combinations, count, product

import pytest

from oddly.engines import rave_engine
from oddly.engines.search.endgame import Endgame
from oddly.engines.search.thinking_time import TIME_PART
from oddly.engines.solver import solution
from oddly.engines.solver.odd_endings import is_an_ending, winning_drop
from oddly.engines.solver.solution import (
    SHIPPED,
    database_for,
    folder_name,
    known_solution,
    without_databases,
)
from oddly.engines.solver.solve import ending_when, solver_of
from oddly.games.drop_level import DropPosition
from oddly.games.turns import Colour
from tests.engines.solver.test_odd_endings import FIVE, compiled_only, searched
from tests.engines.talking import engine_with
from tests.games.positions import strewn
from tools.gpu.__main__ import RESULTS


def test_odd_5x5_comes_with_oddly():
    database = database_for(FIVE)
    assert database.folder.path == SHIPPED.absolute() / folder_name(FIVE, every=True)
    assert database.check(300, seed=random.randrange(2**32)) == 300
    size = sum(file.stat().st_size for file in database.folder.path.iterdir())
    assert size < 500_000
    assert json.loads((database.folder.path / "database.json").read_text())["most"] == 6


def test_black_wins_odd_5x5_up_to_groups_of_10():
    for threshold in range(1, 27):
        game = replace(FIVE, min_group=threshold)
        winner = database_for(game).winner(game.start())
        assert winner is (Colour.BLACK if threshold <= 10 else Colour.WHITE)


@pytest.mark.parametrize("threshold", range(1, 14))
def test_the_openings_are_counted_as_by_the_program_for_a_graphics_card(threshold):
    counted = json.loads(RESULTS.read_text(encoding="utf-8"))[f"odd 5 {threshold}"]
    table = database_for(FIVE).table
    for number in range(3):
        wins = 0
        for cells in combinations(range(25), number):
            for colours in product(tuple(Colour), repeat=number):
                stones = bytearray(25)
                for cell, colour in zip(cells, colours, strict=True):
                    stones[cell] = colour
                wins += table.mover_wins(stones, threshold)
        assert counted["mover_wins"][number] == wins


def test_one_first_turn_loses_where_black_wins_and_to_one_reply():
    """With groups of 5, a stone diagonally beside the centre loses to its opposite alone."""
    losing = []
    for threshold in range(1, 11):
        game = replace(FIVE, min_group=threshold)
        database = database_for(game)
        for turn in game.start().legal_turns():
            after = game.start().play(turn)
            if database.winner(after) is Colour.WHITE:
                replies = [
                    str(reply)
                    for reply in after.legal_turns()
                    if database.winner(after.play(reply)) is Colour.WHITE
                ]
                losing.append((threshold, str(turn), replies))
    colours, opposite = {"B": "W", "W": "B"}, {"b2": "d4", "d4": "b2", "b4": "d2", "d2": "b4"}
    assert sorted(losing) == sorted(
        (5, colour + cell, [colours[colour] + opposite[cell]])
        for colour in colours
        for cell in opposite
    )


@compiled_only
def test_what_an_opening_lacks_is_found_if_there_is_time():
    position = strewn(FIVE, random.Random(4), 13)
    assert is_an_ending(position)
    assert known_solution(position, 0) is None
    assert known_solution(position).winner is searched(position).winner
    with without_databases():
        assert known_solution(position) is None
        assert database_for(FIVE) is None


@compiled_only
def test_what_an_opening_lacks_is_not_found_past_its_time_nor_when_it_is_stopped(monkeypatch):
    position = strewn(FIVE, random.Random(4), 13)
    assert known_solution(position, 60.0, ending_when(lambda: False)) is not None
    assert known_solution(position, 60.0, ending_when(lambda: True)) is None
    monkeypatch.setattr(solution, "monotonic", count().__next__)
    assert known_solution(position, 0.5) is None


@compiled_only
def test_rave_stops_at_once_and_gives_its_proofs_half_of_its_time_together(monkeypatch):
    position = strewn(FIVE, random.Random(6), 13)
    at, engine = DropPosition(position), engine_with("rave", FIVE, memory=8)
    assert engine.solve(at, 60.0) == known_solution(position).turn is not None
    engine.is_stopped = lambda: True
    assert engine.solve(at, 60.0) is None
    given = []
    monkeypatch.setattr(
        Endgame, "winning_turn", lambda _, at, seconds, *rest: given.append(seconds)
    )
    monkeypatch.setattr(rave_engine, "monotonic", count(step=20).__next__)
    engine.solve(at, 60.0)
    engine.solve(at, 30.0)
    engine.solve(at, None)
    assert given == [TIME_PART * 60.0 - 20, 0.0, None]


@compiled_only
def test_rave_never_lets_go_of_a_win_on_5x5():
    engine = engine_with("rave", FIVE, simulations=1, memory=8)
    draw = random.Random(6)
    some = (strewn(FIVE, draw, 13) for _ in range(12))
    won = [each for each in some if known_solution(each).turn][:4]
    for start in won:
        engine.new_game()
        position = start
        while not position.is_over:
            turns = list(position.legal_turns())
            ours = position.to_move is start.to_move
            position = position.play(engine.choose(position) if ours else draw.choice(turns))
        assert position.result.winner is start.to_move


@compiled_only
def test_rave_plays_the_one_reply_to_a_first_stone_beside_the_centre():
    engine = engine_with("rave", FIVE, simulations=1, memory=8)
    assert str(engine.choose(FIVE.start().play("Bb2"))) == "Wd4"


@compiled_only
@pytest.mark.soak
@pytest.mark.parametrize("part", range(20))
def test_ten_thousand_positions_of_5x5_have_the_winner_of_the_search(part):
    draw = random.Random(f"5x5 {part}")
    for number in range(500):
        game = replace(FIVE, min_group=draw.randint(1, 14))
        position = strewn(game, draw, 1 + number % 16)
        found = solver_of(game, 64).solve(DropPosition(position))
        assert found.winner is searched(position).winner


@compiled_only
@pytest.mark.soak
def test_the_openings_end_where_the_endings_begin():
    """Positions of six stones: the table that comes with oddly, and all fillings of the rest."""
    draw = random.Random("six")
    for _ in range(40):
        game = replace(FIVE, min_group=draw.randint(1, 16))
        position = strewn(game, draw, 19)
        winner = database_for(game).winner(position)
        assert (winning_drop(position) is not None) == (winner is position.to_move)

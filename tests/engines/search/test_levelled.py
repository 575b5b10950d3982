"""Levels for people: weaker the lower they are, quick, and never silly."""

import random
from collections import Counter

import pytest

from oddly.engines.levels import (
    HIGHEST,
    NAMES,
    SECONDS_AT_THE_HIGHEST,
    SIMULATIONS,
    levels,
    obvious_win,
    sampled,
    think_briefly,
)
from oddly.engines.rave_engine import RaveEngine, tuned_for
from oddly.engines.search.plain_searcher import PlainSearcher
from oddly.engines.search.settings import LOST_WINS, Finding, Vote
from oddly.games.catalogue import GAMES, create_game
from oddly.games.turns import PASS, Colour
from oddly.protocol import parse_time_control
from tests.engines.search.test_endgame import near_the_end
from tests.engines.solver.minimax import winner
from tests.engines.talking import Talker, engine_with
from tests.games.positions import SIZES, played


def at_level(level: int, seed: int = 1):
    return engine_with("rave", level=level, seed=seed)


@pytest.mark.parametrize("name", SIZES)
def test_every_level_thinks_more_and_is_rated_higher_than_the_one_below(name):
    ladder = levels(create_game(name))
    assert [level.number for level in ladder] == list(range(1, HIGHEST + 1))
    assert str(ladder[0]) == f"level 1, {NAMES[0]}"
    simulations = [level.simulations for level in ladder[:-1]]
    assert simulations == sorted(set(simulations))
    assert simulations[0] > 0
    assert ladder[-1].simulations == 0
    temperatures = [level.temperature for level in ladder]
    assert temperatures == sorted(temperatures, reverse=True)
    assert temperatures[-1] == 0
    ratings = [level.rating for level in ladder if level.rating is not None]
    assert ratings == sorted(set(ratings))


def test_all_our_games_have_levels():
    assert set(SIMULATIONS) == set(GAMES.values())


def test_the_softmax_prefers_what_was_tried_more_and_never_draws_what_is_lost():
    votes = {1: Vote(40, 20, 20), 2: Vote(20, 10, 10), 3: Vote(0, 0, 0), 4: Vote(90, LOST_WINS, 0)}
    draw = random.Random(1)
    drawn = Counter(sampled(votes, 0.5, draw) for _ in range(1000))
    assert set(drawn) == {1, 2}
    assert 3 < drawn[1] / drawn[2] < 5.4
    assert sampled({4: votes[4]}, 0.5, draw) is None


@pytest.mark.parametrize("plain", [False, True])
def test_a_level_draws_at_its_own_temperature(plain, monkeypatch):
    drawn_at = []

    def draw(votes, temperature, random):
        drawn_at.append(temperature)
        return sampled(votes, temperature, random)

    monkeypatch.setattr("oddly.engines.rave_engine.sampled", draw)
    start = create_game("odd", 3).start()
    for number in (1, 9):
        drawn_at.clear()
        engine_with("rave", level=number, plain=plain).choose(start)
        assert set(drawn_at) == {levels(start.game)[number - 1].temperature}


@pytest.mark.sampled
@pytest.mark.parametrize("stands_in", [False, True])
def test_a_turn_that_chance_chose_has_no_evaluation(stands_in, monkeypatch):
    monkeypatch.setattr(RaveEngine, "stands_in", lambda _: stands_in)
    engine = engine_with("rave", level=5, plain=True)
    for least_tried in (False, True, False):

        def draw(votes, temperature, random, least_tried=least_tried):
            return min(votes, key=lambda each: votes[each].visits) if least_tried else None

        monkeypatch.setattr("oddly.engines.rave_engine.sampled", draw)
        engine.choose(create_game("odd", 3).start())
        assert (engine.last_evaluation() is None) is least_tried


def test_chance_may_choose_what_the_search_did():
    found = Finding(3, 100, 0.5, False)
    assert found.instead(3) == found
    assert found.instead(4) == Finding(4, 100, 0.5, False, is_drawn=True)


@pytest.mark.parametrize(("name", "level"), [("yodd", 1), ("xodd", 10)])
def test_no_level_loses_by_passing_and_all_win_by_it(name, level):
    engine, passes = at_level(level), 0
    for seed in range(12):
        position = near_the_end(create_game(name, SIZES[name]), 5, seed)
        turn = engine.choose(position)
        black, white = position.group_counts
        is_behind = (black > white) == (position.to_move is Colour.BLACK)
        assert not (turn == PASS and is_behind and next(position.first_drops(), None))
        if not is_behind and not position.play(PASS).is_over:
            passes += engine.choose(position.play(PASS)) != PASS
    assert passes > 0


@pytest.mark.parametrize(("name", "level"), [("yodd", 10), ("xodd", 1), ("odd", 1)])
def test_no_level_throws_its_last_turns_away(name, level):
    engine = at_level(level)
    for seed in range(8):
        position = near_the_end(create_game(name, SIZES[name]), 2, seed)
        if winner(position, {}) is position.to_move:
            assert winner(position.play(engine.choose(position)), {}) is position.to_move


def test_every_level_sees_the_move_that_joins_its_last_units():
    position = create_game("ayu", 5).start()
    seen = 0
    draw = random.Random(4)
    while not position.is_over:
        turn = obvious_win(position)
        if turn is not None:
            seen += 1
            after = position.play(turn)
            for reply in after.legal_turns():
                end = after.play(reply)
                assert end.is_over
                assert end.result.winner is position.to_move
        position = position.play(draw.choice(list(position.legal_turns())))
    assert seen > 0


def test_a_second_pass_wins_at_once():
    assert obvious_win(played("xodd", 2, "Ba1", "Bb2,Wa2", "pass")) == PASS


def test_a_level_is_an_option_and_forgets_how_much_memory_a_search_had():
    talk = Talker(at_level(0))
    assert "level type integer default 0 min 0 max 10" in talk("list_options")
    refused = talk.refused("set_option level 11")
    assert refused.startswith("option level is a whole number from 0 to 10")
    talk("set_option level 3")
    talk("genmove b")


def test_levels_play_other_games_from_equal_seeds_only():
    game = create_game("yodd", 3)
    turns = {seed: str(at_level(3, seed).choose(game.start())) for seed in range(4)}
    assert len(set(turns.values())) > 1
    assert turns[1] == str(at_level(3, 1).choose(game.start()))


@pytest.mark.parametrize("name", SIZES)
def test_the_highest_level_is_the_engine_with_a_second_a_turn(name):
    position = create_game(name, SIZES[name]).start()
    engine, full = (engine_with("rave", level=level, judge=0.5) for level in (HIGHEST, 0))
    full.time.control = parse_time_control("1")
    assert engine._allotment(position) == full._allotment(position)
    assert engine.goes_all_out
    assert engine.settings(position.game) == full.settings(position.game)
    assert engine.program(position.game) == full.program(position.game)
    assert engine.megabytes == full.megabytes


@pytest.mark.parametrize("level", [1, HIGHEST - 1])
def test_every_other_level_is_weaker(level):
    game = create_game("yodd", 4)
    engine = engine_with("rave", level=level, judge=0.5, learning="always")
    assert not engine.goes_all_out
    assert not engine.learns(game)
    assert engine.settings(game).judge_share == 0
    assert engine.settings(game).trust == 0


@pytest.mark.parametrize(("clock", "is_shorter"), [("0.2", True), ("5", False), ("600+5", False)])
def test_the_highest_level_keeps_to_the_clock_too(clock, is_shorter):
    position = create_game("xodd", 6).start()
    engine, full = at_level(HIGHEST), at_level(0)
    engine.time.control = full.time.control = parse_time_control(clock)
    mine, its = engine._allotment(position), full._allotment(position)
    assert (mine == its) is is_shorter
    assert mine.wished <= mine.most <= SECONDS_AT_THE_HIGHEST


def test_the_highest_level_makes_as_many_simulations_as_it_is_told():
    assert at_level(HIGHEST)._allotment(create_game("yodd", 4).start()) is not None
    told = engine_with("rave", level=HIGHEST, simulations=50)
    assert told._allotment(create_game("yodd", 4).start()) is None


def test_a_level_ends_its_thoughts_when_its_time_is_over():
    game = create_game("odd", 3)
    searcher = PlainSearcher(game)
    found = think_briefly(searcher, tuned_for(game), 1000, 0.0)
    assert found.simulations == 1
    assert think_briefly(searcher, tuned_for(game), 7, 60.0).simulations == 7

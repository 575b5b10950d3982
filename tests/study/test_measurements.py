"""Measurements of a study on games that are known."""

from collections import Counter
from random import Random

import numpy as np
import pytest

from oddly.engines.solver.solution import PlainSolver
from oddly.games.catalogue import create_game
from oddly.games.drop_level import DropPosition
from oddly.games.turns import PASS, SWAP, Colour
from oddly.protocol.notation import parse_turn
from oddly.study import puzzles
from oddly.study.choices import by_lot, chosen, chosen_above_average, judge, sampled
from oddly.study.complexity import log_positions, positions_in_play, tree_by_product
from oddly.study.evaluator import Evaluator
from oddly.study.game_course import group_chart, kind_table
from oddly.study.game_properties import ReplayedGame, first_turn_kinds, replayed
from oddly.study.leads import (
    EvaluatedGame,
    change_share,
    changes,
    course_chart,
    evaluate_game,
    lead_table,
    winners_points,
)
from oddly.study.playing import Purpose, by_pairing, changed_options, event_facts, make_plan
from oddly.study.puzzles import FoundPuzzle, only_winning_turn, some_puzzles
from oddly.study.scores import draw_share, first_player_share, share_of
from tests.study.random_records import random_record, small_games

PUZZLED = create_game("odd", 3)


def nothing():
    """A step that nobody is told of."""


def replayed_games(name, size, seeds, **settings):
    """Random games, replayed."""
    game = create_game(name, size, settings)
    return replayed([random_record(game, seed) for seed in seeds])


@pytest.mark.parametrize("game", small_games(), ids=str)
def test_kinds_of_first_turns_part_them_all(game):
    legal = set(game.start().legal_turns())
    found = first_turn_kinds(game)
    assert set().union(*found) == legal
    assert sum(map(len, found)) == len(legal)


def test_an_empty_hexhex_board_of_base_2_has_four_kinds_of_first_drops():
    assert sorted(map(len, first_turn_kinds(create_game("yodd", 2)))) == [1, 1, 6, 6]
    assert sorted(map(len, first_turn_kinds(create_game("odd", 2)))) == [2, 12]


def test_leads_change_when_the_other_side_is_ahead():
    assert changes([0.6, 0.4, 0.45, 0.7]) == 2
    assert changes([0.6, 0.5, 0.7]) == 0
    assert changes([0.8, 0.4, 0.9], margin=0.2) == 0
    assert changes([0.8, 0.4, 0.2, 0.9], margin=0.2) == 2
    course = EvaluatedGame((0.9, 0.5, 0.2, 0.7, 0.2), ())
    assert course.leads == pytest.approx((0.7, 0.35, 0.45, 0.45))
    assert change_share([course]).value == 1 / 4


def test_a_course_ends_on_the_side_of_the_winner():
    (played,) = replayed_games("yodd", 2, [3])
    course = evaluate_game(played, Evaluator(create_game("yodd", 2), "rave", 400), 1, nothing)
    assert len(course.first_player) == len(played.turns) + 1
    assert all(0 <= value <= 1 for value in course.first_player)
    assert course.first_player[-1] == float(played.last.result.winner is Colour.BLACK)
    # On the first turn a pass is illegal, and passes are not set beside themselves.
    passes = played.turns.count(PASS)
    assert len(course.worth) == len(played.turns) - passes - 1


def test_the_leads_of_a_game_with_a_swap_are_those_of_players():
    """The second player, who swaps, wins whatever the first one does, and never trails."""
    game = create_game("ayu", 3, {"pie": True})
    positions, turns = [game.start()], [parse_turn(word) for word in ("b1-b2", "swap", "a2-a1")]
    for turn in turns:
        positions.append(positions[-1].play(turn))
    assert positions[-1].result.winner is Colour.BLACK
    played = ReplayedGame(tuple(positions[:-1]), tuple(turns), positions[-1])
    course = evaluate_game(played, Evaluator(game, "rave", 400), 1, nothing)
    assert course.first_player == (0, 0, 0, 0)
    assert winners_points(course) == (1, 1, 1)
    assert "the first player's expected points" in lead_table(game, [course], 400).note
    assert course_chart(game, [course], 400).up == "The first player's expected points"


def test_a_pass_that_ends_the_game_is_worth_all_or_nothing():
    game = create_game("yodd", 2)
    position = game.start().play(parse_turn("Bb2")).play(PASS)
    # Black has one group to none, which loses: to drop a second white one is better.
    after = position.play(parse_turn("Wa2,Wc2"))
    played = ReplayedGame((position,), (parse_turn("Wa2,Wc2"),), after)
    course = evaluate_game(played, Evaluator(game, "rave", 2000), 1, nothing)
    assert course.worth == (course.first_player[1],)


@pytest.mark.parametrize("engine", ["rave", "uct", "greedy"])
def test_an_evaluation_knows_who_wins_at_once(engine):
    (played,) = replayed_games("odd", 2, [5], min_group=2)
    last = DropPosition(played.positions[-1])
    evaluator = Evaluator(last.start.game, engine, 50)
    values = {evaluator.after(last, action, 1) for action in last.actions()}
    assert values <= {0.0, 1.0}
    best = max(values) if last.start.to_move == 1 else 1 - max(values)
    assert evaluator.for_black(last, 1) == best


def test_actions_are_chosen_more_often_than_the_average_or_not():
    # 8 choices of 4 actions, of which the last was never made: 2 is the average.
    assert chosen_above_average([np.array([3, 1, 0]), np.array([2, 0, 2])], 4) == 1
    # By lot each is made in each game with probability 1/2 or 1/4, and more than 1 or 1/2 times
    # in a quarter, or in all but 9/16, of the cases.
    assert by_lot([Counter({"a": 1, "b": 1}), Counter({"a": 1, "c": 1})], 4).value == 1
    assert by_lot([Counter({"a": 1}), Counter({"b": 1})], 4).value == round(4 * 7 / 16)
    assert by_lot([], 4) is None
    (played,) = replayed_games("yodd", 2, [3])
    counts = chosen(played)
    assert counts.total() == sum(map(len, played.actions()))
    assert counts[PASS] >= 2


def test_a_position_with_one_winning_action_has_one_good_action():
    game = create_game("yodd", 2)
    judged = judge(DropPosition(game.start()), 0, 0, Evaluator(game, "rave", 3000), 1, nothing)
    assert judged.actions == 14
    assert judged.only
    assert judged.good == 1 / 14
    assert judged.bad == 13 / 14


def test_positions_are_sampled_from_all_thirds_and_never_twice():
    games = replayed_games("xodd", 3, range(3))
    places = sampled(games, 9, Random(1))
    assert len(set(places)) == 9
    thirds = Counter(3 * turn // len(games[game].turns) for game, turn in places)
    assert thirds == {0: 3, 1: 3, 2: 3}
    assert len(sampled(games, 10_000, Random(1))) == sum(len(game.turns) for game in games)


def test_points_are_counted_by_seat_and_by_name():
    game = create_game("ayu", 3)
    records = [
        random_record(game, 1, ("a", "b"), winner=0),
        random_record(game, 2, ("b", "a"), winner=0),
        random_record(game, 3, ("a", "b"), winner=None),
    ]
    assert first_player_share(records).value == pytest.approx(2.5 / 3)
    assert share_of("a", records).value == share_of("b", records).value == 0.5
    assert draw_share(records).value == pytest.approx(1 / 3)


def test_the_bound_on_positions_is_that_of_counting():
    odd = create_game("odd", 2)
    assert 10 ** log_positions(odd, 1).value == pytest.approx(3**7)
    ayu = create_game("ayu", 3)
    stones = ayu.start().stones
    assert (stones.count(1), stones.count(2)) == (2, 2)
    assert 10 ** log_positions(ayu, 1).value == pytest.approx(2 * 36 * 21)
    yodd = log_positions(create_game("yodd", 3), 1)
    assert 3**19 * 0.9 < 10**yodd.value < 3**19 * 1.1


def test_positions_met_again_are_counted_once():
    (played,) = replayed_games("odd", 2, [1])
    assert positions_in_play([played, played]).value == len(played.turns)
    assert tree_by_product([2.0, 4.0]).value == 3.0


def test_kinds_of_turns_add_up_and_groups_are_those_on_the_board():
    games = replayed_games("yodd", 3, range(3))
    table = kind_table(games)
    for column in (1, 2, 3):
        assert sum(row[column].value for row in table.rows) == pytest.approx(1)
    assert kind_table(replayed_games("odd", 2, [1])) is None
    black, white = group_chart(games).lines
    assert black.points[0][1].value + white.points[0][1].value == 1


def test_a_plan_grows_without_other_games():
    game = create_game("yodd", 3)
    plan = make_plan(game, "rave", (10, 20), games=3, seed=5)
    assert plan.levels == ("random", "rave 10", "rave 20")
    assert plan.rounds == 2
    more = make_plan(game, "rave", (10, 20), 3, 5, equal_games=(2, 8, 6))
    assert [pairing.rounds for pairing in more.pairings[:4]] == [1, 4, 3, 2]
    assert len(more.schedule()) == 2 * (1 + 4 + 3) + 4 * 9
    with pytest.raises(ValueError, match="2 numbers of games between equals for 3 players"):
        make_plan(game, "rave", (10, 20), 3, 5, equal_games=(2, 8))
    schedule = plan.schedule()
    assert len({scheduled.id for scheduled in schedule}) == len(schedule) == 4 * len(plan.pairings)
    first, *_, last = by_pairing(plan, schedule)
    assert {first.first, first.second} == {"random", "random again"}
    assert {last.first, last.second} == {"mirror copy", "rave 10"}
    longer = make_plan(game, "rave", (10, 20), games=5, seed=5).schedule()
    assert longer[: len(schedule)] == schedule
    assert Counter(pairing.purpose for pairing in plan.pairings) == {
        Purpose.EQUAL: 3, Purpose.LADDER: 2, Purpose.MIRROR: 7,
    }  # fmt: skip
    assert make_plan(game, "random", (10,), 2, 0).levels == ("random",)
    assert make_plan(game, "greedy", (10,), 2, 0).levels == ("random", "greedy")


def test_a_change_of_a_plan_is_said_in_the_options_of_the_command():
    xodd, odd = create_game("xodd", 2), create_game("odd", 2)
    old = event_facts(make_plan(xodd, "rave", (5, 10), games=4, seed=3))

    def changed(game=xodd, engine="rave", levels=(5, 10), games=4, seed=3):
        return changed_options(old, make_plan(game, engine, levels, games, seed))

    assert changed() == changed(levels=(1, 5, 10, 20), games=9) == []
    assert changed(levels=(5, 20)) == ["--levels was 5,10 and is 5,20 now"]
    assert changed(odd, seed=4) == [
        "--game was xodd 2 and is odd 2 (board hexhex, min_group 5) now",
        "--seed was 3 and is 4 now",
    ]
    assert changed(engine="uct", levels=(7,)) == ["--engine was rave and is uct now"]
    (said,) = changed(games=2)
    assert said.startswith("a pairing had 4 games and has at most 2 now")
    assert changed_options(old | {"format": "match"}, make_plan(odd, "uct", (1,), 2, 0)) == []


def test_a_seed_always_finds_the_same_puzzles():
    found = list(some_puzzles(PUZZLED, 3, 5))
    assert [puzzle.facts() for puzzle in some_puzzles(PUZZLED, 3, 5)] == [p.facts() for p in found]
    assert len(found) == 3
    for puzzle in found:
        assert only_winning_turn(puzzle.position, PlainSolver(PUZZLED, 100_000)) == puzzle.turn


def test_a_second_way_to_win_is_no_puzzle():
    game = create_game("xodd", 2)
    # Black wins anywhere, or nowhere: by symmetry there is no only turn.
    assert only_winning_turn(game.start(), PlainSolver(game, 10_000)) is None


def test_a_swap_may_be_the_only_turn_that_wins(monkeypatch):
    monkeypatch.setattr(puzzles, "FEWEST_TURNS", 3)
    game = create_game("ayu", 3, {"pie": True})
    swapped = game.start().play("b1-b2")
    assert only_winning_turn(swapped, PlainSolver(game, 10_000)) == SWAP


def test_grades_go_by_what_is_missed():
    grades = [FoundPuzzle(PUZZLED.start(), None, missed).grade for missed in (0, 0.2, 0.25, 0.8, 1)]
    assert grades == [1, 1, 2, 4, 5]

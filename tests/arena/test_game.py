"""A running game: any order of messages, repeated, late, from the future, and a crash anywhere."""

import random
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oddly.arena.game import Answered, ArenaGame, GamePlan
from oddly.arena.sessions import SLACK
from oddly.games import create_game, random_turn
from oddly.protocol import TurnEvaluation, parse_time_control
from oddly.referee import GameRecord, Termination, replay
from oddly.referee.justice.clock import ROUNDING, Clock, quota_rule
from oddly.tournaments.results.schedule import scheduled


def plan(control="5+0.1", game="xodd", size=3, opening=()):
    found = scheduled(1, create_game(game, size), 1, "Ann", "Bob", 7, "test", opening)
    return GamePlan(found, "pool", parse_time_control(control))


def begun(control="5+0.1", **options):
    game = ArenaGame(plan(control, **options), 100.0)
    assert not game.must_ask
    assert game.set_by(0)
    assert not game.set_by(0)
    assert game.set_by(1)
    assert game.must_ask
    return game


def turn_of(game, draw=None):
    return str(random_turn(game.position, draw or random.Random(len(game.turns))))


def play_on(game, now=100.0, seconds=0.1, lag=0.05, turns=1000):
    """Let both play at random. Returns the time."""
    while game.outcome is None and turns:
        game.ask(now)
        now += seconds + lag
        game.answer(game.mover, len(game.turns), turn_of(game), seconds, now, lag)
        turns -= 1
    return now


def is_sound(game):
    """The record is replayed by the rules, also after it was written and read."""
    record = game.record()
    assert GameRecord.from_json(record.as_json()).outcome == record.outcome
    replay(GameRecord.from_json(record.as_json()))
    return record


def test_a_whole_game():
    game = begun()
    play_on(game)
    record = is_sound(game)
    assert record.outcome.termination in (Termination.BOARD_FULL, Termination.DOUBLE_PASS)
    assert game.clocks[0].main == pytest.approx(5.0, abs=1e-9)
    assert sum(record.timing.credits.given) == pytest.approx(0.05 * len(record.turns))


def test_openings_are_played_for_the_players():
    opening = ("Bb3",)
    game = begun(opening=opening)
    assert (game.mover, game.texts()) == (1, opening)
    play_on(game)
    record = is_sound(game)
    assert (record.opening, record.turns[0].turn) == (1, "Bb3")


def test_a_turn_that_is_known_or_not_asked_for_is_ignored():
    game = begun()
    text = turn_of(game)
    assert game.answer(0, 0, text, 0.1, 101.0, 0.0) is Answered.IGNORED
    game.ask(101.0)
    assert game.answer(0, 0, text, 0.1, 101.5, 0.0) is Answered.ACCEPTED
    before = game.times_left(102.0)
    assert game.answer(0, 0, text, 0.1, 102.0, 0.0) is Answered.IGNORED
    assert game.answer(1, 0, text, 0.1, 102.0, 0.0) is Answered.IGNORED
    assert game.times_left(102.0) == before


@pytest.mark.parametrize(
    ("control", "used", "seconds", "periods"),
    [
        ("10+0", 4.0, 6.0, 0),
        ("10+0", 11.0, 0.0, 0),
        ("5", 4.0, 1.0, 0),
        ("10+5x3", 4.0, 21.0, 0),
        ("10+5x3", 11.0, 2.0, 5),
        ("0+5x3", 7.0, 2.0, 3),
        ("0+5x3", 14.0, 1.0, 1),
        ("0+5x3", 16.0, 0.0, 1),
        ("10+4/20", 9.0, 21.0, 0),
        ("10+4/20", 25.0, 5.0, 4),
        ("10+4/20", 31.0, 0.0, 4),
    ],
)
def test_the_mover_uses_up_main_time_and_periods_within_a_turn(control, used, seconds, periods):
    """The bug: periods stood still during a turn, and the clock showed 0 s while it ran."""
    game = begun(control)
    game.ask(100.0)
    other = Clock(parse_time_control(control)).left()
    now = game.times_left(100.0 + used)
    assert now.clocks == (pytest.approx(seconds), other[0])
    assert now.periods == (periods, other[1])


@pytest.mark.parametrize(("player", "number"), [(0, 1), (1, 0), (0, 7), (1, 8192)])
def test_a_turn_from_the_future_loses(player, number):
    game = begun()
    game.ask(100.0)
    assert game.answer(player, number, turn_of(game), 0.1, 101.0, 0.0) is Answered.OVER
    assert game.outcome.termination is Termination.PROTOCOL
    assert game.outcome.winner == 1 - player
    is_sound(game)


def test_an_illegal_turn_loses_with_the_board():
    game = begun()
    game.ask(100.0)
    assert game.answer(0, 0, "Bz99", 0.1, 101.0, 0.0) is Answered.OVER
    assert game.outcome.termination is Termination.ILLEGAL_TURN
    assert (game.outcome.winner, game.outcome.evidence) == (1, "Bz99")
    assert game.outcome.diagram
    is_sound(game)


def test_resignation():
    game = begun()
    game.ask(100.0)
    assert game.answer(0, 0, "resign", 0.1, 101.0, 0.0) is Answered.OVER
    assert (game.outcome.score, game.outcome.winner) == ("W+R", 1)
    is_sound(game)


def test_time_runs_out_when_no_credit_is_left():
    game = begun("0.3+0")
    game.ask(100.0)
    assert not game.look(100.29, 0.1)
    assert not game.look(100.39, 0.1)
    assert game.deadline(0.1) == pytest.approx(100.4)
    assert game.look(100.41, 0.1)
    assert game.outcome.termination is Termination.TIME
    assert game.answer(0, 0, turn_of(game), 0.0, 100.41, 0.1) is Answered.IGNORED
    is_sound(game)


def test_a_turn_behind_its_time_loses_whenever_somebody_looks():
    game = begun("0.3+0")
    game.ask(100.0)
    assert game.answer(0, 0, turn_of(game), 0.35, 100.37, 0.1) is Answered.OVER
    assert game.outcome.termination is Termination.TIME
    is_sound(game)


def test_lag_is_no_loss():
    game = begun("0.3+0")
    game.ask(100.0)
    assert game.answer(0, 0, turn_of(game), 0.28, 100.37, 0.1) is Answered.ACCEPTED
    assert game.counted[-1].credit == pytest.approx(0.09)
    assert game.clocks[0].main == pytest.approx(0.02)


def test_the_clock_stands_still_while_it_is_held():
    game = begun()
    game.ask(100.0)
    game.hold(101.0)
    assert game.used(500.0) == pytest.approx(1.0)
    assert not game.look(500.0, 0.0)
    game.release(500.0)
    assert game.used(501.0) == pytest.approx(2.0)
    assert game.answer(0, 0, turn_of(game), 2.0, 501.0, 0.0) is Answered.ACCEPTED
    assert game.clocks[0].main == pytest.approx(3.1)
    play_on(game, 501.0)
    is_sound(game)


@pytest.mark.parametrize(
    ("is_set", "forgiven", "termination", "winner"),
    [
        ((), (), Termination.VOID, None),
        ((0,), ("Bob",), Termination.VOID, None),
        ((0,), ("Ann",), Termination.NO_START, 0),
        ((1,), (), Termination.NO_START, 1),
    ],
)
def test_who_does_not_set_up_a_game_loses_from_the_second_time_on(
    is_set, forgiven, termination, winner
):
    game = ArenaGame(plan(), 0.0)
    for player in is_set:
        game.set_by(player)
    game.not_set(forgiven)
    assert (game.outcome.termination, game.outcome.winner) == (termination, winner)
    is_sound(game)


def test_evaluations_are_recorded():
    game = begun()
    game.ask(100.0)
    evaluation = TurnEvaluation(0.75, lead=2.0)
    game.answer(0, 0, turn_of(game), 0.1, 100.2, 0.0, evaluation)
    play_on(game, 101.0)
    assert is_sound(game).turns[0].evaluation == evaluation


steps = st.lists(
    st.tuples(
        st.sampled_from(["turn", "again", "ask", "look", "hold", "release", "crash", "illegal"]),
        st.floats(0, 1.2),
        st.floats(0, 2),
        st.floats(0, 0.6),
    ),
    max_size=60,
)


@given(steps, st.sampled_from(["1+0.1", "0.3+0", "2+2x1", "1+3/2", "2"]))
def test_any_order_of_events_gives_a_sound_game(events, control):
    game, now = begun(control), 100.0
    for kind, delay, took, justified in events:
        now += delay
        # The arena looks often.
        if not game.look(now, justified):
            game = happened(game, kind, now, took, justified)
    rule = quota_rule(parse_time_control(control))
    for player in (0, 1):
        mine = [turn for turn in game.counted if turn.number % 2 == player]
        assert sum(turn.credit for turn in mine) <= rule.start + rule.gain * len(mine) + ROUNDING
        assert all(turn.wait.taken >= 0 for turn in mine)
    if game.outcome is None:
        game.release(now)
        game.ask(now)
        game.answer(game.mover, len(game.turns), "resign", 0.0, now, 0.0)
        game.look(now + 1000, 0.0)
    is_sound(game)


def happened(game, kind, now, took, justified):
    """What becomes of a game by an event."""
    place, mover = len(game.turns), game.mover
    match kind:
        case "turn":
            game.answer(mover, place, turn_of(game), took, now, justified)
        case "again":
            game.answer(1 - mover, max(0, place - 1), "pass", took, now, 9)
        case "ask":
            game.ask(now)
        case "hold":
            game.hold(now)
        case "release":
            game.release(now)
        case "illegal" if game.asked is not None and place > 8:
            game.answer(mover, place, "Zq9", took, now, justified)
        case "crash":
            return restored(game)
    return game


def restored(game):
    """The game as it goes on after a crash, from what was written."""
    again = ArenaGame(game.plan, game.began)
    again.is_set = [*game.is_set]
    for turn in game.counted:
        again.restore(turn)
    if game.asked is not None:
        again.ask(game.asked)
        if game.held is not None:
            again.hold(game.held)
    assert again.texts() == game.texts()
    assert [clock.left() for clock in again.clocks] == [clock.left() for clock in game.clocks]
    assert [quota.left for quota in again.quotas] == [quota.left for quota in game.quotas]
    return again


@given(st.floats(0, 5), st.lists(st.floats(0, 3), max_size=40))
def test_a_liar_gains_at_most_its_quota(late_pongs, thinking):
    """It says that it took no time, and delays its pongs."""
    game, now = begun("5+0.1"), 100.0
    gained = 0.0
    for seconds in thinking:
        if game.outcome:
            break
        player = game.mover
        game.ask(now)
        before = game.clocks[player].main
        took = 0.0 if player == 0 else seconds
        justified = late_pongs + SLACK if player == 0 else 0.0
        now += seconds
        answered = game.answer(player, len(game.turns), turn_of(game), took, now, justified)
        if answered is Answered.ACCEPTED and player == 0:
            gained += game.clocks[0].main - (before - seconds + 0.1)
    rule = quota_rule(parse_time_control("5+0.1"))
    assert gained <= rule.start + rule.gain * len(game.counted) + 1e-6


def test_a_plan_is_a_value():
    assert replace(plan().scheduled) == plan().scheduled

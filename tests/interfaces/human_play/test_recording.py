"""The record of a game that people play, and its clock."""

import pytest

from oddly.games.catalogue import create_game
from oddly.games.turns import Colour
from oddly.interfaces.human_play.game_in_progress import GameInProgress
from oddly.interfaces.human_play.recording import PeopleClock, clock_text, record_of
from oddly.protocol.notation import parse_turn
from oddly.referee.justice.outcome import Termination

PLAYERS = ("first", "second")


def recorded(name, size, turns, settings=None, *, resigned=None):
    current = GameInProgress.of(create_game(name, size, settings))
    for turn in turns.split():
        current = current.play(parse_turn(turn))
    if resigned is not None:
        current = current.resign(resigned)
    return record_of(current, PLAYERS, ("", "engine 1"), [0.5] * len(current.turns), 7)


def test_an_unfinished_game_is_void():
    record = recorded("yodd", 2, "Bb2")
    assert record.outcome.is_void
    assert [(turn.colour, turn.turn, turn.seconds) for turn in record.turns] == [
        (Colour.BLACK, "Bb2", 0.5)
    ]
    assert (record.players, record.engines, record.seed) == (PLAYERS, ("", "engine 1"), 7)


def test_a_finished_game_has_its_winner():
    outcome = recorded("yodd", 2, "Bb2 pass pass").outcome
    assert (outcome.winner, outcome.winning_colour, outcome.score) == (1, Colour.WHITE, "W+1")


@pytest.mark.parametrize(("side", "winner"), [(Colour.BLACK, 1), (Colour.WHITE, 0)])
def test_a_resignation_names_who_resigned(side, winner):
    outcome = recorded("yodd", 2, "Bb2", resigned=side).outcome
    assert (outcome.winner, outcome.termination) == (winner, Termination.RESIGNATION)
    assert outcome.reason == f"{PLAYERS[1 - winner]}: resigned"


def test_after_a_swap_the_first_player_has_the_other_colour():
    turn = str(next(create_game("ayu", 5, {"pie": True}).start().legal_turns()))
    outcome = recorded("ayu", 5, f"{turn} swap", {"pie": True}, resigned=Colour.WHITE).outcome
    assert outcome.winner == 1


def test_it_reads_what_it_writes():
    clock = PeopleClock.of("600+5")
    assert (clock.main, clock.increment, str(clock)) == (600, 5, "600+5")


@pytest.mark.parametrize(
    "text", ["600", "9+0", "600.5+1", "600+5x30", "none", "ten", "604801+0", ""]
)
def test_other_clocks_are_refused_with_what_is_expected(text):
    with pytest.raises(
        ValueError, match=r"expected MAIN\+INCREMENT in whole seconds, as in 600\+5"
    ) as raised:
        PeopleClock.of(text)
    assert str(raised.value).endswith(f", not {text!r}")


def test_the_first_turn_of_the_game_is_free_and_each_other_one_adds():
    clock = PeopleClock.of("60+5")
    spent = [1000.0, 10.0, 20.0, 30.0]
    assert clock.left(0, spent) == 60 + 5 - 20
    assert clock.left(1, spent) == 60 + 5 - 10 + 5 - 30


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(3_905, "1 h 05 min"), (298.9, "4:58"), (20, "0:20"), (19.34, "19.3 s"), (-1, "0.0 s")],
)
def test_it_is_shown_as_precisely_as_needed(seconds, text):
    assert clock_text(seconds) == text

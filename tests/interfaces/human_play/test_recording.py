"""The record of a game that people play."""

import pytest

from oddly.games.catalogue import create_game
from oddly.games.turns import Colour
from oddly.interfaces.human_play.game_in_progress import GameInProgress
from oddly.interfaces.human_play.recording import record_of
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

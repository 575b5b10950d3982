"""Records of random games, as the referee would write them, without engines."""

from random import Random

from oddly.games.catalogue import create_game
from oddly.games.legal_turns import random_turn
from oddly.referee.justice.outcome import Outcome, Termination
from oddly.referee.justice.record import GameRecord, PlayedTurn

SMALL = [
    ("yodd", 2, {}),
    ("xodd", 3, {}),
    ("odd", 2, {"min_group": 2}),
    ("odd", 3, {"board": "square", "min_group": 2}),
    ("ayu", 3, {}),
    ("ayu", 5, {}),
]


def small_games():
    return [create_game(*board) for board in SMALL]


def random_record(game, seed, players=("one", "other"), winner=0):
    random, position, turns = Random(seed), game.start(), []
    while not position.is_over:
        turn = random_turn(position, random)
        turns.append(PlayedTurn(position.to_move, str(turn), 0.0))
        position = position.play(turn)
    outcome = Outcome(winner, None, str(position.result), Termination.DOUBLE_PASS, "", len(turns))
    return GameRecord(game, players, ("", ""), seed, tuple(turns), outcome)

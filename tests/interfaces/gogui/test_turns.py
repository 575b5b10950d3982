"""The turns between positions."""

from random import Random

import pytest

from games.catalogue import create_game
from games.sampling import random_turn
from games.turns import PASS, SWAP
from interfaces.gogui.turns import turns_of
from tests.interfaces.gogui.whole_game import BOARDS


@pytest.mark.parametrize("board", BOARDS)
def test_the_turns_of_a_game_are_found_in_its_positions(board):
    random = Random(board)
    kinds = set()
    for _ in range(5):
        line, turns = [create_game(*BOARDS[board]).start()], []
        while not line[-1].is_over:
            turn = SWAP if line[-1].is_legal(SWAP) else random_turn(line[-1], random)
            turns.append((line[-1].to_move, turn))
            line.append(line[-1].play(turn))
        assert turns_of(line) == turns
        kinds |= {turn for _, turn in turns} & {PASS, SWAP}
    assert (PASS in kinds) == (board in ("yodd", "xodd"))
    assert (SWAP in kinds) == board.endswith("pie rule")


def test_a_position_alone_has_no_turns():
    assert turns_of([create_game("yodd", 3).start()]) == []

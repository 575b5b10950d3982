"""The turns between positions, and those to positions that were set up."""

from random import Random

import pytest

from oddly.games.catalogue import create_game
from oddly.games.colour import Colour
from oddly.games.errors import GameError
from oddly.games.game import Status
from oddly.games.legal_turns import random_turn
from oddly.games.turns import PASS, SWAP
from oddly.interfaces.gogui.native_engine import turns_of, turns_to
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


def played(game, turns):
    position = game.start()
    for turn in turns:
        position = position.play(turn)
    return position


def positions_of(game, random):
    """The positions of a random game, as an SGF file sets them up, with either side to move."""
    position = game.start()
    while not position.is_over:
        for player in Colour:
            try:
                yield game.set_up(list(position.stones), player, Status())
            except GameError:
                continue
        position = position.play(random_turn(position, random))


@pytest.mark.parametrize("board", [board for board in BOARDS if not board.startswith("ayu")])
def test_turns_lead_to_every_position_of_drops(board):
    game, random = create_game(*BOARDS[board]), Random(board)
    found = 0
    for _ in range(4):
        for position in positions_of(game, random):
            turns = turns_to(position)
            lonely = sum(map(bool, position.stones)) == 1 and position.to_move is Colour.BLACK
            if lonely:
                assert turns is None
            else:
                assert played(game, turns).key == position.key
                found += 1
    assert found > 20


def test_in_ayu_only_the_start_is_known():
    game = create_game("ayu", 5)
    start = game.start()
    assert turns_to(start) == []
    assert turns_to(start.play(next(start.legal_turns()))) is None

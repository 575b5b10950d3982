"""Whole games between a clicking human and the computer, as GoGui's window would have them."""

import copy
from random import Random

import pytest

from oddly.engines.plain_engines import GreedyEngine, RandomEngine
from oddly.games.catalogue import create_game
from oddly.games.turns import PASS
from oddly.protocol.notation import gogui_vertex
from tests.interfaces.gogui.double import Gogui, talker
from tests.interfaces.gogui.whole_game import BOARDS, Mirror, play_to_the_end


def window(name, size, settings, engine=RandomEngine) -> Gogui:
    return Gogui(talker(name, size, **settings), talker(name, size, engine(), **settings))


@pytest.mark.sampled
@pytest.mark.parametrize("engine", [RandomEngine, GreedyEngine])
@pytest.mark.parametrize("board", BOARDS)
def test_gogui_is_shown_what_the_rules_say_all_game_long(board, engine):
    name, size, settings = BOARDS[board]
    random = Random(f"{board} {engine.name}")
    gogui = window(name, size, settings, engine)
    mirror = Mirror.of(name, size, settings)
    assert gogui.attach() == name.capitalize()
    shown = play_to_the_end(gogui, mirror, random)
    # A saved game opens in another window with all its moves, and as a mere position.
    other = window(name, size, settings, engine)
    other.attach()
    assert other.open(gogui.save()) == shown
    assert other.moves == gogui.moves
    assert other.program("gogui-rules_board") == shown.board


@pytest.mark.parametrize("board", BOARDS)
def test_a_position_that_an_sgf_file_sets_up_goes_on(board):
    name, size, settings = BOARDS[board]
    game = create_game(name, size, settings)
    random = Random(board)
    mirror = Mirror(game.start())
    while len(mirror.turns) < 5 and not mirror.position.is_over:
        mirror = copy.deepcopy(mirror)
        mirror.play(random.choice([t for t in mirror.position.legal_turns() if t != PASS]))
    talk = talker(name, size, **settings)
    talk(f"boardsize {talk('gogui-rules_board_size').split()[0]}")
    talk("clear_board")
    words = [f"{c.letter} {gogui_vertex(game.board, v)}" for v, c in mirror.stones.items()]
    talk(f"gogui-setup {' '.join(words)}")
    talk(f"gogui-setup_player {str(mirror.position.to_move)[0]}")
    assert talk("gogui-rules_board") == mirror.rules_board()
    assert talk("gogui-rules_side_to_move") == str(mirror.position.to_move)
    assert set(talk("gogui-rules_legal_moves").split()) == set(mirror.legal())
    assert talk.refused("undo") == "cannot undo"

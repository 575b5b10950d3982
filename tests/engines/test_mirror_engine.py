"""The engine that copies: images of vertices and turns, and legal play in every game."""

import pytest

from oddly.engines.plain_engines import SYMMETRIES, centre, image, turn_between
from oddly.games.board import hexhex_board, square_board
from oddly.games.catalogue import create_game
from oddly.games.legal_turns import random_turn
from oddly.protocol.notation import parse_turn
from tests.engines.talking import engine_with
from tests.games.positions import SIZES, played

BOARDS = [hexhex_board(3), square_board(4), square_board(5)]


@pytest.mark.parametrize("board", BOARDS, ids=str)
@pytest.mark.parametrize("symmetry", SYMMETRIES)
def test_a_symmetry_takes_neighbours_to_neighbours(board, symmetry):
    there = [board.index[image(board, symmetry, vertex)] for vertex in board.vertices]
    assert sorted(there) == list(range(len(board)))
    for index, neighbours in enumerate(board.neighbours):
        assert {there[n] for n in neighbours} == set(board.neighbours[there[index]])
    order = {"copy": 1, "turn": 6 if board.shape == "hexhex" else 4}.get(symmetry, 2)
    place = here = 1
    for _ in range(order):
        place = there[place]
    assert place == here


def test_symmetries_go_where_their_names_say():
    square, hexhex = square_board(5), hexhex_board(3)
    assert image(square, "half-turn", "a1") == "e5"
    assert image(square, "left-right", "b1") == "d1"
    assert image(square, "top-bottom", "b1") == "b5"
    assert image(hexhex, "half-turn", "a3") == "e3"
    assert image(hexhex, "left-right", "a3") == "e3"
    assert image(hexhex, "top-bottom", "c1") == "a5"
    assert (centre(square), centre(hexhex), centre(square_board(4))) == ("c3", "c3", "b2")


def answers(game, turns, **options):
    """What a mirror that plays every second turn answers to each of `turns`."""
    engine, position, said = engine_with("mirror", game, **options), game.start(), []
    for turn in turns:
        position = position.play(parse_turn(turn))
        said.append(str(engine.choose(position)))
        position = position.play(parse_turn(said[-1]))
    return said


def test_drops_are_answered_by_their_image_in_the_other_colour_or_the_same():
    game = create_game("odd", 3)
    assert answers(game, ["Bc1", "Wa3"], exchange="false") == ["Bc5", "We3"]
    assert answers(game, ["Bc1", "Wa3"]) == ["Wc5", "Be3"]
    assert answers(game, ["Bc1"], symmetry="left-right") == ["We1"]


def test_an_illegal_image_is_replaced_by_any_turn():
    (answer,) = answers(create_game("odd", 3), ["Bc3"])
    assert answer[1:] != "c3"
    # A pass is the image of a pass.
    assert answers(create_game("xodd", 5), ["Ba1", "pass"])[1] == "pass"


def test_moves_are_answered_by_moves_and_it_begins_in_the_centre():
    assert answers(create_game("ayu", 5), ["d1-d2"], symmetry="diagonal") == ["a4-b4"]
    yodd = create_game("yodd", 4)
    assert str(engine_with("mirror", yodd).choose(yodd.start())) == "Bd4"


@pytest.mark.parametrize("name", SIZES)
@pytest.mark.parametrize("symmetry", SYMMETRIES)
@pytest.mark.parametrize("seat", [0, 1])
def test_it_plays_legally_to_the_end(name, symmetry, seat):
    position = played(name, SIZES[name])
    engine, mine = engine_with("mirror", position.game, symmetry=symmetry), seat == 0
    while not position.is_over:
        turn = engine.choose(position) if mine else random_turn(position, engine.random)
        position, mine = position.play(turn), not mine


def test_turns_are_told_by_the_stones_they_leave():
    start, one, two = (played("yodd", 3, *turns) for turns in ((), ("Bc3",), ("Bc3", "Ba4,Wa5")))
    board = start.game.board
    assert str(turn_between(board, one.stones, two.stones)) == "Ba4,Wa5"
    assert str(turn_between(board, one.stones, one.stones)) == "pass"
    assert turn_between(board, start.stones, two.stones) is None
    assert turn_between(board, two.stones, one.stones) is None

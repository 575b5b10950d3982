"""Positions are values: equal where they are the same position, and never changed."""

import copy
import pickle
from dataclasses import replace
from random import Random

import pytest
from hypothesis import given

from oddly.games.board import square_board
from oddly.games.catalogue import GAMES, create_game
from oddly.games.drop_level import DropPosition, drops_on_board
from oddly.games.installation import MissingExtraError
from oddly.games.legal_turns import random_step, random_turn
from oddly.games.turns import Colour, Drop, Illegality, IllegalTurn
from tests.games.positions import SIZES, played
from tests.games.test_partial_turn import positions


@pytest.mark.parametrize("ways", [
    ("yodd", 3, ("Bc3", "Bc1,Wc5", "Bb3,Bd3"), ("Bc3", "Wc5,Bc1", "Bd3,Bb3")),
    ("xodd", 4, ("Ba1", "pass", "Wb2,Bc3"), ("Ba1", "pass", "Bc3,Wb2")),
    ("odd", 3, ("Bc3", "Wb2", "Wa3"), ("Wa3", "Wb2", "Bc3")),
])  # fmt: skip
def test_the_same_position_is_equal_whichever_way_led_there(ways):
    name, size, *orders = ways
    one, other = (played(name, size, *turns) for turns in orders)
    assert one == other
    assert {one: "known"}[other] == "known"
    assert DropPosition(one) == DropPosition(other)
    assert len({DropPosition(one), DropPosition(other)}) == 1


@given(positions(), positions())
def test_positions_are_equal_where_game_and_key_are(drawn, drawn_too):
    (one, _), (other, _) = drawn, drawn_too
    same = one.game == other.game and one.key == other.key
    assert (one == other) == same
    if same:
        assert hash(one) == hash(other)


def test_passes_and_the_side_to_move_are_part_of_a_position():
    start = create_game("yodd", 3).start()
    after = start.play("Bc3")
    assert after.play("pass") != after
    assert create_game("yodd", 4).start() != start
    assert start != "start"
    assert DropPosition(start) != start


@pytest.mark.parametrize("name", GAMES)
def test_a_turn_may_be_given_as_it_is_written(name):
    position = create_game(name, SIZES[name]).start()
    turn = random_turn(position, Random(1))
    assert position.play(str(turn)) == position.play(turn)
    assert position.is_legal(str(turn))


@pytest.mark.parametrize("text", ["", "c3", "Bc3;Wd4", "bc3", "Bc03", "resign", "Bc3,", "x" * 200])
def test_other_text_is_refused_in_a_sentence(text):
    with pytest.raises(IllegalTurn, match="is not how a turn is written") as caught:
        create_game("yodd", 3).start().play(text)
    assert caught.value.illegality is Illegality.WRONG_KIND
    assert len(str(caught.value)) < 200


def copies(value):
    """The value as it comes back from another process, and as it is copied here."""
    unpickled = pickle.loads(pickle.dumps(value))  # noqa: S301 - we made it
    return unpickled, copy.copy(value), copy.deepcopy(value)


@given(positions())
def test_a_copy_is_the_same_position_on_the_same_board(drawn):
    position, random = drawn
    turn = random_turn(position, random)
    kept = drops_on_board.cache_info().currsize
    for copied in copies(position):
        assert copied == position
        assert copied.game.board is position.game.board
        assert copied.play(turn) == position.play(turn)
    assert drops_on_board.cache_info().currsize == kept


@pytest.mark.parametrize(
    "error",
    [IllegalTurn(Illegality.PARITY, "even"), MissingExtraError("A page", "fastapi", "serve")],
    ids=repr,
)
def test_an_error_is_copied_with_its_notes(error):
    error.add_note("in the third game")
    for copied in copies(error):
        assert type(copied) is type(error)
        assert (str(copied), vars(copied)) == (str(error), vars(error))


def test_a_board_of_ones_own_is_copied_whole():
    board = replace(square_board(2), neighbours=((3,), (2,), (1,), (0,)))
    for copied in copies(board):
        assert vars(copied) == vars(board)
    assert all(copied is square_board(2) for copied in copies(square_board(2)))


@pytest.mark.parametrize("name", GAMES)
def test_a_drop_alone_is_refused_with_the_turn_that_it_might_be(name):
    position = create_game(name, SIZES[name]).start()
    with pytest.raises(IllegalTurn, match=r"Ba1 is a Drop, not a turn: .*Drops\(\(drop,\)\)"):
        position.play(Drop(Colour.BLACK, "a1"))


@pytest.mark.parametrize("name", GAMES)
def test_no_turns_lead_to_the_start(name):
    game = create_game(name, SIZES[name])
    assert not game.opening_to(game.start())


@pytest.mark.parametrize("name", GAMES)
def test_off_the_board_nothing_moves_and_nothing_is_counted(name):
    position = create_game(name, SIZES[name]).start()
    assert list(position.moves_from("z9")) == []
    with pytest.raises(ValueError, match=r"z9 is off the|has no drops"):
        position.group_counts_with([Drop(Colour.BLACK, "z9")])


@given(positions())
def test_nothing_in_a_position_can_be_changed(drawn):
    position, random = drawn
    before, stones = position.key, bytes(position.stones)
    with pytest.raises(TypeError):
        position.stones[0] = 1
    for name in ("game", "to_move", "groups", "pieces", "passes"):
        if hasattr(position, name):
            with pytest.raises(AttributeError):
                setattr(position, name, None)
    if groups := getattr(position, "groups", None):
        for name in ("stones", "members"):
            with pytest.raises(AttributeError):
                setattr(groups, name, ())
            with pytest.raises(TypeError):
                getattr(groups, name)[0] = 1
    position.play(random_turn(position, random))
    assert (position.key, bytes(position.stones)) == (before, stones)


@pytest.mark.parametrize("name", GAMES)
@pytest.mark.parametrize("seed", range(3))
def test_a_step_is_a_turn_and_the_position_after_it(name, seed):
    position = create_game(name, SIZES[name]).start()
    one, other = Random(seed), Random(seed)
    while not position.is_over:
        turn, after = random_step(position, one)
        assert turn == random_turn(position, other)
        assert after.key == position.play(turn).key
        position = after
    with pytest.raises(ValueError, match="the game is over"):
        random_step(position, one)

"""Games of ours in SGF: they come back whole, and other programs see the position that there is.

sgfmill, which knows nothing of our games, is the witness: it says which stones each node puts
where. Its own `Board` is no witness, since it takes stones without liberties off again.
"""

import io
import re
from pathlib import Path
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sgfmill import sgf

from oddly.game_records.kept_game import KeptGame
from oddly.game_records.sgf_reading import read_sgf
from oddly.game_records.sgf_writing import sgf_game
from oddly.games.colour import EMPTY, Colour
from oddly.protocol.points import grid_point, grid_width
from oddly.referee.justice.outcome import Termination
from oddly.referee.justice.record import GameRecord, RecordError
from tests.game_records.make_golden import GOLDEN, GOLDEN_GAMES, golden_game, golden_text
from tests.game_records.random_games import LARGEST, kept_games, outcome_of, played
from tests.games.lockstep import turn_from_text

COLOURS = {"b": Colour.BLACK, "w": Colour.WHITE}


def read_back(text, game=None):
    return list(read_sgf(io.BytesIO(text.encode()), game))


@settings(max_examples=60)
@given(kept_games())
def test_a_record_comes_back_as_it_was(kept):
    (again,) = read_back(sgf_game(kept))
    assert again == kept


@settings(max_examples=15)
@given(st.lists(kept_games(), min_size=1, max_size=4))
def test_a_collection_is_its_games_one_after_the_other(games):
    assert read_back("\n".join(map(sgf_game, games))) == games


@settings(max_examples=40)
@given(kept_games())
def test_other_programs_see_every_position(kept):
    check_against_sgfmill(kept)


@pytest.mark.parametrize("game", LARGEST, ids=str)
def test_the_largest_boards(game):
    turns = played(game, Random(5), 8)
    kept = KeptGame(
        GameRecord(
            game, ("a", "b"), ("", ""), 1, tuple(turns), outcome_of(game, turns, Termination.VOID)
        )
    )
    check_against_sgfmill(kept)
    assert read_back(sgf_game(kept)) == [kept]


def check_against_sgfmill(kept):
    """Play the nodes on sgfmill's board and the turns on ours; compare after each."""
    record, board = kept.record, kept.record.game.board
    read = sgf.Sgf_game.from_string(sgf_game(kept))
    seen = {}
    nodes = iter(read.main_sequence_iter())
    position = record.game.start()
    root = next(nodes)
    assert root.get("SZ") == grid_width(board)
    assert root.get("PL") == "b"
    off = {
        (x - 1, y - 1)
        for x in range(1, grid_width(board) + 1)
        for y in range(1, grid_width(board) + 1)
    }
    off -= {tuple(part - 1 for part in grid_point(board, vertex)) for vertex in board.vertices}
    dimmed = root.get_raw_list("DD") if root.has_property("DD") else []
    assert spread(dimmed, grid_width(board)) == off
    apply(root, seen)
    assert stones_seen(seen, board) == list(position.stones)
    for node, turn in zip(nodes, record.turns, strict=True):
        colour, _ = node.get_raw_move()
        apply(node, seen)
        if colour is not None:
            assert (COLOURS[colour], turn.turn) == (turn.colour, "pass")
        before = position
        position = position.play(turn_from_text(turn.turn))
        assert stones_seen(seen, board) == list(position.stones)
        if colour is None:
            assert COLOURS[node.get("PL")] is position.to_move
        new = {
            vertex
            for vertex, old, now in zip(board.vertices, before.stones, position.stones, strict=True)
            if old != now != EMPTY
        }
        marked = node.get("TR") if node.has_property("TR") else set()
        assert {(column, row) for row, column in marked} == {
            tuple(part - 1 for part in grid_point(board, vertex)) for vertex in new
        }


def apply(node, seen):
    black, white, empty = node.get_setup_stones()
    assert len(black | white | empty) == len(black) + len(white) + len(empty)
    for point in empty:
        del seen[point]
    assert not seen.keys() & (black | white)
    seen.update(dict.fromkeys(black, Colour.BLACK) | dict.fromkeys(white, Colour.WHITE))


def stones_seen(seen, board):
    stones = []
    for vertex in board.vertices:
        column, row = grid_point(board, vertex)
        stones.append(seen.get((row - 1, column - 1), EMPTY))
    assert len(seen) == sum(stone != EMPTY for stone in stones)
    return stones


def spread(values, width):
    points = set()
    for value in values:
        first, _, last = value.decode().partition(":")
        last = last or first
        points |= {
            (column - 97, width - 1 - (row - 97))
            for column in range(ord(first[0]), ord(last[0]) + 1)
            for row in range(ord(first[1]), ord(last[1]) + 1)
        }
    return points


@settings(max_examples=40)
@given(kept_games())
def test_without_our_property_the_same_turns_are_read(kept):
    """What is left when another program has kept nothing but what it knows."""
    read = sgf.Sgf_game.from_string(sgf_game(kept))
    for node in read.main_sequence_iter():
        node.unset("ODDLY")
    (again,) = read_back(read.serialise().decode())
    assert again.record.game == kept.record.game
    assert [(t.colour, t.turn) for t in again.record.turns] == [
        (t.colour, t.turn) for t in kept.record.turns
    ]
    outcome, old = again.record.outcome, kept.record.outcome
    assert (outcome.winner, outcome.winning_colour, outcome.score) == (
        old.winner,
        old.winning_colour,
        old.score,
    )
    forfeit = (
        Termination.WITHDRAWN if old.is_forfeit and old.score.endswith("F") else old.termination
    )
    assert outcome.termination is forfeit


@pytest.mark.parametrize("name", GOLDEN_GAMES)
def test_golden(name):
    kept = golden_game(name)
    text = golden_text(name)
    assert text == (GOLDEN / f"{name}.sgf").read_text(encoding="utf-8")
    assert read_back(text) == [kept]


def test_the_example_of_the_docs_is_a_game():
    page = (Path(__file__).parents[2] / "docs" / "how-to" / "game-records.md").read_text(
        encoding="utf-8"
    )
    text, *_ = re.findall(r"```\n(\(;FF.*?)```", page, re.DOTALL)
    (kept,) = read_back(text)
    assert [turn.turn for turn in kept.record.turns] == ["Bc3", "Wb2,Wd4", "pass", "pass"]
    assert (kept.record.players, kept.record.outcome.score) == (("greedy", "random"), "B+1")


def test_what_has_been_changed_is_told():
    text = golden_text("yodd")
    with pytest.raises(RecordError, match=r"turn 1: ODDLY says Bc3, but AB is c4 and not c3"):
        read_back(text.replace("AB[cc]", "AB[cd]", 1))

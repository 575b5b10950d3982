"""Games of ours in SGF: they come back whole, and other programs see the position that there is.

sgfmill, which knows nothing of our games, is the witness: it says which stones each node puts
where. Its own `Board` is no witness, since it takes stones without liberties off again. Of games
that people clicked GoGui's own SGF is read, and SGF for GoGui is written.
"""

import re
from itertools import product
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sgfmill import sgf

from oddly.game_records.kept_game import KeptGame
from oddly.game_records.sgf_reading import read_sgf
from oddly.game_records.sgf_writing import sgf_game, sgf_of_taps
from oddly.games.ayu import Ayu
from oddly.games.odd import Odd
from oddly.games.turns import EMPTY, Colour
from oddly.games.xodd import Xodd
from oddly.games.yodd import Yodd
from oddly.protocol.notation import grid_point, grid_width
from oddly.referee.justice.outcome import Outcome, Termination
from oddly.referee.justice.record import GameRecord
from tests.game_records.make_golden import GOLDEN, GOLDEN_GAMES, golden_game, golden_text
from tests.game_records.random_games import (
    LARGEST,
    kept_games,
    outcome_of,
    played,
    read_text,
    refusal,
)
from tests.games.lockstep import turn_from_text
from tests.source import ROOT

COLOURS = {"b": Colour.BLACK, "w": Colour.WHITE}


@settings(max_examples=60)
@given(kept_games())
def test_a_record_comes_back_as_it_was(kept):
    (again,) = read_text(read_sgf, sgf_game(kept))
    assert again == kept


@settings(max_examples=15)
@given(st.lists(kept_games(), min_size=1, max_size=4))
def test_a_collection_is_its_games_one_after_the_other(games):
    assert read_text(read_sgf, "\n".join(map(sgf_game, games))) == games


@settings(max_examples=40)
@given(kept_games())
def test_other_programs_see_every_position(kept):
    check_against_sgfmill(kept)


@pytest.mark.parametrize("game", LARGEST, ids=str)
def test_the_largest_boards(game):
    turns = played(game, Random(5), 8)
    outcome = outcome_of(game, turns, Termination.VOID)
    kept = KeptGame(GameRecord(game, ("a", "b"), ("", ""), 1, tuple(turns), outcome))
    check_against_sgfmill(kept)
    assert read_text(read_sgf, sgf_game(kept)) == [kept]


def test_a_void_game_says_so_once():
    outcome = Outcome(None, None, "void", Termination.VOID, "nobody was ready", 0)
    record = GameRecord(Xodd(5), ("a", "b"), ("", ""), 1, (), outcome)
    root = sgf.Sgf_game.from_string(sgf_game(KeptGame(record))).get_root()
    assert root.get("C").endswith("\n\nvoid: nobody was ready")


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
    width = grid_width(board)
    off = {*product(range(width), repeat=2)} - {at(board, vertex) for vertex in board.vertices}
    dimmed = root.get_raw_list("DD") if root.has_property("DD") else []
    assert spread(dimmed, width) == off
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
        assert {(column, row) for row, column in marked} == {at(board, vertex) for vertex in new}


def at(board, vertex):
    """Column and row of a vertex, both from 0."""
    return tuple(part - 1 for part in grid_point(board, vertex))


def apply(node, seen):
    black, white, empty = node.get_setup_stones()
    assert len(black | white | empty) == len(black) + len(white) + len(empty)
    for point in empty:
        del seen[point]
    assert not seen.keys() & (black | white)
    seen.update(dict.fromkeys(black, Colour.BLACK) | dict.fromkeys(white, Colour.WHITE))


def stones_seen(seen, board):
    stones = [seen.get(at(board, vertex)[::-1], EMPTY) for vertex in board.vertices]
    assert len(seen) == sum(stone != EMPTY for stone in stones)
    return stones


def spread(values, width):
    points = set()
    for value in values:
        first, _, last = value.partition(b":")
        (left, top), (right, bottom) = first, last or first
        points |= {
            *product(range(left - 97, right - 96), range(width + 96 - bottom, width + 97 - top))
        }
    return points


@settings(max_examples=40)
@given(kept_games())
def test_without_our_property_the_same_turns_are_read(kept):
    """What is left when another program has kept nothing but what it knows."""
    read = sgf.Sgf_game.from_string(sgf_game(kept))
    for node in read.main_sequence_iter():
        node.unset("ODDLY")
    (again,) = read_text(read_sgf, read.serialise().decode())
    assert again.record.game == kept.record.game
    assert [(t.colour, t.turn) for t in again.record.turns] == [
        (t.colour, t.turn) for t in kept.record.turns
    ]
    outcome, old = again.record.outcome, kept.record.outcome
    for name in ("winner", "winning_colour", "score"):
        assert getattr(outcome, name) == getattr(old, name)
    is_withdrawn = old.is_forfeit and old.score.endswith("F")
    assert outcome.termination is (Termination.WITHDRAWN if is_withdrawn else old.termination)


@pytest.mark.parametrize("name", GOLDEN_GAMES)
def test_golden(name):
    kept = golden_game(name)
    text = golden_text(name)
    assert text == (GOLDEN / f"{name}.sgf").read_text(encoding="utf-8")
    assert read_text(read_sgf, text) == [kept]


def test_the_example_of_the_docs_is_a_game():
    page = (ROOT / "docs" / "how-to" / "game-records.md").read_text(encoding="utf-8")
    text, *_ = re.findall(r"```\n(\(;FF.*?)```", page, re.DOTALL)
    (kept,) = read_text(read_sgf, text)
    assert [turn.turn for turn in kept.record.turns] == ["Bc3", "Wb2,Wd4", "pass", "pass"]
    assert (kept.record.players, kept.record.outcome.score) == (("greedy", "random"), "B+1")


def test_what_has_been_changed_is_told():
    said = refusal(read_sgf, golden_text("yodd").replace("AB[cc]", "AB[cd]", 1))
    assert "turn 1: ODDLY says Bc3, but AB is c4 and not c3" in said


@pytest.mark.parametrize("side", ["W", "w", " White "])
def test_a_swap_is_known_by_the_side_in_any_spelling(side):
    """The bug: the swap was left out without a word."""
    text = f"(;SZ[5];AE[be]AB[ce];PL[{side}])"
    (kept,) = read_text(read_sgf, text, Ayu(5, pie=True))
    assert turns(kept) == ["b1-c1", "swap"]


SAVED_BY_GOGUI = """(;FF[4]CA[UTF-8]AP[GoGui:1.6.0]SZ[5]
KM[6.5]DT[2026-11-22]
;B[cc]PL[B];B[]PL[W];W[bd]PL[W];W[bd]PL[W];W[ba]PL[W];W[ba]PL[W];W[cc]PL[B];
B[ae]PL[B];B[db]PL[B];B[cc]PL[W]
;W[ac]PL[W];W[ac]PL[W];W[ec]PL[W];W[ec]PL[W];W[ae]PL[B])
"""
"""A game against greedy, as GoGui 1.6.0 saved it."""
AFTER_SECOND_THOUGHTS = """(;FF[4]SZ[5];B[cc]PL[B];B[]PL[W]
(;W[aa]PL[W];W[ab]PL[W])
(;W[bd]PL[W];W[ba]PL[W];W[cc]PL[B])
(;W[ee]PL[W]))"""
"""White took taps back twice and went on otherwise; the game is the second of three variations."""


def turns(kept):
    return [turn.turn for turn in kept.record.turns]


@pytest.mark.parametrize("game", [None, Xodd(5)])
def test_a_game_that_gogui_saved_is_read(game):
    (kept,) = read_text(read_sgf, SAVED_BY_GOGUI, game)
    assert kept.record.game == Xodd(5)
    assert turns(kept) == ["Bc3", "Bb2,Bb5", "Ba1,Bd4", "Ba3,Be3"]
    assert kept.record.outcome.termination is Termination.VOID


def test_of_taps_that_were_taken_back_the_longest_line_is_the_game_and_half_a_turn_is_left_out():
    (kept,) = read_text(read_sgf, AFTER_SECOND_THOUGHTS, Xodd(5))
    assert turns(kept) == ["Bc3", "Wb2,Wb5"]
    cut = SAVED_BY_GOGUI.replace("W[ec]PL[W];W[ae]PL[B])", "W[ec]PL[W])")
    (kept,) = read_text(read_sgf, cut, Xodd(5))
    assert turns(kept) == ["Bc3", "Bb2,Bb5", "Ba1,Bd4"]


@settings(max_examples=40)
@given(kept_games())
def test_what_is_written_tap_by_tap_has_the_same_turns(kept):
    (again,) = read_text(read_sgf, sgf_of_taps(kept))
    assert again.record.game == kept.record.game
    assert turns(again) == turns(kept)
    assert again.record.outcome.winner == kept.record.outcome.winner


@pytest.mark.parametrize("game", [Yodd(3), Xodd(4), Odd(4, "square"), Ayu(5), Ayu(5, pie=True)])
def test_nothing_in_it_sets_up_stones(game):
    """GoGui would put stones of AB and AW on the board that the rules have there already."""
    text = {
        "yodd": ";B[cc]PL[B];B[]PL[W]",
        "xodd": ";B[bb]PL[B];B[]PL[W]",
        "odd": ";B[bb]PL[B];B[]PL[W]",
        "ayu": ";B[be]PL[B];B[bd]PL[W]" + ";W[]PL[W]" * (game == Ayu(5, pie=True)),
    }[game.name]
    (kept,) = read_text(read_sgf, f"(;{text})", game)
    assert len(turns(kept)) == 1 + (turns(kept)[-1] == "swap")
    written = sgf_of_taps(kept)
    assert text.replace("W[]PL[W]", "PL[W]W[]") in written.replace("\n", "")
    assert "AB[" not in written
    assert "AW[" not in written


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("(;SZ[5];B[cc];W[dd])", "turn 1: W[dd]: it is black's turn"),
        ("(;SZ[5];B[cc]PL[W])", "turn 1: PL[W], but it is black's turn then"),
        ("(;SZ[5];B[zz])", "turn 1: B[zz]: malformed point 'zz'"),
        ("(;SZ[5];B[aa:cc])", "turn 1: B[aa:cc]: malformed point"),
        ("(;SZ[5];B[cc];AB[dd])", "turn 1: the taps before make no whole turn"),
        ("(;SZ[5];B[cc];B[];W[cc])", "turn 2: W[cc]: occupied"),
    ],
)
def test_what_is_wrong_is_said_with_its_place(text, expected):
    assert f"game 1, line 1: {expected}" in refusal(read_sgf, text, Xodd(5))


def test_which_game_it_may_be():
    assert "it may be" in refusal(read_sgf, "(;SZ[5];B[cc];B[])")
    assert "nothing says what game this is" in refusal(read_sgf, "(;;B[cc];B[])")


def test_a_result_that_the_rules_contradict_names_the_guess():
    """The bug: nothing said that the rules were those of a guessed game."""
    said = refusal(read_sgf, text := "(;SZ[2]RE[B+];B[aa];B[];W[ab];W[];B[ba];B[];W[bb];W[])")
    assert said == (
        "game 1, line 1: the file says B+, the rules W+; it was read as "
        "odd 2 (board square, min_group 5): if that is wrong, name it with --game, --size and so on"
    )
    game = Odd(2, shape="square")
    assert refusal(read_sgf, text, game) == "game 1, line 1: the file says B+, the rules W+"

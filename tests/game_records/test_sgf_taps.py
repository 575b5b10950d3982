"""Games that people clicked: GoGui's own SGF is read, and SGF for GoGui is written."""

import pytest
from hypothesis import given, settings

from oddly.game_records.sgf_reading import read_sgf
from oddly.game_records.sgf_taps import sgf_of_taps
from oddly.games.ayu import Ayu
from oddly.games.odd import Odd
from oddly.games.xodd import Xodd
from oddly.games.yodd import Yodd
from oddly.referee.justice.outcome import Termination
from tests.game_records.random_games import kept_games, read_text, refusal

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

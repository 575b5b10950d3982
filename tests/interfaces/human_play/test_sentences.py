"""What people read beside the board."""

import pytest

from oddly.games import create_game
from oddly.games.partial_turn import PartialTurn
from oddly.games.yodd import Yodd
from oddly.interfaces.human_play.game_in_progress import GameInProgress
from oddly.interfaces.human_play.sentences import (
    counts,
    counts_sentence,
    owed,
    passed_sentence,
    total_text,
)
from oddly.protocol.notation import parse_turn


def game_of(game, size, turns="", clicks="", options=None):
    current = GameInProgress.of(create_game(game, size, options or {}))
    for turn in turns.split():
        current = current.play(parse_turn(turn))
    for vertex in clicks.split():
        current = current.click(vertex)
    return current


@pytest.mark.parametrize(
    ("current", "sentence"),
    [
        (game_of("yodd", 4), "0 black + 0 white = 0, even: the first turn is one stone, of"),
        (game_of("yodd", 4, "", "d4"), "1 black + 0 white = 1, odd: you may end the turn"),
        (game_of("yodd", 4, "Bd4"), "1 black + 0 white = 1, odd: drop one stone or two"),
        (
            game_of("yodd", 4, "Bd4", "a4"),
            "1 black + 1 white = 2, even: drop another stone to make it odd",
        ),
        (
            game_of("odd", 2, "", "b2", {"min_group": 1}),
            "1 black + 0 white = 1, odd: good for Black; you may end the turn",
        ),
        (game_of("odd", 5), "0 black + 0 white = 0 groups of 5 or more, even: good for White"),
        (
            game_of("odd", 4, "Bd4 Bd5", "", {"min_group": 2}),
            "1 black + 0 white = 1 group of 2 or more, odd: good for Black",
        ),
        (game_of("ayu", 5), "6 black units, 6 white units: choose a piece to move"),
    ],
)
def test_the_counts_and_the_parity_are_said(current, sentence):
    assert counts_sentence(current).startswith(sentence)


class Large(Yodd):
    """A game of one's own that says in its words which groups count."""

    counting = "groups of 3 or more"


class Larger(Yodd):
    """One that says it by a number."""

    smallest_counted = 4


@pytest.mark.parametrize(
    ("game", "sentence"),
    [
        (Large(3), "1 black + 0 white = 1 group of 3 or more, odd"),
        (Larger(3), "1 black + 0 white = 1 group of 4 or more, odd"),
    ],
)
def test_a_game_of_ones_own_says_which_groups_count(game, sentence):
    """The bug: it said only how many."""
    assert counts(GameInProgress(PartialTurn(game.start().play(parse_turn("Bc3"))))) == sentence


def test_a_player_who_has_taken_a_piece_up_is_told_to_choose_where_it_goes():
    assert counts_sentence(game_of("ayu", 5, "", "b1")).endswith("choose where b1 goes")


@pytest.mark.parametrize(
    ("turns", "said"),
    [
        ("Bc3", ""),
        ("Bc3 pass", "White has passed. If you pass too, the game ends and White wins."),
        ("Bc3 Ba3,Be3 pass", "Black has passed. If you pass too, the game ends and White wins."),
        ("Bc3 pass pass", ""),
    ],
)
def test_what_a_second_pass_means_is_said(turns, said):
    assert passed_sentence(game_of("yodd", 3, turns)) == said


@pytest.mark.parametrize(
    ("game", "size", "turns", "clicks", "counted", "said"),
    [
        ("yodd", 4, "", "", "0, even", "one drop"),
        ("yodd", 4, "", "d4", "1, odd", "an end"),
        ("yodd", 4, "Bd4", "", "1, odd", "1 or 2 drops or a pass"),
        ("yodd", 4, "Bd4", "a4", "2, even", "one more drop"),
        ("yodd", 4, "Bd4", "a4 g4", "3, odd", "an end"),
        ("yodd", 4, "Bd4", "d5", "2, even", "one more drop"),
        ("yodd", 4, "Bd4 Wa4,Wg4", "d5", "3, odd", "one more drop or an end"),
        ("yodd", 4, "Bd4 pass pass", "", "1, odd", ""),
        ("yodd", 4, "Bd4", "d5 a4 d5", "2, even", "another colour"),
        ("odd", 3, "", "", "0, even: good for White", "one drop"),
        ("ayu", 5, "", "", "", "a move"),
        ("ayu", 5, "", "b1", "", "a place for b1"),
    ],
)
def test_what_is_counted_and_owed_is_said_in_brief(game, size, turns, clicks, counted, said):
    current = game_of(game, size, turns, clicks)
    assert (total_text(current), owed(current)) == (counted, said)

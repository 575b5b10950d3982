"""What Tab offers, the look ahead below the prompt, and the board above it."""

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oddly.games.catalogue import create_game
from oddly.games.diagram import draw_board
from oddly.games.legal_turns import random_turn
from oddly.interfaces.human_play.game_in_progress import GameInProgress
from oddly.interfaces.terminal.play.messages import COMMANDS, board_text
from oddly.interfaces.terminal.play.prompting import completions, preview
from oddly.protocol.notation import parse_turn

GAMES = (
    create_game("yodd", 2),
    create_game("xodd", 3),
    create_game("odd", 2),
    create_game("ayu", 5, {"pie": True}),
)


def offered(position, typed, **options):
    """What the line can become, without the commands."""
    found = completions(position, typed, **options)
    return {typed[: len(typed) - each.replaces] + each.text for each in found} - set(COMMANDS)


def orders(turn):
    """A turn of two drops as it is written, and the other way round."""
    return {str(turn), ",".join(reversed(str(turn).split(",")))}


@settings(max_examples=40, deadline=None)
@given(st.sampled_from(GAMES), st.integers(0, 12), st.integers(0, 10**6))
def test_what_is_offered_is_what_legal_turns_begin_with(game, length, seed):
    chance = random.Random(seed)
    position = game.start()
    for _ in range(length):
        if not position.is_over:
            position = position.play(random_turn(position, chance))
    written = {text for turn in position.legal_turns() for text in orders(turn)}
    separator = "," if position.most_drops else "-"
    begun = {text.partition(separator)[0] for text in written}
    hyphen = "" if position.most_drops else "-"
    assert offered(position, "") == {
        text if text in ("pass", "swap") else text + hyphen for text in begun
    }
    for first in sorted(begun - {"pass", "swap"})[:5]:
        expected = {text for text in written if text.startswith(first + separator)}
        assert offered(position, first + separator) == expected


def test_the_look_ahead_knows_when_a_second_drop_mends_a_first():
    current = GameInProgress.of(create_game("yodd", 3)).play(parse_turn("Bc3"))
    assert preview(current, "We3").endswith("the total must be odd; a second drop can mend it")
    assert preview(current, "We3,Bd3").endswith("the total must be odd")


def test_case_does_not_matter_and_a_complete_drop_may_go_on():
    position = create_game("yodd", 3).start().play(parse_turn("Bc3"))
    assert "Bd3" in offered(position, "bd")
    assert offered(position, "Bd3") == {"Bd3,"}
    assert offered(position, "Wd3,b") >= {"Wd3,Be3"}
    assert offered(position, "Wd3,We3,") == set()
    assert offered(position, "nonsense,") == set()


def test_a_blank_may_stand_for_the_comma_between_drops():
    position = create_game("yodd", 3).start().play(parse_turn("Bc3"))
    for separator in (" ", "  ", ", ", " , "):
        whole = {text.replace(",", separator) for text in offered(position, "Wd3,b")}
        assert offered(position, f"Wd3{separator}b") == whole != set()
        assert offered(position, f"Wd3{separator}We3{separator}") == set()
    assert " Bd3" in offered(position, " Bd")


def test_a_long_run_of_blanks_or_letters_is_read_once():
    """The bug: Tab took a time that grew with the square of the length, hours for this one."""
    position = create_game("yodd", 3).start().play(parse_turn("Bc3"))
    long = 1_000_000
    assert offered(position, f"Wd3{' ' * long}b") >= {f"Wd3{' ' * long}Be3"}
    for typed in (f"Wd3{' ' * long}x y", "x" * long + " y", f"{'x,' * long}y"):
        assert offered(position, typed) == set()


def test_commands_are_offered_and_turns_only_when_a_human_is_to_move():
    position = create_game("yodd", 3).start()
    assert [each.text for each in completions(position, "un")] == ["undo"]
    assert offered(position, "", with_turns=False) == set()
    assert len(completions(position, "", with_turns=False)) == len(COMMANDS)


@pytest.mark.parametrize(
    ("game", "turns", "typed", "seen"),
    [
        ("yodd", ["Bc3"], "We3", "We3: that would leave 2 groups: 1 black, 1 white; the total"),
        ("yodd", ["Bc3"], "We3,Bd4", "We3,Bd4: 2 black + 1 white = 3, odd; Enter plays it"),
        ("yodd", ["Bc3"], "Bd3,W", "Bd3: 1 black + 0 white = 1, odd"),
        ("yodd", ["Bc3"], "We3 Bd4", "We3,Bd4: 2 black + 1 white = 3, odd; Enter plays it"),
        ("yodd", ["Bc3"], "we3  , bd4", "We3,Bd4: 2 black + 1 white = 3, odd; Enter plays it"),
        ("yodd", ["Bc3"], "Bd3 W", "Bd3: 1 black + 0 white = 1, odd"),
        ("yodd", ["Bc3"], "x W", ""),
        ("yodd", ["Bc3"], "x,W", ""),
        ("yodd", ["Bc3"], "Bc3", "Bc3: c3 is occupied"),
        ("yodd", ["Bc3"], "pass", "pass: 1 black + 0 white = 1, odd; Enter plays it"),
        ("yodd", ["Bc3"], "Bd3\nBe3", "Bd3: 1 black + 0 white = 1, odd; Enter plays it"),
        ("yodd", ["Bc3"], "save x", "save: save FILE writes the game"),
        ("yodd", ["Bc3"], "B", ""),
        ("yodd", [], "Bc3,We3", "Bc3,We3: Black's first turn must be exactly one drop"),
        ("odd", [], "Bc3", "Bc3: 0 black + 0 white = 0 groups of 5 or more, even; Enter"),
        ("ayu", [], "b1-b2", "b1-b2: 5 black units, 6 white units; Enter plays it"),
        ("ayu", [], "b1-a1", "b1-a1: b1-a1 does not get closer"),
    ],
)  # fmt: skip
def test_the_look_ahead(game, turns, typed, seen):
    current = GameInProgress.of(create_game(game, 5 if game == "ayu" else 3))
    for turn in turns:
        current = current.play(parse_turn(turn))
    shown = preview(current, typed)
    assert shown.startswith(seen) if seen else shown == ""
    assert shown.endswith("Enter plays it") == ("Enter" in seen)


@pytest.mark.parametrize("game", GAMES, ids=str)
def test_without_brackets_the_board_is_the_diagram(game):
    position = game.start()
    for marked in ((), position.game.board.vertices, ("b2", "z9")):
        text = board_text(position, marked).plain
        for bracket in "[]|":
            text = text.replace(bracket, " ")
        assert [line.rstrip() for line in text.splitlines()] == draw_board(position)


def test_brackets_and_notes():
    position = create_game("yodd", 2).start().play(parse_turn("Bb2")).play(parse_turn("Wa3,Wb1"))
    text = board_text(position, ("a3", "b1"), {"c1": "*", "a2": "-"}).plain
    assert text.splitlines() == ["  [O].  3", "  - X .  2", " a[O]*  1", "  b c"]
    both = board_text(position, ("b1", "c1"), {}).plain
    assert both.splitlines()[2] == " a[O|.] 1"


def test_colours_are_an_addition():
    position = create_game("yodd", 2).start().play(parse_turn("Bb2"))
    styles = {span.style for span in board_text(position, ("b2",)).spans}
    assert "bold cyan on grey23" in styles

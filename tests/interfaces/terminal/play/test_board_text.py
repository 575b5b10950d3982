"""The board on a terminal is the diagram of every other place, with brackets and notes."""

import pytest

from oddly.games.catalogue import create_game
from oddly.games.diagram import draw_board
from oddly.interfaces.terminal.play.messages import board_text
from oddly.protocol.notation import parse_turn

GAMES = (("yodd", 3), ("xodd", 4), ("odd", 2), ("ayu", 5))


@pytest.mark.parametrize(("name", "size"), GAMES)
def test_without_brackets_it_is_the_diagram(name, size):
    position = create_game(name, size).start()
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

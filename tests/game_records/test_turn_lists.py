"""Lists of turns are files of openings, and games but for who played and how long."""

import io

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oddly.game_records.formats import shortened
from oddly.game_records.kept_game import game_named
from oddly.game_records.line_formats import MAX_LINE_LENGTH, TurnListWriter, read_turn_list
from oddly.games.catalogue import create_game
from oddly.referee.justice.record import RecordError
from oddly.tournaments.openings.openings import read_openings
from tests.game_records.make_golden import GOLDEN_GAMES, golden_game
from tests.game_records.random_games import GAMES, LARGEST, kept_games


def read_back(text, game=None):
    return list(read_turn_list(io.BytesIO(text.encode()), game))


@given(GAMES | st.sampled_from(LARGEST))
def test_a_game_is_known_by_its_name(game):
    assert game_named(str(game)) == game
    assert game_named(f" {game}\n") == game


@pytest.mark.parametrize(
    "text",
    ["", "yodd", "yodd 99", "yodd 8 (pie true)", "odd 5 (board)", "chess 8", "ayu 5 (pie 1)"],
)
def test_what_is_no_name_of_a_game(text):
    assert game_named(text) is None


@settings(max_examples=30)
@given(st.lists(kept_games(), max_size=4))
def test_turns_come_back(games):
    write = TurnListWriter()
    again = read_back("".join(map(write, games)))
    played = [kept for kept in games if kept.record.turns]
    assert [kept.record.game for kept in again] == [kept.record.game for kept in played]
    for one, other in zip(again, played, strict=True):
        assert [turn[:2] for turn in one.record.turns] == [turn[:2] for turn in other.record.turns]
        if other.record.outcome.termination.value in ("double pass", "board full", "no legal move"):
            assert one.record.outcome.score == other.record.outcome.score


@pytest.mark.parametrize("name", GOLDEN_GAMES)
def test_the_first_turns_are_a_file_of_openings(name, tmp_path):
    kept = golden_game(name)
    path = tmp_path / "openings.txt"
    path.write_text(TurnListWriter()(shortened(kept, 1)), encoding="utf-8")
    assert read_openings(path, kept.record.game) == ((kept.record.turns[0].turn,),)


def test_the_game_is_named_by_the_caller_or_by_comments():
    text = "b2-b1 # as given\n\n# yodd 3\nBc3\n# anything else\nBc3 Wb2,Wd4\n# odd 2\nWb2\n"
    with pytest.raises(RecordError, match=r"line 1: nothing says what game this is"):
        read_back(text)
    text = text.replace("b2-b1", "b1-b2")
    games = read_back(text, create_game("ayu", 5))
    assert [str(kept.record.game).split()[0] for kept in games] == ["ayu", "yodd", "yodd", "odd"]
    assert {kept.record.outcome.score for kept in games} == {"void"}


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"Bc3\nBc3 Bc3", "line 2, turn 2, Bc3: c3 is occupied"),
        (b"Bc3 x\x1b", r"line 1, turn 2, x\x1b: malformed turn"),
        (b"Bc3 resign", "line 1, turn 2, resign: malformed turn"),
        (b"Bc3\n\xff", "line 2 is not UTF-8 text, at byte 1"),
        (b"Bc3\n" + b" " * (MAX_LINE_LENGTH + 1), "line 2 is longer than 1 MiB"),
    ],
)
def test_what_is_wrong_is_told_with_its_line(data, expected):
    with pytest.raises(RecordError) as caught:
        list(read_turn_list(io.BytesIO(data), create_game("yodd", 3)))
    assert expected in str(caught.value)

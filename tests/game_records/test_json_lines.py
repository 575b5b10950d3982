"""Records as JSON Lines: they come back whole, and what is none is told with its line."""

import io
import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oddly.game_records.line_formats import json_line, read_json_lines
from oddly.referee.justice.record import RecordError
from tests.game_records.make_golden import golden_game
from tests.game_records.random_games import kept_games

GOOD = golden_game("yodd").as_json()


@settings(max_examples=30)
@given(st.lists(kept_games(), max_size=4))
def test_records_come_back_as_they_were(games):
    text = "\n".join(map(json_line, games))
    assert list(read_json_lines(io.BytesIO(text.encode()))) == games


@pytest.mark.parametrize(
    ("changed", "expected"),
    [
        ({"players": ["a"]}, "players.1: field required"),
        ({"players": ["a", 5]}, "players.1: input should be a valid string"),
        ({"size": True}, "size: input should be a valid integer"),
        ({"size": 99}, "unacceptable size 99"),
        ({"game": "chess"}, "unknown game 'chess'"),
        ({"settings": {"pie": True}}, "yodd has no setting 'pie'"),
        ({"turns": [["red", "Bc3", 0]]}, "turns.0.0: input should be 'black' or 'white'"),
        ({"turns": [["black", "Bc3", -1]]}, "turns.0.2: input should be greater"),
        ({"turns": [["white", "Bc3", 1]]}, "turn 1, Bc3: it was black's turn"),
        ({"turns": [["black", "Bc9", 1]]}, "turn 1, Bc9: c9 is off the hexhex board of base 3"),
        ({"turns": [["black", "Bc3", 1]]}, "the record says B+1, the rules None"),
        ({"score": "B+3"}, "the record says B+3, the rules B+1"),
        ({"winner_index": 1}, "the winner is said to be player 2 and black"),
        ({"winner_index": None, "winning_colour": None}, "the record says B+1, the rules B+1"),
        ({"termination": "time"}, "the game was over before its time"),
        ({"termination": "boredom"}, "'boredom' is not a valid Termination"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_told_with_its_line(changed, expected):
    text = json.dumps(GOOD) + "\n" + json.dumps({**GOOD, **changed})
    with pytest.raises(RecordError) as caught:
        list(read_json_lines(io.BytesIO(text.encode())))
    assert str(caught.value).startswith("line 2: ")
    assert expected in str(caught.value)


@pytest.mark.parametrize(
    "line", ["5", "[]", "{", "nonsense", "[" * 100_000, '{"a":' * 100_000, "1" * 9999, "\x00"]
)
def test_what_is_no_record_at_all(line):
    with pytest.raises(RecordError, match="line 1: not a game record: "):
        list(read_json_lines(io.BytesIO(line.encode())))

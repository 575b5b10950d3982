"""Formats of lines: records as JSON Lines come back whole; lists of turns are openings too."""

import json
import math
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oddly.game_records.formats import read_games, shortened, write_games
from oddly.game_records.kept_game import MAX_SECONDS, KeptGame, game_named
from oddly.game_records.line_formats import (
    MAX_LINE_LENGTH,
    TurnListWriter,
    json_line,
    read_json_lines,
    read_turn_list,
)
from oddly.game_records.sgf_writing import sgf_game
from oddly.games.catalogue import create_game
from oddly.referee.justice.record import RecordError
from oddly.tournaments.openings.openings import read_openings
from tests.game_records.make_golden import GOLDEN_GAMES, golden_game
from tests.game_records.random_games import GAMES, LARGEST, kept_games, read_text, refusal


@given(GAMES | st.sampled_from(LARGEST))
def test_a_game_is_known_by_its_name(game):
    assert game_named(str(game)) == game
    assert game_named(f" {game}\n") == game
    assert game_named(str(game).capitalize()) == game


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
    again = read_text(read_turn_list, "".join(map(write, games)))
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
    assert "line 1: nothing says what game this is" in refusal(read_turn_list, text)
    text = text.replace("b2-b1", "b1-b2")
    games = read_text(read_turn_list, text, create_game("ayu", 5))
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
    assert expected in refusal(read_turn_list, data, create_game("yodd", 3))


GOOD = golden_game("yodd").as_json()


@settings(max_examples=30)
@given(st.lists(kept_games(), max_size=4))
def test_records_come_back_as_they_were(games):
    assert read_text(read_json_lines, "\n".join(map(json_line, games))) == games


@pytest.mark.parametrize("letter", ["x", "日"])
def test_a_line_that_is_too_long_to_be_read_is_not_written(letter):
    kept = golden_game("yodd")
    room = MAX_LINE_LENGTH - len(json_line(KeptGame(kept.record, {"note": ""})))
    note = letter * (room // len(letter.encode()))
    (again,) = read_text(read_json_lines, json_line(KeptGame(kept.record, {"note": note})))
    assert again.labels["note"] == note
    with pytest.raises(RecordError, match="its line is longer than 1 MiB"):
        json_line(KeptGame(kept.record, {"note": note + 99 * letter}))


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
        ({"turns": [["black", "Bc3", 1]]}, "B+1, double pass, but the game is not over"),
        ({"score": "B+3"}, "the record says B+3, the rules B+1"),
        ({"winner_index": 1}, "the winner is said to be player 2 and black"),
        ({"winner_index": None, "winning_colour": None}, "says that nobody won, the rules B+1"),
        ({"winner_index": None}, "black is said to win, but not which player"),
        ({"winning_colour": None}, "player 1 is said to win, but not with which colour"),
        ({"termination": "no legal move"}, "the record says no legal move, the rules double pass"),
        ({"termination": "time"}, "the game was over before its time"),
        ({"termination": "boredom"}, "'boredom' is no termination: expected one such as"),
        ({"termination": "resignatoin"}, "did you mean 'resignation'?"),
        ({"opening": 1000}, f"the opening has 1000 turns, the game only {len(GOOD['turns'])}"),
        ({"timing": {"margin": 1}}, "timing.controls: field required"),
        ({"timing": "blitz"}, "timing: input should be an object"),
        ({"evaluations": [7]}, "evaluations.0: input should be an object"),
        ({"turns": [["black", "Bc3", 1e308]]}, "turns.0.2: input should be less than or equal to"),
        ({"turns": [["black", "Bc3\x1b[31m\n", 1]]}, r"turn 1, Bc3\x1b[31m\n: malformed turn"),
        ({"turns": [["white", "\x1b\n" * 999, 1]]}, r"turn 1, \x1b\n\x1b\n"),
        ({"score": "B+1\x1b]0;title\x07\n" * 999}, r"the record says B+1\x1b]0;title\x07\n"),
    ],
)  # fmt: skip
def test_what_is_wrong_in_a_record_is_told_with_its_line(changed, expected):
    text = json.dumps(GOOD) + "\n" + json.dumps({**GOOD, **changed})
    said = refusal(read_json_lines, text)
    assert said.startswith("line 2: ")
    assert expected in said


UNFINISHED = {**GOOD, "turns": GOOD["turns"][:-1], "timing": None}
"""White is to move."""
WON = {"winner_index": 0, "winning_colour": "black"}
NOBODY = {"winner_index": None, "winning_colour": None}


@pytest.mark.parametrize(
    ("ending", "expected"),
    [
        ({**WON, "termination": "resignation", "score": "W+R"}, "'W+R': expected 'B+R'"),
        ({**WON, "termination": "resignation", "score": "B+7"}, "'B+7': expected 'B+R'"),
        ({**WON, "termination": "time", "score": "B+R"}, "'B+R': expected 'B+T' for 'time'"),
        ({**WON, "termination": "crash", "score": "\x1b\n"}, r"'\\x1b\\n': expected 'B+F'"),
        ({**WON, "termination": "adjudication", "score": "B+2"}, "'B+2': expected 'B+'"),
        ({**WON, "termination": "void", "score": "void"}, "black is said to win by 'void'"),
        ({**WON, "termination": "agreement", "score": "0"}, "black is said to win by 'agreement'"),
        ({**WON, "termination": "repetition, won", "score": "B+"}, "no position came back"),
        ({**NOBODY, "termination": "resignation", "score": "0"}, "nobody is said to win"),
        ({**NOBODY, "termination": "withdrawn", "score": "W+F"}, "nobody is said to win"),
        ({**NOBODY, "termination": "void", "score": "0"}, "'0': expected 'void' for 'void'"),
        ({**NOBODY, "termination": "agreement", "score": "void"}, "'void': expected '0'"),
        ({**NOBODY, "termination": "turn limit", "score": "B+"}, "'B+': expected '0'"),
        ({**NOBODY, "termination": "double pass", "score": "None"}, "the game is not over"),
    ],
)
def test_a_record_agrees_with_itself_on_how_the_game_ended(ending, expected):
    assert expected in refusal(read_json_lines, json.dumps(UNFINISHED | ending))


ENDINGS_OUTSIDE_THE_RULES = {
    **dict.fromkeys(("void", "absent", "abandoned"), "void"),
    **dict.fromkeys(("illegal turn", "protocol", "crash", "no start", "withdrawn"), "B+F"),
    "resignation": "B+R",
    "time": "B+T",
    "agreement": "0",
    "adjudication": "B+",
}


@pytest.mark.parametrize(("termination", "score"), ENDINGS_OUTSIDE_THE_RULES.items())
def test_a_game_ends_outside_the_rules_with_the_score_that_a_referee_gives(termination, score):
    ending = WON if score.startswith("B") else NOBODY
    facts = UNFINISHED | ending | {"termination": termination, "score": score}
    (kept,) = read_text(read_json_lines, json.dumps(facts))
    assert (kept.record.outcome.termination.value, kept.record.outcome.score) == (
        termination,
        score,
    )


def test_a_score_cannot_write_lines_of_its_own():
    hostile = replace(golden_game("yodd").record.outcome, score="B+1\x1b[2J\n# odd 2\nWb2")
    kept = KeptGame(replace(golden_game("yodd").record, outcome=hostile))
    assert r"B+1\x1b[2J\n# odd 2\nWb2, double pass" in TurnListWriter()(kept)
    assert r"RE[B+1\\x1b[2J\\n# odd 2\\nWb2]" in sgf_game(kept)


@pytest.mark.parametrize(
    "line", ["5", "[]", "{", "nonsense", "[" * 100_000, '{"a":' * 100_000, "1" * 9999, "\x00"]
)
def test_what_is_no_record_at_all(line):
    assert "line 1: not a game record: " in refusal(read_json_lines, line)


@pytest.mark.parametrize("suffix", [".jsonl", ".sgf"])
@pytest.mark.parametrize("seconds", [math.nan, math.inf, -0.5, 2 * MAX_SECONDS])
def test_seconds_that_could_not_be_read_back_are_not_written(tmp_path, suffix, seconds):
    """The bug: the file was written, and refused when it was read."""
    record = golden_game("odd").record
    turns = (*record.turns[:1], record.turns[1]._replace(seconds=seconds), *record.turns[2:])
    lag = replace(record, outcome=replace(record.outcome, lag=seconds))
    path = tmp_path / f"games{suffix}"
    for wrong, where in ((replace(record, turns=turns), "turn 2, "), (lag, "the lag is ")):
        with pytest.raises(RecordError, match=f"^{where}.*{seconds} s: expected 0 to 100000000 s$"):
            write_games([record, wrong], path)
        assert not path.exists()
    longest = record.turns[1]._replace(seconds=MAX_SECONDS)
    write_games([replace(record, turns=(record.turns[0], longest, *record.turns[2:]))], path)
    assert read_games(path)[0].record.turns[1].seconds == MAX_SECONDS


@pytest.mark.parametrize("suffix", [".jsonl", ".sgf"])
def test_a_game_that_is_too_long_to_be_read_back_is_not_written(tmp_path, suffix):
    record = golden_game("odd").record
    path = tmp_path / f"games{suffix}"
    evidence = replace(record.outcome, evidence="x" * MAX_LINE_LENGTH)
    with pytest.raises(RecordError, match=r"^its (line|SGF) is longer than 1 MiB$"):
        write_games([record, replace(record, outcome=evidence)], path)
    assert not path.exists()


@pytest.mark.parametrize("suffix", [".jsonl", ".sgf"])
def test_text_that_could_not_be_read_back_is_not_written(tmp_path, suffix):
    """The bug: half a character, as in the name of a file that is not UTF-8, was written."""
    record = golden_game("odd").record
    path = tmp_path / f"games{suffix}"
    for wrong, shown in (
        (KeptGame(replace(record, players=("\udcff", "b"))), r'{"players": ["\udcff", "b"]}'),
        (KeptGame(record, {"event": "a\udcff"}), r'{"event": "a\udcff"}'),
        (KeptGame(record, {"event": 900 * "a" + "\udcff"}), f'...{50 * "a"}\\udcff"}}'),
        (
            KeptGame(record, {"event": "é\udcff" + 900 * "a"}),
            r'{"event": "é\udcff' + 87 * "a" + "...",
        ),
    ):
        with pytest.raises(RecordError) as refused:
            write_games([record, wrong], path)
        assert str(refused.value) == rf"{shown}: expected Unicode text, not '\udcff'"
        assert not path.exists()
    whole = KeptGame(replace(record, players=("\U0001f600", r"\ud800")), {"event": "\u2028"})
    write_games([whole], path)
    assert read_games(path) == [whole]

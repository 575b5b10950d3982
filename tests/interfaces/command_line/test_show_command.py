"""`oddly show`: a position, and a recorded game with what its players expected of their turns."""

import json

import pytest

from oddly.games.catalogue import create_game
from oddly.games.turns import Colour
from oddly.protocol.evaluation import TurnEvaluation
from oddly.referee.justice.outcome import Outcome, Termination
from oddly.referee.justice.record import GameRecord, PlayedTurn

TURNS = (
    PlayedTurn(Colour.BLACK, "Ba1", 0.0),
    PlayedTurn(Colour.WHITE, "Wa2,Wb1", 1.5, TurnEvaluation(0.25, 3, 800, -2.0)),
    PlayedTurn(Colour.BLACK, "pass", 0.25, TurnEvaluation(1.0)),
    PlayedTurn(Colour.WHITE, "pass", 0.125),
)
OUTCOME = Outcome(0, Colour.BLACK, "B+1", Termination.DOUBLE_PASS, "double pass", 4)


def file_with(path, *records):
    path.write_text("".join(json.dumps(record.as_json()) + "\n" for record in records))
    return str(path)


@pytest.fixture
def file(tmp_path):
    record = GameRecord(
        create_game("xodd", 2), ("deep", "dark"), ("", ""), None, TURNS, OUTCOME, opening=1
    )
    return file_with(tmp_path / "games.jsonl", record)


def test_a_recorded_game_is_shown_with_win_rates_and_leads_from_blacks_view(file, output):
    told = output("show --record", file)
    assert [line.split() for line in told.splitlines()[4:8]] == [
        ["1", "Ba1", "opening"],
        ["2", "Wa2,Wb1", "White", "1.500", "75.0", "%", "+2.00", "3", "800"],
        ["3", "pass", "Black", "0.250", "100.0", "%"],
        ["4", "pass", "White", "0.125"],
    ]
    assert told.startswith("xodd 2: deep - dark, B+1, double pass, 4 turns\n\n    played")
    assert told.endswith("Groups: 1 black + 2 white = 3\nResult: B+1\n")


def test_columns_of_which_nothing_is_known_are_left_out(tmp_path, output):
    turns = [PlayedTurn(turn.colour, turn.turn, 0.0) for turn in TURNS]
    record = GameRecord(create_game("xodd", 2), ("a", "b"), ("", ""), None, tuple(turns), OUTCOME)
    shown = output("show --record", file_with(tmp_path / "x.jsonl", record))
    assert shown.splitlines()[2].split() == ["played", "by"]


def test_json_has_the_evaluations_as_they_were_given_and_from_blacks_view(file, facts):
    found = facts("show --record", file, "--turn", "2")
    assert found["game"] == "xodd 2"
    assert (found["to_move"], found["groups"], found["result"]) == ("black", [1, 2], None)
    assert (found["players"], found["score"], found["opening"]) == (["deep", "dark"], "B+1", 1)
    assert found["turns"][1] == {
        "number": 2,
        "player": "white",
        "turn": "Wa2,Wb1",
        "seconds": 1.5,
        "black_win_rate": 0.75,
        "black_lead": 2.0,
        "evaluation": {"win_rate": 0.25, "depth": 3, "visits": 800, "lead": -2.0},
    }
    assert found["turns"][0]["evaluation"] is None


def test_json_of_a_position(facts):
    assert facts("show --game xodd --size 2", *["Ba1", "Wa2,Wb1"])["groups"] == [1, 2]


def test_what_a_player_who_swaps_expects_is_of_the_colour_that_it_gets():
    swap = PlayedTurn(Colour.WHITE, "swap", 0.0, TurnEvaluation(0.75, lead=1.0))
    assert (swap.black_win_rate, swap.black_lead) == (0.75, 1.0)


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ("--record FILE --line 2", "has no game 2"),
        ("--record FILE --turn 5", "the game has 4 turns, not 5"),
        ("--record FILE Ba1", "with --record the game and its turns come from the file"),
        ("--record FILE --game odd", "with --record the game and its turns come from the file"),
        ("--record no.jsonl", "cannot read no.jsonl"),
        ("--record list.sqlite", "list.sqlite is not named like a file of games"),
        ("--game odd --turn 1", "--turn goes with --record"),
        ("--line 1", "--game or --record is missing"),
    ],
)
def test_bad_input_is_told_in_one_sentence(words, sentence, file, refusal):
    assert sentence in refusal("show", *words.replace("FILE", file).split())


def test_a_game_that_the_rules_contradict_is_refused(tmp_path, refusal):
    record = GameRecord(
        create_game("xodd", 2), ("a", "b"), ("", ""), None, (*TURNS[:1], TURNS[3]), OUTCOME
    )
    assert "x.jsonl" in refusal("show --record", file_with(tmp_path / "x.jsonl", record))

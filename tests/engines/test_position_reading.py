"""Positions as JSON Lines in, evaluations as JSON Lines out."""

import json

import pytest

from oddly.engines.plain_engines import RandomEngine
from oddly.engines.position_reading import evaluations
from oddly.protocol.evaluation import Candidate, Evaluation
from tests.engines.running import run_python
from tests.engines.talking import lines_in
from tools.vectors.files import FOLDER


class Rating(RandomEngine):
    """Rates every position alike."""

    def evaluate(self, at):
        action = next(at.actions())
        return Evaluation(0.51239, 9, (Candidate(action, 0.5, 0.25),))


def answered(*lines, engine=None):
    texts = [line if isinstance(line, str) else json.dumps(line) for line in lines]
    return [json.loads(line) for line in evaluations(engine or RandomEngine(), texts)]


def test_every_line_is_answered_in_its_order_with_its_id():
    found = answered(
        {"id": 1, "game": "odd", "size": 2, "turns": "Bb2 Wa2"},
        "",
        {"id": "two", "game": "xodd", "size": 2, "turns": ["Ba1", "pass", "pass"]},
        {"game": "xodd", "size": 2, "stones": "B...", "to_move": "white", "passes": 1},
    )
    assert [line.get("id") for line in found] == [1, "two", None]
    assert found[0]["turn"][1:] not in ("b2", "a2")
    assert found[1]["result"] == "W+1"
    assert set(found[2]) == {"turn"}


def test_an_evaluation_has_its_candidates():
    (found,) = answered({"game": "ayu", "size": 3, "pie": True}, engine=Rating())
    assert found["win_rate"] == 0.5124
    assert found["simulations"] == 9
    assert found["candidates"] == [{"action": "b1-b2", "share": 0.5, "win_rate": 0.25}]


NO_POSITIONS = """
    []|{|{}|{"game": "chess"}|{"game": ["odd"]}|{"game": "odd", "size": "2"}
    {"game": "odd", "min_group": 0}|{"game": "odd", "min_group": "x"}|{"game": "ayu", "turns": 7}
    {"game": "odd", "size": 2, "turns": "Bz26"}|{"game": "odd", "size": 2, "stones": "BW"}
    {"game": "odd", "size": 2, "stones": "B......", "to_move": "white", "passes": 1}
    {"game": "xodd", "size": 2, "stones": "B...", "to_move": "white", "passes": -1}
    {"game": "xodd", "size": 2, "stones": "B...", "to_move": "white", "passes": Infinity}
    {"game": "xodd", "size": 2, "stones": "B...", "to_move": "white", "may_swap": true}
    {"game": "odd", "size": 2, "stones": "B?....."}
    {"game": "odd", "size": 2, "stones": ".......", "passes": []}
    {"game": "odd", "size": 2, "stones": ".......", "to_move": "green"}
    {"game": "ayu", "size": 3, "stones": "...WBW.B.", "pie": true, "may_swap": "false"}
"""


@pytest.mark.parametrize("line", [*lines_in(NO_POSITIONS), "[" * 100_000])
def test_what_is_no_position_is_answered_with_an_error(line):
    wrong, right = answered(line, {"game": "odd", "size": 2})
    assert set(wrong) == {"error"}
    assert wrong["error"]
    assert set(right) == {"turn"}


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"min_gruop": 2}, "unknown field 'min_gruop'; did you mean 'min_group'?"),
        ({"Size": 3}, "unknown field 'Size'; did you mean 'size'?"),
        ({"turn": "Bb2"}, "unknown field 'turn'; did you mean 'turns'?"),
        ({"stones": ".......", "too_move": "white"}, "did you mean 'to_move'?"),
        ({"pie": True}, "odd has no setting 'pie'"),
        ({"settings": {"min_group": 2}}, "settings stand beside 'game'"),
        ({"turns": "Bb2", "to_move": "black"}, "to_move is black, but white after the turns"),
        ({"to_move": "white"}, "to_move is white, but black at the start"),
        ({"turns": "", "passes": 1}, "passes is 1, but 0 after the turns"),
        ({"turns": "", "may_swap": True}, "may_swap is true, but false after the turns"),
        ({"turns": "Bb2", "stones": "......."}, "stones is ......., but ...B... after the"),
    ],
)
def test_a_field_that_would_be_ignored_and_matters_is_an_error(fields, message):
    size = {} if "Size" in fields else {"size": 2}
    (found,) = answered({"game": "odd", **size, **fields})
    assert message in found["error"]


def test_other_fields_are_free_and_lines_of_the_vectors_work():
    lines = [
        {"game": "odd", "size": 2, "turns": "Bb2", "to_move": "W", "turn": 1, "note": "x"},
        {"game": "odd", "size": 2, "stones": "B......", "to_move": "white", "turn": "Bb2"},
        {"game": "odd", "size": 2, "stones": "B......", "to_move": "W", "best_move": "Wb2"},
        {"game": "odd", "size": 2, "turns": "Bb2", "group": "train", "pie": "false"},
        {"game": "ayu", "size": 3, "min_group": None, "pie": None, "turns": "", "stones": None},
    ]
    for name in ("positions", "illegal", "games", "perft"):
        lines += (FOLDER / f"{name}.jsonl").read_text(encoding="ascii").splitlines()[::10]
    found = answered(*lines)
    assert [line["error"] for line in found if "error" in line] == []
    assert len(found) > 40


def test_the_command_answers_from_its_standard_input():
    line = '{"game":"odd","size":2,"turns":""}\n'
    done = run_python("-m", "oddly", "engine", "greedy", "--batch", given=line)
    assert set(json.loads(done.stdout)) == {"turn"}

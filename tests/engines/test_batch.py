"""Positions as JSON Lines in, evaluations as JSON Lines out."""

import json

import pytest

from oddly.engines.batch import evaluations
from oddly.engines.plain_engines import RandomEngine
from oddly.protocol.evaluation import Candidate, Evaluation
from tests.engines.running import run_python
from tests.engines.talking import lines_in


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
"""


@pytest.mark.parametrize("line", [*lines_in(NO_POSITIONS), "[" * 100_000])
def test_what_is_no_position_is_answered_with_an_error(line):
    wrong, right = answered(line, {"game": "odd", "size": 2})
    assert set(wrong) == {"error"}
    assert wrong["error"]
    assert set(right) == {"turn"}


def test_the_command_answers_from_its_standard_input():
    line = '{"game":"odd","size":2,"turns":""}\n'
    done = run_python("-m", "oddly", "engine", "greedy", "--batch", given=line)
    assert set(json.loads(done.stdout)) == {"turn"}

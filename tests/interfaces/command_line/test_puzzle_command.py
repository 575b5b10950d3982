"""`oddly puzzle` asks, answers, lists, and finds new ones."""

from __future__ import annotations

import io
import json

import pytest

from oddly.interfaces.command_line import main
from oddly.interfaces.human_play.lesson import puzzles


def play(monkeypatch, capsys, text, *words):
    monkeypatch.setattr("sys.stdin", io.StringIO(text))
    assert main(["puzzle", *words]) == 0
    return capsys.readouterr().out


def test_a_puzzle_is_asked_until_it_is_solved(monkeypatch, capsys):
    lesson = puzzles()["odd-3-1"].lesson
    right = str(lesson.steps[0].solution)
    wrong = next(str(t) for t in lesson.start.legal_turns() if str(t) != right)
    said = play(monkeypatch, capsys, f"{wrong}\n{right}\n", "odd-3-1")
    assert lesson.steps[0].wrong in said
    assert lesson.steps[0].right in said
    assert said.endswith("0 of 1 solved at once.\n")
    assert "1 of 1 solved" in play(monkeypatch, capsys, f"{right}\n", "odd-3-1")


def test_what_is_no_turn_is_said_and_an_empty_line_shows_the_answer(monkeypatch, capsys):
    said = play(monkeypatch, capsys, "hello\n\n", "xodd-4-1")
    assert "A turn such as" in said
    assert str(puzzles()["xodd-4-1"].lesson.steps[0].solution) in said


def test_easy_ones_come_first_and_q_ends(monkeypatch, capsys):
    said = play(monkeypatch, capsys, "\nq\n", "--game", "odd", "--seed", "1")
    names = [line.split(", ")[1] for line in said.splitlines() if line.startswith("Odd ")]
    assert len(names) == 2
    assert all(puzzles()[name].grade == 1 for name in names)
    assert "0 of 1 solved" in said


def test_the_list_counts_by_board_and_grade(capsys):
    assert main(["puzzle", "--list", "--json", "--game", "ayu", "--size", "5"]) == 0
    (of,) = json.loads(capsys.readouterr().out)["puzzles"]
    assert of["game"] == "ayu 5 (pie false)"
    assert sum(of["by_grade"].values()) == 200
    assert main(["puzzle", "--list", "--grade", "5"]) == 0
    assert "grade 5" in capsys.readouterr().out


@pytest.mark.sampled
def test_new_ones_are_lines_of_json(capsys):
    assert main(["puzzle", "--make", "1", "--game", "odd", "--size", "3", "--seed", "5"]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert (facts["id"], facts["game"], facts["size"]) == ("odd-3-1", "odd", 3)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("odd-3-1000", "there is no puzzle 'odd-3-1000'; did you mean"),
        ("--game odd --size 9", "there are no such puzzles"),
        ("--list --make 3", "argument --make: not allowed with argument --list"),
    ],
)
def test_what_is_wrong_is_one_sentence(words, said, capsys):
    assert main(["puzzle", *words.split()]) == 2
    assert said in capsys.readouterr().err

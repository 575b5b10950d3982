"""`oddly puzzle` asks, answers, lists, and finds new ones."""

import io
import json

import pytest

from oddly.games.catalogue import create_game
from oddly.games.turns import PASS
from oddly.interfaces.human_play.lesson import puzzles
from oddly.study import puzzles as study_puzzles
from oddly.study.puzzles import FoundPuzzle


@pytest.fixture
def play(monkeypatch, output):
    def played(text, *words):
        monkeypatch.setattr("sys.stdin", io.StringIO(text))
        return output("puzzle", *words)

    return played


def test_a_puzzle_is_asked_until_it_is_solved(play):
    lesson = puzzles()["odd-3-1"].lesson
    right = str(lesson.steps[0].solution)
    wrong = next(str(t) for t in lesson.start.legal_turns() if str(t) != right)
    said = play(f"{wrong}\n{right}\n", "odd-3-1")
    assert lesson.steps[0].wrong in said
    assert lesson.steps[0].right in said
    assert said.endswith("0 of 1 solved at once.\n")
    assert "1 of 1 solved" in play(f"{right}\n", "odd-3-1")


def test_what_is_no_turn_is_said_and_an_empty_line_shows_the_answer(play):
    said = play("hello\n\n", "xodd-4-1")
    assert "A turn such as" in said
    assert str(puzzles()["xodd-4-1"].lesson.steps[0].solution) in said


def test_a_blank_may_stand_for_the_comma_between_drops(play):
    lesson = puzzles()["yodd-3-1"].lesson
    wrong = next(
        text
        for turn in lesson.start.legal_turns()
        if "," in (text := str(turn)) and turn != lesson.steps[0].solution
    )
    for separator in (" ", ", ", "  ,"):
        assert lesson.steps[0].wrong in play(f"{wrong.replace(',', separator)}\nq\n", "yodd-3-1")


def test_easy_ones_come_first_and_q_ends(play):
    said = play("\nq\n", "--game", "odd", "--seed", "1")
    names = [line.split(", ")[1] for line in said.splitlines() if line.startswith("Odd ")]
    assert len(names) == 2
    assert all(puzzles()[name].grade == 1 for name in names)
    assert "0 of 1 solved" in said


@pytest.mark.parametrize("word", ["q", "Quit", "EXIT"])
def test_words_that_leave_a_game_end_puzzles_in_any_case(play, word):
    assert "A turn such as" not in play(f"{word}\n", "odd-3-1")


def test_ctrl_c_keeps_the_count_of_what_was_solved(monkeypatch, oddly):
    lines = iter([""])

    def typed(_):
        if (line := next(lines, None)) is None:
            raise KeyboardInterrupt
        return line

    monkeypatch.setattr("builtins.input", typed)
    output, error = oddly("puzzle --game odd --size 3", code=3)
    assert output.endswith("\n\n0 of 1 solved at once.\n")
    assert error == "oddly: interrupted\n"


def test_the_list_counts_by_board_and_grade(output, facts):
    (of,) = facts("puzzle --list --game ayu --size 5")["puzzles"]
    assert of["game"] == "ayu 5 (pie false)"
    assert sum(of["by_grade"].values()) == 200
    assert "grade 5" in output("puzzle --list --grade 5")


@pytest.mark.sampled
def test_new_ones_are_lines_of_json(output):
    found = json.loads(output("puzzle --make 1 --game odd --size 3 --seed 5"))
    assert (found["id"], found["game"], found["size"]) == ("odd-3-1", "odd", 3)


def test_a_board_without_enough_puzzles_ends_the_search(oddly):
    output, error = oddly("puzzle --make 5 --game ayu --size 3")
    assert output == ""
    # It may have compiled first, and said so.
    assert error.splitlines()[-1] == (
        "oddly: puzzle: only 0 of 5 puzzles found on ayu 3 (pie false): 1,000 games in a row had "
        "no new one"
    )


def test_what_is_found_before_an_interruption_is_printed_easy_ones_first(monkeypatch, oddly):
    hard, easy = (FoundPuzzle(create_game("odd", 3).start(), PASS, missed) for missed in (1, 0.3))

    def interrupted(*_):
        yield hard
        yield easy
        raise KeyboardInterrupt

    monkeypatch.setattr(study_puzzles, "some_puzzles", interrupted)
    output, error = oddly("puzzle --make 5 --game odd --size 3", code=3)
    assert [json.loads(line)["missed"] for line in output.splitlines()] == [0.3, 1]
    assert error == "oddly: puzzle: interrupted with 2 of 5 puzzles\n"

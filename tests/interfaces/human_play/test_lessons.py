"""The lessons, played by the plain rules."""

import pytest

from oddly.interfaces.human_play.lesson import TAUGHT, course, find_lesson
from oddly.protocol.notation import parse_turn

LESSONS = [lesson for game in TAUGHT for lesson in course(game).lessons]


def name(lesson):
    return f"{lesson.start.game.name}-{lesson.id}"


@pytest.mark.parametrize("lesson", LESSONS, ids=name)
def test_the_solution_reaches_the_goal(lesson):
    solutions = [step.solution for step in lesson.steps]
    for done in range(len(solutions)):
        progress = lesson.follow(solutions[:done])
        assert (progress.done, progress.missed, progress.ask) == (
            done,
            False,
            lesson.steps[done].ask,
        )
    progress = lesson.follow(solutions)
    assert progress.is_solved
    assert progress.said == lesson.steps[-1].right
    assert not progress.ask


@pytest.mark.parametrize("lesson", LESSONS, ids=name)
def test_some_other_turn_misses_the_goal(lesson):
    goal = lesson.steps[0].goal
    others = [
        turn
        for turn in lesson.start.legal_turns()
        if not goal.is_reached(lesson.start.to_move, turn, lesson.start.play(turn))
    ]
    # Where every legal turn is right, the lesson is that it is legal.
    if not others:
        return
    progress = lesson.follow(others[:1])
    assert progress.missed
    assert progress.said == lesson.steps[0].wrong
    assert not progress.may_play


@pytest.mark.parametrize("game", TAUGHT)
def test_a_course_has_six_to_eight_lessons_and_a_picture_of_legal_turns(game):
    taught = course(game)
    assert 6 <= len({lesson.id for lesson in taught.lessons}) == len(taught.lessons) <= 8
    position = taught.pictured.start()
    for turn in taught.turns:
        position = position.play(turn)


def test_a_lesson_is_found_by_its_name():
    assert find_lesson("yodd/cut").title == "Take the joint away"
    assert find_lesson("yodd/nothing") is None
    assert find_lesson("chess/cut") is None
    assert course("chess") is None


def test_having_no_move_wins_after_the_reply():
    lesson = find_lesson("ayu/no-move-wins")
    position = lesson.follow([parse_turn("b1-b2")]).current.position
    assert str(position.result) == "B+"

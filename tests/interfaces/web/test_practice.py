"""Boards to practise on, without a server."""

import pytest

from oddly.interfaces.web.practice import (
    PracticeError,
    PracticeRequest,
    all_puzzles,
    courses,
    practise,
)


def ask(**request):
    return practise(PracticeRequest(**request))


def test_a_lesson_goes_from_click_to_click():
    where = {"lesson": "yodd/one-is-not-enough"}
    answer = ask(**where)
    assert answer["lesson"]["ask"].startswith("Join your groups on d3.")
    answer = ask(**where, **answer["state"], do="click", vertex="d3")
    assert answer["view"]["tentative"] == ["d3"]
    assert not answer["view"]["can"]["end"]
    assert "even: drop another stone" in answer["view"]["sentence"]
    for _ in range(2):
        answer = ask(**where, **answer["state"], do="click", vertex="e1")
    assert answer["state"]["drops"] == ["Bd3", "We1"]
    answer = ask(**where, **answer["state"], do="end")
    assert answer["state"] == {"turns": ["We1,Bd3"], "drops": [], "origin": None}
    assert answer["lesson"]["solved"]
    assert not any(answer["view"]["can"].values())
    assert ask(**where, **answer["state"], do="click", vertex="a5")["state"] == answer["state"]


def test_a_stone_has_the_chosen_colour():
    where = {"game": "yodd", "size": 3, "settings": {}, "do": "click", "vertex": "c3"}
    white = ask(**where, colour="white")
    assert white["state"]["drops"] == ["Wc3"]
    assert ask(**where, drops=["Wc3"], colour="black")["state"]["drops"] == ["Bc3"]
    assert ask(**where, drops=["Wc3"], colour="white")["state"]["drops"] == []
    assert ask(**where, drops=["Wc3"])["state"]["drops"] == ["Bc3"]
    clicks, cells = white["view"]["clicks"], white["game"]["vertices"]
    assert clicks["white"] == "d" * (cells // 2) + "t" + "d" * (cells // 2)
    assert clicks["black"] == clicks["white"].replace("t", "f")
    with pytest.raises(ValueError, match="colour"):
        ask(**where, colour="green")


def test_a_miss_is_said_and_nothing_goes_on_after_it():
    answer = ask(lesson="yodd/pass", drops=["Bc5", "Bc1"], do="end")
    assert answer["lesson"]["missed"]
    assert answer["lesson"]["said"].startswith("That gave White another turn.")
    assert ask(lesson="yodd/pass", **answer["state"], do="pass")["state"] == answer["state"]


def test_the_opponent_replies_in_a_lesson():
    answer = ask(lesson="yodd/race", turns=["Ba5,Bc1"])
    assert answer["lesson"]["done"] == 1
    assert answer["view"]["turns"] == ["Bc1,Ba5", "pass"]
    assert ask(lesson="yodd/race", turns=["Ba5,Bc1"], do="pass")["lesson"]["solved"]


def test_any_game_may_be_tried():
    answer = ask(game="ayu", size=5, settings={"pie": "true"}, do="click", vertex="b1")
    assert answer["state"]["origin"] == "b1"
    answer = ask(game="ayu", size=5, origin="b1", do="click", vertex="a1")
    assert answer["refused"].startswith("b1-a1 does not get closer")
    assert answer["state"]["origin"] == "b1"
    assert ask(game="ayu", size=5, origin="b1", do="undo")["state"]["origin"] is None


@pytest.mark.parametrize(
    ("request_", "sentence"),
    [
        ({"lesson": "yodd/nothing"}, "There is no such lesson."),
        ({"puzzle": "nothing"}, "There is no such puzzle."),
        ({"game": "yodd", "size": 3, "turns": ["Bz9"]}, "z9 is off the hexhex board of base 3."),
        ({"game": "yodd", "size": 3, "drops": ["Bc3", "Wc3"]}, "does not fit"),
        ({"game": "yodd", "size": 3, "drops": ["Bz9"]}, "does not fit"),
        ({"game": "ayu", "size": 5, "origin": "a1"}, "does not fit"),
        ({"game": "yodd", "size": 99}, "size"),
        ({"game": "yodd", "size": 3, "do": "dance"}, "does not know"),
        ({"game": "yodd", "size": 3, "do": "undo"}, "does not know"),
    ],
)
def test_nonsense_is_refused_in_a_sentence(request_, sentence):
    with pytest.raises(PracticeError, match=sentence):
        ask(**request_)


def test_the_lists_name_what_there_is():
    taught = {course["game"]: course for course in courses()}
    assert list(taught) == ["yodd", "xodd", "odd", "ayu"]
    for course in taught.values():
        for lesson in course["lessons"]:
            assert ask(lesson=lesson["name"])["lesson"]["title"] == lesson["title"]
        assert len(course["picture"]["frames"]) > 5
    for puzzle in all_puzzles():
        assert ask(puzzle=puzzle["id"])["game"]["name"] == puzzle["game"]

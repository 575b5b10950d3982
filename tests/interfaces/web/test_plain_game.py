"""A game at its address without JavaScript, its picture, and its record for an analysis."""

import re

import pytest

from oddly.games import create_game

TURNS = ["Bc3", "Wa3,Be3", "We1,Bd3", "pass", "pass"]


def opened(server, **request):
    """The public id of a new game."""
    asked = {"game": "yodd", "size": 3, "seats": ["human", "human"], **request}
    answer = server.post("/api/seats/open", asked)
    assert answer.status_code == 201, answer.text
    return answer.json()["id"], answer.headers["set-cookie"].partition(";")[0]


def plain(server, query):
    """What a browser without JavaScript shows."""
    return re.search(r"<noscript>(.*?)</noscript>", server.get(f"/{query}").text, re.DOTALL)[1]


def test_the_address_shows_the_board_the_turns_and_the_result(server):
    name, _ = opened(server, turns=TURNS, terms={"names": ["Ann <b>", ""]})
    shown = plain(server, f"?game={name}")
    for turn in TURNS:
        assert f">{turn}</a>" in shown
    assert "Black: <strong>Ann &lt;b&gt;</strong>" in shown
    assert "wins by" in shown
    assert "The board after turn 5, pass." in shown
    assert f'src="api/games/{name}/board.svg?turn=5"' in shown


def test_a_turn_has_an_address_and_links_to_those_beside_it(server):
    name, _ = opened(server, turns=TURNS[:3])
    shown = plain(server, f"?game={name}&turn=2")
    assert "The board after turn 2, Wa3,Be3." in shown
    for words, turn in (("To the start", 0), ("One turn back", 1), ("One turn on", 3)):
        assert f'<a href="?game={name}&amp;turn={turn}">{words}</a>' in shown
    assert "Turn 4: human #2 is to move." in shown
    assert "The game has 3 turns and no turn 9." in plain(server, f"?game={name}&turn=9")
    assert "at the start" in plain(server, f"?game={name}&turn=0")
    assert "after turn 3" in plain(server, f"?game={name}&turn=x")


@pytest.mark.parametrize("name", ["nobody", "<script>", "x" * 200])
def test_an_address_without_a_game_says_so(server, name):
    shown = plain(server, f"?game={name}")
    assert "There is no such game on this server, or no longer." in shown
    assert "<script" not in shown


def test_half_a_turn_and_other_peoples_secrets_are_not_shown(server):
    name, cookie = opened(server, seats=["human", "friend"])
    page = server.get(f"/?game={name}").text
    assert cookie.partition("=")[2] not in page
    assert "#join" not in page


@pytest.mark.parametrize(
    ("game", "size", "turns"),
    [("yodd", 3, TURNS), ("odd", 3, ["Wc3", "Bd3"]), ("ayu", 5, None)],
)
def test_the_picture_has_the_stones_of_the_rules(server, game, size, turns):
    rules = create_game(game, size)
    if turns is None:
        turns = [str(next(iter(rules.start().legal_turns())))]
    name, _ = opened(server, game=game, size=size, turns=turns)
    position = rules.start()
    for number in range(len(turns) + 1):
        answer = server.get(f"/api/games/{name}/board.svg?turn={number}")
        assert answer.headers["content-type"].startswith("image/svg+xml")
        kinds = re.findall(r'class="(\w+)', answer.text)
        assert kinds.count("black") == sum(stone == 1 for stone in position.stones)
        assert kinds.count("white") == sum(stone == 2 for stone in position.stones)
        if number < len(turns):
            position = position.play(turns[number])
    assert server.get("/api/games/nobody/board.svg").status_code == 404


def test_a_game_is_analysed_from_its_record(server):
    name, _ = opened(server, turns=TURNS, terms={"names": ["Ann", "Bob"]})
    found = server.get(f"/api/games/{name}/record").json()
    assert (found["id"], found["turns"], found["players"]) == (name, TURNS, ["Ann", "Bob"])
    assert "wins by" in found["reason"]
    answer = server.get("/api/games/nobody/record")
    assert answer.status_code == 404
    assert "no such game" in answer.json()["sentence"]


def test_a_game_of_two_who_play_apart_is_analysed_when_it_is_over(server):
    name, cookie = opened(server, seats=["human", "friend"], turns=TURNS[:2])
    for headers in ({}, {"cookie": cookie}):
        answer = server.get(f"/api/games/{name}/record", headers=headers)
        assert answer.status_code == 409
        assert "when it is over" in answer.json()["sentence"]
    name, _ = opened(server, seats=["human", "friend"], turns=TURNS)
    assert server.get(f"/api/games/{name}/record").status_code == 200
    # Both at one screen are helped, and nobody else meanwhile.
    name, cookie = opened(server, turns=TURNS[:2])
    assert server.get(f"/api/games/{name}/record").status_code == 409
    assert server.get(f"/api/games/{name}/record", headers={"cookie": cookie}).status_code == 200

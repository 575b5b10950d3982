"""Attacks on seats by copied addresses, cookies, links and keys."""

from contextlib import closing

import pytest

from oddly.interfaces.web.seats import hashed
from tests.interfaces.web.serving import Socket


def opened(server, **headers):
    """A game of two people far apart, opened as the page does it; its id and its cookie."""
    game = {"game": "yodd", "size": 2, "seats": ["human", "friend"]}
    answer = server.post("/api/seats/open", game, **headers)
    assert answer.status_code == 201, answer.text
    return answer.json()["id"], answer.headers["set-cookie"]


def seen(server, game, cookie=""):
    """What a browser sees of a game."""
    with closing(Socket(server, f"/ws/play/{game}", cookie=cookie)) as browser:
        return browser.hear("game")


def invitation(server, game, cookie):
    return seen(server, game, cookie)["invitations"][0]["key"]


def test_a_copied_address_only_looks_on(server):
    game, cookie = opened(server)
    mine = cookie.partition(";")[0]
    assert seen(server, game, mine)["yours"] == [0]
    for other in (
        "",
        "oddly-1-seats=x",
        f"{mine}x",
        mine.upper(),
        f"oddly-{server.port}-seats={game}",
    ):
        view = seen(server, game, other)
        assert (view["yours"], view["invitations"], view["may_move"]) == ([], [], False)
    with closing(Socket(server, f"/ws/play/{game}")) as thief:
        thief.hear("game")
        for wish in (
            {"do": "resign"},
            {"do": "invite", "seat": 1},
            {"do": "click", "vertex": "b2"},
        ):
            thief.send(wish)
            assert "looking on" in thief.hear("refused")["sentence"]


def test_the_cookie_of_a_seat_is_for_this_page_alone(server):
    game, cookie = opened(server)
    words = {word.strip().lower() for word in cookie.split(";")[1:]}
    assert {"httponly", "samesite=strict", "path=/"} <= words
    assert "secure" not in words
    _, behind_tls = opened(server, origin=f"https://{server.host}")
    assert "secure" in behind_tls.lower()
    mine = cookie.partition(";")[0]
    assert opened(server, cookie=mine)[1].partition(";")[0] == mine
    # One that the server has not given out, such as one that another page has planted, is replaced.
    planted = f"oddly-{server.port}-seats=planted"
    assert planted not in opened(server, cookie=planted)[1]
    assert game not in cookie


def test_a_link_that_is_only_fetched_takes_no_seat(server):
    game, cookie = opened(server)
    mine = cookie.partition(";")[0]
    key = invitation(server, game, mine)
    for path in (
        f"/?game={game}",
        "/api/seats/take",
        "/api/seats/look",
        f"/api/seats/take?key={key}",
    ):
        answer = server.get(path)
        assert "set-cookie" not in answer.headers
    looked = server.post("/api/seats/look", {"key": key})
    assert looked.json() | {"players": 0} == {
        "id": game, "title": "Yodd, base 2", "seat": 1, "players": 0, "yours": [], "owner": False,
    }  # fmt: skip
    assert "set-cookie" not in looked.headers
    assert (
        server.post("/api/seats/take", {"key": key}, origin="http://evil.example").status_code
        == 403
    )
    assert seen(server, game, mine)["open"] == [1]


def test_an_invitation_is_used_once(server):
    game, cookie = opened(server)
    mine = cookie.partition(";")[0]
    key = invitation(server, game, mine)
    assert server.post("/api/seats/take", {"key": key}, cookie=mine).status_code == 409
    taken = server.post("/api/seats/take", {"key": key, "name": "Bob"})
    assert (taken.status_code, taken.json()) == (200, {"id": game})
    theirs = taken.headers["set-cookie"].partition(";")[0]
    assert theirs != mine
    assert seen(server, game, theirs)["yours"] == [1]
    assert seen(server, game)["players"] == ["player 1", "Bob"]
    for action in ("take", "look"):
        again = server.post(f"/api/seats/{action}", {"key": key})
        assert (again.status_code, again.json()["game"]) == (410, game)
        assert again.json()["sentence"].startswith("This invitation has been used")
    # Its own browser is led to the game.
    looked = server.post("/api/seats/look", {"key": key}, cookie=theirs)
    assert looked.json()["yours"] == [1]


@pytest.mark.parametrize(
    ("value", "status"),
    [({"key": "x" * 32}, 404), ({"key": ""}, 404), ({"key": "x" * 100}, 400), ({}, 400), ([], 400),
     ({"key": 1}, 400), ({"key": "x", "more": 1}, 400), (b"{", 400), (b"\xff", 400)],
)  # fmt: skip
@pytest.mark.parametrize("action", ["take", "look", "exchange"])
def test_what_is_no_invitation_is_refused_in_a_sentence(server, action, value, status):
    answer = server.post(f"/api/seats/{action}", value)
    assert answer.status_code == status
    assert answer.json()["sentence"].endswith(".")
    assert "set-cookie" not in answer.headers


def test_no_public_id_and_no_invitation_is_a_key(server):
    game, cookie = opened(server)
    key = invitation(server, game, cookie.partition(";")[0])
    for secret in (game, key, hashed(key), cookie.partition("=")[2].partition(";")[0]):
        assert server.post("/api/seats/exchange", {"key": secret}).status_code == 404
    assert server.post("/api/seats/take", {"key": game}).status_code == 404
    with closing(Socket(server, f"/ws/play/{key}")) as stranger:
        assert stranger.closing_code() == 4404


def test_a_new_invitation_ends_the_old_one(server):
    game, cookie = opened(server)
    mine = cookie.partition(";")[0]
    old = invitation(server, game, mine)
    with closing(Socket(server, f"/ws/play/{game}", cookie=mine)) as owner:
        owner.hear("game")
        owner.send({"do": "invite", "seat": 1})
        new = owner.hear("game")["invitations"][0]["key"]
    assert server.post("/api/seats/take", {"key": old}).status_code == 404
    assert server.post("/api/seats/take", {"key": new}).status_code == 200

"""Exhibitions: two engines of the server play each other, within the limits of all games."""

import json
import shlex

import pytest
import trio
from playwright.sync_api import expect

from oddly.interfaces.web.exhibition import Exhibitions
from oddly.interfaces.web.lobby import GameRequestError
from tests.interfaces.web.serving import FAKE, serving, wait_until
from tests.interfaces.web.test_lobby import OWNER, Looker, played, request, room
from tests.patience import PATIENCE
from tests.programs import PYTHON, needs


def asked(**more):
    facts = {"game": "yodd", "size": 2, "first": "good", "second": "good", "seconds": 1, **more}
    return json.dumps(facts).encode()


async def test_two_engines_play_a_game_that_is_recorded_and_stays_at_its_address(tmp_path):
    async with room(tmp_path) as play:
        exhibitions = Exhibitions(play)
        name = exhibitions.open(asked(), "here")
        looker = Looker(play.games[name])
        view = await looker.hears("game", lambda view: view["over"])
        assert view["players"] == ["good #1", "good #2"]
        assert view["yours"] == []
        record = played(tmp_path)
        shown = exhibitions.game(name, "here")
        assert (shown.state, shown.record.outcome) == ("over", record.outcome)
        assert [game.id for game in exhibitions.listed("here")] == [name]
        play.close()
        again = exhibitions.game(name, "here")
        assert (again.state, again.record.outcome) == ("over", record.outcome)
        assert exhibitions.game("nothing", "here") is None


async def test_what_both_engines_expect_is_shown_and_the_list_outlives_the_server(tmp_path):
    facts = asked(first="foreseer", second="good")
    async with room(tmp_path) as play:
        name = Exhibitions(play).open(facts, "here")
        view = await Looker(play.games[name]).hears("game", lambda view: view["over"])
        shown = Exhibitions(play).game(name, "here")
        expected = [played.evaluation for played in shown.turns]
        assert all(expected[::2])
        assert not any(expected[1::2])
        assert shown.expected(1) == (expected[0].win_rate, None)
        assert played(tmp_path).turns[0].evaluation == expected[0]
        # Who plays against an engine learns nothing of what it thinks.
        against = play.open(request(seats=["foreseer", "human"]), OWNER)
        await Looker(against).hears("game", lambda view: view["turns"])
        assert not any(each.evaluation for each in against.record().turns)
    async with room(tmp_path, fetches=0.001, fetch_burst=1) as play:
        again = Exhibitions(play)
        # No visitor pays for the list, and it is read once.
        for _ in range(3):
            (listed,) = again.listed("here")
        assert (listed.id, listed.state) == (name, "over")
        assert [each.evaluation for each in listed.turns] == expected
        assert view["turns"] == [each.turn for each in listed.turns]


async def test_an_exhibition_that_a_restart_ended_says_so_and_goes_on(tmp_path):
    async with room(tmp_path) as play:
        name = Exhibitions(play).open(asked(second="sleeper"), "here")
        await Looker(play.games[name]).hears("game", lambda view: view["turns"])
    async with room(tmp_path) as play:
        exhibitions = Exhibitions(play)
        (listed,) = exhibitions.listed("here")
        assert (listed.state, len(listed.turns)) == ("stopped", 1)
        Looker(play.find(name, address="here").game)
        assert exhibitions.game(name, "here").state == "running"


async def test_the_clocks_show_what_is_left_for_the_turn(tmp_path):
    async with room(tmp_path) as play:
        exhibitions = Exhibitions(play)
        name = exhibitions.open(asked(second="sleeper", seconds=3), "here")
        game = play.games[name]
        view = await Looker(game).hears("game", lambda view: view["turns"])
        assert (view["clocks"][0], view["ticking"]) == (3.0, 1)
        with trio.fail_after(PATIENCE):
            while game.clocks()[1] == 3.0:
                await trio.sleep(0.01)
        waits, runs = exhibitions.game(name, "here").clocks
        assert waits == 3.0
        assert 0 <= runs < 3.0


async def test_an_exhibition_takes_a_table_like_any_other_game(tmp_path):
    async with room(tmp_path, games=1) as play:
        exhibitions = Exhibitions(play)
        first = exhibitions.open(asked(first="sleeper"), "here")
        Looker(play.games[first])
        with pytest.raises(GameRequestError, match="All 1 tables are taken"):
            exhibitions.open(asked(first="sleeper"), "here")
        with pytest.raises(GameRequestError, match="All 1 tables are taken"):
            exhibitions.open(asked(first="sleeper"), "elsewhere")


async def test_an_engine_that_fails_gives_the_table_back(tmp_path):
    async with room(tmp_path, games=1) as play:
        exhibitions = Exhibitions(play)
        name = exhibitions.open(asked(second="liar"), "here")
        game = play.games[name]
        view = await Looker(game).hears("game", lambda view: view["fault"])
        assert view["fault"].startswith("liar: ")
        for _ in range(2):
            # The same while the engines are being stopped and afterwards, and the reason with it.
            shown = exhibitions.game(name, "here")
            assert (shown.state, shown.note) == ("stopped", view["fault"])
            while game.holds_table:
                await trio.sleep(0.01)
        assert exhibitions.open(asked(), "elsewhere") in play.games


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (asked(first="human"), "There is no engine 'human' on this server."),
        (asked(second="nobody"), "There is no engine 'nobody' on this server."),
        (asked(game="chess"), "chess"),
        (asked(size=99), "99"),
        (asked(seconds=7), "An engine's time is one of 1, 3, 10 seconds, not 7."),
        (asked(turns=["Ba1"]), "turns: "),
        (b"[]", "the request: "),
        (b"no json", "the request: "),
    ],
)
async def test_an_exhibition_that_cannot_be_is_refused_with_a_sentence(tmp_path, body, said):
    async with room(tmp_path) as play:
        with pytest.raises(GameRequestError, match=said.replace("[", r"\[")):
            Exhibitions(play).open(body, "here")
        assert not play.games


@pytest.mark.sampled
def test_an_address_opens_so_many_and_a_guest_none(tmp_path):
    facts = json.loads(asked(first="greedy", second="random"))
    with serving(tmp_path) as server:
        assert "Let them play" in server.get("/watch/exhibition").text
        opened = server.post("/api/exhibitions", facts)
        assert opened.status_code == 201
        name = opened.json()["id"]
        # What is refused counts too.
        wrong = {**facts, "first": "nobody"}
        *refused, last = [server.post("/api/exhibitions", wrong) for _ in range(60)]
        assert {answer.status_code for answer in refused} == {422}
        assert (last.status_code, "retry-after" in last.headers) == (429, True)
        wait_until(lambda: "wins: " in server.get(f"/watch/game/{name}").text, "the end")
    with serving(tmp_path, "--name", "a", "--token-file", tmp_path / "token") as server:
        # The game was stored, and its address opens it to a guest, who starts none.
        page = server.get(f"/watch/game/{name}")
        assert "wins: " in page.text
        guest = page.headers["set-cookie"].partition(";")[0]
        answer = server.post("/api/exhibitions", facts, cookie=guest)
        assert (answer.status_code, "Guests" in answer.json()["sentence"]) == (403, True)
        page = server.get("/watch/exhibition", headers={"cookie": guest}).text
        assert "Guests of this server start no games." in page
        assert "Let them play" not in page
    words = ("--name", "a", "--token-file", tmp_path / "token", "--guests-open")
    with serving(tmp_path, *words) as server:
        page = server.get(f"/watch/game/{name}")
        guest = page.headers["set-cookie"].partition(";")[0]
        assert server.post("/api/exhibitions", facts, cookie=guest).status_code == 201


def begin(page, server, first):
    """Let an engine play against a random one, and come to the page of their game."""
    page.goto(f"{server.origin}/watch/exhibition")
    for name, value in {"game": "yodd/3", "first": first, "second": "random"}.items():
        page.select_option(f"[name={name}]", value)
    page.click("button[type=submit]")
    page.wait_for_url("**/watch/game/*")


@needs("chromium")
def test_a_visitor_lets_engines_play_and_watches_to_the_end(page, tmp_path):
    with serving(tmp_path) as server:
        begin(page, server, "greedy")
        address = page.url
        page.locator(".state-line", has_text=" wins: ").wait_for()
        assert page.url == address
        page.get_by_label("To the start").click()
        expect(page).to_have_url(f"{address}?turn=0")
        page.goto(f"{server.origin}/watch/exhibition")
        page.locator("a.ended").click()
        page.locator(".state-line", has_text=" wins: ").wait_for()
        assert page.url == address


@needs("chromium")
def test_an_interrupted_exhibition_says_why_at_once_and_when_it_is_loaded_again(page, tmp_path):
    crasher = f"crasher={PYTHON} {shlex.quote(FAKE)} --fault crash --at 2"
    with serving(tmp_path, "--engine", crasher) as server:
        begin(page, server, "crasher")
        for _ in range(2):
            expect(page.locator(".problem")).to_contain_text("crasher: the engine ")
            expect(page.locator(".state-line")).to_have_text("Interrupted.")
            page.reload()
        drawn = server.get(page.url.removeprefix(server.origin)).text
        assert "Interrupted." in drawn
        assert "crasher: the engine " in drawn

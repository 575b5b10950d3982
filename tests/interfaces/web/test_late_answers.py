"""An answer of the server that comes late changes nothing: its question is an older one."""

import json
import re
import shlex

import pytest
from playwright.sync_api import expect

from tests.interfaces.web.clicking import do, vertex
from tests.interfaces.web.serving import FAKE, wait_until
from tests.patience import PATIENCE
from tests.programs import PYTHON, needs

pytestmark = needs("chromium")
SERVED = ("--engine", f"slow={PYTHON} {shlex.quote(FAKE)} --fault hang --at 1")


def held(page, pattern):
    """The requests that are held from now on."""
    found = []

    def keep(route):
        found.append(route)

    page.route(pattern, keep)
    return found


def until_asked(page, requests, number=1):
    wait_until(lambda: page.wait_for_timeout(20) or len(requests) >= number, "the request")


def let_go(page, route, answer=None):
    """Let an answer reach the page, or an error, and wait until the page has heeded it."""
    with page.expect_event(
        "requestfinished", lambda request: request == route.request, timeout=1000 * PATIENCE
    ):
        if answer is None:
            route.continue_()
        else:
            route.fulfill(status=answer[0], json=answer[1])
    page.evaluate("new Promise((done) => setTimeout(done, 100))")


BROKEN = (500, {"sentence": "The server is broken."})
YOURS = {"id": "any-game", "title": "", "seat": 0, "players": [], "yours": [0], "owner": False}


@pytest.mark.parametrize(
    ("address", "pattern", "answer"),
    [
        ("#learn/yodd", "**/api/courses", BROKEN),
        ("#learn/yodd/first-stone", "**/api/practice", None),
        ("#puzzles", "**/api/puzzles", BROKEN),
        ("#puzzles/yodd-3-17", "**/api/practice", BROKEN),
        ("#analyse/line/chess/8", "**/api/line", None),
        ("#analyse/line/yodd/3/-/-/Bc3", "**/api/line", None),
        ("?game={game}#play/{game}", "**/api/boards/**", None),
        ("?game={game}#join/nothing", "**/api/seats/look", (200, YOURS)),
    ],
)
def test_who_has_left_a_room_hears_no_more_of_it(browser, server, address, pattern, answer):
    # A page whose console may tell of refusals.
    page = browser.new_page()
    game = server.open_game("yodd", 3)
    asked = held(page, pattern)
    page.goto(f"{server.origin}/{address.format(game=game)}")
    until_asked(page, asked)
    page.evaluate("location.hash = '#analyse'")
    expect(page.locator("textarea")).to_be_visible()
    before = page.inner_text("main")
    let_go(page, asked[0], answer)
    assert page.inner_text("main") == before
    assert page.title() == "Analyse - oddly"
    assert page.evaluate("location.hash") == "#analyse"
    page.context.close()


def test_who_plays_on_is_not_taken_to_the_past_that_was_asked_for_before(page, server):
    game = server.open_game("yodd", 3, turns=["Bc3"])
    page.goto(f"{server.origin}/#play/{game}")
    asked = held(page, "**/api/line")
    page.get_by_label("Look one turn back").click()
    until_asked(page, asked)
    vertex(page, "a3").click()
    expect(vertex(page, "a3").locator(".tentative")).to_be_visible()
    let_go(page, asked[0])
    assert page.locator(".board.past").count() == 0
    expect(page.locator(".past-line")).to_have_text("")
    assert vertex(page, "a3").locator(".tentative").count() == 1


def test_steps_into_the_past_go_on_while_the_first_is_asked_for(page, server):
    game = server.open_game("yodd", 3, turns=["Bc3", "Wa3,Be3", "We1,Bd3"])
    page.goto(f"{server.origin}/#play/{game}")
    asked = held(page, "**/api/line")
    back = page.get_by_label("Look one turn back")
    back.click()
    back.click()
    until_asked(page, asked, 2)
    let_go(page, asked[1])
    expect(page.locator("svg.board .piece")).to_have_count(1)
    let_go(page, asked[0])
    assert page.locator("svg.board .piece").count() == 1
    expect(page.locator(".past-line")).to_have_text("After turn 1: Bc3")


def test_the_analysis_stays_where_one_went_last(page, server):
    page.goto(f"{server.origin}/#analyse/line/yodd/3/-/-/Bc3.Wa3-Be3.We1-Bd3.pass.pass")
    expect(page.locator("svg.board .piece")).to_have_count(0)
    vertex(page, "c3").click()
    asked = held(page, "**/api/practice")
    do(page, "end")
    until_asked(page, asked)
    page.get_by_label("To the end").click()
    let_go(page, asked[0])
    until_asked(page, asked, 2)
    let_go(page, asked[1])
    expect(page.locator(".said-of-turn")).to_contain_text("Turn 5 of 5")
    expect(page.locator("svg.board .piece")).to_have_count(5)


def click_at_once(page, *selectors):
    """Click so fast that no answer comes between."""
    page.evaluate(
        """(all) => all.forEach((each) => document.querySelector(each)
             .dispatchEvent(new MouseEvent("click", { bubbles: true })))""",
        selectors,
    )


@pytest.mark.parametrize("place", ["analyse/line/yodd/3/-/-/-", "learn/yodd"])
def test_a_click_behind_the_end_of_a_turn_is_of_the_next_player(page, server, place):
    page.goto(f"{server.origin}/#{place}")
    expect(vertex(page, "c3")).to_be_visible()
    asked = held(page, "**/api/practice")
    click_at_once(page, "[data-vertex=c3]", "[data-do=end]", "[data-vertex=a3]")
    for number in range(3):
        until_asked(page, asked, number + 1)
        let_go(page, asked[number])
    expect(vertex(page, "a3").locator(".piece.white")).to_be_visible()


REFUSED = "What you clicked after it was not done."


@pytest.mark.parametrize("answer", [None, BROKEN])
def test_a_click_behind_one_that_is_refused_is_not_done(browser, server, answer):
    # A page whose console may tell of refusals.
    page = browser.new_page()
    page.goto(f"{server.origin}/#analyse/line/yodd/5/-/-/Be5")
    page.get_by_label("To the end").click()
    expect(vertex(page, "e5").locator(".piece")).to_be_visible()
    expect(page.locator("[data-do=pass]")).to_be_enabled()
    asked = held(page, "**/api/practice")
    click_at_once(page, "[data-vertex=e5]", "[data-vertex=a5]", "[data-do=end]")
    until_asked(page, asked)
    let_go(page, asked[0], answer)
    told = "The server is broken." if answer else "e5 is occupied."
    expect(page.locator(".note", has_text=REFUSED)).to_have_text(f"{told} {REFUSED}")
    expect(page.locator(".tentative")).to_have_count(0)
    assert len(asked) == 1
    # Of the buttons nothing waits, and the next click is done.
    expect(page.locator(".pending")).to_have_count(0)
    vertex(page, "a5").click()
    until_asked(page, asked, 2)
    let_go(page, asked[1])
    expect(vertex(page, "a5").locator(".tentative")).to_be_visible()
    page.context.close()


def test_a_watched_game_does_not_go_back(page, server):
    facts = {"game": "yodd", "size": 3, "first": "slow", "second": "slow", "seconds": 10}
    opened = server.post("/api/exhibitions", facts)
    assert opened.status_code == 201, opened.text
    name = opened.json()["id"]
    shown = server.get(f"/api/watch/games/{name}").json()
    # The engine loses on time after 10 seconds, which a browser may need to ask for the page.
    drawn = server.get(f"/watch/game/{name}").text
    assert 'data-state="running"' in drawn
    page.route(
        f"**/watch/game/{name}", lambda route: route.fulfill(body=drawn, content_type="text/html")
    )
    turns = ["Bc3", "Wa3,We3"]
    states = [
        {**shown, "turns": turns[:number], "leads": [0] * (number + 1),
         "counts": [[0, 0]] * (number + 1), "clocks": [None, None]}
        for number in range(3)
    ]  # fmt: skip
    sockets = []

    def connect(opened):
        sockets.append(opened)

    page.route_web_socket(re.compile("/ws/"), connect)
    asked = held(page, "**/api/watch/games/*")
    page.goto(f"{server.origin}/watch/game/{name}")
    until_asked(page, asked)
    let_go(page, asked[0], (200, states[0]))
    wait_until(lambda: page.wait_for_timeout(20) or sockets, "the socket")
    for number in (1, 2):
        sockets[0].send(json.dumps({"kind": "game", "turns": turns[:number], "clocks": [10, 10]}))
        until_asked(page, asked, number + 1)
    for number in (2, 1):
        let_go(page, asked[number], (200, states[number]))
        expect(page.locator(".tree .turn")).to_have_count(2)
    assert page.locator("svg.board .piece").count() == 3
    expect(page.locator(".state-line")).to_contain_text("Turn 3: ")

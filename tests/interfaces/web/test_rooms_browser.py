"""Lessons and analysis in a real browser.

They need Debian's `chromium`, or one named in ODDLY_CHROMIUM.
"""

import json

import pytest
from playwright.sync_api import expect

from oddly.games.catalogue import GAMES
from tests.interfaces.web.clicking import choose, do, drop, flip, vertex
from tests.interfaces.web.serving import HINTS, wait_until
from tests.programs import needs

pytestmark = needs("chromium")
SERVED = HINTS


def test_a_newcomer_goes_from_the_lessons_into_a_first_game(page, server):
    page.goto(f"{server.origin}/#learn/yodd/race")
    # White is to move, and may drop black stones.
    expect(page.locator("[data-colour=white]")).to_have_attribute("aria-pressed", "true")
    choose(page, "black")
    for name in ("a5", "c1"):
        drop(page, name)
    do(page, "end")
    expect(page.locator(".counts")).to_contain_text(
        "Black has passed. If you pass too, the game ends and White wins."
    )
    do(page, "pass")
    page.get_by_text("Play your first game of Yodd").click()
    expect(page.locator("h1")).to_have_text("Yodd, base 5")
    expect(page.locator(".player strong")).to_have_text(["you", "rave, first game"])
    expect(page.locator("#counts")).to_contain_text("Your turn.")
    page.go_back()
    expect(page.locator("h1")).to_have_text("The race to pass")


def test_a_lesson_is_learnt_and_remembered(page, server):
    page.goto(f"{server.origin}/#learn/yodd/one-is-not-enough")
    vertex(page, "d3").click()
    expect(page.locator(".counts")).to_contain_text("even: drop another stone")
    drop(page, "e1")
    do(page, "end")
    expect(page.locator(".said.wrong")).to_contain_text("You want one black group")
    page.get_by_text("Try again").click()
    expect(page.locator(".said.wrong")).to_be_hidden()
    # A click while the answer to another is on its way does nothing.
    drop(page, "d3")
    drop(page, "e1")
    flip(page, "e1")
    do(page, "end")
    expect(page.locator(".said.right")).to_contain_text("One black group, two white ones")
    page.goto(f"{server.origin}/#home")
    expect(page.locator("[data-game=yodd] .note")).to_have_text("1 of 8 lessons done")


@pytest.mark.parametrize(
    ("place", "wrong"), [("learn/yodd/one-is-not-enough", "d3 e1"), ("puzzles/odd-3-1", "e2")]
)
def test_who_tries_again_with_the_keyboard_is_on_the_board(page, server, place, wrong):
    page.goto(f"{server.origin}/#{place}")
    for name in wrong.split():
        vertex(page, name).focus()
        page.keyboard.press("Enter")
        expect(vertex(page, name).locator(".tentative")).to_be_visible()
    page.keyboard.press("e")
    expect(page.get_by_text("Try again")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator(".said")).to_have_text("")
    expect(page.locator("svg.board .vertex:focus")).to_have_count(1)


def test_a_puzzle_that_was_missed_does_not_count_as_solved_in_a_row(page, server):
    page.goto(f"{server.origin}/#puzzles/odd-3-1")
    for colour, name, answer in (("white", "e2", ".wrong"), ("black", "d4", ".right")):
        choose(page, colour)
        drop(page, name)
        do(page, "end")
        expect(page.locator(answer)).to_be_visible()
        expect(page.get_by_text("Solved in a row: 0.")).to_be_visible()
        page.reload()


def test_a_puzzle_that_is_none_says_so(page, server):
    page.goto(f"{server.origin}/#puzzles/nope")
    expect(page.locator("h1")).to_have_text("No such puzzle")
    page.get_by_text("All puzzles").click()
    expect(page.locator("h1")).to_have_text("Puzzles")


def test_who_has_had_lessons_of_one_game_begins_those_of_another(page, server):
    page.goto(f"{server.origin}/#home")
    page.evaluate("localStorage.setItem('oddly-lessons', '{\"yodd/first-stone\": true}')")
    for game, words in (("yodd", "Go on with the lessons"), ("ayu", "Begin the lessons")):
        page.goto(f"{server.origin}/#learn/{game}")
        expect(page.locator("h1")).to_contain_text(game.title())
        expect(page.locator(".panel a.primary")).to_have_text(words)


def test_a_form_stays_though_the_server_failed_at_first(page, server):
    page.clock.install()
    page.route("**/api/facts", lambda route: route.abort("connectionrefused"), times=1)
    page.goto(f"{server.origin}/#home")
    expect(page.locator("main .problem")).to_be_visible()
    page.evaluate("location.hash = '#play/new/odd'")
    page.fill("input[name=size]", "3")
    page.clock.run_for(10_000)
    # An answer would be heeded by now.
    page.evaluate("fetch('api/facts').then((answer) => answer.json())")
    expect(page.locator("input[name=size]")).to_have_value("3")


def test_the_words_about_compiling_go_even_if_the_server_fails_meanwhile(page, server):
    answers = ["compiles", "is down", "compiles", "is ready"]

    def answer(route):
        if (state := answers.pop(0)) == "is down":
            route.abort("connectionrefused")
        else:
            warming = "Odd" if state == "compiles" else None
            route.fulfill(json={**route.fetch().json(), "warming": warming})

    page.clock.install()
    page.route("**/api/facts", answer)
    page.goto(f"{server.origin}/#home")
    line = page.locator("#warming")
    expect(line).to_contain_text("compiles its engine for Odd")
    wait_until(lambda: page.clock.run_for(1_000) or not answers, "the question")
    expect(line).to_be_hidden()


@pytest.mark.parametrize("game", GAMES)
def test_the_example_of_a_text_is_read_whatever_board_is_chosen(page, server, game):
    page.goto(f"{server.origin}/#analyse")
    page.select_option("[aria-label='Game of a list of turns']", game)
    page.fill("[aria-label='Size of the board']", "9")
    page.fill("textarea", page.get_attribute("textarea", "placeholder"))
    page.get_by_text("Read it").click()
    expect(page.locator(".tree .turn")).to_have_count(4)
    assert f"/line/{game}/" in page.url


def test_a_game_is_analysed_with_its_variations(page, server):
    page.goto(f"{server.origin}/#analyse")
    page.fill("textarea", "# yodd 3\nBc3 Wa3,Be3 We1,Bd3 pass pass")
    page.get_by_text("Read it").click()
    expect(page.locator(".tree .turn")).to_have_count(5)
    for _ in range(3):
        page.keyboard.press("ArrowRight")
    expect(page.locator(".tree [aria-current]")).to_have_text("3. We1,Bd3")
    # A list of turns has no times.
    expect(page.locator(".said-of-turn")).to_have_text("Turn 3 of 5: We1,Bd3, by Black.")
    expect(page.locator(".counts")).to_contain_text("1 black + 2 white = 3")
    expect(page.locator(".verdict")).to_contain_text(
        "White wins 75 %, estimated from 1000 simulated games."
    )
    expect(page.locator(".graph .bar")).to_have_count(6)
    vertex(page, "a5").click()
    vertex(page, "c1").click()
    do(page, "end")
    expect(page.locator(".variation .turn")).to_have_count(1)
    page.get_by_text("Remove this variation").click()
    expect(page.locator(".variation")).to_have_count(0)
    expect(page.locator(".tree .turn")).to_have_count(5)


BEGUN, DONE = {"kind": "begun", "engine": "thinker"}, {"kind": "done"}
DISPLACED = {"kind": "problem", "sentence": "Others wait for the engine. Ask again later."}


@pytest.mark.parametrize(
    ("status", "answer", "why"),
    [
        (200, [BEGUN, DISPLACED], "Others wait for the engine. Ask again later."),
        (503, [{"sentence": "Too much at once."}], "Too much at once."),
        (200, [BEGUN], "The server broke off."),
        (0, [], "The server does not answer. Is it still running?"),
    ],
)
def test_a_search_for_mistakes_that_the_engine_does_not_end_says_how_far_it_came(
    browser, server, status, answer, why
):
    # A page whose console may tell of refusals.
    page = browser.new_page()
    asked = []

    def answered(route):
        turns = route.request.post_data_json["turns"]
        asked.append(len(turns))
        if len(turns) < 2:
            route.fulfill(body="".join(json.dumps(each) + "\n" for each in (BEGUN, DONE)))
        elif status:
            route.fulfill(status=status, body="".join(json.dumps(each) + "\n" for each in answer))
        else:
            route.abort("connectionrefused")

    page.goto(f"{server.origin}/#analyse/line/odd/4/-/-/Bd4.We4.Bd3.We3")
    page.get_by_text("Engine", exact=True).click()
    page.route("**/api/analysis", answered)
    page.get_by_text("Find the mistakes").click()
    progress = page.locator(".actions .note")
    expect(progress).to_have_text(f"Looked at 2 of 5 positions. {why}")
    assert asked == [0, 1, 2]
    # The engine of the page takes nothing of it away.
    page.get_by_text("Engine", exact=True).click()
    expect(progress).to_have_text(f"Looked at 2 of 5 positions. {why}")
    page.context.close()


def test_a_search_for_mistakes_comes_to_the_end_of_a_finished_game(page, server):
    page.goto(f"{server.origin}/#analyse/line/yodd/3/-/-/Bc3.pass.pass")
    page.get_by_text("Find the mistakes").click()
    expect(page.locator(".actions .note")).to_have_text("2 mistakes found")


def test_a_search_for_mistakes_knows_the_end_of_a_game_to_which_one_went_meanwhile(page, server):
    looks = []

    def keep_the_first(route):
        looks.append(route)
        if len(looks) > 1:
            route.continue_()

    page.goto(f"{server.origin}/#analyse/line/yodd/3/-/-/Bc3.pass.pass")
    page.get_by_text("Engine", exact=True).click()
    page.route("**/api/analysis", keep_the_first)
    page.get_by_text("Find the mistakes").click()
    wait_until(lambda: page.wait_for_timeout(20) or looks, "the first look")
    page.get_by_label("To the end").click()
    expect(page.locator(".counts")).to_contain_text("both players passed")
    looks[0].continue_()
    expect(page.locator(".actions .note")).to_have_text("2 mistakes found")


def test_a_game_to_analyse_comes_onto_the_page_as_a_whole_where_one_was(page, server):
    page.goto(f"{server.origin}/#analyse")
    page.fill("textarea", "# yodd 3\nBc3 Wa3,Be3 We1,Bd3 pass pass")
    page.get_by_text("Read it").click()
    expect(page.locator(".tree .turn")).to_have_count(5)
    page.get_by_label("To the end").click()
    expect(page.locator(".said-of-turn")).to_contain_text("Turn 5 of 5")
    waiting = []

    def keep(route):
        waiting.append(route)

    page.route("**/api/line", keep)
    page.reload()
    wait_until(lambda: page.wait_for_timeout(50) or waiting, "the request of the positions")
    expect(page.locator("main")).to_have_text("Opening the game…")
    waiting[0].continue_()
    expect(page.locator(".graph .bar")).to_have_count(6)
    expect(page.locator(".said-of-turn")).to_contain_text("Turn 5 of 5")
    expect(page.locator("svg.board .piece")).to_have_count(5)

"""The page in a real browser: whole games by clicks.

They need Debian's `chromium`, or one named in ODDLY_CHROMIUM.
"""

import re
import shlex
from random import Random

import pytest
from playwright.sync_api import expect

from oddly.engines.levels import level_list
from oddly.games import create_game
from oddly.interfaces.human_play.sentences import what_the_list_says
from oddly.tournaments.ledger.store import Ledger
from tests.games.positions import played
from tests.interfaces.web.clicking import (
    after_one_more,
    boxes,
    can,
    choose,
    do,
    drop,
    flip,
    my_turn,
    start,
    turns,
    vertex,
    vertices,
)
from tests.interfaces.web.serving import FAKE, HINTS, Server, serving, wait_until
from tests.programs import PYTHON, needs

pytestmark = needs("chromium")
SERVED = ("--engine", f"crasher={PYTHON} {shlex.quote(FAKE)} --fault crash --at 1", *HINTS)


def test_the_form_says_how_strong_the_levels_are_on_the_board_that_was_measured(page, server):
    page.goto(f"{server.origin}/#play/new/ayu")
    levels = page.locator("select[name=second] optgroup[label='rave, by level'] option")
    expect(levels).to_have_count(10)
    size = page.locator("[name=size]")
    size.fill("11")
    found = level_list(create_game("ayu"))
    assert found is not None
    rated = found.ratings["level 3"]
    assert levels.nth(2).text_content() == f"Level 3, learner ({rated})"
    page.select_option("[name=second]", "rave/3")
    plays = page.locator("#plays-second")
    expect(plays).to_have_text(f"plays like {rated} on our list")
    expect(page.locator("#plays-first")).to_have_text("")
    # On another board, or with other rules, nobody knows.
    size.fill("9")
    assert levels.nth(2).text_content() == "Level 3, learner"
    expect(plays).to_have_text("")
    size.fill("11")
    page.select_option("[name=pie]", "true")
    assert levels.nth(2).text_content() == "Level 3, learner"
    expect(page.locator("form .help:not(.plays)")).to_have_text(
        "Levels are of rave alone; the other engines play as well as they can. "
        + what_the_list_says(found)
    )


def test_the_form_names_the_unit_of_the_board_that_is_chosen(page, server):
    page.goto(f"{server.origin}/#play/new/odd")
    label = page.locator("label", has=page.locator("[name=size]"))
    expect(label).to_contain_text("the base: cells per edge")
    page.select_option("[name=board]", "square")
    expect(label).to_contain_text("cells per side")
    page.select_option("[name=board]", "hexhex")
    expect(label).to_contain_text("the base: cells per edge")
    expect(label.locator("[name=size]")).to_have_count(1)


def test_the_form_takes_every_size_of_the_board_that_is_chosen(page, server):
    page.goto(f"{server.origin}/#play/new/odd")
    size = page.locator("[name=size]")
    assert [size.get_attribute(each) for each in ("min", "max", "step")] == ["2", "13", "1"]
    page.select_option("[name=board]", "square")
    assert [size.get_attribute(each) for each in ("min", "max", "step")] == ["2", "19", "1"]


def play_drops(page, random):
    """One turn of drops by clicks in either colour; every second stone changes it."""
    before = turns(page)
    for _ in range(40):
        number = page.locator(".tentative").count()
        if number and can(page, "end"):
            do(page, "end")
            break
        places = {}
        for colour in ("black", "white"):
            choose(page, colour)
            places[colour] = vertices(page, "d")
        colour = random.choice([each for each in places if places[each]] or ["white"])
        choose(page, colour)
        if places[colour] and number < 2:
            place = random.choice(places[colour])
            drop(page, place)
            if random.random() < 0.5:
                flip(page, place)
        elif not number:
            do(page, "pass")
            break
        elif random.random() < 0.5:
            flip(
                page,
                random.choice(page.locator(".vertex:has(.tentative)").all()).get_attribute(
                    "data-vertex"
                ),
            )
        else:
            do(page, "undo")
            expect(page.locator(".tentative")).to_have_count(number - 1)
    after_one_more(page, before)


def test_who_beats_a_level_is_offered_the_next_and_a_look_back(page, server):
    turns = ["Bc3", "Ba3,Be3", "pass"]
    seats = ["rave", "human"]
    name = server.open_game("yodd", 3, seats, terms={"level": 1}, turns=turns)
    page.goto(f"{server.origin}/?game={name}")
    expect(page.locator("#counts")).to_contain_text("Black has passed. If you pass too")
    do(page, "pass")
    expect(page.locator("#counts")).to_contain_text("You win! White wins by 3 groups")
    expect(page.get_by_text("Play against Level 2, beginner")).to_be_visible()
    page.get_by_text("See where it turned").click()
    expect(page.locator(".tree .turn")).to_have_count(4)


def play_move(page, random):
    before = turns(page)
    origin = random.choice(vertices(page, "s"))
    vertex(page, origin).click()
    expect(vertex(page, origin).locator(".origin")).to_be_visible()
    vertex(page, random.choice(vertices(page, "m"))).click()
    after_one_more(page, before)


@pytest.mark.parametrize(
    ("game", "size", "settings"),
    [("yodd", 2, {}), ("xodd", 3, {}), ("odd", 2, {"min_group": 2}), ("ayu", 3, {})],
)
def test_a_whole_game_is_played_by_clicks(page, server, game, size, settings):
    random = Random(f"{game} 1")
    start(page, server, game, size, **settings)
    play = play_move if game == "ayu" else play_drops
    taken_back = False
    while my_turn(page):
        play(page, random)
        if not taken_back and my_turn(page):
            do(page, "undo")
            expect(page.locator(".turns li")).to_have_count(0)
            taken_back = True
    words = page.inner_text("#counts")
    position = played(game, size, *turns(page), **settings)
    assert position.is_over
    winner = position.result.winner
    assert ("A draw" if winner is None else f"{str(winner).capitalize()} wins") in words
    won = winner is not None and str(winner) == "black"
    assert words.startswith("You win!" if won else "A draw" if winner is None else "You lose.")

    def is_kept():
        with Ledger(server.folder / "played.sqlite", read_only=True) as ledger:
            kept = [[turn.turn for turn in each.turns] for each in ledger.records().values()]
        return turns(page) in kept

    wait_until(is_kept, "keeping the game")


def test_the_counts_and_the_parity_are_shown_and_what_is_illegal_is_explained(page, server):
    start(page, server, "yodd", 4, second="human")
    counts = page.locator("#counts")
    expect(counts).to_have_text(re.compile(r"^0 black \+ 0 white = 0, even: the first turn is one"))
    vertex(page, "d4").click()
    expect(counts).to_have_text("1 black + 0 white = 1, odd: you may end the turn")
    flip(page, "d4")
    expect(counts).to_have_text("0 black + 1 white = 1, odd: you may end the turn")
    do(page, "end")
    # Until the server has answered, a tap is nobody's turn.
    expect(counts).to_have_text("0 black + 1 white = 1, odd: drop one stone or two, or pass")
    vertex(page, "a4").click()
    expect(counts).to_have_text("0 black + 2 white = 2, even: drop another stone to make it odd")
    assert not can(page, "end")
    assert not can(page, "pass")
    vertex(page, "d4").click()
    expect(page.locator(".note").first).to_have_text("d4 is occupied.")
    # White on e4 would join d4: two groups still, and so would black beside it make three.
    assert "d" not in (vertex(page, "d4").get_attribute("data-click") or "")
    vertex(page, "g4").click()
    expect(counts).to_have_text("0 black + 3 white = 3, odd: you may end the turn")
    do(page, "undo")
    expect(page.locator(".tentative")).to_have_count(1)
    do(page, "resign")
    expect(counts).to_contain_text("Black wins: White resigned.")


def test_a_game_is_played_with_the_keyboard_alone(page, server):
    start(page, server, "odd", 3, second="human", min_group=1)
    centre = vertex(page, "c3")
    expect(centre).to_have_attribute("tabindex", "0")
    expect(centre).to_have_attribute("aria-label", "c3, empty, put a black stone here")
    centre.focus()
    page.keyboard.press("ArrowRight")
    expect(vertex(page, "d3")).to_be_focused()
    page.keyboard.press("Enter")
    expect(vertex(page, "d3").locator(".tentative")).to_be_visible()
    expect(vertex(page, "d3")).to_have_attribute(
        "aria-label", "d3, black stone of this turn, take it back"
    )
    page.keyboard.press("c")
    expect(vertex(page, "d3")).to_have_attribute(
        "aria-label", "d3, black stone of this turn, change its colour"
    )
    page.keyboard.press("g")
    expect(vertex(page, "d3")).to_have_attribute(
        "aria-label", "d3, black stone of this turn, group 1, change its colour"
    )
    page.keyboard.press("e")
    expect(page.locator(".turns li")).to_have_text(["Bd3"])
    page.keyboard.press("u")
    expect(page.locator(".turns li")).to_have_count(0)


def test_an_engine_that_dies_is_restarted_from_the_page(page, server):
    start(page, server, "yodd", 2, second="crasher")
    vertex(page, "b2").click()
    do(page, "end")
    trouble = page.locator(".card.problem")
    expect(trouble).to_contain_text("crasher: the engine ")
    assert turns(page) == ["Bb2"]
    do(page, "restart")
    expect(trouble).to_contain_text("crasher: the engine ")
    do(page, "undo")
    expect(trouble).to_have_count(0)
    expect(page.locator(".turns li")).to_have_count(0)


def test_a_hint_shows_turns_with_their_chances(page, server):
    start(page, server, "odd", 2, second="human", min_group=1)
    do(page, "hint")
    expect(page.locator("table.thoughts tbody td").nth(1)).to_have_text("Bb2")
    expect(vertex(page, "b2").locator(".ghost.black")).to_be_visible()
    expect(vertex(page, "b2")).to_have_attribute(
        "aria-label", "b2, empty, best turn 1: black, put a black stone here"
    )
    expect(page.locator(".hints p")).to_have_text(
        "Black wins 75 %, estimated from 1000 simulated games."
    )


def test_the_past_is_looked_at_while_the_game_goes_on(page, server):
    start(page, server, "yodd", 2, second="human")
    vertex(page, "b2").click()
    do(page, "end")
    expect(page.locator(".turns li")).to_have_text(["Bb2"])
    page.get_by_label("Look one turn back").click()
    expect(page.locator(".past-line")).to_have_text("The start")
    expect(page.locator("svg.board .piece")).to_have_count(0)
    page.get_by_text("Back to the game").click()
    expect(page.locator("svg.board .piece")).to_have_count(1)
    expect(page.locator(".turns li")).to_have_text(["Bb2"])


def test_a_click_on_a_position_of_the_past_goes_back_to_the_game_and_plays_nothing(page, server):
    page.goto(f"{server.origin}/#play/{server.open_game('ayu', 5, turns=['b1-c1'])}")
    vertex(page, "a2").click()
    expect(vertex(page, "b2")).to_have_attribute("data-click", "m")
    page.get_by_label("Look one turn back").click()
    expect(page.locator(".board.past")).to_be_visible()
    vertex(page, "b2").click()
    expect(page.locator(".board.past")).to_have_count(0)
    expect(page.locator(".turns li")).to_have_text(["b1-c1"])
    vertex(page, "b2").click()
    expect(page.locator(".turns li")).to_have_text(["b1-c1", "a2-b2"])


def test_a_key_on_a_position_of_the_past_goes_back_to_the_game_and_changes_nothing(page, server):
    turns = ["Bc3", "Wa3,Be3"]
    page.goto(f"{server.origin}/#play/{server.open_game('yodd', 3, turns=turns)}")
    for key in ("p", "u"):
        page.get_by_label("Look one turn back").click()
        expect(page.locator(".board.past")).to_be_visible()
        page.keyboard.press(key)
        expect(page.locator(".board.past")).to_have_count(0)
        expect(page.locator(".turns li")).to_have_text(turns)
    page.keyboard.press("p")
    expect(page.locator(".turns li")).to_have_text([*turns, "pass"])


@pytest.mark.sampled
def test_a_game_goes_on_after_the_server_was_killed(page, browser, tmp_path):
    server = Server(tmp_path)
    try:
        start(page, server, "yodd", 3, second="friend")
        invited = page.locator("[data-link='1']").get_attribute("href")
        guest = browser.new_page()
        guest.goto(invited)
        guest.get_by_role("button", name="Take the seat").click()
        spectator = browser.new_page()
        spectator.goto(page.locator("[data-link=watch]").get_attribute("href"))
        vertex(page, "c3").click()
        do(page, "end")
        expect(guest.locator(".turns li")).to_have_text(["Bc3"])
        vertex(guest, "a3").click()
        expect(guest.locator(".tentative")).to_have_count(1)
        # The other one does not see what is only tried.
        expect(page.locator(".turns li")).to_have_text(["Bc3"])
        expect(page.locator(".tentative")).to_have_count(0)
        expect(spectator.locator(".turns li")).to_have_text(["Bc3"])
        expect(spectator.locator("[data-do]:visible")).to_have_count(0)
    finally:
        server.process.kill()
        server.stop()
    with serving(tmp_path, "--port", server.port):
        expect(guest.locator(".note").first).to_have_text("")
        vertex(guest, "e3").click()
        expect(guest.locator(".tentative")).to_have_count(2)
        do(guest, "end")
        for each in (page, guest, spectator):
            expect(each.locator(".turns li")).to_have_text(["Bc3", "Wa3,We3"])
        do(page, "resign")
        expect(spectator.locator("#counts")).to_contain_text("White wins: Black resigned.")
        page.goto(f"{server.origin}/#play")
        expect(page.locator(".my-games li")).to_contain_text("W+R. White wins: Black resigned.")
    guest.context.close()
    spectator.context.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_nothing_is_cut_off_on_a_phone(browser, server, scheme):
    context = browser.new_context(
        viewport={"width": 390, "height": 844}, color_scheme=scheme, has_touch=True
    )
    page = context.new_page()
    start(page, server, "yodd", 8, second="human")
    vertex(page, "h8").tap()
    expect(vertex(page, "h8").locator(".tentative")).to_be_visible()
    assert vertex(page, "h8").locator(".cell").bounding_box()["width"] >= 24
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    found = boxes(page, "button")
    assert len(found) > 5
    for box in found:
        assert box["height"] >= 44, box
        assert box["right"] <= 390, box
    context.close()


def test_the_list_says_how_long_an_unfinished_game_is_kept(page, server):
    start(page, server, "yodd", 3)
    page.goto(f"{server.origin}/#play")
    expect(page.locator(".my-games li").first).to_contain_text(re.compile(r"\(kept until .*\d"))

"""Addresses of turns, analyses and mistakes, and the line that an engine expects, in Chromium."""

import json
import re

import pytest
from playwright.sync_api import expect

from oddly.games import create_game
from tests.interfaces.web.serving import LINES
from tests.interfaces.web.test_plain_game import opened
from tests.programs import needs

pytestmark = needs("chromium")

TURNS = ["Bc3", "Wa3,Be3", "We1,Bd3"]
YODD = "line/yodd/3/-/-/Bc3.Wa3-Be3.We1-Bd3"


SERVED = LINES


def said(page):
    return page.locator(".said-of-turn")


def line(page):
    """The turns of the line that is expected."""
    return page.locator(".expected[aria-label^=Expected] .line-turns .turn")


def in_line(page):
    """The labels of the places on the board that belong to the line."""
    found = page.locator(".vertex[aria-label*='of the line']")
    return [each.get_attribute("aria-label") for each in found.all()]


def test_the_line_is_drawn_and_gone_through_by_keys_and_the_position_comes_back(visit):
    page = visit(f"?turn=2#analyse/{YODD}")
    expect(line(page)).to_have_count(4)
    line(page).first.focus()
    expect(page.locator("svg.expecting")).to_be_visible()
    first = in_line(page)
    assert first
    assert all(re.search(r"(black|white) in turn 1 of the line", label) for label in first)
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    expect(line(page).nth(2)).to_be_focused()
    assert {"1", "2", "3"} <= {re.search(r"turn (\d) of", label)[1] for label in in_line(page)}
    expect(line(page).nth(2)).to_have_attribute("aria-pressed", "true")
    page.keyboard.press("Escape")
    expect(page.locator("svg.expecting")).to_have_count(0)
    assert in_line(page) == []
    # The game itself has not moved.
    expect(said(page)).to_have_text("Turn 2 of 3: Wa3,Be3.")


def test_half_a_turn_is_there_again_after_a_look_at_the_line(visit):
    page = visit(f"?turn=2#analyse/{YODD}")
    expect(line(page)).to_have_count(4)
    page.locator("[data-vertex=c5]").click()
    expect(page.locator(".tentative")).to_have_count(1)
    page.keyboard.press("v")
    expect(page.locator("svg.expecting")).to_be_visible()
    expect(page.locator(".tentative")).to_have_count(0)
    page.locator(".expected.shown").get_by_text("Back to the position").click()
    expect(page.locator(".tentative")).to_have_count(1)


def test_a_position_of_the_past_is_there_again_after_a_look_at_the_line(visit, server):
    """The bug: the stones of the line stayed on the board."""
    page = visit(f"#play/{server.open_game('yodd', 3, turns=TURNS)}")
    pieces = page.locator("svg.board .piece")
    expect(pieces).to_have_count(5)
    page.keyboard.press("h")
    expect(line(page)).to_have_count(4)
    page.get_by_label("Look one turn back").click()
    expect(pieces).to_have_count(3)
    page.keyboard.press("v")
    expect(page.locator("svg.expecting")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.locator("svg.expecting")).to_have_count(0)
    assert in_line(page) == []
    expect(pieces).to_have_count(3)


def test_moves_are_arrows_and_a_moved_piece_leaves_its_place(visit):
    page = visit("#analyse/line/ayu/5/pie.false")
    expect(line(page)).to_have_count(4)
    turn = line(page).first.text_content()
    origin, destination = turn.split("-")
    line(page).first.hover()
    expect(page.locator(".arrows .arrow")).to_have_count(1)
    label = page.locator(f"[data-vertex={destination}]").get_attribute("aria-label")
    assert f"in turn 1 of the line, moved from {origin}" in label
    assert page.locator(f"[data-vertex={origin}] .piece").count() == 0
    page.mouse.move(5, 5)
    expect(page.locator(".arrows")).to_have_count(0)
    expect(page.locator(f"[data-vertex={origin}] .piece")).to_have_count(1)


@pytest.mark.parametrize("game", ["xodd", "odd"])
def test_other_games_have_lines_too(visit, game):
    size = create_game(game).sizes()[1]
    page = visit(f"#analyse/line/{game}/{size}/-/-/-")
    expect(line(page)).to_have_count(4)
    page.keyboard.press("v")
    expect(page.locator(".vertex[aria-label*='in turn 1 of the line']").first).to_be_visible()


def test_a_line_is_played_as_a_variation_with_an_address_of_its_own(visit):
    page = visit(f"?turn=2#analyse/{YODD}")
    expect(line(page)).to_have_count(4)
    turns = [each.text_content() for each in line(page).all()]
    line(page).nth(1).click()
    page.locator(".expected.shown").get_by_text("Play up to here").click()
    expect(said(page)).to_have_text(f"Turn 4: {turns[1]}, a variation.")
    expect(page.locator(".variation .turn").first).to_contain_text(turns[0])
    expect(page).to_have_url(re.compile(r"\?turn=4#analyse/line/"))
    other = visit(page.url.split("/", 3)[3])
    expect(said(other)).to_contain_text(f"Turn 4 of 4: {turns[1]}")


def test_a_mistake_has_an_address_that_shows_the_same_without_an_engine(visit):
    page = visit(f"#analyse/{YODD}")
    page.get_by_text("Find the mistakes").click()
    expect(page.get_by_text(re.compile(r"\d mistakes? found"))).to_be_visible()
    link = page.locator(".mistakes a").first
    text = link.locator("xpath=..").inner_text().split(" Copy")[0].split("\n")[0]
    address = link.get_attribute("href").lstrip("/")
    link.click()
    verdict = page.locator(".verdict")
    expect(verdict).to_contain_text("gave away")
    other = visit(address, engine=False)
    words = re.search(r"(a blunder|a mistake|doubtful): gave away \d+ %", text)[0]
    expect(other.locator(".verdict")).to_contain_text(words)
    expect(other.locator(".mistakes a")).to_have_count(page.locator(".mistakes a").count())
    expect(other.locator(".expected[aria-label^=Better] .turn").first).to_be_visible()
    expect(other.locator(".graph .error").first).to_be_visible()


def test_a_game_and_its_turns_have_addresses_and_back_goes_back(visit, server):
    name, _ = opened(server, turns=TURNS)
    page = visit(f"?game={name}&turn=2")
    past = page.locator(".past-line")
    expect(past).to_have_text("After turn 2: Wa3,Be3")
    page.locator(".turns .turn").first.click()
    expect(past).to_have_text("After turn 1: Bc3")
    expect(page).to_have_url(f"{server.origin}/?game={name}&turn=1#play/{name}")
    page.get_by_text("Back to the game").click()
    expect(page).to_have_url(f"{server.origin}/?game={name}#play/{name}")
    page.go_back()
    expect(past).to_have_text("After turn 1: Bc3")
    page.go_back()
    expect(past).to_have_text("After turn 2: Wa3,Be3")
    page.go_forward()
    expect(past).to_have_text("After turn 1: Bc3")


@pytest.mark.parametrize("turns", [["Ba3", *TURNS[1:]], TURNS[:1]], ids=["other", "fewer"])
def test_a_turn_that_was_taken_back_is_no_longer_looked_at(page, server, turns):
    name, _ = opened(server, turns=TURNS)
    sockets, views = [], []

    def connect(socket):
        def hear(message):
            views.append(json.loads(message))
            socket.send(message)

        sockets.append(socket)
        socket.connect_to_server().on_message(hear)

    page.route_web_socket(re.compile("/ws/play/"), connect)
    page.goto(f"{server.origin}/?game={name}&turn=1#play/{name}")
    expect(page.locator(".past-line")).to_have_text("After turn 1: Bc3")
    view = next(each for each in views if each["kind"] == "game")
    # More turns after it change nothing.
    sockets[0].send(json.dumps({**view, "turns": [*TURNS, "pass"]}))
    expect(page.locator(".turns li")).to_have_count(4)
    expect(page.locator(".past-line")).to_have_text("After turn 1: Bc3")
    # Meanwhile the connection was lost, and the players went back and on.
    sockets[0].send(json.dumps({**view, "turns": turns}))
    expect(page.locator(".turns li")).to_have_text(turns)
    expect(page.locator(".past-line")).to_have_text("")
    expect(page.locator("svg.board .piece")).to_have_count(5)
    expect(page).to_have_url(f"{server.origin}/?game={name}#play/{name}")


def test_a_game_is_analysed_at_the_address_that_names_it(visit, server):
    name, _ = opened(server, turns=[*TURNS, "pass", "pass"], terms={"names": ["Ann", "Bob"]})
    page = visit(f"?game={name}")
    page.locator(".panel").get_by_text("Analyse", exact=True).click()
    expect(page.locator("h1")).to_have_text("Analysis")
    expect(said(page)).to_contain_text("Turn 5 of 5: pass, by Ann")
    page.get_by_label("One turn back").click()
    expect(page).to_have_url(re.compile(rf"\?game={name}&turn=4#analyse/{name}"))
    expect(said(visit(page.url.split("/", 3)[3]))).to_contain_text("Turn 4 of 5: pass, by Bob")
    page.go_back()
    expect(page.locator("h1")).to_have_text("Yodd, base 3")


@pytest.mark.parametrize(
    ("address", "words"),
    [
        ("?game=nobody-has-this-game&turn=3#analyse/nobody-has-this-game", "no such game"),
        ("#analyse/line/chess/8/-/-/e4", "Unknown game 'chess'"),
        ("#analyse/line/yodd", "This address names no game"),
        (f"?turn=77#analyse/{YODD}", "The game has 3 turns and no turn 77."),
        ("?turn=1#analyse/line/yodd/3/-/-/Bc3.Bc3", "Turn 2, Bc3"),
    ],
)
def test_an_address_that_leads_nowhere_says_so(visit, address, words):
    page = visit(address)
    expect(page.get_by_role("alert").filter(has_text=words)).to_be_visible()


def test_a_turn_that_a_game_does_not_have_is_named(visit, server):
    name, _ = opened(server, turns=TURNS)
    page = visit(f"?game={name}&turn=9")
    expect(page.get_by_text("The game has 3 turns and no turn 9.")).to_be_visible()


def test_the_games_of_a_file_are_chosen_from_a_list(visit, tmp_path):
    page = visit("#analyse")
    file = tmp_path / "games.txt"
    file.write_text("# yodd 3\nBc3 Wa3,Be3 We1,Bd3 pass pass\n# odd 3\nBc3 Wd3\n")
    page.set_input_files("input[type=file]", file)
    rows = page.locator(".found tbody tr")
    expect(rows).to_have_count(2)
    rows.nth(1).get_by_role("button").click()
    expect(page.locator(".tree .turn")).to_have_count(2)
    page.go_back()
    expect(page.locator("textarea")).to_be_visible()
    large = tmp_path / "large.txt"
    large.write_text("# yodd 3\n" + "#" * (1 << 20))
    page.set_input_files("input[type=file]", large)
    expect(page.get_by_role("alert")).to_have_text(
        "A file may have up to 1 MiB: large.txt has 1025 KiB."
    )


def test_a_file_in_another_encoding_and_a_text_show_the_names_of_the_players(visit, tmp_path):
    page = visit("#analyse")
    sgf = "(;FF[4]CA[Shift_JIS]GM[1]SZ[15]GN[yodd 8]PB[本因坊]PW[White];AB[hh]PL[W];W[])"
    file = tmp_path / "game.sgf"
    file.write_text(sgf, encoding="shift_jis")
    page.set_input_files("input[type=file]", file)
    expect(page.get_by_text("本因坊").first).to_be_visible()
    page.go_back()
    page.fill("textarea", sgf.replace("本因坊", "吴清源"))
    page.get_by_text("Read it").click()
    expect(page.get_by_text("吴清源").first).to_be_visible()


def test_a_long_name_is_cut_between_two_characters_in_an_address(visit):
    page = visit("#analyse")
    name = "a" + "😀" * 45
    page.fill("textarea", f"(;FF[4]GM[1]SZ[15]GN[yodd 8]PB[{name}]PW[b];AB[hh]PL[W];W[])")
    page.get_by_text("Read it").click()
    expect(page.locator(".tree .turn")).to_have_count(2)
    address = page.url.split("/", 3)[3]
    expect(visit(address).get_by_text("a" + "😀" * 39, exact=True).first).to_be_visible()


def test_a_click_waits_for_the_answer_to_the_one_before(visit, server):
    page = visit("#play/new/yodd")
    page.fill("[name=size]", "3")
    page.select_option("[name=second]", "human")
    # Answers come late, as from far away.
    held = []

    def slow(socket):
        far = socket.connect_to_server()
        socket.on_message(lambda message: held.append(message) or far.send(message))
        far.on_message(lambda message: page.wait_for_timeout(0) or socket.send(message))

    page.route_web_socket("**/ws/play/*", slow)
    page.click("button[type=submit]")
    expect(page.locator("svg.board")).to_be_visible()
    # All at once: before the first stone is there, the turn ends, and the next one begins.
    page.evaluate(
        """() => {
             document.querySelector("[data-vertex=c3]").dispatchEvent(new MouseEvent("click"));
             document.querySelector("[data-do=end]").click();
             document.querySelector("[data-vertex=a3]").dispatchEvent(new MouseEvent("click"));
           }"""
    )
    expect(page.locator(".turns .turn")).to_have_text(["Bc3"])
    expect(page.locator("[data-vertex=a3] .tentative")).to_have_count(1)
    assert [json.loads(each)["do"] for each in held] == ["click", "end", "click"]


def test_what_was_clicked_behind_a_refusal_is_not_done_and_that_is_said(visit, server):
    name, cookie = opened(server, turns=TURNS[:1])
    page = visit("#home")
    key, _, value = cookie.partition("=")
    page.context.add_cookies([{"name": key, "value": value, "url": server.origin}])
    page.goto(f"{server.origin}/?game={name}")
    expect(page.locator("svg.board")).to_be_visible()
    page.evaluate(
        """() => {
             document.querySelector("[data-vertex=c3]").dispatchEvent(new MouseEvent("click"));
             document.querySelector("[data-vertex=a3]").dispatchEvent(new MouseEvent("click"));
           }"""
    )
    expect(page.locator(".note").first).to_have_text(
        "c3 is occupied. What you clicked after it was not done."
    )
    assert page.locator(".tentative").count() == 0

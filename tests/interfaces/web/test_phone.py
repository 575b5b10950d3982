"""A game on a phone: nothing to scroll for, groups that are counted, one colour that is chosen."""

import re
from random import Random

import pytest
from playwright.sync_api import expect

from oddly.games import Colour, Groups, create_game
from oddly.games.legal_turns import random_turn
from tests.games.positions import played
from tests.interfaces.report.events import make_ledger
from tests.interfaces.web.clicking import boxes
from tests.interfaces.web.serving import HINTS, serving
from tests.programs import needs

pytestmark = needs("chromium")

WIDTH, HEIGHT = 390, 660
FINGER = 44
"""The least width and height of a button, in pixels."""

NUMBERED = """(all) => all.map((each) =>
  [Number(each.querySelector(".number").textContent), each.dataset.vertex])"""
CONTAINED = """(paths) => paths.map((path) => {
  const svg = path.ownerSVGElement;
  return [...svg.querySelectorAll(".vertex")].filter((vertex) => {
    const box = vertex.querySelector(".cell").getBBox();
    return path.isPointInFill(new DOMPoint(box.x + box.width / 2, box.y + box.height / 2));
  }).map((vertex) => vertex.dataset.vertex);
})"""


SERVED = HINTS


@pytest.fixture
def phone(browser):
    with browser.new_context(
        viewport={"width": WIDTH, "height": HEIGHT}, has_touch=True, is_mobile=True
    ) as context:
        yield context.new_page()


def some_turns(game, size, number, **settings):
    """Turns of a game that is not yet over."""
    random = Random(f"{game} {size}")
    position = create_game(game, size, settings).start()
    turns = []
    for _ in range(number):
        turns.append(str(random_turn(position, random)))
        position = position.play(turns[-1])
    assert not position.is_over
    return turns


def open_game(page, server, game, size, turns=(), **more):
    name = server.open_game(game, size, turns=list(turns), **more)
    page.goto(f"{server.origin}/?game={name}")
    expect(page.locator("svg.board")).to_be_visible()


def box(page, selector):
    """Where something is in the window: left, top, right, bottom."""
    found = page.locator(selector).bounding_box()
    return found["x"], found["y"], found["x"] + found["width"], found["y"] + found["height"]


def cell_width(page):
    return page.locator(".cell").first.bounding_box()["width"]


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize(
    ("game", "size", "number"), [("yodd", 8, 20), ("xodd", 12, 15), ("odd", 5, 12), ("ayu", 11, 5)]
)
def test_board_line_and_bar_are_seen_without_scrolling(phone, server, scheme, game, size, number):
    phone.emulate_media(color_scheme=scheme)
    open_game(phone, server, game, size, some_turns(game, size, number))
    expect(phone.locator("#state")).not_to_have_text("")
    board, line, bar = (box(phone, each) for each in ("svg.board", "#state", ".turn-bar"))
    assert 0 <= board[0] < board[2] <= WIDTH
    assert 0 <= board[1] < board[3] <= line[1] < line[3] <= bar[1]
    assert (bar[0], bar[2], bar[3]) == (0, WIDTH, HEIGHT)
    style = "getComputedStyle(document.getElementById('state')).fontSize"
    assert line[3] - line[1] < 2 * float(phone.evaluate(style).removesuffix("px"))
    assert phone.evaluate("[scrollX, scrollY]") == [0, 0]
    assert phone.evaluate("document.documentElement.scrollWidth") == WIDTH
    assert cell_width(phone) >= 25.99
    labels, buttons = boxes(phone, "svg.board .label"), boxes(phone, ".turn-bar button")
    assert len(labels) > size
    assert len(buttons) == {"ayu": 1, "odd": 4}.get(game, 5)
    for found in labels + buttons:
        assert 0 <= found["left"] < found["right"] <= WIDTH, found
    for found in buttons:
        assert min(found["width"], found["height"]) >= FINGER, found
    actions = phone.locator(".turn-bar [data-do]:visible").evaluate_all(
        "(all) => all.map((each) => each.dataset.do)"
    )
    assert actions == {"ayu": ["undo"], "odd": ["end", "undo"]}.get(game, ["end", "pass", "undo"])


def test_what_is_printed_has_black_stones_and_no_bar_over_it(phone, server):
    open_game(phone, server, "yodd", 3, ["Bc3"])
    phone.emulate_media(media="print")
    expect(phone.locator(".turn-bar")).to_be_hidden()
    styles = "(all) => all.map((each) => getComputedStyle(each, '::before').printColorAdjust)"
    assert set(phone.locator(".player .stone").evaluate_all(styles)) == {"exact"}
    styles = "(all) => all.map((each) => getComputedStyle(each).printColorAdjust)"
    assert set(phone.locator("#state .dot").evaluate_all(styles)) == {"exact"}


def test_the_rooms_stand_in_one_line_on_a_narrow_phone_too(phone, server):
    phone.set_viewport_size({"width": 360, "height": 640})
    open_game(phone, server, "yodd", 8)
    assert len({round(each["top"]) for each in boxes(phone, "nav[aria-label=Rooms] a")}) == 1
    assert phone.evaluate("document.documentElement.scrollWidth") == 360


@pytest.mark.parametrize("width", [360, WIDTH])
def test_long_names_of_players_stay_in_the_window(phone, server, width):
    phone.set_viewport_size({"width": width, "height": HEIGHT})
    names = ["Maximilian Schwarzenberg", "Konstantina Papadopoulos"]
    open_game(phone, server, "ayu", 5, terms={"names": names})
    expect(phone.locator(".players strong")).to_have_text(names)
    one, other = boxes(phone, ".players .player")
    assert one["right"] <= other["left"] < other["right"] <= width
    assert one["width"] == pytest.approx(other["width"], abs=1)
    assert phone.evaluate("document.documentElement.scrollWidth") == width


def test_a_long_word_in_the_name_of_a_tournament_stays_in_the_window(phone, tmp_path):
    name = "Donaudampfschifffahrtsmeisterschaft"
    ledger = tmp_path / "event.sqlite"
    make_ledger(ledger, ["one", "two"], games=[create_game("yodd", 3)], name=name)
    phone.set_viewport_size({"width": 360, "height": 640})
    with serving(tmp_path, ledger) as server:
        for address in ("watch", "watch/archive"):
            phone.goto(f"{server.origin}/{address}")
            expect(phone.locator("h1")).to_contain_text(name)
            assert phone.evaluate("document.documentElement.scrollWidth") == 360


def test_the_line_of_who_plays_alone_is_one_line(phone, server):
    turns = some_turns("yodd", 8, 20)
    open_game(phone, server, "yodd", 8, turns, seats=("human", "friend"))
    expect(phone.locator("#state")).to_contain_text(re.compile(r"^You: .*; 1 or 2 drops or a"))
    _, top, _, bottom = box(phone, "#state")
    style = "getComputedStyle(document.getElementById('state')).fontSize"
    assert bottom - top < 2 * float(phone.evaluate(style).removesuffix("px"))


def words_that_do_not_fit(page):
    """The buttons of the turn that are too small for a finger, or for what they say."""
    return page.locator(".turn-bar button:visible").evaluate_all(
        """(all, least) => all.filter((each) => each.scrollWidth > each.clientWidth
             || Math.min(each.offsetWidth, each.offsetHeight) < least)
             .map((each) => each.textContent)""",
        FINGER,
    )


@pytest.mark.parametrize(
    ("width", "height", "size"),
    [(844, 390, 8), (667, 375, 5), (640, 360, 5), (568, 320, 5), (480, 320, 5)],
)
def test_a_phone_on_its_side_shows_the_board_and_the_buttons(phone, server, width, height, size):
    phone.set_viewport_size({"width": width, "height": height})
    open_game(phone, server, "yodd", size, some_turns("yodd", size, 4))
    for selector in ("svg.board", "#state", ".turn-bar"):
        left, top, right, bottom = box(phone, selector)
        assert 0 <= left < right <= width
        assert 0 <= top < bottom <= height
    assert box(phone, "svg.board")[2] <= box(phone, ".turn-bar")[0]
    assert cell_width(phone) >= 24
    assert words_that_do_not_fit(phone) == []


@pytest.mark.parametrize(("width", "height"), [(360, 490), (320, 460), (320, 256)])
@pytest.mark.parametrize(("game", "size"), [("yodd", 5), ("ayu", 7)])
def test_a_short_window_that_is_not_on_its_side_has_the_board_in_its_whole_width(
    phone, server, game, size, width, height
):
    phone.set_viewport_size({"width": width, "height": height})
    open_game(phone, server, game, size)
    assert box(phone, ".board-place")[::2] == (0, width)
    left, top, right, bottom = box(phone, "svg.board")
    assert 0 <= left < right <= width
    assert bottom - top >= 180
    bar = box(phone, ".turn-bar")
    assert (bar[0], bar[2], bar[3]) == (0, width, height)
    if height > 400:
        # In a smaller one the board is scrolled to.
        assert bottom <= box(phone, "#state")[1] < bar[1]
    assert words_that_do_not_fit(phone) == []
    assert phone.evaluate("document.documentElement.scrollWidth") == width


def test_the_line_says_whose_turn_it_is_and_what_is_owed(phone, server):
    open_game(phone, server, "yodd", 4, ["Bd4"])
    line = phone.locator("#state")
    expect(line).to_have_text("White: 1 black+0 white=1, odd; 1 or 2 drops or a pass")
    phone.locator("[data-vertex=a4]").tap()
    expect(line).to_have_text("White: 1 black+1 white=2, even; one more drop")
    expect(phone.locator("[data-do=end]")).to_be_disabled()
    phone.locator("[data-vertex=g4]").tap()
    expect(line).to_have_text("White: 1 black+2 white=3, odd; an end")
    phone.locator("[data-do=end]").tap()
    expect(line).to_have_text("Black: 1 black+2 white=3, odd; 1 or 2 drops or a pass")
    phone.locator("[data-do=pass]").tap()
    expect(line).to_contain_text("Black has passed. If you pass too, the game ends and Black wins.")


@pytest.mark.parametrize(
    ("game", "size", "number", "settings"),
    [
        ("yodd", 4, 9, {}),
        ("xodd", 6, 9, {}),
        ("odd", 4, 30, {"min_group": 3}),
        ("odd", 4, 14, {"board": "square", "min_group": 2}),
        ("ayu", 7, 12, {}),
    ],
)
def test_the_groups_that_count_are_outlined_and_numbered(
    phone, server, game, size, number, settings
):
    turns = some_turns(game, size, number, **settings)
    asked = {name: str(value) for name, value in settings.items()}
    open_game(phone, server, game, size, turns, settings=asked)
    position = played(game, size, *turns, **settings)
    least = settings.get("min_group", 1)
    board = position.game.board
    groups = {colour: [] for colour in Colour}
    for members in Groups.of(board, position.stones).members.values():
        if len(members) >= least:
            groups[Colour(position.stones[members[0]])].append({board.vertices[i] for i in members})
    assert tuple(map(len, groups.values())) == tuple(position.group_counts)
    assert max(map(len, [*groups[Colour.BLACK], *groups[Colour.WHITE]])) > 1
    for colour, each in groups.items():
        outlines = phone.locator(f".outline.{colour}")
        expect(outlines).to_have_count(len(each))
        assert sorted(map(sorted, outlines.evaluate_all(CONTAINED))) == sorted(map(sorted, each))
    expect(phone.locator(".number")).to_have_count(0)
    phone.locator(".tools .toggle").tap()
    expect(phone.locator(".number")).to_have_count(sum(map(len, groups.values())))
    for colour, each in groups.items():
        shown = phone.locator(f".vertex:has(.number.{colour})").evaluate_all(NUMBERED)
        assert sorted(number for number, _ in shown) == list(range(1, len(each) + 1))
        assert len({tuple(sorted(g)) for _, vertex in shown for g in each if vertex in g}) == len(
            each
        )
    phone.locator(".tools .toggle").tap()
    expect(phone.locator(".number")).to_have_count(0)


@pytest.mark.parametrize(
    "place", ["learn/yodd/one-is-not-enough", "learn/yodd", "analyse/new/yodd"]
)
def test_groups_are_numbered_wherever_turns_are_made(phone, server, place):
    phone.goto(f"{server.origin}/#{place}")
    cells = phone.locator(".vertex[data-click=d]")
    expect(cells.first).to_be_visible()
    cells.first.tap()
    expect(phone.locator(".tentative")).to_have_count(1)
    phone.get_by_text("Count", exact=True).tap()
    expect(phone.locator(".number").first).to_be_visible()
    expect(phone.locator(".number")).to_have_count(phone.locator(".outline").count())
    phone.keyboard.press("g")
    expect(phone.locator(".number")).to_have_count(0)


def test_the_stones_of_the_turn_are_outlined_before_it_ends(phone, server):
    open_game(phone, server, "yodd", 4, ["Bd4"])
    expect(phone.locator(".outline.white")).to_have_count(0)
    phone.locator("[data-vertex=a4]").tap()
    expect(phone.locator(".outline.white")).to_have_count(1)
    phone.locator("[data-do=undo]").tap()
    expect(phone.locator(".outline.white")).to_have_count(0)


def test_the_next_stone_has_the_colour_that_is_chosen(phone, server):
    open_game(phone, server, "yodd", 4)
    black, white = (phone.locator(f"[data-colour={colour}]") for colour in ("black", "white"))
    cell = phone.locator("[data-vertex=d4]")
    expect(black).to_have_attribute("aria-pressed", "true")
    white.tap()
    expect(white).to_have_attribute("aria-pressed", "true")
    expect(black).to_have_attribute("aria-pressed", "false")
    expect(cell).to_have_attribute("aria-label", "d4, empty, put a white stone here")
    cell.tap()
    expect(cell.locator(".piece.white")).to_be_visible()
    black.tap()
    cell.tap()
    expect(cell.locator(".piece.black")).to_be_visible()
    cell.tap()
    expect(cell.locator(".piece")).to_have_count(0)
    # A turn begins with the colour of the side to move.
    cell.tap()
    expect(cell.locator(".piece.black")).to_be_visible()
    phone.locator("[data-do=end]").tap()
    expect(white).to_have_attribute("aria-pressed", "true")


def test_a_place_for_the_other_colour_alone_says_so(phone, server):
    open_game(phone, server, "yodd", 4, ["Bd4"])
    phone.locator("[data-vertex=a4]").tap()
    expect(phone.locator(".tentative")).to_have_count(1)
    # A white stone beside the white one leaves two groups, a black one makes three.
    cell = phone.locator("[data-vertex=a5]")
    expect(cell).to_have_attribute("data-click", "-")
    cell.tap()
    expect(phone.locator(".note").first).to_have_text(
        "No legal turn has a white stone on a5 now, but one has a black one."
    )
    phone.locator("[data-colour=black]").tap()
    expect(cell).to_have_attribute("data-click", "d")
    cell.tap()
    expect(cell.locator(".piece.black")).to_be_visible()


def test_a_finished_board_has_no_ghosts_and_no_dead_buttons(phone, server):
    open_game(phone, server, "odd", 2, settings={"min_group": "1"})
    phone.locator("[data-do=hint]").tap()
    expect(phone.locator(".ghost").first).to_be_visible()
    phone.on("dialog", lambda dialog: dialog.accept())
    phone.locator("[data-do=resign]").tap()
    expect(phone.locator("#counts")).to_contain_text("White wins: Black resigned.")
    expect(phone.locator(".ghost, .hints")).to_have_count(0)
    assert "Thinking" not in phone.inner_text("main")
    shown = phone.locator("[data-do]:visible").evaluate_all(
        "(all) => all.map((each) => each.dataset.do)"
    )
    assert set(shown) == {"undo", "rematch"}
    expect(phone.locator(".turn-bar button:visible:disabled")).to_have_count(0)
    expect(phone.locator(".colours")).to_be_hidden()
    # It covers nothing any more.
    assert (
        phone.locator(".turn-bar").evaluate("(bar) => getComputedStyle(bar).position") == "static"
    )


def pinch(page, selector, apart_before, apart_after):
    """Two fingers on the middle of something move apart, or together."""
    left, top, right, bottom = box(page, selector)
    x, y = (left + right) / 2, (top + bottom) / 2
    session = page.context.new_cdp_session(page)

    def touch(kind, apart):
        points = [{"x": x - apart / 2, "y": y, "id": 0}, {"x": x + apart / 2, "y": y, "id": 1}]
        session.send(
            "Input.dispatchTouchEvent", {"type": kind, "touchPoints": points if apart else []}
        )

    touch("touchStart", apart_before)
    for step in range(1, 5):
        touch("touchMove", apart_before + (apart_after - apart_before) * step / 4)
    touch("touchEnd", 0)


def test_a_large_board_is_zoomed_by_two_fingers_and_by_buttons(phone, server):
    open_game(phone, server, "yodd", 12)
    first = cell_width(phone)
    assert first >= 23.99
    assert phone.evaluate("document.documentElement.scrollWidth") == WIDTH
    pinch(phone, ".board-place", 100, 200)
    assert cell_width(phone) == pytest.approx(2 * first, rel=0.02)
    # The bar stays where it is, and the window is not zoomed.
    assert box(phone, ".turn-bar")[3] == HEIGHT
    assert phone.evaluate("visualViewport.scale") == 1
    pinch(phone, ".board-place", 240, 30)
    left, _, right, _ = box(phone, "svg.board")
    assert 0 <= left < right <= WIDTH + 1
    small = cell_width(phone)
    assert small < first
    phone.get_by_label("Larger board").tap()
    assert cell_width(phone) > small
    assert phone.evaluate("document.documentElement.scrollWidth") == WIDTH


@pytest.mark.parametrize("place", ["play", "learn/yodd", "learn/yodd/one-is-not-enough", "puzzle"])
def test_the_first_tab_lands_on_the_board(phone, server, place):
    if place == "play":
        place = f"play/{server.open_game('yodd', 4, turns=['Bd4'])}"
    elif place == "puzzle":
        place = f"puzzles/{server.get('/api/puzzles').json()['puzzles'][0]['id']}"
    phone.goto(f"{server.origin}/#{place}")
    expect(phone.locator("svg.board")).to_be_visible()
    phone.keyboard.press("Tab")
    focused = phone.locator(".vertex:focus")
    expect(focused).to_have_count(1)
    was = focused.get_attribute("data-vertex")
    phone.keyboard.press("ArrowLeft")
    expect(phone.locator(f".vertex:focus:not([data-vertex={was}])")).to_have_count(1)


@pytest.mark.parametrize("place", ["learn/yodd/one-is-not-enough", "analyse/new/yodd"])
def test_the_bar_is_there_wherever_turns_are_made(phone, server, place):
    phone.goto(f"{server.origin}/#{place}")
    expect(phone.locator("[data-do=end]")).to_be_visible()
    assert box(phone, ".turn-bar")[3] == HEIGHT
    # The page grows as answers arrive.
    phone.wait_for_function("""() => {
        const edges = (selector) => document.querySelector(selector).getBoundingClientRect();
        scrollTo(0, document.documentElement.scrollHeight);
        return edges(".links").bottom <= edges(".turn-bar").top;
    }""")
    expect(phone.locator(".turn-bar")).to_contain_text(
        re.compile("Black.*White.*End turn.*Pass.*Undo")
    )

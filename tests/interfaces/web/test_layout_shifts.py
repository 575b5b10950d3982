"""Nothing on the page moves by itself once there is something to click.

A button that moves between the press and the release of a mouse is not clicked, and a thumb hits
what has come to its place. Chromium tells of each such shift; those that follow upon a click are
wanted, and it leaves them out.
"""

import pytest
from playwright.sync_api import expect

from oddly.games import create_game
from tests.interfaces.report.events import make_ledger
from tests.interfaces.web.serving import LINES, serving
from tests.programs import needs

pytestmark = needs("chromium")

OBSERVE = """
window.shifts = [];
new PerformanceObserver((list) => {
  for (const { hadRecentInput, sources } of list.getEntries()) {
    if (hadRecentInput) continue;
    for (const { node, previousRect: was, currentRect: is } of sources) {
      // A word that grows at its right end moves nothing.
      if (was.x === is.x && was.y === is.y) continue;
      const name = node?.outerHTML?.slice(0, 90) || node?.textContent;
      window.shifts.push(`${name}: from ${was.x},${was.y} to ${is.x},${is.y}`);
    }
  }
}).observe({ type: "layout-shift", buffered: true });
"""
TURNS = "Bc3.Wa3-Be3.We1-Bd3.pass.pass"
SIZES = {"desktop": {"width": 1280, "height": 800}, "phone": {"width": 390, "height": 660}}


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    folder = tmp_path_factory.mktemp("shifts")
    ledger = folder / "event.sqlite"
    make_ledger(ledger, ["one", "two"], games=[create_game("yodd", 3)])
    with serving(folder, ledger, *LINES) as server:
        yield server


def screens(server):
    """The address of each screen with a board, and what it shows at last."""
    playing = server.open_game("yodd", 5, turns=["Bc3"])
    return {
        "rules": ("#learn/yodd", ".board"),
        "lesson": ("#learn/yodd/first-stone", ".task"),
        "puzzle": ("#puzzles/yodd-3-17", ".board"),
        "home": ("#home", ".picture .board"),
        "game": (f"?game={playing}", ".turns li"),
        "the past": (f"?game={playing}&turn=0", ".board.past"),
        "analysis": (f"?turn=2#analyse/line/yodd/3/-/-/{TURNS}", ".line-turns .turn"),
        "watch": ("watch", ".ranking"),
        "replay": ("watch/game/0000", ".tree .turn"),
        "the replay's past": ("watch/game/0000?turn=1", ".tree .turn"),
        "archive": ("watch/archive", ".games-table img"),
        "exhibition": ("watch/exhibition", "#exhibition"),
        "form": ("#play/new/yodd", "[name=clock]"),
        "puzzles": ("#puzzles", "summary"),
    }


def box_of(page, selector):
    """Where something is: left, top, right, bottom."""
    box = page.locator(selector).first.bounding_box()
    return box["x"], box["y"], box["x"] + box["width"], box["y"] + box["height"]


@pytest.mark.parametrize("size", SIZES)
def test_the_board_stays_where_it_is_when_a_friend_takes_the_seat(browser, server, size):
    asked = {"game": "yodd", "size": 8, "seats": ["human", "friend"]}
    opened = server.post("/api/seats/open", asked)
    name, value = opened.headers["set-cookie"].split(";")[0].split("=", 1)
    with browser.new_context(viewport=SIZES[size]) as context:
        context.add_cookies([{"name": name, "value": value, "url": server.origin}])
        page = context.new_page()
        page.goto(f"{server.origin}/?game={opened.json()['id']}")
        link = page.locator("[data-link='1']").get_attribute("href")
        parts = ["svg.board", ".invitation", ".tools", "[data-do=end]"]
        before = [box_of(page, each) for each in parts]
        if size == "phone":
            # The board and the invitation are seen above the bar without scrolling.
            assert before[0][3] <= before[1][1] < before[1][3] <= before[3][1]
        taken = {"key": link.rpartition("/")[2], "name": "Bob"}
        assert server.post("/api/seats/take", taken).status_code == 200
        expect(page.locator(".invitation")).to_contain_text("Bob has come.")
        assert [box_of(page, each) for each in parts] == before
        page.locator(".invitation button").click()
        expect(page.locator(".invitation")).to_have_text("")
        assert box_of(page, "svg.board") == before[0]


@pytest.mark.parametrize("size", SIZES)
def test_no_screen_moves_by_itself(browser, server, size):
    context = browser.new_context(viewport=SIZES[size])
    page = context.new_page()
    page.add_init_script(OBSERVE)
    found = {}
    for name, (address, last) in screens(server).items():
        page.goto("about:blank")
        page.goto(f"{server.origin}/{address}")
        expect(page.locator(last).first).to_be_attached()
        page.wait_for_load_state("networkidle")
        found[name] = page.evaluate("window.shifts")
    context.close()
    assert "\n".join(f"{name}: {each}" for name in found for each in found[name]) == ""

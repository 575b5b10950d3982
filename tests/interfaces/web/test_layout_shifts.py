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
from tests.patience import PATIENCE
from tests.programs import needs

pytestmark = needs("chromium")
expect.set_options(timeout=1000 * PATIENCE)

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
    }


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

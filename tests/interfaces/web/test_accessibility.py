"""Every page for a screen reader, a keyboard, a finger and weak eyes, in a real browser.

The tree that the browser gives to screen readers is asked for names and roles; `audit.js` looks at
contrast, the size of targets and the ring of the focus.
"""

import base64
from pathlib import Path

import pytest
from playwright.sync_api import expect

from oddly.games.catalogue import create_game
from tests.interfaces.report.events import make_ledger, report_of
from tests.interfaces.web.serving import HINTS, serving
from tests.patience import PATIENCE
from tests.programs import needs

pytestmark = needs("chromium")

AUDIT = Path(__file__).with_name("audit.js").read_text(encoding="utf-8").partition("\n")[2]
TEXT = "# yodd 3\nBc3 Wa3,Be3 We1,Bd3 pass pass"
VIEWS = {
    "desktop": (1280, 900, "light"),
    "dark": (1280, 900, "dark"),
    "phone": (390, 844, "light"),
    "twice as large": (640, 450, "dark"),
}
INTERACTIVE = {
    "button", "link", "textbox", "combobox", "spinbutton", "slider", "checkbox", "radio",
    "DisclosureTriangle", "listbox", "menuitem", "tab",
}  # fmt: skip


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    folder = tmp_path_factory.mktemp("serve")
    ledger = folder / "event.sqlite"
    make_ledger(ledger, ["one", "two"], games=[create_game("yodd", 3), create_game("ayu", 5)])
    with serving(folder, ledger, *HINTS) as server:
        yield server


def showing(path, selector):
    """A function that opens an address and waits until its page shows something."""

    def open_page(page, server):
        page.goto(f"{server.origin}/{path}")
        expect(page.locator(selector).first).to_be_visible()

    return open_page


def home(page, server):
    page.goto(f"{server.origin}/#home")
    expect(page.locator(".picture svg")).to_have_count(4)


def lesson(page, server):
    page.goto(f"{server.origin}/#learn/yodd/one-is-not-enough")
    page.locator("[data-vertex=d3]").click()
    page.locator("[data-vertex=e1]").click()
    page.click("[data-do=end]")
    expect(page.locator(".said.wrong")).to_be_visible()


def puzzles(page, server):
    page.goto(f"{server.origin}/#puzzles")
    page.locator("summary").first.click()
    expect(page.locator(".puzzles a").first).to_be_visible()


def form(page, server):
    page.goto(f"{server.origin}/#play")
    page.locator("form summary").last.click()
    expect(page.locator("[name=clock]")).to_be_visible()


def game(page, server):
    """A game on the largest usual board, with half a turn done, all of it unfolded."""
    name = server.open_game("yodd", 8, turns=["Bh8", "Wa8,We5"])
    page.goto(f"{server.origin}/#play/{name}")
    page.locator("[data-vertex=i8]").click()
    expect(page.locator(".tentative")).to_have_count(1)
    page.evaluate("document.querySelectorAll('details').forEach((each) => { each.open = true; })")


def analysis(page, server):
    PAGES["library"](page, server)
    page.fill("textarea", TEXT)
    page.get_by_text("Read it").click()
    page.locator(".tree .turn").nth(2).click()
    expect(page.locator(".verdict")).to_contain_text("simulated games")


def replay(page, server):
    PAGES["tournament"](page, server)
    page.locator("a.ended").first.click()
    expect(page.locator(".graph")).to_be_visible()


def report(page, server):
    """The page of `oddly report`, from its file."""
    path = server.folder / "report.html"
    if not path.exists():
        path.write_text(report_of(server.folder / "event.sqlite", 9), encoding="utf-8")
    page.goto(path.as_uri())
    expect(page.locator(".graph")).to_be_visible()


PAGES = {
    "rules": showing("#learn/yodd", "svg.board"),
    "puzzle": showing("#puzzles/yodd-3-17", "svg.board"),
    "library": showing("#analyse", "textarea"),
    "tournament": showing("watch", "a.ended"),
    "archive": showing("watch/archive?engine=one", ".games-table img"),
    "exhibition": showing("watch/exhibition", "#exhibition"),
    "no_such_game": showing("watch/game/nothing", "h1:text-is('No such game')"),
    **{
        each.__name__: each
        for each in (
            report, home, lesson, puzzles, form, game, analysis, replay,
        )
    },
}  # fmt: skip


@pytest.fixture
def page(browser):
    context = browser.new_context(reduced_motion="reduce", has_touch=True)
    context.set_default_timeout(1000 * PATIENCE)
    yield context.new_page()
    context.close()


@pytest.mark.sampled
@pytest.mark.parametrize("name", PAGES)
def test_everything_is_named_seen_hit_and_reached(page, server, name):
    PAGES[name](page, server)
    found = {}
    for view, (width, height, scheme) in VIEWS.items():
        page.set_viewport_size({"width": width, "height": height})
        page.emulate_media(color_scheme=scheme)
        # The board takes its new size in the next frame.
        page.evaluate("new Promise((done) => requestAnimationFrame(() => setTimeout(done, 50)))")
        found[view] = page.evaluate(AUDIT)
    assert found == {view: [] for view in VIEWS}
    session = page.context.new_cdp_session(page)
    nodes = session.send("Accessibility.getFullAXTree")["nodes"]
    named = [
        (node["role"]["value"], node.get("name", {}).get("value", "").strip())
        for node in nodes
        if not node["ignored"]
    ]
    assert [role for role, name in named if role in INTERACTIVE and not name] == []
    assert {"main", "navigation", "banner", "heading"} <= {role for role, _ in named}


LOOKS = """(all) => all.map((each) => {
  const part = each.matches(".stone") ? "::before" : null;
  const { backgroundColor, color, fill } = getComputedStyle(each, part);
  return each.matches("text") ? fill : `${color} on ${backgroundColor}`;
})"""
IN_THE_SYSTEMS_COLOURS = [
    (".toggle[aria-pressed=true]", ".toggle[aria-pressed=false]"),
    ("[data-colour][aria-pressed=true]", "[data-colour][aria-pressed=false]"),
    ("nav a[aria-current]", "nav a:not([aria-current])"),
    (".tree .turn[aria-current]", ".tree .turn:not([aria-current])"),
    (".players .stone.black", ".players .stone.white"),
    (".number.black", ".number.white"),
]
"""Pairs of what differs by colour alone."""


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_what_is_chosen_and_whose_it_is_is_seen_in_the_colours_of_the_system(
    browser, server, scheme
):
    with browser.new_context(forced_colors="active", color_scheme=scheme) as context:
        page = context.new_page()
        analysis(page, server)
        page.keyboard.press("g")
        expect(page.locator(".number")).not_to_have_count(0)
        for one, other in IN_THE_SYSTEMS_COLOURS:
            looks = [set(page.locator(each).evaluate_all(LOOKS)) for each in (one, other)]
            assert [len(each) for each in looks] == [1, 1], one
            assert looks[0] != looks[1], one


@pytest.mark.parametrize(("name", "scheme"), [("c3", "light"), ("a3", "dark"), ("e1", "light")])
def test_the_ring_around_a_cell_is_whole(browser, server, name, scheme):
    context = browser.new_context(color_scheme=scheme, viewport={"width": 900, "height": 800})
    page = context.new_page()
    key = server.open_game("yodd", 3, turns=["Bc3"])
    page.goto(f"{server.origin}/#play/{key}")
    cell = page.locator(f"[data-vertex={name}]")
    expect(cell).to_be_visible()
    corners = cell.locator(".cell").evaluate(
        """(cell) => [...cell.points].map((point) => {
             const at = point.matrixTransform(cell.getScreenCTM());
             return [at.x, at.y];
           })"""
    )
    page.keyboard.press("Tab")
    cell.focus()
    ring = page.evaluate("getComputedStyle(document.querySelector('.ring .inner')).stroke")
    picture = base64.b64encode(page.screenshot()).decode()
    blank = context.new_page()
    middles = [
        [(one[0] + other[0]) / 2, (one[1] + other[1]) / 2]
        for one, other in zip(corners, corners[1:] + corners[:1], strict=True)
    ]
    colours = blank.evaluate(
        """async ([picture, places]) => {
             const image = new Image();
             image.src = `data:image/png;base64,${picture}`;
             await image.decode();
             const canvas = new OffscreenCanvas(image.width, image.height).getContext("2d");
             canvas.drawImage(image, 0, 0);
             return places.map(([x, y]) => [...canvas.getImageData(x, y, 1, 1).data].slice(0, 3));
           }""",
        [picture, middles],
    )
    assert {f"rgb({red}, {green}, {blue})" for red, green, blue in colours} == {ring}
    context.close()

"""The page in a browser that keeps nothing: no storage, or no cookies either."""

import json

import pytest
from playwright.sync_api import expect

from tests.interfaces.web.clicking import vertex
from tests.interfaces.web.serving import HINTS
from tests.patience import PATIENCE
from tests.programs import needs, where

pytestmark = needs("chromium")
SERVED = HINTS

FULL = """() => {
  Storage.prototype.setItem = () => {
    throw new DOMException("The disk is full.", "QuotaExceededError");
  };
}"""
OLD = {"game": {"name": "xodd", "size": 4, "settings": {}, "title": "Xodd, 4x4"}, "turns": ["Ba1"]}
NO_SEAT = (
    "This browser keeps no cookies, and so cannot hold a seat. "
    "Allow cookies for this page, and try again."
)


@pytest.fixture
def full(visit):
    """A page whose storage is full, with an older analysis in it."""
    page = visit("#home")
    page.evaluate("(old) => localStorage.setItem('oddly-analysed', JSON.stringify(old))", OLD)
    page.evaluate(FULL)
    return page


@pytest.fixture
def closed(browser, tmp_path):
    """A page of a browser that is set to allow no site any data."""
    (tmp_path / "Default").mkdir()
    settings = {"profile": {"default_content_setting_values": {"cookies": 2}}}
    (tmp_path / "Default" / "Preferences").write_text(json.dumps(settings))
    errors = []
    with browser.browser_type.launch_persistent_context(
        tmp_path, executable_path=where("chromium"), args=["--no-sandbox"]
    ) as context:
        context.set_default_timeout(1000 * PATIENCE)
        page = context.new_page()
        page.on("pageerror", lambda error: errors.append(str(error)))
        yield page
        assert not errors


@pytest.fixture(params=["full", "closed"])
def forgetful(request):
    return request.getfixturevalue(request.param)


def go(page, server, address):
    """Go to a room as a link does."""
    if not page.url.startswith(server.origin):
        page.goto(f"{server.origin}/#home")
    page.evaluate("(address) => { location.hash = address; }", address)


def test_an_empty_board_is_analysed(forgetful, server):
    go(forgetful, server, "#analyse/new/ayu")
    expect(forgetful.locator("svg.board .piece")).to_have_count(24)
    expect(forgetful.locator("h1")).to_have_text("Analysis")


def test_a_text_is_read(forgetful, server):
    go(forgetful, server, "#analyse")
    forgetful.fill("textarea", "# yodd 3\nBc3 Wa3,Be3")
    forgetful.get_by_text("Read it").click()
    expect(forgetful.locator(".tree .turn")).to_have_text(["1. Bc3", "2. Wa3,Be3"])
    expect(vertex(forgetful, "e3")).to_be_visible()


def test_a_text_is_read_where_no_last_analysis_is_kept(visit):
    page = visit("#analyse/last")
    page.fill("textarea", "# yodd 3\nBc3 Wa3,Be3")
    page.get_by_text("Read it").click()
    expect(page.locator(".tree .turn")).to_have_text(["1. Bc3", "2. Wa3,Be3"])


def test_who_keeps_no_cookies_is_told_so_and_opens_no_game(closed, server):
    go(closed, server, "#play/new/yodd")
    closed.get_by_text("Start the game").click()
    expect(closed.locator("form .problem")).to_have_text(NO_SEAT)
    go(closed, server, "#play/first/yodd")
    expect(closed.locator("main")).to_have_text(NO_SEAT)


def test_who_keeps_no_cookies_uses_no_invitation_up(closed, visit, server):
    owner = visit("#play/new/yodd")
    owner.select_option("select[name=second]", "friend")
    owner.get_by_text("Start the game").click()
    invitation = owner.locator("[data-link='1']").get_attribute("href")
    closed.goto(invitation)
    closed.get_by_role("button", name="Take the seat").click()
    expect(closed.locator("form .problem")).to_have_text(NO_SEAT)
    guest = visit(invitation)
    guest.get_by_role("button", name="Take the seat").click()
    expect(guest.locator("#counts")).to_contain_text("player 1 is to move")

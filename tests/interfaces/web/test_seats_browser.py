"""Two browsers that play each other through copied addresses, on phones.

They need Debian's `chromium`, or one named in ODDLY_CHROMIUM.
"""

import pytest
from playwright.sync_api import expect

from oddly.tournaments.ledger.store import Ledger
from tests.interfaces.web.clicking import do, start, turns, vertex
from tests.interfaces.web.serving import serving, wait_until
from tests.programs import needs

pytestmark = needs("chromium")

BROWSER = {"viewport": {"width": 390, "height": 660}, "has_touch": True}


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    """A server that demands its token, so that everybody but the owner is a guest."""
    folder = tmp_path_factory.mktemp("serve")
    with serving(folder, "--name", "games", "--token-file", folder / "token") as server:
        server.token = server.url.partition("?token=")[2]
        yield server


TONES = """() => {
  window.tones = 0;
  localStorage.setItem("oddly-sound", "true");
  AudioContext.prototype.createOscillator = new Proxy(AudioContext.prototype.createOscillator, {
    apply(make, context) { window.tones += 1; return make.call(context); },
  });
}"""
"""Switches the sound on, and counts its tones."""


def only_looks_on(page):
    """Assert that a page shows the game, and nothing that could be done in it."""
    expect(page.locator("svg.board")).to_be_visible()
    expect(page.locator("[data-do]:visible")).to_have_count(0)
    expect(page.locator("svg.board :is([data-click=d], [data-click=f])")).to_have_count(0)


def play(page, name, turn):
    """One stone by a tap, and the end of the turn."""
    vertex(page, name).tap()
    do(page, "end")
    expect(page.locator(".turns li").last).to_have_text(turn)


def test_two_people_play_and_play_again_through_copied_addresses(server, visit):
    owner = visit(f"{server.origin}/?token={server.token}")
    owner.goto(f"{server.origin}/#play")
    owner.select_option("select[name=second]", "friend")
    owner.fill("[name=me]", "Ann")
    owner.evaluate("document.querySelector('[name=second]').dispatchEvent(new Event('change'))")
    start(owner, server, "yodd", 3, second="friend")
    expect(owner.locator(".player strong")).to_have_text(["Ann (you)", "player 2"])
    expect(owner.locator(".player .state").last).to_have_text("has not come yet")

    # The address that stands in the bar shows the game and gives no seat.
    spectator = visit(owner.url)
    only_looks_on(spectator)
    invited = owner.locator("[data-link='1']").get_attribute("href")
    guest = visit(invited)
    expect(guest.locator("main")).to_contain_text("You have White, and reply.")
    guest.fill("[name=name]", "Bob")
    guest.get_by_role("button", name="Take the seat").tap()
    expect(guest.locator(".player strong")).to_have_text(["Ann", "Bob (you)"])
    expect(owner.locator(".player strong")).to_have_text(["Ann (you)", "Bob"])
    assert "join" not in guest.url
    assert guest.context.cookies()
    assert all(cookie["httpOnly"] for cookie in guest.context.cookies())
    thief = visit(guest.url)
    only_looks_on(thief)
    late = visit(invited)
    expect(late.locator("main")).to_contain_text("This invitation has been used")

    play(owner, "c3", "Bc3")
    vertex(guest, "a3").tap()
    vertex(guest, "e3").tap()
    do(guest, "end")
    for page in (owner, guest, spectator, thief):
        expect(page.locator(".turns li")).to_have_count(2)
    do(owner, "resign")
    expect(guest.locator("#counts")).to_contain_text("You win!")
    expect(spectator.locator("#counts")).to_contain_text("White wins: Black resigned.")
    only_looks_on(spectator)

    do(owner, "rematch")
    expect(guest.locator("main")).to_contain_text("Ann offers a rematch.")
    guest.locator("[data-link=rematch]").tap()
    for page, names in ((owner, ["Bob", "Ann (you)"]), (guest, ["Bob (you)", "Ann"])):
        expect(page.locator(".player strong")).to_have_text(names)
        expect(page.locator(".turns li")).to_have_count(0)
    assert owner.url == guest.url
    play(guest, "c3", "Bc3")
    expect(owner.locator("#counts")).to_contain_text("Your turn.")
    only_looks_on(visit(owner.url))

    def is_kept():
        with Ledger(server.folder / "played.sqlite", read_only=True) as ledger:
            return ("Ann", "Bob") in [each.players for each in ledger.records().values()]

    wait_until(is_kept, "keeping the game under the names of its players")
    assert turns(owner) == ["Bc3"]
    for page in (owner, guest, spectator):
        page.goto(f"{server.origin}/#home")
        expect(page.locator("[data-game=yodd] .actions")).to_be_visible()
        resumed = page.get_by_text("Resume your game of Yodd, base 3 at turn 2")
        expect(resumed).to_have_count(int(page is not spectator))
    # A game that is gone is not offered again.
    gone = '{"id": "no-such-game", "title": "Yodd, base 3", "turns": 1}'
    guest.evaluate("(gone) => localStorage.setItem('oddly-played', gone)", gone)
    guest.reload()
    guest.get_by_text("Resume your game").tap()
    expect(guest.locator("h1")).to_have_text("No such game")
    guest.goto(f"{server.origin}/#home")
    expect(guest.locator("[data-game=yodd] .actions")).to_be_visible()
    expect(guest.get_by_text("Resume your game")).to_have_count(0)


def test_an_offer_of_a_draw_is_told_to_everybody(server, visit):
    owner = visit(f"{server.origin}/?token={server.token}")
    start(owner, server, "ayu", 5, second="friend")
    guest = visit(owner.locator("[data-link='1']").get_attribute("href"))
    guest.fill("[name=name]", "Bob")
    guest.get_by_role("button", name="Take the seat").tap()
    spectator = visit(owner.url)
    expect(spectator.locator("svg.board")).to_be_visible()
    owner.evaluate(TONES)
    expect(owner.locator("#state")).not_to_contain_text("draw")
    do(guest, "draw")
    for page, told in (
        (owner, "Bob offers a draw."),
        (guest, "You have offered a draw."),
        (spectator, "Bob offers a draw."),
    ):
        # A phone shows the short line, wider windows the long one; both are read aloud.
        expect(page.locator("#state")).to_be_visible()
        expect(page.locator("#state")).to_contain_text(told)
        expect(page.locator("#counts")).to_contain_text(told)
    assert owner.evaluate("tones") == 1
    vertex(owner, "a1").tap()
    assert owner.evaluate("tones") == 1
    do(owner, "draw")
    expect(guest.locator("#counts")).to_contain_text("A draw: the players agreed.")
    expect(guest.locator("#counts")).not_to_contain_text("offered")


def test_a_guest_is_offered_what_he_may_do(server, visit):
    key = server.post(
        "/api/games",
        {"game": "yodd", "size": 2, "seats": ["human", "friend"], "turns": ["Bb2", "pass"]},
        cookie=f"oddly-{server.port}={server.token}",
    ).json()["id"]
    # The address of an older version has a key, for which the browser gets its seat.
    page = visit(f"{server.origin}/?game={key}")
    expect(page.locator("#counts")).to_contain_text("Your turn.")
    assert key not in page.url
    do(page, "pass")
    expect(page.locator("#counts")).to_contain_text("You lose. White wins by one group")
    page.get_by_text("See where it turned").tap()
    expect(page.locator(".tree .turn")).to_have_count(3)
    expect(page.locator(".problem:visible")).to_have_count(0)
    page.goto(f"{server.origin}/#home")
    expect(page.locator("[data-game=yodd]")).to_be_visible()
    expect(page.locator("[href^='#play/new']:visible")).to_have_count(0)
    expect(page.locator("#to-watch")).to_be_hidden()
    page.goto(f"{server.origin}/#play")
    expect(page.locator("main")).to_contain_text("You are a guest here")
    expect(page.locator(".my-games li")).to_have_count(1)
    expect(page.locator("form")).to_have_count(0)


@pytest.mark.parametrize("place", ["?game=no-such-game-at-all", "#play/no-such-game-at-all"])
def test_a_game_that_is_none_says_so_and_has_no_buttons_of_a_game(server, visit, place):
    page = visit(f"{server.origin}/?token={server.token}")
    page.goto(f"{server.origin}/{place}")
    expect(page.locator("h1")).to_have_text("No such game")
    expect(page.locator("main")).to_contain_text("Ask the person who sent you the address")
    expect(page.locator("[data-do]")).to_have_count(0)
    page.get_by_text("New game").tap()
    expect(page.locator("form.setup")).to_be_visible()
    stranger = visit(f"{server.origin}/{place}")
    # The server does not see what stands behind #.
    refused = "No such game" if place.startswith("?") else "This page is not open to you"
    expect(stranger.locator("h1")).to_have_text(refused)
    expect(stranger.locator("body")).not_to_contain_text("{")


def test_a_player_goes_on_at_another_device(server, visit):
    first = visit(f"{server.origin}/?token={server.token}")
    start(first, server, "odd", 3, second="friend", min_group=1)
    first.locator(".share summary").tap()
    first.get_by_role("button", name="Go on at another device").tap()
    moved = visit(first.locator("[data-link='0']").get_attribute("href"))
    moved.get_by_role("button", name="Take the seat").tap()
    play(moved, "c3", "Bc3")
    expect(first.locator(".turns li")).to_have_text(["Bc3"])
    expect(first.locator("[data-do=end]")).to_be_hidden()

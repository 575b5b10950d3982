"""A connection that dies in silence, as while a laptop sleeps, gives way to a new one."""

import json
import shlex

import pytest
import trio
from playwright.sync_api import expect

from oddly.interfaces.web.bounds import Bounds
from oddly.interfaces.web.websockets import BEAT, Outbox, serve_websocket
from tests.interfaces.web.clicking import vertex
from tests.interfaces.web.serving import FAKE, wait_until
from tests.programs import PYTHON, needs

in_a_browser = needs("chromium")
SERVED = ("--engine", f"slow={PYTHON} {shlex.quote(FAKE)} --fault hang --at 1")


class Wires:
    """The connections of a page, each of which can be cut so that neither side learns of it."""

    def __init__(self, page):
        self.page = page
        self.number = 0
        self.cut = set()
        # The time of the page goes on only when it is told to.
        page.clock.install()
        page.route_web_socket("**/ws/**", self._connect)

    def _connect(self, near):
        number, far = self.number, near.connect_to_server()
        self.number += 1
        near.on_message(lambda text: number in self.cut or far.send(text))
        far.on_message(lambda text: number in self.cut or near.send(text))

    def until(self, number):
        """Wait until there are so many connections."""
        wait_until(lambda: self.page.wait_for_timeout(20) or self.number >= number, "a connection")


@pytest.fixture
def wires(page):
    return Wires(page)


def opened(page, wires, server):
    page.goto(f"{server.origin}/#play/{server.open_game('yodd', 3, ['human', 'human'])}")
    expect(vertex(page, "c3")).to_be_visible()
    return wires.number


@in_a_browser
def test_a_click_that_nobody_answers_opens_a_new_connection(page, wires, server):
    number = opened(page, wires, server)
    wires.cut = set(range(number))
    vertex(page, "c3").click()
    page.clock.fast_forward(5_000)
    assert wires.number == number
    page.clock.fast_forward(6_000)
    expect(page.locator(".note").first).to_have_text("The server does not answer. Trying again…")
    page.clock.fast_forward(1_000)
    wires.until(number + 1)
    expect(page.locator(".note").first).to_have_text("")
    vertex(page, "c3").click()
    expect(vertex(page, "c3").locator(".tentative")).to_be_visible()
    # What is answered is waited for no longer.
    page.clock.fast_forward(20_000)
    assert wires.number == number + 1


@in_a_browser
def test_a_page_that_hears_nothing_for_long_or_of_a_new_network_connects_again(page, wires, server):
    number = opened(page, wires, server)
    page.clock.fast_forward(30_000)
    assert wires.number == number
    page.clock.fast_forward(30_000)
    page.clock.fast_forward(1_000)
    wires.until(number + 1)
    page.evaluate("dispatchEvent(new Event('online'))")
    page.clock.fast_forward(1_000)
    wires.until(number + 2)


@in_a_browser
def test_a_spectator_of_a_connection_that_died_sees_the_game_again(page, wires, server):
    facts = {"game": "yodd", "size": 3, "first": "slow", "second": "slow", "seconds": 10}
    name = server.post("/api/exhibitions", facts).json()["id"]
    page.goto(f"{server.origin}/watch/game/{name}")
    wires.until(1)
    expect(page.locator(".state-line")).to_have_text("Turn 1: slow #1 is to move.")
    wires.cut = {0}
    wait_until(lambda: "Interrupted." in server.get(f"/watch/game/{name}").text, "the fault")
    expect(page.locator(".state-line")).to_have_text("Turn 1: slow #1 is to move.")
    page.clock.fast_forward(60_000)
    page.clock.fast_forward(1_000)
    expect(page.locator(".state-line")).to_have_text("Interrupted.")
    expect(page.locator(".problem")).to_contain_text("no turn within")


class SilentBrowser:
    """A WebSocket whose browser only listens."""

    def __init__(self):
        self.heard = []

    async def receive(self):
        await trio.sleep_forever()

    async def send_text(self, text):
        self.heard.append((trio.current_time(), json.loads(text)["kind"]))


async def test_a_browser_hears_that_the_connection_lives(autojump_clock):
    browser, outbox, began = SilentBrowser(), Outbox(), trio.current_time()
    outbox.put("game", '{"kind": "game"}')
    with trio.move_on_after(3.5 * BEAT):
        await serve_websocket(browser, outbox, Bounds(), lambda _: None)
    assert [kind for _, kind in browser.heard] == ["game", "alive", "alive", "alive"]
    assert [moment - began for moment, _ in browser.heard] == [0, BEAT, 2 * BEAT, 3 * BEAT]

"""The page and the report in Firefox, driven by its own WebDriver BiDi.

It needs Debian's `firefox-esr`, or one named in ODDLY_FIREFOX.
"""

import itertools
import json
import os
import re
import subprocess
from contextlib import asynccontextmanager

import pytest
import trio
from trio_websocket import open_websocket_url

from oddly.games.catalogue import create_game
from tests.interfaces.report.events import make_ledger, report_of
from tests.interfaces.web.serving import HINTS, serving
from tests.patience import PATIENCE
from tests.programs import needs, where

pytestmark = needs("firefox")

SAID = "document.querySelector('.said-of-turn').textContent"


class Tab:
    """A tab of Firefox, and the errors that its scripts and its policy caused."""

    def __init__(self, websocket):
        self.websocket = websocket
        self.numbers = itertools.count(1)
        self.errors = []
        self.context = ""

    async def command(self, method, **parameters):
        number = next(self.numbers)
        message = {"id": number, "method": method, "params": parameters}
        await self.websocket.send_message(json.dumps(message))
        while True:
            heard = json.loads(await self.websocket.get_message())
            if heard.get("method") == "log.entryAdded" and heard["params"]["level"] == "error":
                self.errors.append(heard["params"]["text"])
            if heard.get("id") == number:
                assert heard["type"] == "success", heard
                return heard["result"]

    async def go(self, address):
        where_to = {"context": self.context, "url": address, "wait": "complete"}
        await self.command("browsingContext.navigate", **where_to)

    async def value(self, expression):
        target = {"context": self.context}
        answer = await self.command(
            "script.evaluate", expression=expression, target=target, awaitPromise=True
        )
        assert answer["type"] == "success", answer
        return answer["result"].get("value")

    async def until(self, expression):
        """Wait until something is true on the page."""
        with trio.move_on_after(PATIENCE):
            while not await self.value(f"Boolean({expression})"):
                await trio.sleep(0.05)
            return
        raise AssertionError(f"{expression} on {await self.value('document.body.innerText')}")

    async def click(self, selector):
        """Click the middle of an element as a mouse does."""
        found = f"document.querySelector({json.dumps(selector)})"
        await self.until(f"{found} && !{found}.disabled")
        place = await self.value(
            f"(() => {{ const node = {found}; node.scrollIntoView({{ block: 'center' }});"
            "const box = node.getBoundingClientRect();"
            "return `${box.x + box.width / 2} ${box.y + box.height / 2}`; })()"
        )
        x, y = (round(float(part)) for part in place.split())
        steps = [{"type": "pointerMove", "x": x, "y": y}]
        steps += [{"type": kind, "button": 0} for kind in ("pointerDown", "pointerUp")]
        mouse = {"type": "pointer", "id": "mouse", "actions": steps}
        await self.command("input.performActions", context=self.context, actions=[mouse])


@asynccontextmanager
async def firefox(profile):
    """A tab of a Firefox of its own."""
    words = [where("firefox"), "--headless", "--no-remote", "--profile", str(profile),
             "--remote-debugging-port", "0", "about:blank"]  # fmt: skip
    environment = {**os.environ, "HOME": str(profile), "MOZ_CRASHREPORTER_DISABLE": "1"}
    process = await trio.lowlevel.open_process(
        words, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, env=environment
    )
    try:
        told = b""
        with trio.fail_after(PATIENCE):
            while not (found := re.search(rb"listening on (ws://\S+)\n", told)):
                data = await process.stderr.receive_some()
                assert data, told
                told += data
            async with trio.open_nursery() as nursery:
                # What it writes must not fill the pipe.
                nursery.start_soon(_drain, process.stderr)
                async with open_websocket_url(
                    f"{found[1].decode()}/session", max_message_size=1 << 24
                ) as websocket:
                    tab = Tab(websocket)
                    await tab.command("session.new", capabilities={})
                    await tab.command("session.subscribe", events=["log.entryAdded"])
                    tree = await tab.command("browsingContext.getTree")
                    tab.context = tree["contexts"][0]["context"]
                    yield tab
                nursery.cancel_scope.cancel()
    finally:
        process.kill()
        await process.wait()


async def _drain(stream):
    while await stream.receive_some():
        pass


@pytest.mark.sampled
async def test_rules_a_game_an_analysis_a_replay_and_the_report(tmp_path):
    ledger = tmp_path / "event.sqlite"
    make_ledger(ledger, ["one", "two"], games=[create_game("yodd", 3)])
    report = tmp_path / "report.html"
    report.write_text(report_of(ledger, 9), encoding="utf-8")
    profile = tmp_path / "profile"
    profile.mkdir()
    with serving(tmp_path, ledger, *HINTS) as server:
        async with firefox(profile) as tab:
            await tab.go(f"{server.origin}/#learn/yodd/first-stone")
            await tab.click("[data-vertex=c3]")
            await tab.click("[data-do=end]")
            await tab.until("document.querySelector('.said.right')")

            key = await trio.to_thread.run_sync(server.open_game, "yodd", 3)
            await tab.go(f"{server.origin}/?game={key}")
            await tab.click("[data-vertex=c3]")
            await tab.click("[data-colour=white]")
            await tab.click("[data-vertex=c3]")
            await tab.until("document.querySelector('[data-vertex=c3] .piece.white')")
            await tab.click("[data-do=end]")
            await tab.until("document.querySelector('.turns').innerText.includes('Wc3')")
            await tab.click("[data-do=hint]")
            await tab.until("document.querySelector('table.thoughts')")
            await tab.click("p.links a")
            await tab.until("document.querySelector('.graph')")
            await tab.click("[aria-label='To the start']")
            await tab.until(f"{SAID} == 'The start.'")

            await tab.go(f"{server.origin}/watch")
            await tab.click("a.ended")
            await tab.until("document.querySelectorAll('.tree .turn').length > 3")

            await tab.go(f"{report.as_uri()}#replay=0000/2")
            await tab.until(f"{SAID}.startsWith('Turn 2')")
            await tab.click("[aria-label='One turn on']")
            await tab.until(f"{SAID}.startsWith('Turn 3')")
            assert tab.errors == []

"""One set of commands for the tabs of all browsers, each in the protocol of its browser.

Chromium has CDP, Firefox WebDriver BiDi, and WebKit the WebDriver of `WebKitWebDriver`.
"""

import itertools
import json
from abc import ABC, abstractmethod

import trio

from tests.patience import PATIENCE

KEYS = {"Tab": "\ue004", "Enter": "\ue007", "Escape": "\ue00c", "ArrowLeft": "\ue012",
        "ArrowUp": "\ue013", "ArrowRight": "\ue014", "ArrowDown": "\ue015"}  # fmt: skip
CODES = {"Tab": 9, "Enter": 13, "Escape": 27, "ArrowLeft": 37, "ArrowUp": 38, "ArrowRight": 39,
         "ArrowDown": 40}  # fmt: skip

AT_REST = """async (node) => {
  const frame = () => new Promise((done) => requestAnimationFrame(done));
  const middle = () => {
    const box = node.getBoundingClientRect();
    return [box.x + box.width / 2, box.y + box.height / 2];
  };
  node?.scrollIntoView({ block: "center" });
  const before = node && middle();
  await frame();
  await frame();
  if (!node?.isConnected || before.join() !== middle().join()) return null;
  const there = document.elementFromPoint(...before);
  return node.contains(there) || there?.contains(node) ? before : null;
}"""
"""Where an element is, if it has not moved for two frames and is not below another."""


class Tab(ABC):
    """What a tab of every browser can do. `errors` are those of its scripts and its policy."""

    def __init__(self):
        self.errors = []

    @abstractmethod
    async def go(self, address):
        """Open an address and wait until it is loaded."""

    @abstractmethod
    async def value(self, expression):
        """What an expression of JavaScript is, once its promise is kept."""

    @abstractmethod
    async def press(self, key):
        """Press a key and let it go."""

    @abstractmethod
    async def resize(self, width, height):
        """Give the page so many pixels."""

    @abstractmethod
    async def point(self, x, y, kinds):
        """Move the mouse there and do what `kinds` say."""

    async def is_true(self, expression):
        """Whether an expression that waits for nothing is true now."""
        return await self.value(expression)

    async def until(self, expression):
        """Wait until something is true; what a page that comes cannot be asked yet is not."""
        asked = f"(() => {{ try {{ return Boolean({expression}); }} catch {{ return false; }} }})()"
        with trio.move_on_after(PATIENCE):
            while not await self.is_true(asked):
                await trio.sleep(0.05)
            return
        raise AssertionError(f"{expression} on {await self.value('document.body.innerText')}")

    async def hover(self, selector):
        """Move the mouse to the middle of an element."""
        await self.point(*await self._middle(selector), ())

    async def click(self, selector):
        """Click the middle of an element as a mouse does."""
        await self.point(*await self._middle(selector), ("pointerDown", "pointerUp"))

    async def _middle(self, selector):
        """Where the middle of an element is, once that stays the same and nothing covers it."""
        found = f"document.querySelector({json.dumps(selector)})"
        await self.until(f"{found} && !{found}.disabled")
        with trio.move_on_after(PATIENCE):
            while not (place := await self.value(f"({AT_REST})({found})")):
                await trio.sleep(0.05)
            return [round(part) for part in place]
        raise AssertionError(f"{selector} does not come to rest")


def strokes(key):
    """A key that goes down and up, as WebDriver has it."""
    value = KEYS.get(key, key)
    actions = [{"type": kind, "value": value} for kind in ("keyDown", "keyUp")]
    return {"type": "key", "id": "keys", "actions": actions}


def clicks(x, y, kinds, **where):
    """A mouse that goes to a place, and what its button does there."""
    steps = [{"type": "pointerMove", "x": x, "y": y, **where}]
    steps += [{"type": kind, "button": 0} for kind in kinds]
    return {"type": "pointer", "id": "mouse", "actions": steps}


class Spoken(Tab):
    """A tab that is driven by messages on a WebSocket, each with a number."""

    def __init__(self, websocket):
        super().__init__()
        self.websocket = websocket
        self.numbers = itertools.count(1)

    async def command(self, method, **parameters):
        number = next(self.numbers)
        message = {"id": number, "method": method, "params": parameters, **self.more()}
        await self.websocket.send_message(json.dumps(message))
        while True:
            heard = json.loads(await self.websocket.get_message())
            self.note(heard)
            if heard.get("id") == number:
                assert "error" not in heard, heard
                return heard["result"]

    def more(self):
        return {}

    def note(self, heard):
        """Look at what is no answer."""


class Chromium(Spoken):
    session = ""

    def more(self):
        return {"sessionId": self.session} if self.session else {}

    def note(self, heard):
        if heard.get("method") == "Runtime.exceptionThrown":
            self.errors.append(heard["params"]["exceptionDetails"]["text"])
        if heard.get("method") == "Log.entryAdded":
            entry = heard["params"]["entry"]
            if entry["level"] == "error":
                self.errors.append(entry["text"])

    async def begin(self, scheme):
        target = await self.command("Target.createTarget", url="about:blank")
        found = await self.command("Target.attachToTarget", **target, flatten=True)
        self.session = found["sessionId"]
        for part in ("Page", "Runtime", "Log"):
            await self.command(f"{part}.enable")
        features = [
            {"name": "prefers-color-scheme", "value": scheme},
            {"name": "prefers-reduced-motion", "value": "reduce"},
        ]
        await self.command("Emulation.setEmulatedMedia", features=features)

    async def go(self, address):
        await self.value("window.isOld = true")
        answer = await self.command("Page.navigate", url=address)
        if "loaderId" in answer:
            await self.until("!window.isOld && document.readyState === 'complete'")

    async def value(self, expression):
        answer = await self.command(
            "Runtime.evaluate", expression=expression, awaitPromise=True, returnByValue=True
        )
        assert "exceptionDetails" not in answer, answer
        return answer["result"].get("value")

    async def press(self, key):
        text = {"text": key} if len(key) == 1 else {"text": "\r"} if key == "Enter" else {}
        code = CODES.get(key) or ord(key.upper())
        for kind in ("keyDown", "keyUp"):
            what = text if kind == "keyDown" else {}
            await self.command(
                "Input.dispatchKeyEvent", type=kind, key=key, windowsVirtualKeyCode=code, **what
            )

    async def resize(self, width, height):
        await self.command(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=1,
            mobile=False,
        )

    async def point(self, x, y, kinds):
        names = {"pointerDown": "mousePressed", "pointerUp": "mouseReleased"}
        await self.command("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y)
        for kind in kinds:
            await self.command(
                "Input.dispatchMouseEvent", type=names[kind], x=x, y=y, button="left", clickCount=1
            )


class Firefox(Spoken):
    context = ""

    def note(self, heard):
        if heard.get("method") == "log.entryAdded" and heard["params"]["level"] == "error":
            self.errors.append(heard["params"]["text"])

    async def begin(self):
        await self.command("session.new", capabilities={})
        await self.command("session.subscribe", events=["log.entryAdded"])
        tree = await self.command("browsingContext.getTree")
        self.context = tree["contexts"][0]["context"]

    async def go(self, address):
        where_to = {"context": self.context, "url": address, "wait": "complete"}
        await self.command("browsingContext.navigate", **where_to)

    async def value(self, expression):
        # Whole values come as JSON: the protocol has a form of its own for them.
        answer = await self.command(
            "script.evaluate",
            expression=f"(async () => JSON.stringify(await ({expression})))()",
            target={"context": self.context},
            awaitPromise=True,
        )
        assert answer["type"] == "success", answer
        text = answer["result"].get("value")
        return None if text is None else json.loads(text)

    async def press(self, key):
        await self._act(strokes(key))

    async def resize(self, width, height):
        viewport = {"width": width, "height": height}
        await self.command("browsingContext.setViewport", context=self.context, viewport=viewport)

    async def point(self, x, y, kinds):
        await self._act(clicks(x, y, kinds))

    async def _act(self, source):
        await self.command("input.performActions", context=self.context, actions=[source])


class WebKit(Tab):
    """A tab of WebKitGTK's small browser, which tells nothing of errors."""

    def __init__(self, client):
        super().__init__()
        self.client = client
        self.session = ""

    async def command(self, method, path, **body):
        answer = await self.client.request(
            method, f"/session/{self.session}{path}", json=body if method == "POST" else None
        )
        value = answer.json()["value"]
        assert answer.status_code == 200, value
        return value

    async def begin(self):
        options = {"args": ["--automation"]}
        patience = {"script": 1000 * PATIENCE}
        capabilities = {"alwaysMatch": {"webkitgtk:browserOptions": options, "timeouts": patience}}
        answer = await self.client.post("/session", json={"capabilities": capabilities})
        self.session = answer.json()["value"]["sessionId"]

    async def go(self, address):
        await self.command("POST", "/url", url=address)

    async def is_true(self, expression):
        # A page that goes takes a pending promise with it, and the driver would wait for it.
        script = f"return {expression};"
        return await self.command("POST", "/execute/sync", script=script, args=[])

    async def value(self, expression):
        script = (
            "const done = arguments[0];"
            f"(async () => JSON.stringify(await ({expression})))().then(done, (e) => done(null));"
        )
        text = await self.command("POST", "/execute/async", script=script, args=[])
        return None if text is None else json.loads(text)

    async def press(self, key):
        await self._act(strokes(key))

    async def resize(self, width, height):
        await self.command("POST", "/window/rect", width=width, height=height)

    async def point(self, x, y, kinds):
        mouse = {"parameters": {"pointerType": "mouse"}}
        await self._act(clicks(x, y, kinds, duration=0, origin="viewport") | mouse)

    async def _act(self, source):
        await self.command("POST", "/actions", actions=[source])

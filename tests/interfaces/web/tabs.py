"""A tab of Chromium, Firefox or WebKit, each in a process of its own.

WebKit is Debian's `webkit2gtk-driver`. Programs are named as in `tests/programs.py`.
"""

import base64
import json
import os
import re
import subprocess
from contextlib import asynccontextmanager

import httpx2
import pytest
import trio
from trio_websocket import open_websocket_url

from tests.interfaces.arena.hosting import free_port
from tests.interfaces.web.tab_commands import Chromium, Firefox, WebKit
from tests.patience import PATIENCE
from tests.programs import needs, where

BROWSERS = [
    pytest.param(name, marks=needs(*programs))
    for name, *programs in (
        ("chromium", "chromium"),
        ("firefox", "firefox"),
        ("webkit", "WebKitWebDriver", "Xvfb"),
    )
]
"""All three, each skipped by its name where it is not installed."""


@asynccontextmanager
async def tab_of(browser, folder, scheme="light"):
    """A tab of a browser of its own, whose profile is in the folder."""
    makers = {"chromium": _chromium, "firefox": _firefox, "webkit": _webkit}
    profile = folder / f"{browser}-{scheme}-{base64.b32encode(os.urandom(5)).decode()}"
    profile.mkdir()
    async with makers[browser](profile, scheme) as tab:
        yield tab


@asynccontextmanager
async def _process(words, profile, told):
    """The address that a program of our own tells as it starts."""
    environment = {**os.environ, "HOME": str(profile), "MOZ_CRASHREPORTER_DISABLE": "1"}
    process = await trio.lowlevel.open_process(
        words, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, env=environment
    )
    try:
        said = b""
        with trio.fail_after(PATIENCE):
            while not (found := re.search(told, said)):
                data = await process.stderr.receive_some()
                assert data, said
                said += data
        async with trio.open_nursery() as nursery:
            # What it writes must not fill the pipe.
            nursery.start_soon(_drain, process.stderr)
            yield found[1].decode()
            nursery.cancel_scope.cancel()
    finally:
        process.kill()
        await process.wait()


async def _drain(stream):
    while await stream.receive_some():
        pass


@asynccontextmanager
async def _chromium(profile, scheme):
    words = [where("chromium"), "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run",
             "--disable-background-networking", f"--user-data-dir={profile}",
             "--remote-debugging-port=0", "about:blank"]  # fmt: skip
    async with (
        _process(words, profile, rb"listening on (ws://\S+)\s") as address,
        open_websocket_url(address, max_message_size=1 << 24) as websocket,
    ):
        tab = Chromium(websocket)
        await tab.begin(scheme)
        yield tab
        tab.session = ""
        # It ends its own processes.
        await tab.command("Browser.close")


@asynccontextmanager
async def _firefox(profile, scheme):
    wanted = {
        "layout.css.prefers-color-scheme.content-override": 0 if scheme == "dark" else 1,
        "ui.prefersReducedMotion": 1,
        # Firefox drops clicks on a page that has come a moment ago, which no person could aim at.
        "dom.input_events.security.minNumTicks": 0,
        "dom.input_events.security.minTimeElapsedInMS": 0,
    }
    lines = [f"user_pref({json.dumps(name)}, {value});\n" for name, value in wanted.items()]
    (profile / "user.js").write_text("".join(lines))
    words = [where("firefox"), "--headless", "--no-remote", "--profile", str(profile),
             "--remote-debugging-port", "0", "about:blank"]  # fmt: skip
    async with (
        _process(words, profile, rb"listening on (ws://\S+)\n") as address,
        open_websocket_url(f"{address}/session", max_message_size=1 << 24) as websocket,
    ):
        tab = Firefox(websocket)
        await tab.begin()
        yield tab


@asynccontextmanager
async def _webkit(profile, scheme):
    port = free_port()
    screen = [where("Xvfb"), "-displayfd", "2", "-screen", "0", "1280x1024x24", "-nolisten", "tcp"]
    async with _process(screen, profile, rb"(?m)^(\d+)\n") as display:
        environment = {**os.environ, "HOME": str(profile), "DISPLAY": f":{display}"}
        environment["GTK_THEME"] = "Adwaita:dark" if scheme == "dark" else "Adwaita"
        process = await trio.lowlevel.open_process(
            [where("WebKitWebDriver"), f"--port={port}"],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env=environment,
        )
        try:
            base = f"http://127.0.0.1:{port}"
            async with httpx2.AsyncClient(base_url=base, timeout=PATIENCE) as client:
                tab = WebKit(client)
                await _until_it_answers(tab)
                yield tab
                await client.delete(f"/session/{tab.session}")
        finally:
            process.kill()
            await process.wait()


async def _until_it_answers(tab):
    with trio.fail_after(PATIENCE):
        while True:
            try:
                await tab.begin()
            except httpx2.TransportError:
                await trio.sleep(0.05)
            else:
                return

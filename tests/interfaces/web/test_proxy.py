"""The page behind a real nginx or Caddy with TLS, and in a container, by the recipes of the docs.

They need Debian's `nginx` and `caddy`, or those named in ODDLY_NGINX and ODDLY_CADDY. No container
is started: the command line of the recipe runs here with the same settings, and is asked for under
the name and port that lie outside.
"""

import json
import os
import re
import shlex
import socket
import ssl
import subprocess
from contextlib import contextmanager, suppress
from pathlib import Path

import httpx2
import pytest
import trio
import trio_websocket
import trustme

from tests.interfaces.arena.hosting import free_port
from tests.interfaces.web.serving import serving, wait_until
from tests.patience import PATIENCE
from tests.programs import needs, where

DOCS = (Path(__file__).parents[3] / "docs" / "how-to" / "host-the-page.md").read_text()
RECIPE = re.search(r"```nginx\n(.*?)```", DOCS, re.DOTALL)[1]
CADDYFILE = re.search(r"```caddy\n(.*?)```", DOCS, re.DOTALL)[1]
CONTAINER = re.search(r"docker run (.*?)```", DOCS, re.DOTALL)[1]
CONFIGURATION = """
daemon off; pid {folder}/pid; error_log {folder}/error.log; {user}
events {{}}
http {{
    access_log off;
    client_body_temp_path {folder}/a; proxy_temp_path {folder}/b; fastcgi_temp_path {folder}/c;
    uwsgi_temp_path {folder}/d; scgi_temp_path {folder}/e;
    server {{
        listen 127.0.0.1:{port} ssl;
        ssl_certificate {folder}/certificate; ssl_certificate_key {folder}/key;
        {recipe}
    }}
}}
"""
UPGRADE = {"connection": "Upgrade", "upgrade": "websocket", "sec-websocket-version": "13",
           "sec-websocket-key": "AAAAAAAAAAAAAAAAAAAAAA=="}  # fmt: skip


def nginx(folder, port, behind, recipe):
    """Write its configuration; the words that start it."""
    user = "user root;" if os.geteuid() == 0 else ""
    recipe = recipe.replace("8765", str(behind))
    text = CONFIGURATION.format(folder=folder, port=port, recipe=recipe, user=user)
    (folder / "nginx.conf").write_text(text)
    return [where("nginx"), "-p", str(folder), "-c", str(folder / "nginx.conf")]


def caddy(folder, port, behind, recipe):
    site = f"https://localhost:{port} {{\n    tls {folder}/certificate {folder}/key"
    recipe = recipe.replace("8765", str(behind)).replace("games.example.org {", site)
    settings = "{\n    admin off\n    auto_https disable_redirects\n}\n"
    (folder / "Caddyfile").write_text(settings + recipe)
    return [where("caddy"), "run", "--config", str(folder / "Caddyfile"), "--adapter", "caddyfile"]


@contextmanager
def listening(folder, port, words):
    """A proxy in a process of its own, from when it listens."""
    environment = {**os.environ, "HOME": str(folder), "XDG_DATA_HOME": str(folder)}
    with (folder / "stderr").open("wb") as stderr:
        process = subprocess.Popen(words, stderr=stderr, env=environment)

    def listens():
        assert process.poll() is None, (folder / "stderr").read_text()
        with suppress(OSError), socket.create_connection(("127.0.0.1", port)):
            return True
        return False

    try:
        wait_until(listens)
        yield
    finally:
        process.terminate()
        process.wait(PATIENCE)


def certificate(folder):
    """Write a certificate for this machine, its key and its authority; who trusts that."""
    authority = trustme.CA()
    issued = authority.issue_cert("localhost")
    issued.cert_chain_pems[0].write_to_path(folder / "certificate")
    issued.private_key_pem.write_to_path(folder / "key")
    authority.cert_pem.write_to_path(folder / "ca.pem")
    trusting = ssl.create_default_context()
    authority.configure_trust(trusting)
    return trusting


CHANGED = RECIPE.replace("Host $http_host", "Host 127.0.0.1:8765").replace(
    "proxy_pass http://127.0.0.1:8765;", "proxy_pass http://127.0.0.1:8765/;"
)
PROXIES = [
    pytest.param(nginx, RECIPE, "/games", marks=needs("nginx"), id="nginx keeps the host"),
    pytest.param(nginx, CHANGED, "/games", marks=needs("nginx"), id="nginx changes the host"),
    pytest.param(caddy, CADDYFILE, "", marks=needs("caddy"), id="caddy"),
]


@pytest.mark.parametrize(("proxy", "recipe", "path"), PROXIES)
def test_a_game_is_played_through_a_proxy(tmp_path, proxy, recipe, path):
    trusting = certificate(tmp_path)
    port, behind = free_port(), free_port()
    public = f"https://localhost:{port}{path}"
    words = ("--port", behind, "--public-url", public, "--token-file", tmp_path / "token")
    with serving(tmp_path, *words) as server:
        assert server.url.startswith(f"{public}/?token=")
        with listening(tmp_path, port, proxy(tmp_path, port, behind, recipe)):
            play(server.url, public, trusting)


@pytest.mark.sampled
def test_a_game_is_played_from_outside_of_a_container(tmp_path, monkeypatch):
    recipe = shlex.split(CONTAINER.replace("\\\n", " "))
    outside = "localhost:" + recipe[recipe.index("-p") + 1].split(":")[1]
    assert recipe[recipe.index("-e") + 1] == "XDG_STATE_HOME=/data/state"
    program, command, *words = recipe[recipe.index("oddly") :]
    assert (program, command) == ("oddly", "serve")
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    key = ""
    for _ in ("at first", "in another container with the same data"):
        with serving(tmp_path, *words) as server:
            token = server.url.partition("?token=")[2]
            assert token == (tmp_path / "state" / "oddly" / "serve-token").read_text().strip()
            browser = httpx2.Client(base_url=server.origin, headers={"host": outside})
            assert browser.get("/").status_code == 401
            assert browser.get(f"/?token={token}").status_code == 303
            headers = {"origin": f"http://{outside}", "content-type": "application/json"}
            if not key:
                game = json.dumps({"game": "yodd", "size": 2, "seats": ["human", "human"]})
                key = browser.post("/api/games", content=game, headers=headers).json()["id"]
            listed = browser.post("/api/games/list", content=json.dumps([key]), headers=headers)
            assert [found["title"] for found in listed.json()["games"]] == ["Yodd, base 2"]
            elsewhere = headers | {"origin": "http://evil.example"}
            refused = browser.post("/api/games/list", content="[]", headers=elsewhere)
            assert refused.status_code == 403
            browser.close()


def play(address, public, trusting):
    with (
        httpx2.Client(verify=trusting, timeout=PATIENCE) as browser,
        httpx2.Client(verify=trusting, timeout=PATIENCE) as guest,
    ):
        assert browser.get(f"{public}/").status_code == 401
        if public.endswith("/games"):
            redirected = browser.get(public, follow_redirects=False)
            assert redirected.headers["location"].endswith("/games/")
        entered = browser.get(address, follow_redirects=True)
        assert (entered.status_code, str(entered.url)) == (200, f"{public}/")
        assert browser.get(f"{public}/static/main.js").status_code == 200
        origin = {"origin": public.removesuffix("/games"), "content-type": "application/json"}
        game = json.dumps({"game": "yodd", "size": 2, "seats": ["human", "friend"]})
        opened = browser.post(f"{public}/api/games", content=game, headers=origin)
        assert opened.status_code == 201, opened.text
        key = opened.json()["id"]
        by_browser = browser.post(f"{public}/api/seats/open", content=game, headers=origin)
        cookie = by_browser.headers["set-cookie"]
        path = "/games/" if public.endswith("/games") else "/"
        assert {"Secure", "HttpOnly", f"Path={path}"} <= set(cookie.split("; "))
        assert guest.get(f"{public}/?game={key}").status_code == 200
        assert guest.get(f"{public}/api/facts").status_code == 200
        refused = guest.post(f"{public}/api/games", content=game, headers=origin)
        assert refused.status_code == 401
        cookies = "; ".join(f"{name}={value}" for name, value in guest.cookies.items())
        headers = {"origin": origin["origin"], "cookie": cookies}
        evil = UPGRADE | headers | {"origin": "https://evil.example"}
        assert browser.get(f"{public}/ws/play/{key}", headers=evil).status_code == 403
    trio.run(click, f"{public.replace('https', 'wss')}/ws/play/{key}", headers, trusting)


async def click(address, headers, trusting):
    with trio.fail_after(PATIENCE):
        async with trio_websocket.open_websocket_url(
            address, trusting, extra_headers=list(headers.items())
        ) as websocket:
            view = json.loads(await websocket.get_message())
            assert view["yours"] == [0]
            await websocket.send_message(json.dumps({"do": "click", "vertex": "b2"}))
            assert json.loads(await websocket.get_message())["tentative"] == ["b2"]

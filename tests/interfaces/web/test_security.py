"""Access to the server, try by try."""

from __future__ import annotations

import pytest
from starlette.applications import Starlette
from starlette.responses import PlainTextResponse
from starlette.routing import Route, WebSocketRoute
from starlette.testclient import TestClient
from starlette.websockets import WebSocketDisconnect

from interfaces.web.security import LOOPBACK_NAMES, REFUSED, AccessMiddleware, AccessPolicy

MOST = 1000
TOKEN = "s3cret"
LOCAL = AccessPolicy(8765, frozenset(LOOPBACK_NAMES))
OPEN = AccessPolicy(8765, frozenset({*LOOPBACK_NAMES, "desk"}), any_address=True, token=TOKEN)
JSON = {"content-type": "application/json"}


def client(access=LOCAL, host="127.0.0.1:8765"):
    async def echo(request):
        return PlainTextResponse(await request.body())

    async def talk(websocket):
        await websocket.accept()
        await websocket.send_text("hello")
        await websocket.close()

    routes = [Route("/", echo, methods=["GET", "POST", "PUT"]), WebSocketRoute("/ws", talk)]
    guard = AccessMiddleware(Starlette(routes=routes), access, MOST)
    return TestClient(guard, base_url=f"http://{host}", backend="trio")


@pytest.mark.parametrize(
    ("host", "ours"),
    [
        ("localhost:8765", True),
        ("127.0.0.1:8765", True),
        ("[::1]:8765", True),
        ("LOCALHOST:8765", True),
        ("localhost", False),
        ("localhost:80", False),
        ("localhost:8765:8765", False),
        ("localhost:008765", False),
        ("evil.example:8765", False),
        ("localhost.evil.example:8765", False),
        ("192.168.0.7:8765", False),
        ("", False),
        (":8765", False),
        ("localhost:٨٧٦٥", False),
    ],
)
def test_only_our_own_names_are_ours(host, ours):
    assert LOCAL.is_ours(host) is ours


@pytest.mark.parametrize(
    ("host", "ours"),
    [
        ("192.168.0.7:8765", True),
        ("[fe80::1]:8765", True),
        ("desk:8765", True),
        ("192.168.0.7.evil.example:8765", False),
        ("evil:8765", False),
    ],
)
def test_beyond_this_machine_numeric_addresses_are_ours_too(host, ours):
    assert OPEN.is_ours(host) is ours


def test_a_page_whose_name_was_made_to_point_here_gets_nothing():
    answer = client(host="evil.example:8765").get("/")
    assert answer.status_code == 421


def test_two_hosts_are_none():
    headers = [("host", "localhost:8765"), ("host", "evil.example")]
    assert client().get("/", headers=headers).status_code == 421


@pytest.mark.parametrize(
    "origin", [None, "null", "http://evil.example", "http://127.0.0.1:80", "http://localhost:8765"]
)
def test_a_post_from_elsewhere_is_refused(origin):
    headers = JSON | ({"origin": origin} if origin else {})
    assert client().post("/", content="{}", headers=headers).status_code == 403


@pytest.mark.parametrize("origin", [None, "null", "http://evil.example", "file://"])
def test_a_websocket_from_elsewhere_is_refused(origin):
    headers = {"origin": origin} if origin else {}
    with (
        pytest.raises(WebSocketDisconnect) as closed,
        client().websocket_connect("ws://127.0.0.1:8765/ws", headers=headers),
    ):
        pass
    assert closed.value.code == REFUSED


def test_this_page_may_do_both():
    origin = {"origin": "http://127.0.0.1:8765"}
    assert client().post("/", content="{}", headers=JSON | origin).text == "{}"
    with client().websocket_connect("ws://127.0.0.1:8765/ws", headers=origin) as websocket:
        assert websocket.receive_text() == "hello"


def test_a_form_is_no_json():
    headers = {"origin": "http://127.0.0.1:8765", "content-type": "text/plain"}
    assert client().post("/", content="{}", headers=headers).status_code == 415


def test_other_methods_are_unknown():
    assert client().put("/", content="{}").status_code == 405


@pytest.mark.parametrize("announced", [True, False])
def test_a_giant_body_is_not_read(announced):
    read = 0

    def giant():
        nonlocal read
        for _ in range(100_000):
            read += 1
            yield b"x" * 100

    body = b"x" * (MOST + 1) if announced else giant()
    headers = JSON | {"origin": "http://127.0.0.1:8765"}
    answer = client().post("/", content=body, headers=headers)
    assert answer.status_code == 413
    assert answer.text == "At most 1000 bytes are read.\n"


@pytest.mark.parametrize("path", ["/", "/nothing"])
def test_every_answer_has_a_strict_policy(path):
    headers = client().get(path).headers
    policy = headers["content-security-policy"]
    assert "default-src 'none'; script-src 'self'; style-src 'self'" in policy
    assert "frame-ancestors 'none'" in policy
    assert "unsafe" not in policy
    assert "connect-src 'self' ws://127.0.0.1:8765 wss://127.0.0.1:8765;" in policy
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["referrer-policy"] == "no-referrer"
    assert headers["cross-origin-resource-policy"] == "same-origin"


def test_refusals_have_the_policy_too_and_repeat_no_name_of_a_stranger():
    headers = client(host="evil.example:8765").get("/").headers
    assert "evil" not in headers["content-security-policy"]


def test_an_open_server_wants_its_token():
    browser = client(OPEN, "192.168.0.7:8765")
    assert browser.get("/").status_code == 401
    assert browser.get("/?token=wrong").status_code == 401
    assert browser.get("/", headers={"cookie": "oddly-8765=wrong"}).status_code == 401
    assert browser.get("/", headers={"cookie": b"oddly-8765=\xe9; ="}).status_code == 401
    answer = browser.get("/?token=s3cret", follow_redirects=False)
    assert (answer.status_code, answer.headers["location"]) == (303, "/")
    cookie = answer.headers["set-cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=strict" in cookie
    assert browser.get("/").status_code == 200


def test_a_websocket_wants_the_token_too():
    headers = {"origin": "http://desk:8765"}
    with (
        pytest.raises(WebSocketDisconnect) as closed,
        client(OPEN).websocket_connect("ws://desk:8765/ws?token=s3cret", headers=headers),
    ):
        pass
    assert closed.value.code == REFUSED

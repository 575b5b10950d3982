"""Access to the server, try by try."""

import ipaddress
import re
from dataclasses import replace

import pytest
import trio
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse, Response
from starlette.routing import Route, WebSocketRoute
from starlette.testclient import TestClient
from starlette.websockets import WebSocketDisconnect

from oddly.interfaces.web.access_policy import (
    LOOPBACK_NAMES,
    AccessPolicy,
    PublicUrlError,
    TokenError,
    TokenFile,
    parse_public_url,
)
from oddly.interfaces.web.bounds import Bounds
from oddly.interfaces.web.security import REFUSED, AccessMiddleware
from tests.interfaces.web.serving import serving

MOST = 1000
BOUNDS = Bounds(body=MOST)
TOKEN = "s3cret"
KEY = "a-key-to-one-game"
LOCAL = AccessPolicy(8765, frozenset(LOOPBACK_NAMES))
OPEN = AccessPolicy(
    8765, frozenset({*LOOPBACK_NAMES, "desk"}), any_address=True, token=lambda: TOKEN
)
JSON = {"content-type": "application/json"}


def client(access=LOCAL, host="127.0.0.1:8765"):
    async def echo(request):
        kind = HTMLResponse if request.url.path.endswith("/") else PlainTextResponse
        return kind(await request.body())

    async def talk(websocket):
        await websocket.accept()
        await websocket.send_text("hello")
        await websocket.close()

    routes = [
        Route("/", echo, methods=["GET", "POST", "PUT"]),
        Route("/static/x", echo),
        Route("/api/games", echo, methods=["POST"]),
        WebSocketRoute("/ws", talk),
        WebSocketRoute("/ws/play/x", talk),
    ]
    guard = AccessMiddleware(Starlette(routes=routes), access, BOUNDS, {KEY}.__contains__)
    return TestClient(guard, base_url=f"http://{host}", backend="trio")


# From another port, where ssh or a container forwards it to ours.
OURS = ("localhost:8765", "127.0.0.1:8765", "[::1]:8765", "LOCALHOST:8765", "localhost:9000",
        "localhost")  # fmt: skip
OF_OTHERS = ("localhost:8765:8765", "localhost:008765", "evil.example:8765", "", ":8765",
             "localhost.evil.example:8765", "192.168.0.7:8765", "localhost:٨٧٦٥")  # fmt: skip


@pytest.mark.parametrize("host", [*OURS, *OF_OTHERS])
def test_only_our_own_names_are_ours(host):
    assert LOCAL.is_ours(host) is (host in OURS)


BEYOND = ("192.168.0.7:8765", "[fe80::1]:8765", "desk:8765")


@pytest.mark.parametrize("host", [*BEYOND, "192.168.0.7.evil.example:8765", "evil:8765"])
def test_beyond_this_machine_numeric_addresses_are_ours_too(host):
    assert OPEN.is_ours(host) is (host in BEYOND)


def test_a_page_whose_name_was_made_to_point_here_gets_nothing():
    assert client(host="evil.example:8765").get("/").status_code == 421


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
    refuses(client(), "ws://127.0.0.1:8765/ws", headers)


def refuses(browser, address, headers):
    """Assert that a WebSocket is refused."""
    with (
        pytest.raises(WebSocketDisconnect) as closed,
        browser.websocket_connect(address, headers=headers),
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
    body = b"x" * (MOST + 1) if announced else (b"x" * 100 for _ in range(100_000))
    headers = JSON | {"origin": "http://127.0.0.1:8765"}
    answer = client().post("/", content=body, headers=headers)
    assert answer.status_code == 413
    assert answer.text == "At most 1000 bytes are read.\n"


@pytest.mark.parametrize("path", ["/", "/static/x", "/nothing"])
def test_every_answer_has_a_strict_policy(path):
    headers = client().get(path).headers
    policy = headers["content-security-policy"]
    assert policy.startswith("default-src 'none'; ")
    assert "frame-ancestors 'none'" in policy
    assert "unsafe" not in policy
    for allowed in ("script-src 'self'; style-src 'self'; ",
                    "connect-src 'self' ws://127.0.0.1:8765 wss://127.0.0.1:8765;"):  # fmt: skip
        # What is no page needs nothing.
        assert (allowed in policy) == (path == "/")
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["referrer-policy"] == "no-referrer"
    assert headers["cross-origin-resource-policy"] == "same-origin"


def test_the_answer_that_a_page_has_not_changed_has_its_policy():
    async def unchanged(request):
        return Response(status_code=304)

    guard = AccessMiddleware(Starlette(routes=[Route("/", unchanged)]), LOCAL, BOUNDS)
    browser = TestClient(guard, base_url="http://localhost:8765", backend="trio")
    assert "script-src 'self'" in browser.get("/").headers["content-security-policy"]


def test_refusals_have_the_policy_too_and_repeat_no_name_of_a_stranger():
    headers = client(host="evil.example:8765").get("/").headers
    assert "evil" not in headers["content-security-policy"]


def test_an_open_server_wants_its_token():
    browser = client(OPEN, "192.168.0.7:8765")
    assert browser.get("/?token=wrong").status_code == 401
    for cookie in ("", "oddly-8765=wrong", b"oddly-8765=\xe9; ="):
        headers = {"cookie": cookie} if cookie else {}
        assert browser.get("/", headers=headers).status_code == 401
    answer = browser.get("/?token=s3cret", follow_redirects=False)
    assert (answer.status_code, answer.headers["location"]) == (303, "/")
    cookie = answer.headers["set-cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=strict" in cookie
    assert browser.get("/").status_code == 200


def test_a_websocket_wants_the_token_too():
    headers = {"origin": "http://desk:8765"}
    refuses(client(OPEN), "ws://desk:8765/ws?token=s3cret", headers)


def test_odd_cookies_of_others_lock_nobody_out():
    browser = client(OPEN, "192.168.0.7:8765")
    odd = '_ga={"a":1}; =; ;; x="; \\; oddly-8765=old; oddly-8765=s3cret; \xe9'
    assert browser.get("/", headers={"cookie": odd.encode("latin-1")}).status_code == 200
    many = "; ".join(f"a{number}={'x' * 100}" for number in range(200))
    assert browser.get("/", headers={"cookie": f"{many}; oddly-8765=s3cret"}).status_code == 200


@pytest.mark.parametrize("path", ["//evil.example/", "///evil.example", "/\\evil.example/", "//"])
def test_a_token_leads_nowhere_else(path):
    answer = client(OPEN, "192.168.0.7:8765").get(
        f"http://192.168.0.7:8765{path}?token=s3cret", follow_redirects=False
    )
    assert answer.status_code == 303
    assert re.match(r"/(?![/\\])", answer.headers["location"]), answer.headers["location"]


def test_the_cookie_goes_by_the_port_that_the_browser_sees():
    browser = client(OPEN, "localhost:9000")
    browser.get("/?token=s3cret", follow_redirects=False)
    assert "oddly-9000" in browser.cookies
    assert browser.get("/").status_code == 200


def test_the_link_of_a_game_opens_that_and_little_else():
    browser = client(OPEN, "desk:8765")
    origin = {"origin": "http://desk:8765"}
    assert browser.get("/?game=another").status_code == 401
    answer = browser.get(f"/?game={KEY}")
    assert answer.status_code == 200
    assert "SameSite=lax" in answer.headers["set-cookie"]
    assert TOKEN not in answer.headers["set-cookie"]
    assert browser.get("/static/x").status_code == 200
    assert browser.post("/api/games", content="{}", headers=JSON | origin).status_code == 401
    cookie = {"cookie": answer.headers["set-cookie"].partition(";")[0]}
    with browser.websocket_connect("ws://desk:8765/ws/play/x", headers=origin | cookie) as talk:
        assert talk.receive_text() == "hello"
    refuses(browser, "ws://desk:8765/ws", origin | cookie)


@pytest.mark.sampled
@pytest.mark.parametrize("guests_open", [False, True])
def test_guests_open_games_only_if_the_server_allows_it(tmp_path, guests_open):
    words = ["--guests-open"] if guests_open else []
    owner = {"cookie": ""}
    game = {"game": "yodd", "size": 2, "seats": ["human", "human"]}
    with serving(tmp_path, "--name", "a", "--token-file", tmp_path / "token", *words) as server:
        owner["cookie"] = f"oddly-{server.port}={server.url.partition('?token=')[2]}"
        opened = server.post("/api/seats/open", game, **owner).json()["id"]
        answer = server.get(f"/?game={opened}")
        guest = {"cookie": answer.headers["set-cookie"].partition(";")[0]}
        facts = server.get("/api/facts", headers=guest).json()
        assert (facts["guest"], facts["may_open"]) == (True, guests_open)
        answer = server.post("/api/seats/open", game, **guest)
        assert answer.status_code == (201 if guests_open else 403)
        if not guests_open:
            assert answer.json()["sentence"].startswith("Guests of this server open no games")
        assert server.post("/api/games", game, **guest).status_code == 401
        facts = server.get("/api/facts", headers=owner).json()
        assert (facts["guest"], facts["may_open"]) == (False, True)
        refused = server.get("/?game=nothing", headers={"accept": "text/html"})
        assert (refused.status_code, "There is no such game" in refused.text) == (401, True)


def test_a_proxy_that_nobody_spoke_of_gets_nothing():
    assert client().get("/", headers={"x-forwarded-for": "1.2.3.4"}).status_code == 403


PROXIED = AccessPolicy(
    8765,
    frozenset(LOOPBACK_NAMES),
    token=lambda: TOKEN,
    public=parse_public_url("https://Games.example.org:443/odd/"),
)
PUBLIC = {"origin": "https://games.example.org", "cookie": "oddly-8765=s3cret"}


@pytest.mark.parametrize("host", ["games.example.org", "games.example.org:443", "127.0.0.1:8765"])
@pytest.mark.parametrize("path", ["/", "/odd/"])
def test_a_proxy_may_keep_or_change_the_host_and_the_path(host, path):
    browser = client(PROXIED, host)
    answer = browser.get(f"{path}?token=s3cret", follow_redirects=False)
    assert (answer.status_code, answer.headers["location"]) == (303, "./")
    cookie = answer.headers["set-cookie"]
    assert ("Secure" in cookie, "Path=/odd/" in cookie) == (host.startswith("games"),) * 2
    headers = {"origin": "https://games.example.org", "cookie": cookie.partition(";")[0]}
    assert browser.get(path, headers=headers).status_code == 200
    assert browser.post(path, content="{}", headers=JSON | headers).text == "{}"
    wrong = headers | {"origin": "http://games.example.org"}
    assert browser.post(path, content="{}", headers=JSON | wrong).status_code == 403
    policy = browser.get(path, headers=headers).headers["content-security-policy"]
    assert "wss://games.example.org" in policy
    assert client(PROXIED, "evil.example").get(path, headers=headers).status_code == 421


def test_the_path_of_the_public_address_gets_its_slash():
    answer = client(PROXIED, "games.example.org").get("/odd", follow_redirects=False)
    assert answer.headers["location"] == "/odd/"


@pytest.mark.parametrize(
    "text",
    ["", "games.example.org", "ftp://a.b", "https://", "https://a b", "https://u@a.b", "https://a.b/?c",
     "https://a.b/#", "https://a.b//c", "https://a.b/..", "https://a.b:99999", "https://a.b/<x>"],
)  # fmt: skip
def test_what_is_no_public_address_is_refused(text):
    with pytest.raises(PublicUrlError, match="is not the address of a page"):
        parse_public_url(text)


def test_public_addresses_are_written_in_one_way():
    assert str(parse_public_url("HTTPS://Games.Example.org:443/a/b/")) == (
        "https://games.example.org/a/b/"
    )
    assert parse_public_url("http://[::1]:8080").origin == "http://[::1]:8080"
    assert parse_public_url("https://bücher.example").host == "xn--bcher-kva.example"


def test_the_token_is_a_secret_of_its_user_and_survives(tmp_path):
    path = tmp_path / "state" / "serve-token"
    token = TokenFile(path).current()
    assert len(token) >= 32
    assert path.stat().st_mode & 0o777 == 0o600
    running = TokenFile(path)
    assert running.token() == token
    TokenFile(path).renew()
    assert running.token() != token
    path.unlink()
    path.symlink_to("/dev/zero")
    with pytest.raises(TokenError, match="is not a file"):
        TokenFile(path).current()


@pytest.mark.parametrize(
    ("text", "mode", "said"),
    [
        ("x" * 32, 0o644, "others can read"),
        ("short", 0o600, "is not one"),
        ("x" * 20 + "\r\ny: z", 0o600, "is not one"),
        ("é" * 20, 0o600, "cannot read"),
    ],
)
def test_a_token_that_is_not_safe_is_refused(tmp_path, text, mode, said):
    path = tmp_path / "token"
    path.write_text(text)
    path.chmod(mode)
    with pytest.raises(TokenError, match=said):
        TokenFile(path).current()


@pytest.mark.parametrize("sent", [[], [b"{"], [b"{", b" "]])
async def test_a_body_that_does_not_end_is_cut_off(autojump_clock, sent):
    waiting = [{"type": "http.request", "body": part, "more_body": True} for part in sent]
    answers = []

    async def receive():
        if not waiting:
            await trio.sleep_forever()
        return waiting.pop(0)

    async def answer(message):
        answers.append(message)

    async def read(scope, receive, send):
        body = await Request(scope, receive).body()
        await PlainTextResponse(body)(scope, receive, send)

    headers = {"host": "localhost", "origin": "http://localhost", **JSON}
    scope = {
        "type": "http",
        "method": "POST",
        "path": "/",
        "query_string": b"",
        "headers": [(name.encode(), value.encode()) for name, value in headers.items()],
        "client": ("127.0.0.1", 1),
    }
    began = trio.current_time()
    await AccessMiddleware(read, LOCAL, BOUNDS)(scope, receive, answer)
    assert trio.current_time() - began == BOUNDS.body_seconds
    assert [message.get("status") for message in answers] == [408, None]
    assert (b"connection", b"close") in answers[0]["headers"]


def test_an_address_that_asks_without_end_is_refused_and_another_is_served():
    bounds = Bounds(requests=1e-6, request_burst=5)
    proxied = replace(PROXIED, proxies=(ipaddress.ip_network("127.0.0.1/32"),))

    async def who(scope, receive, send):
        await PlainTextResponse(scope["client"][0])(scope, receive, send)

    guard = AccessMiddleware(who, proxied, bounds)
    browser = TestClient(
        guard, base_url="http://games.example.org", backend="trio", client=("127.0.0.1", 1)
    )

    def asked(*forwarded):
        cookie = f"oddly-8765={TOKEN}"
        headers = [("cookie", cookie), *(("x-forwarded-for", each) for each in forwarded)]
        return browser.get("/odd/", headers=headers)

    flood = [asked(f"198.51.100.{number}, 203.0.113.1").status_code for number in range(7)]
    assert flood == [200] * 5 + [429] * 2
    assert asked("203.0.113.2").text == "203.0.113.2"

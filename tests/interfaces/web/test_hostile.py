"""A server among strangers who do not read, send rubbish, or never finish a sentence."""

import socket
from contextlib import closing

import pytest

from oddly.interfaces.serving.http_server import FRAME_BURST
from tests.interfaces.web.serving import Socket, closed, frame, serving
from tests.patience import PATIENCE


def served_well(server):
    """Whether a page, a game and a WebSocket are served as ever."""
    assert server.get("/").status_code == 200
    with closing(Socket(server, f"/ws/play/{server.open_game()}")) as player:
        assert player.hear("game")["stones"] == "......."
        player.send({"do": "click", "vertex": "b2"})
        assert player.hear("game")["stones"] == "...X..."


def test_two_hundred_who_do_not_read_or_send_rubbish_stop_nobody(server):
    name = server.open_game("xodd", 19)
    payloads = ((b"{", 1), (b"[1]", 1), (b"\xff\xfe", 1), (b"x" * 100, 3), (b"x" * 130, 9),
                (b"x" * 9000, 1), (b"\x03\xe8" + b"\xff" * 20, 8), (b"\x00\x01", 8))  # fmt: skip
    rubbish = [frame(*payload) for payload in payloads]
    rubbish += [b"\xff" * 40, b"\x81\xff" + b"\xff" * 8, frame(b"x", 1, masked=False)]
    rubbish.append(frame(b"a", 1, final=False) * 3000)
    strangers = []
    try:
        for number in range(200):
            # A small buffer here, so that what is not read soon stands before the server.
            stranger = Socket(server, f"/ws/play/{name}", receive_buffer=4096)
            assert stranger.status == 101
            strangers.append(stranger)
            if number % 2:
                try:
                    stranger.raw.sendall(rubbish[number // 2 % len(rubbish)])
                except OSError:
                    continue
        player = Socket(server, f"/ws/play/{name}")
        strangers.append(player)
        player.hear("game")
        for number in range(30):
            # Flipping a stone sends a whole board to everybody.
            player.send({"do": "click", "vertex": "k10"})
            assert player.hear("game")["tentative"] == ["k10"], number
        served_well(server)
    finally:
        closed(strangers)
    served_well(server)


def test_sentences_that_never_end_stop_nobody(server):
    starts = [b"", b"GET / HTTP/1.1\r\nHost: ", b"POST /api/games HTTP/1.1\r\n" + b"a: b\r\n" * 100]
    strangers = []
    try:
        for number in range(100):
            stranger = socket.create_connection(("127.0.0.1", server.port))
            stranger.sendall(starts[number % 3])
            strangers.append(stranger)
        served_well(server)
    finally:
        closed(strangers)


def answer_to(server, words):
    """The first bytes that a stranger gets."""
    with socket.create_connection(("127.0.0.1", server.port), timeout=PATIENCE) as stranger:
        try:
            stranger.sendall(words)
            return stranger.recv(65_536)
        except ConnectionError:
            return b""


@pytest.mark.parametrize(
    "words",
    [
        b"\x00\xff" * 100 + b"\r\n\r\n",
        b"GET / HTTP/9.9\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
        b"GET /" + b"a" * 100_000 + b" HTTP/1.1\r\n\r\n",
        b"POST /api/games HTTP/1.1\r\nContent-Length: -1\r\n\r\n",
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    ],
)
def test_requests_that_are_none_are_refused(server, words):
    assert not answer_to(server, words).startswith(b"HTTP/1.1 2")
    served_well(server)


@pytest.mark.parametrize(
    "upgrade",
    [
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + b"\0\0\0\x04\0\0\0\0\0",
        (
            b"GET / HTTP/1.1\r\nHost: HOST\r\nConnection: Upgrade, HTTP2-Settings\r\n"
            b"Upgrade: h2c\r\nHTTP2-Settings: AAMAAABkAARAAAAAAAIAAAAA\r\n\r\n"
        ),
    ],
    ids=["known", "asked"],
)
def test_nobody_speaks_http2(server, upgrade):
    answer = answer_to(server, upgrade.replace(b"HOST", server.host.encode()))
    assert answer.startswith(b"HTTP/1.1 ")
    assert not answer.startswith(b"HTTP/1.1 101")


@pytest.mark.parametrize(
    ("message", "opcode"),
    [("no JSON", 1), ("[]", 1), (b"\x00\x01", 2), ("x" * 3000, 1), ("[" * 2000, 1)],
)
def test_a_message_of_another_kind_ends_its_websocket(server, message, opcode):
    name = server.open_game()
    with closing(Socket(server, f"/ws/play/{name}")) as stranger:
        stranger.hear("game")
        stranger.send(message, opcode)
        assert stranger.closing_code() == 1008
    served_well(server)


def test_a_flood_of_messages_ends_its_websocket(server):
    name = server.open_game()
    with closing(Socket(server, f"/ws/play/{name}")) as stranger:
        stranger.raw.sendall(frame(b'{"do": "undo"}') * 500)
        assert stranger.closing_code() in (1008, None)


@pytest.mark.parametrize("opcode", [9, 10, 0], ids=["pings", "pongs", "parts"])
def test_frames_that_are_no_messages_end_a_websocket_too_when_they_are_too_many(server, opcode):
    name = server.open_game()
    with closing(Socket(server, f"/ws/play/{name}")) as stranger:
        stranger.hear("game")
        first = frame(b"", 1, final=False) if opcode == 0 else b""
        stranger.raw.sendall(first + frame(b"", opcode, final=opcode != 0) * (FRAME_BURST - 1))
        with closing(Socket(server, f"/ws/play/{name}")) as player:
            player.hear("game")
        # The rate lets through some of them by and by, and then one too many.
        more = frame(b"", opcode, final=opcode != 0) * FRAME_BURST
        stranger.raw.sendall(more)
        assert stranger.closing_code() == 1008
    served_well(server)


def test_a_websocket_from_another_page_or_under_another_name_is_refused(server):
    name = server.open_game()
    elsewhere = f"evil.example:{server.port}"
    strangers = [
        Socket(server, f"/ws/play/{name}", origin="http://evil.example"),
        Socket(server, f"/ws/play/{name}", origin="null"),
        Socket(server, f"/ws/play/{name}", origin=f"http://{elsewhere}", host=elsewhere),
    ]
    closed(strangers)
    assert [stranger.status for stranger in strangers] == [403] * 3


def test_a_game_that_nobody_has_is_said_to_be_gone(server):
    with closing(Socket(server, "/ws/play/nobody")) as stranger:
        assert stranger.closing_code() == 4404


def test_no_more_games_are_opened_than_there_are_tables(tmp_path):
    with serving(tmp_path, "--tables", 2) as server:
        players = [Socket(server, f"/ws/play/{server.open_game()}") for _ in range(2)]
        for player in players:
            player.hear("game")
        answer = server.post("/api/games", {"game": "yodd", "size": 2, "seats": ["human"] * 2})
        assert answer.status_code == 503
        assert answer.json()["sentence"].startswith("All 2 tables are taken")
        closed(players)


class Visitor:
    """One address behind a proxy, which names it after what the visitor claims."""

    def __init__(self, server, address):
        self.server = server
        token = server.url.partition("?token=")[2]
        self.headers = {
            "cookie": f"oddly-{server.port}={token}",
            "x-forwarded-for": f"198.51.100.9, {address}",
        }

    def opens(self, **more):
        """The answer to a wish for a game."""
        asked = {"game": "yodd", "size": 2, "seats": ["human", "human"], **more}
        return self.server.post("/api/games", asked, **self.headers)

    def joins(self, key):
        more = f"x-forwarded-for: {self.headers['x-forwarded-for']}\r\n"
        return Socket(self.server, f"/ws/play/{key}", cookie=self.headers["cookie"], more=more)


@pytest.fixture
def proxied(tmp_path):
    words = ("--public-url", "http://games.example.org", "--token-file", tmp_path / "token")
    with serving(tmp_path, *words) as server:
        yield server
        assert "Traceback" not in server.stderr()


def test_one_address_that_opens_games_at_full_rate_locks_nobody_out(proxied):
    hostile, honest = Visitor(proxied, "203.0.113.1"), Visitor(proxied, "203.0.113.2")
    opened = [hostile.opens(turns=["Bb2"]) for _ in range(80)]
    assert [answer.status_code for answer in opened] == [201] * 60 + [429] * 20
    assert 0 < int(opened[-1].headers["retry-after"]) <= 300
    assert opened[-1].json()["sentence"].startswith("Many games were opened from your address")
    asked = {"game": "yodd", "size": 2, "seats": ["human", "friend"]}
    assert proxied.post("/api/seats/open", asked, **hostile.headers).status_code == 429
    assert proxied.post("/api/seats/open", asked, **honest.headers).status_code == 201
    answer = honest.opens()
    assert answer.status_code == 201
    with closing(honest.joins(answer.json()["id"])) as player:
        assert player.hear("game")["turns"] == []


def test_a_long_game_to_go_on_with_counts_as_several(proxied):
    hostile = Visitor(proxied, "203.0.113.1")
    turns = ["c5-c6", "d5-d6", "c6-c5", "d6-d5"] * 250
    codes = [hostile.opens(game="ayu", size=11, turns=turns).status_code for _ in range(20)]
    assert codes == [422] * 12 + [429] * 8


def test_one_address_at_all_tables_leaves_one_to_another(proxied):
    hostile, honest = Visitor(proxied, "203.0.113.1"), Visitor(proxied, "203.0.113.2")
    sockets = [hostile.joins(hostile.opens().json()["id"]) for _ in range(8)]
    try:
        for each in sockets:
            each.hear("game")
        assert hostile.opens().status_code == 503
        answer = honest.opens()
        assert answer.status_code == 201
        sockets.append(honest.joins(answer.json()["id"]))
        sockets[-1].hear("game")
        assert hostile.opens().status_code == 503
        sockets[-1].send({"do": "click", "vertex": "b2"})
        assert sockets[-1].hear("game")["tentative"] == ["b2"]
    finally:
        closed(sockets)


def test_games_fetched_without_end_are_refused_after_some(proxied):
    hostile, honest = Visitor(proxied, "203.0.113.1"), Visitor(proxied, "203.0.113.2")
    keys = [hostile.opens().json()["id"] for _ in range(20)]
    codes = []
    for key in keys * 3:
        with closing(hostile.joins(key)) as fetching:
            try:
                fetching.hear("game")
            except ConnectionError as gone:
                codes.append(gone.args[0])
    assert codes
    assert set(codes) == {1013}
    assert honest.opens().status_code == 201


OUTSIDE = ("/static/..%2fserver.py", "/static/%2e%2e/server.py", "/static//etc/passwd",
           "/static/main.js%00.png", "/static/__init__.py", "/api/boards/..%2f/3",
           "/api/boards/hexhex/99999999999999999999", "/api/boards/hexhex/14",
           "/api/boards/round/3", "/api/boards/square/999999",
           "/api/watch/games/..%2f..%2fpasswd")  # fmt: skip


@pytest.mark.parametrize("path", OUTSIDE)
def test_no_path_leads_out_of_the_page(server, path):
    assert server.get(path).status_code == 404


YODD = {"game": "yodd", "size": 3, "settings": {}}
MARKUP = "<img src=x onerror=alert(1)>"


@pytest.mark.sampled
@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("(;" * 20_000, "more than 1,000 variations"),
        ("[" * 60_000, "recursion limit"),
        ("(;C" + "[" * 1_000_000, "has no ']'"),
        ("(;" + "CA[" * 300_000, "has no ']'"),
        ("x" * 70_000, "turn 1"),
        ("x" * 2_200_000, "up to 1 MiB"),
        ("\x00\xff" * 500, "turn 1"),
        ("# yodd 99999\nBa1", "off the hexhex board of base 3"),
        ("(;GM[1]SZ[99999999])", "SZ is 99999999"),
        ('{"game":"yodd","size":1e400}\n', "not a game record"),
        ("Bc3 " * 10_000, "c3 is occupied"),
        ("", "There is no game in it"),
        (f"{MARKUP}\n", "turn 1"),
    ],
    ids=range(13),
)
def test_files_of_strangers_are_refused_in_a_sentence_or_shown_as_text(server, text, said):
    answer = server.post("/api/files", {"text": text, "board": YODD})
    assert answer.status_code in (413, 422)
    assert said in answer.text
    assert answer.headers["content-type"].partition(";")[0] in ("application/json", "text/plain")
    assert answer.headers["x-content-type-options"] == "nosniff"

"""How many requests and bytes a visit of the page costs: the first one, and the next."""

import re

import pytest
from playwright.sync_api import expect

from oddly.games import create_game
from tests.interfaces.report.events import make_ledger
from tests.interfaces.web.serving import LINES, serving
from tests.patience import PATIENCE
from tests.programs import needs

FIRST_BYTES = 60_000
NEXT_REQUESTS, NEXT_BYTES = 4, 10_000


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    folder = tmp_path_factory.mktemp("serve")
    ledger = folder / "event.sqlite"
    make_ledger(ledger, ["one", "two"], games=[create_game("yodd", 8)], rounds=20)
    with serving(folder, ledger, *LINES) as server:
        yield server


class Cache:
    """A browser that keeps what it may, and counts what it fetches."""

    def __init__(self, server):
        self.server = server
        self.kept = {}
        self.tags = {}
        self.requests = self.bytes = 0

    def get(self, path):
        if path in self.kept and path not in self.tags:
            return self.kept[path]
        named = {"if-none-match": self.tags[path]} if path in self.tags else {}
        answer = self.server.get(path, headers={"accept-encoding": "gzip", **named})
        assert answer.status_code in (200, 304), path
        self.requests += 1
        self.bytes += answer.num_bytes_downloaded
        self.bytes += sum(len(name) + len(value) + 4 for name, value in answer.headers.raw)
        if answer.status_code == 304:
            return self.kept[path]
        kept = answer.headers["cache-control"]
        if "no-store" not in kept:
            self.kept[path] = answer
        if "no-cache" in kept:
            self.tags[path] = answer.headers["etag"]
        return answer

    def visit(self):
        """What the start page asks for; the requests and the bytes."""
        self.requests = self.bytes = 0
        page = self.get("/").text
        for address in re.findall(r'(?:src|href)="(static/[^"]+)"', page):
            self.get(f"/{address}")
        self.get("/api/facts")
        boards = set()
        for course in self.get("/api/courses").json()["courses"]:
            if picture := course.get("picture"):
                boards.add((picture["game"]["shape"], picture["game"]["size"]))
        assert boards
        for shape, size in sorted(boards):
            self.get(f"/api/boards/{shape}/{size}")
        return self.requests, self.bytes


@pytest.mark.sampled
def test_a_visit_costs_little_and_the_next_one_nearly_nothing(server):
    cache = Cache(server)
    _, size = cache.visit()
    assert size <= FIRST_BYTES
    requests, size = cache.visit()
    assert requests <= NEXT_REQUESTS
    assert size <= NEXT_BYTES


TURNS = "Bc3.Wa3-Be3.We1-Bd3.pass.pass"
SCREENS = {
    "start": ("#home", "svg.board"),
    "game": ("?game=", "svg.board"),
    "lesson": ("#learn/yodd/first-stone", "svg.board"),
    "form": ("#play/new/yodd", "form.setup"),
    "analysis": (f"?turn=2#analyse/line/yodd/3/-/-/{TURNS}", ".tree .turn"),
    "watch": ("watch", "a.ended"),
    "archive": ("watch/archive", ".games-table img"),
    "root": ("", "a.ended, svg.board"),
    "replay": ("watch/game/0000", ".tree .turn"),
    "exhibition": ("watch/exhibition", "#exhibition"),
}
"""Where a visit may begin, and what is there when it is shown."""


@needs("chromium")
@pytest.mark.parametrize("screen", SCREENS)
def test_a_browser_fetches_no_more(server, page, screen):
    counts = []
    address, shown = SCREENS[screen]
    if screen == "game":
        address += server.open_game("yodd", 8)
    for _ in range(2):
        fetched, left_out = {}, set()
        session = page.context.new_cdp_session(page)
        session.send("Network.enable")
        session.on("Network.requestServedFromCache", lambda e, c=left_out: c.add(e["requestId"]))
        # What an engine thinks is no cost of the page: it comes for as long as it is looked at.
        session.on(
            "Network.requestWillBeSent",
            lambda e, c=left_out: "/api/analysis" in e["request"]["url"] and c.add(e["requestId"]),
        )
        session.on(
            "Network.loadingFinished",
            lambda e, f=fetched: f.update({e["requestId"]: e["encodedDataLength"]}),
        )
        page.goto(f"{server.origin}/{address}")
        expect(page.locator(shown).first).to_be_visible(timeout=1000 * PATIENCE)
        page.wait_for_load_state("networkidle")
        session.detach()
        # A file from the cache on disk costs no bytes.
        sizes = [size for key, size in fetched.items() if key not in left_out and size]
        counts.append((len(sizes), sum(sizes)))
        page.goto("about:blank")
    (_, first), (requests, size) = counts
    assert first <= FIRST_BYTES
    assert requests <= NEXT_REQUESTS
    assert size <= NEXT_BYTES


@pytest.mark.parametrize("name", ["page", "style", "viewer"])
def test_a_file_is_kept_for_good_under_the_name_of_its_bytes_alone(server, name):
    found = re.search(rf'"(static/{name}\.[0-9a-f]{{16}}\.\w+)"', server.get("/").text)[1]
    answer = server.get(f"/{found}")
    assert "immutable" in answer.headers["cache-control"]
    assert answer.headers["content-encoding"] == "gzip"
    changed = re.sub(r"\.[0-9a-f]{16}\.", f".{16 * '0'}.", found)
    assert server.get(f"/{changed}").status_code == 404
    plain = server.get(f"/{found}", headers={"accept-encoding": "identity"})
    assert "content-encoding" not in plain.headers
    assert plain.content == answer.content


def test_the_page_of_a_game_names_at_once_what_it_needs_later(server):
    name = server.open_game()
    (later,) = re.findall(
        r'<link rel="modulepreload" href="(static/later\.[0-9a-f]{16}\.js)">',
        server.get(f"/?game={name}").text,
    )
    assert server.get(f"/{later}").status_code == 200
    assert "modulepreload" not in server.get("/").text


def test_what_may_change_is_asked_for_by_its_tag(server):
    for path in ("/", "/static/style.css", "/api/facts", "/api/courses", "/api/puzzles"):
        answer = server.get(path)
        assert "no-cache" in answer.headers["cache-control"]
        tag = answer.headers["etag"]
        again = server.get(path, headers={"if-none-match": f'W/"other", {tag}'})
        assert (again.status_code, again.content) == (304, b"")
        assert server.get(path, headers={"if-none-match": 'W/"other"'}).status_code == 200

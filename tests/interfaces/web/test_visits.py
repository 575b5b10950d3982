"""How many requests and bytes a visit of the page costs: the first one, and the next."""

import re

import pytest
from playwright.sync_api import expect

from tests.interfaces.web.serving import serving
from tests.patience import PATIENCE
from tests.programs import needs

FIRST_BYTES = 60_000
NEXT_REQUESTS, NEXT_BYTES = 4, 10_000


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    with serving(tmp_path_factory.mktemp("serve")) as server:
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


def test_a_visit_costs_little_and_the_next_one_nearly_nothing(server):
    cache = Cache(server)
    _, size = cache.visit()
    assert size <= FIRST_BYTES
    requests, size = cache.visit()
    assert requests <= NEXT_REQUESTS
    assert size <= NEXT_BYTES


@needs("chromium")
def test_a_browser_fetches_no_more(server, page):
    counts = []
    for _ in range(2):
        fetched, cached = {}, set()
        session = page.context.new_cdp_session(page)
        session.send("Network.enable")
        session.on("Network.requestServedFromCache", lambda e, c=cached: c.add(e["requestId"]))
        session.on(
            "Network.loadingFinished",
            lambda e, f=fetched: f.update({e["requestId"]: e["encodedDataLength"]}),
        )
        page.goto(f"{server.origin}/")
        expect(page.locator("svg.board").first).to_be_visible(timeout=1000 * PATIENCE)
        page.wait_for_load_state("networkidle")
        session.detach()
        # A file from the cache on disk costs no bytes.
        sizes = [size for key, size in fetched.items() if key not in cached and size]
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


def test_what_may_change_is_asked_for_by_its_tag(server):
    for path in ("/", "/static/style.css", "/api/facts", "/api/courses", "/api/puzzles"):
        answer = server.get(path)
        assert "no-cache" in answer.headers["cache-control"]
        tag = answer.headers["etag"]
        again = server.get(path, headers={"if-none-match": f'W/"other", {tag}'})
        assert (again.status_code, again.content) == (304, b"")
        assert server.get(path, headers={"if-none-match": 'W/"other"'}).status_code == 200

"""Answers that many share, and what their addresses may ask for."""

from collections import Counter
from urllib.parse import urlencode

import httpx2
import pytest
import trio
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from benchmarks.standing import standing
from oddly.interfaces.arena.pages.answers import (
    FRESH,
    HEADERS,
    MAX_KEPT,
    REQUEST_BURST,
    REQUESTS,
    Answers,
    AskedError,
    SitePages,
    arena_application,
    asked_of,
    page_number,
    whole_number,
)


def request(path="/", query="", headers=()):
    return Request({"type": "http", "method": "GET", "path": path, "headers": [*headers],
                    "query_string": query.encode(), "client": ("192.0.2.1", 1)})  # fmt: skip


def refuse(request, sentence):
    return Response(sentence, 400)


class Counting:
    """A handler that counts its calls."""

    def __init__(self, status=200, size=0):
        self.calls, self.status, self.size = 0, status, size

    async def __call__(self, request):
        self.calls += 1
        return Response(f"{self.calls}" + "x" * self.size, self.status, media_type="text/html")


async def test_an_answer_is_made_once_a_second_for_each_address(autojump_clock):
    made = Counting()
    handler = Answers().to(made, refuse, ["page"])
    one, again = await handler(request()), await handler(request())
    assert (one.body, again.body, made.calls) == (b"1", b"1", 1)
    assert (await handler(request("/", "page=2"))).body == b"2"
    unchanged = await handler(
        request("/", headers=[(b"if-none-match", one.headers["etag"].encode())])
    )
    assert (unchanged.status_code, unchanged.body) == (304, b"")
    await trio.sleep(FRESH * 1.5)
    assert (await handler(request())).body == b"3"
    for answer in (one, unchanged):
        assert answer.headers["cache-control"] == "private, no-cache"


async def test_parameters_that_a_page_does_not_know_ask_for_no_new_answer():
    made = Counting()
    handler = Answers().to(made, refuse, ["page", "pool"])
    for query in (
        "page=2&pool=a&x=1",
        "pool=a&page=2&y=2",
        "x=3&pool=a&page=2",
        "x=4&page=2&pool=a",
    ):
        assert (await handler(request(query=query))).body == b"1"
    # Where other parameters are refused, they must not get the answer without them.
    assert (await handler(request(query="page=2&pool=a"))).body == b"2"
    assert (await handler(request(query="page=2"))).body == b"3"


async def test_every_page_knows_the_parameters_that_its_answer_depends_on(tmp_path):
    async with standing(tmp_path) as stand:
        for path, one, other in (
            ("/archive", "", "?result=draw"),
            ("/api/v1/games", "", "?engine=ann"),
            (f"/games/{stand.running.id}", "", "?turn=0"),
        ):
            answers = [(await stand.client.get(path + query)).text for query in (one, other)]
            assert answers[0] != answers[1], path
        assert (await stand.client.get("/api/v1")).status_code == 200
        assert (await stand.client.get("/api/v1?x=1")).status_code == 400


async def test_who_asks_too_often_is_refused_and_others_are_not(tmp_path, autojump_clock):
    pages = SitePages([Route("/", Counting().__call__)])
    application = arena_application(pages)
    statuses = {}
    for address in ("192.0.2.1", "192.0.2.2", "127.0.0.1"):
        transport = httpx2.ASGITransport(application, client=(address, 1))
        async with httpx2.AsyncClient(transport=transport, base_url="http://arena.test") as client:
            number = 3 if address == "192.0.2.2" else REQUEST_BURST + 3
            answers = [await client.get("/") for _ in range(number)]
            statuses[address] = Counter(answer.status_code for answer in answers)
            if address == "192.0.2.1":
                last, api = answers[-1], await client.get("/api/v1")
                await trio.sleep(1 / REQUESTS)
                assert [(await client.get("/")).status_code for _ in range(2)] == [200, 429]
    assert statuses == {
        "192.0.2.1": {200: REQUEST_BURST, 429: 3},
        "192.0.2.2": {200: 3},
        "127.0.0.1": {200: REQUEST_BURST + 3},
    }
    assert api.json() == {"error": "Too many requests come from your address."}
    assert (api.status_code, api.headers["retry-after"]) == (429, "1")
    assert api.headers["access-control-allow-origin"] == "*"
    assert last.text == "Too many requests come from your address.\n"
    assert HEADERS.items() <= dict(last.headers).items()


async def test_what_is_not_found_is_not_kept():
    made = Counting(404)
    handler = Answers().to(made, refuse)
    assert [(await handler(request())).status_code for _ in range(2)] == [404, 404]
    assert made.calls == 2


async def test_kept_answers_are_bounded():
    answers, made = Answers(), Counting(size=MAX_KEPT // 4)
    handler = answers.to(made, refuse)
    for number in range(9):
        await handler(request(f"/{number}"))
    assert sum(len(each.body) for each in answers._kept.values()) <= MAX_KEPT
    await handler(request("/8"))
    assert made.calls == 9


async def test_a_bad_address_is_one_sentence():
    async def handler(request):
        asked_of(request, ("page",), only=True)

    answer = await Answers().to(handler, refuse)(request(query="pge=1"))
    assert answer.status_code == 400
    assert answer.body == (b"There is no parameter 'pge': expected page; did you mean 'page'?")


@pytest.mark.parametrize(
    ("query", "sentence"),
    [
        ("page=x", "The parameter page is 'x': a whole number from 1 to 3 is expected."),
        ("page=0", "The parameter page is '0': a whole number from 1 to 3 is expected."),
        ("page=4", "The parameter page is '4': a whole number from 1 to 3 is expected."),
        ("page=-1", "The parameter page is '-1': a whole number from 1 to 3 is expected."),
        (
            "page=9999999999999",
            "The parameter page is '9999999999999': a whole number from 1 to 3 is expected.",
        ),
        ("page=1&page=2", "The parameter page is given more than once."),
        (
            urlencode({"page": "9" * 1000}),
            "The address has 1,005 characters after '?': at most 1,000 are expected.",
        ),
    ],
)
def test_bad_numbers_of_pages(query, sentence):
    with pytest.raises(AskedError) as caught:
        page_number(asked_of(request(query=query), ("page",)), 250, 100)
    assert str(caught.value) == sentence


def test_numbers_of_pages():
    assert page_number({}, 0, 100) == (1, 1)
    assert page_number({"page": "3"}, 201, 100) == (3, 3)
    assert whole_number({}, "turn", 0, 9) is None
    # What a form leaves empty, and what others add to addresses, is passed over.
    assert asked_of(request(query="page=&utm_source=x"), ("page",)) == {}


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [("GET", "/", 200), ("GET", "/nothing", 404), ("POST", "/tv", 405), ("PUT", "/archive", 405),
     ("GET", "/downloads/nothing", 404), ("POST", "/engines/nobody/challenge", 404)],
)  # fmt: skip
async def test_every_answer_has_the_security_headers(tmp_path, method, path, status):
    async with standing(tmp_path, games=0) as stand:
        answer = await stand.client.request(method, path)
    assert answer.status_code == status
    assert HEADERS.items() <= dict(answer.headers).items()


@pytest.mark.parametrize(
    ("method", "path", "status", "said"),
    [
        ("GET", "/gmes/xodd-3:g1", 404, "No page has this address; did you mean &#39;games&#39;?"),
        ("GET", "/%ff%00<b>", 404, "No page has this address."),
        ("GET", "/a" * 3000, 404, "No page has this address."),
        ("POST", "/tv", 405, "This address knows only GET and HEAD."),
        ("GET", "/downloads/none", 404, "There is no file of this name"),
        ("GET", "/engines/none", 404, "No engine has this address."),
    ],
)
async def test_where_there_is_no_page_a_page_says_the_way_on(tmp_path, method, path, status, said):
    async with standing(tmp_path, games=0) as stand:
        answer = await stand.client.request(method, path)
    assert answer.status_code == status
    assert said in answer.text
    assert "<b>" not in answer.text
    assert 'archive">the archive</a>' in answer.text
    assert len(answer.content) < 15_000


@pytest.mark.parametrize(
    ("method", "path", "status", "said"),
    [
        ("GET", "/api/v1/gmes", 404, "No page has this address; did you mean 'games'?"),
        ("GET", "/api/v1/games/1/2", 404, "No page has this address."),
        ("POST", "/api/v1/games", 405, "This address knows only GET and HEAD."),
    ],
)
async def test_programs_are_told_in_json_where_there_is_no_answer(
    tmp_path, method, path, status, said
):
    async with standing(tmp_path, games=0) as stand:
        answer = await stand.client.request(method, path)
    assert answer.status_code == status
    assert answer.json() == {"error": f"{said} /api/v1/openapi.json lists all addresses."}
    assert answer.headers["access-control-allow-origin"] == "*"
    assert ("allow" in answer.headers) is (status == 405)


@pytest.mark.parametrize(
    ("path", "to"), [("/tv/", "../tv"), ("/api/v1/games/?page=1", "../games?page=1")]
)
async def test_a_slash_too_many_leads_on_at_the_address_that_the_visitor_sees(tmp_path, path, to):
    """Behind a proxy, the scheme, the host and the path may be others than the arena's."""
    async with standing(tmp_path, games=0) as stand:
        answer = await stand.client.get(path)
        assert (answer.status_code, answer.headers["location"]) == (307, to)
        assert (await stand.client.get(path, follow_redirects=True)).status_code == 200

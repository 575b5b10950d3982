"""Answers that many share, and what their addresses may ask for."""

from urllib.parse import urlencode

import pytest
from starlette.requests import Request
from starlette.responses import Response

from benchmarks.standing import standing
from oddly.interfaces.arena.pages.answers import FRESH, HEADERS, MAX_KEPT, Answers
from oddly.interfaces.arena.pages.asked import AskedError, asked_of, page_number, whole_number


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
    import trio

    made = Counting()
    handler = Answers().to(made, refuse)
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
    async with standing(tmp_path) as stand:
        answer = await stand.client.request(method, path)
    assert answer.status_code == status
    assert HEADERS.items() <= dict(answer.headers).items()

"""The pages of a real arena in which guests play."""

import csv
import gzip
import html
import json
import re
from urllib.parse import parse_qs, unquote, urlencode

import httpx2
import pytest
import trio

from benchmarks.standing import POOLS
from oddly.tournaments import Ledger
from tests.interfaces.arena.guests import Guest
from tests.interfaces.arena.hosting import POOL, hosted
from tests.interfaces.arena.test_live import on_the_air
from tests.interfaces.arena.test_service import play_for, playing, until
from tests.interfaces.web.tabs import tab_of
from tests.interfaces.web.test_accessibility import AUDIT
from tests.patience import PATIENCE
from tests.programs import needs

HOSTILE = "<script>alert('\"x\"')</script>&amp;"


async def fetched(host, path, **options):
    """The answer to a request."""
    async with httpx2.AsyncClient(base_url=f"http://127.0.0.1:{host.port}") as client:
        return await client.get(path, **options)


async def test_pages_show_who_plays_and_how_games_went(tmp_path):
    with hosted(tmp_path) as host:
        guests = [Guest(host.url, f"guest {n}x", thinks=0.02) for n in range(2)]
        guests[0].about = HOSTILE
        async with playing(*guests):
            await until(lambda: all(len(guest.ends) >= 2 for guest in guests))
            front = await fetched(host, "/")
        assert front.status_code == 200
        assert f"oddly join ws://127.0.0.1:{host.port}/arena" in front.text
        assert "script-src 'self'" in front.headers["content-security-policy"]
        ladder = await fetched(host, f"/pools/{POOL}")
        engine = await fetched(host, "/engines/guest-0x")
        identity, end = next(iter(guests[0].ends.items()))
        game = await fetched(host, f"/games/{identity}")
        start = await fetched(host, f"/games/{identity}?turn=0")
        board = await fetched(host, f"/games/{identity}/board.svg")
        ratings = await fetched(host, f"/pools/{POOL}/ratings.csv")
        for path in ("/games/none", "/engines/none", "/pools/none", "/static/none"):
            assert (await fetched(host, path)).status_code == 404
    assert "guest 0x" in ladder.text
    assert 'property="og:title" content="guest 0x' in engine.text
    assert "owner of guest 0x" in engine.text
    assert HOSTILE not in engine.text
    assert HOSTILE in html.unescape(engine.text)
    (asked, *_) = re.findall(r"archive\?([^\"]*)", html.unescape(engine.text))
    assert parse_qs(asked)["pool"] == [POOL]
    assert "It lost no game by a fault of its own." in engine.text
    assert "First turns of its own" in engine.text
    assert end.score in game.text
    assert "http-equiv" not in game.text
    assert game.text.count('class="black"') + game.text.count('class="white"') > 0
    assert 'circle class="black"' not in start.text
    assert board.text.startswith("<?xml")
    rows = list(csv.DictReader(ratings.text.splitlines()))
    assert {row["engine"] for row in rows} == {"guest 0x", "guest 1x"}
    for row in rows:
        assert int(row["games"]) == int(row["won"]) + int(row["drawn"]) + int(row["lost"])


@pytest.mark.sampled
async def test_a_spectator_hears_each_turn_and_the_end(tmp_path):
    with hosted(tmp_path) as host:
        guests = [Guest(host.url, f"guest {n}x", thinks=0.05) for n in range(2)]
        async with playing(*guests):
            await until(lambda: guests[0].start is not None)
            identity = guests[0].start.id
            page = await fetched(host, f"/games/{identity}")
            async with await trio.open_tcp_stream("127.0.0.1", host.port) as stream:
                request = f"GET /live?games={identity} HTTP/1.1\r\nHost: arena\r\n\r\n"
                await stream.send_all(request.encode())
                text = b""
                with trio.fail_after(PATIENCE):
                    while b'"over":true' not in text:
                        text += await stream.receive_some()
            heard = [json.loads(each) for each in re.findall(r"data: (.*)", text.decode())]
        record = host.records().get(identity) if host.stop() == 0 else None
    assert '<meta http-equiv="refresh"' in page.text
    assert f'data-live="../live?games={identity}"' in page.text
    turns = [change["turn"] for change in heard[:-1]]
    assert turns == sorted(turns)
    board = {}
    for change in heard[:-1]:
        board |= change["stones"]
    position = record.game.start()
    assert set(board) == set(position.game.board.vertices)
    assert heard[-1] == {"id": identity, "over": True}


@pytest.mark.sampled
async def test_the_archive_and_the_downloads_have_all_games(tmp_path):
    with hosted(tmp_path) as host:
        guests = [Guest(host.url, f"guest {n}x") for n in range(3)]
        await play_for(guests, lambda: all(len(guest.ends) >= 3 for guest in guests))
        await filed(host, {*guests[0].ends, *guests[1].ends, *guests[2].ends})
        everything = await fetched(host, "/archive")
        of_one = await fetched(host, f"/archive?{urlencode({'engine': 'Guest-0X', 'pool': POOL})}")
        answers = {query: await fetched(host, f"/archive?{query}") for query in BAD_SEARCHES}
        listed = await fetched(host, "/downloads")
        with trio.fail_after(PATIENCE):
            while "jsonl.gz" not in listed.text:
                await trio.sleep(1)
                listed = await fetched(host, "/downloads")
        (name, *_) = re.findall(r'href="downloads/([^"]*jsonl.gz)"', listed.text)
        file = await fetched(host, f"/downloads/{name}")
        part = await fetched(host, f"/downloads/{name}", headers={"range": "bytes=0-9"})
        files = await fetched(host, "/downloads/files.json")
        for path in ("x.gz", "..%2farena.db", "%2e%2e/arena.db"):
            assert (await fetched(host, f"/downloads/{path}")).status_code == 404
        host.stop()
    records = host.records()
    for identity in re.findall(r'href="games/([^"]*)"', everything.text):
        assert identity in records
    found = set(re.findall(r'href="games/([^"]*)"', of_one.text))
    assert found >= {*guests[0].ends}
    assert all("guest 0x" in records[identity].players for identity in found)
    for query, answer in answers.items():
        assert answer.status_code == 400
        assert BAD_SEARCHES[query] in html.unescape(answer.text)
    assert part.content == file.content[:10]
    assert part.status_code == 206
    lines = gzip.decompress(file.content).decode().splitlines()
    assert {json.loads(line)["id"] for line in lines} <= {*records}
    assert lines
    assert unquote(name) in {each["name"] for each in files.json()}


BAD_SEARCHES = {
    "engine=gest+0x": "There is no engine 'gest 0x' here; did you mean 'guest 0x'?",
    "pool=xodd-3-5%2B0": f"There is no pool 'xodd-3-5+0' in this arena; did you mean '{POOL}'?",
    "result=wun": "There is no result 'wun'",
    "from=x": "Turns from 'x': expected a whole number.",
    "page=900": "There is no page 900: the last is 1.",
    "page=-1": "The parameter page is '-1': a whole number from 1 to 1,000,000 is expected.",
}


async def filed(host, games):
    """Wait until games are in the ledger."""

    def are_there():
        with Ledger(host.ledger, read_only=True) as ledger:
            return games <= {*ledger.records()}

    await until(are_there)


@pytest.mark.parametrize("name", ["<b>x</b>", "=1+1"])
def test_names_of_strangers_are_text_everywhere(name):
    from oddly.interfaces.viewer.viewer import templates_of

    template = templates_of("oddly.interfaces.arena").from_string("<p>{{ name }}</p>")
    assert "<b>" not in template.render(name=name)


BROKEN_NUMBERS = """[...document.querySelectorAll("td")].flatMap((cell) => [...cell.childNodes])
  .filter((node) => /^\\s*[+\u2212]?\\d+\\s*$/.test(node.data)).filter((node) => {
    const range = document.createRange();
    range.selectNodeContents(node);
    return range.getClientRects().length > 1;
  }).map((node) => node.data.trim())"""
"""The numbers in tables that go over several lines."""


@needs("chromium")
@pytest.mark.parametrize("width", [320, 360])
async def test_no_page_is_wider_than_a_phone(tmp_path, width):
    names = ("an engine whose name has forty characters", "W" * 24, "cat")
    async with on_the_air(tmp_path, names=names) as stand, tab_of("chromium", tmp_path) as tab:
        await tab.resize(width, 640)
        engine = stand.arena.registry.engine(names[0]).slug
        game = stand.running.id
        pages = ("", "tv", "archive", "downloads", f"pools/{POOLS[0]}", f"engines/{engine}",
                 f"games/{game}")  # fmt: skip
        root, beside, broken, hard = "document.documentElement", {}, {}, {}
        for path in pages:
            await tab.go(f"{stand.address}/{path}")
            beside[path] = await tab.value(f"{root}.scrollWidth - {root}.clientWidth")
            broken[path] = await tab.value(BROKEN_NUMBERS)
            hard[path] = await tab.value(f"({AUDIT.strip().removesuffix(';')})()")
        assert beside == dict.fromkeys(pages, 0)
        assert broken == hard == {path: [] for path in pages}

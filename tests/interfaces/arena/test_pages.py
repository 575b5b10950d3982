"""The pages of a real arena in which guests play."""

import csv
import html
import json
import re
from urllib.parse import parse_qs

import httpx2
import pytest
import trio

from tests.interfaces.arena.guests import Guest
from tests.interfaces.arena.hosting import POOL, hosted
from tests.interfaces.arena.test_service import until
from tests.patience import PATIENCE

HOSTILE = "<script>alert('\"x\"')</script>&amp;"


async def fetched(host, path):
    """The answer to a request."""
    async with httpx2.AsyncClient(base_url=f"http://127.0.0.1:{host.port}") as client:
        return await client.get(path)


async def test_pages_show_who_plays_and_how_games_went(tmp_path):
    with hosted(tmp_path) as host:
        guests = [Guest(host.url, f"guest {n}x", thinks=0.02) for n in range(2)]
        guests[0].about = HOSTILE
        async with trio.open_nursery() as nursery:
            for guest in guests:
                nursery.start_soon(guest.play)
            await until(lambda: all(len(guest.ends) >= 2 for guest in guests))
            front = await fetched(host, "/")
            nursery.cancel_scope.cancel()
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


async def test_a_spectator_hears_each_turn_and_the_end(tmp_path):
    with hosted(tmp_path) as host:
        guests = [Guest(host.url, f"guest {n}x", thinks=0.05) for n in range(2)]
        async with trio.open_nursery() as nursery:
            for guest in guests:
                nursery.start_soon(guest.play)
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
            nursery.cancel_scope.cancel()
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


@pytest.mark.parametrize("name", ["<b>x</b>", "=1+1"])
def test_names_of_strangers_are_text_everywhere(name):
    from oddly.interfaces.viewer.templates import templates_of

    template = templates_of("oddly.interfaces.arena").from_string("<p>{{ name }}</p>")
    assert "<b>" not in template.render(name=name)

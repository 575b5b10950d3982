"""Visitors who play unrated games against engines whose owners allow that."""

import html
import re

import httpx2
import pytest

from benchmarks.standing import POOLS, standing
from oddly.arena.visits import VisitError, challenge
from oddly.interfaces.arena.pages.visit_pages import MAX_OF_ADDRESS
from oddly.tournaments import Ledger
from tests.interfaces.arena.test_live import on_the_air
from tests.interfaces.web.tabs import tab_of
from tests.programs import needs

OURS = {"origin": "http://arena.test"}
ASKED = {"pool": POOLS[0], "opens": "visitor"}


def counted(stand):
    return {name: (dict(pool.games), dict(pool.won)) for name, pool in stand.arena.pools.items()}


async def begun(stand, **form):
    """A visitor's game against the third engine, and the address of the seat."""
    stand.join("cat", takes_challenges=True)
    answer = await stand.client.post("/engines/cat/challenge", data=ASKED | form, headers=OURS)
    assert answer.status_code == 303, answer.text
    (game,) = [each for each in stand.arena.play.games.values() if not each.plan.rated]
    seat = f"/games/{game.id}/seat"
    assert answer.headers["location"] == f"../..{seat}"
    cookie = answer.headers["set-cookie"]
    assert "HttpOnly" in cookie
    assert "samesite=strict" in cookie.lower()
    stand.arena.play.set_up("cat", game.id, stand.now())
    await stand.write()
    return game, seat


async def tapped(stand, seat):
    """Tap until a turn is made; its text."""
    tap = ""
    while True:
        page = (await stand.client.get(seat + tap)).text
        found = re.search(r'name="turn" value="([^"]*)"><button type="submit">Play ', page)
        if found is not None:
            break
        links = re.findall(r'href="(\?taps=[^"]*)"', page)
        tap = html.unescape(stand.draw.choice(links)) if tap.count(".") < 6 else ""
    return html.unescape(found[1])


async def test_a_visitor_plays_a_game_that_counts_for_nobody(tmp_path):
    async with standing(tmp_path) as stand:
        before = counted(stand)
        assert 'action="cat/challenge"' not in (await stand.client.get("/engines/cat")).text
        game, seat = await begun(stand)
        while game.id in stand.arena.play.games and len(game.turns) < 6:
            text = await tapped(stand, seat)
            answer = await stand.client.post(seat, data={"turn": text}, headers=OURS)
            assert answer.status_code == 303
            assert game.texts()[-1] == text
            await stand.write()
            if game.id in stand.arena.play.games:
                assert "Tap a cell" not in (await stand.client.get(seat)).text
                stand.turn(game)
                await stand.write()
        if game.id in stand.arena.play.games:
            await stand.client.post(seat, data={"turn": "resign"}, headers=OURS)
            await stand.write()
        assert counted(stand) == before
        results = await stand.in_writer(stand.service.store.file.results)
        assert not [row for rows in results.values() for row in rows if "visitor" in str(row)]
        assert await stand.in_writer(lambda: stand.service.store.file.unfiled({})) == []
        ends = await stand.in_writer(stand.service.store.file.unheard)
        assert [(end.name, end.pool) for end in ends if end.game == game.id] == [("cat", "")]
        page = await stand.client.get(f"/games/{game.id}")
        assert "a visitor (" in page.text
        assert (await stand.client.get(seat)).status_code == 303
    with Ledger(tmp_path / f"{POOLS[0]}.sqlite", read_only=True) as ledger:
        assert game.id not in ledger.records()


@pytest.mark.parametrize("opens", ["visitor", "engine"])
async def test_the_seat_of_a_visitor_outlives_a_restart(tmp_path, opens):
    async with standing(tmp_path) as stand:
        game, seat = await begun(stand, opens=opens)
        if opens == "engine":
            stand.turn(game)
            await stand.write()
        (cookie,) = [each for each in stand.client.cookies.jar if each.name == f"seat-{game.id}"]
    async with standing(tmp_path) as stand:
        again = stand.arena.play.games[game.id]
        assert again is not game
        stand.arena.play.set_up("cat", game.id, stand.now())
        await stand.write()
        answer = await stand.client.get(seat)
        assert answer.headers["location"] == f"../{game.id}"
        stand.client.cookies.set(cookie.name, cookie.value)
        text = await tapped(stand, seat)
        answer = await stand.client.post(seat, data={"turn": text}, headers=OURS)
        assert (answer.status_code, answer.headers["location"]) == (303, "seat")
        assert again.texts() == (*game.texts(), text)


async def test_the_page_offers_it_only_while_the_engine_is_free_and_its_owner_allows(tmp_path):
    async with standing(tmp_path) as stand:
        stand.join("cat")
        now = stand.now()
        with pytest.raises(VisitError, match="cat is not free"):
            challenge(stand.arena, "cat", POOLS[0], now, opens=True)
        stand.join("cat", takes_challenges=True)
        assert 'action="cat/challenge"' in (await stand.client.get("/engines/cat?x=1")).text
        with pytest.raises(VisitError, match="does not play in that pool"):
            challenge(stand.arena, "cat", "none", now, opens=True)
        challenge(stand.arena, "cat", POOLS[0], now, opens=True)
        with pytest.raises(VisitError, match="cat is not free"):
            challenge(stand.arena, "cat", POOLS[0], now, opens=False)


async def test_visitors_of_one_address_do_not_keep_all_engines(tmp_path):
    engines = ("cat", "dog", "eel")
    async with standing(tmp_path, names=("ann", "bob", *engines, "fox")) as stand:
        transport = httpx2.ASGITransport(stand.app, client=("203.0.113.7", 5))
        async with httpx2.AsyncClient(transport=transport, base_url="http://arena.test") as greedy:
            statuses = []
            for name in engines:
                stand.join(name, takes_challenges=True)
                place = f"/engines/{name}/challenge"
                answer = await greedy.post(place, data=ASKED, headers=OURS)
                statuses.append(answer.status_code)
            assert statuses == [303] * MAX_OF_ADDRESS + [409]
            assert f"{MAX_OF_ADDRESS} games of your address go on" in answer.text
            answer = await stand.client.post(place, data=ASKED, headers=OURS)
            assert answer.status_code == 303


async def test_nobody_else_plays_from_the_seat_of_a_visitor(tmp_path):
    async with standing(tmp_path) as stand:
        game, seat = await begun(stand)
        text = await tapped(stand, seat)
        for origin in ("", "http://evil.example", "null", "http://["):
            headers = {"origin": origin} if origin else {}
            answer = await stand.client.post(seat, data={"turn": text}, headers=headers)
            assert answer.status_code == 409
            assert "a form must come from this site" in answer.text
        transport = httpx2.ASGITransport(stand.app)
        for cookie in ("", f"seat-{game.id}=wrong", f"seat-{stand.running.id}=x"):
            async with httpx2.AsyncClient(
                transport=transport, base_url="http://arena.test"
            ) as other:
                headers = OURS | {"cookie": cookie}
                answer = await other.post(seat, data={"turn": text}, headers=headers)
                assert answer.headers["location"] == f"../{game.id}"
        assert game.texts() == ()
        answer = await stand.client.post(seat, data={"turn": "x" * 3000}, headers=OURS)
        assert "a form has at most" in answer.text
        answer = await stand.client.post(seat, data={"turn": "<b>"}, headers=OURS)
        assert answer.status_code == 409
        assert "&lt;b&gt; is not legal" in answer.text
        assert (await stand.client.get(f"{seat}?taps=zz9.%3Cb%3E")).status_code == 200
        await stand.client.post(seat, data={"turn": text}, headers=OURS)
        assert game.texts() == (text,)


@needs("chromium")
async def test_a_visitor_plays_in_a_browser(tmp_path):
    async with on_the_air(tmp_path) as stand, tab_of("chromium", tmp_path) as tab:
        stand.join("cat", takes_challenges=True)
        await tab.go(f"{stand.address}/engines/cat")
        await tab.click("form[action='cat/challenge'] button")
        await tab.until("location.pathname.endsWith('/seat') && document.querySelector('.board a')")
        (game,) = [each for each in stand.arena.play.games.values() if not each.plan.rated]
        stand.arena.play.set_up("cat", game.id, stand.now())
        await stand.write()
        await tab.click(".board a")
        await tab.until("document.querySelector('button').innerText.startsWith('Play')")
        await tab.click(".actions button")
        await tab.until("document.querySelector('main').dataset.own === '0'")
        assert len(game.turns) == 1
        await stand.write()
        stand.turn(game)
        await stand.write()
        await tab.until(
            "document.querySelector('[data-turn=\"2\"]') && document.querySelector('.board a')"
        )
        assert tab.errors == []

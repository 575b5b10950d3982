"""Visitors who play unrated games against engines whose owners allow that."""

import html
import re
import sqlite3
from contextlib import closing
from itertools import product

import httpx2
import pytest

from benchmarks.standing import POOLS, standing
from oddly.arena.store.files import FILE
from oddly.arena.visits import MAX_OF_ADDRESS, VisitError, challenge, play_for_visitor
from oddly.arena.wire.messages import RESIGN
from oddly.games import create_game, random_turn
from oddly.interfaces.arena.pages.visit_pages import MAX_FIELDS
from oddly.tournaments import Ledger
from tests.interfaces.arena.test_live import on_the_air
from tests.interfaces.web.tabs import tab_of
from tests.programs import needs

OURS = {"origin": "http://arena.test"}
ASKED = {"pool": POOLS[0], "opens": "visitor"}
STONES = "document.querySelectorAll('.board .black, .board .white').length"
NUMBERS = "[...document.querySelectorAll('[name=number]')].map((each) => each.value)"


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


async def sent(stand, seat, game, text, **more):
    """The answer to a form of the seat's page as it is now."""
    data = {"number": len(game.turns), "turn": text} | more
    return await stand.client.post(seat, data=data, headers=OURS)


async def tapped(stand, seat):
    """Tap until a turn is made; its text."""
    tap = ""
    while True:
        page = (await stand.client.get(seat + tap)).text
        found = re.search(r'name="turn" value="([^"]*)"><button type="submit">Play ', page)
        links = re.findall(r'href="(\?taps=[^"]*)"', page)
        if found is not None:
            assert ("or tap on" in page) is bool(links)
            break
        tap = html.unescape(stand.draw.choice(links)) if tap.count(".") < 6 else ""
    return html.unescape(found[1])


async def test_a_visitor_plays_a_game_that_counts_for_nobody(tmp_path):
    async with standing(tmp_path) as stand:
        before = counted(stand)
        assert 'action="cat/challenge"' not in (await stand.client.get("/engines/cat")).text
        game, seat = await begun(stand)
        while game.id in stand.arena.play.games and len(game.turns) < 6:
            text = await tapped(stand, seat)
            answer = await sent(stand, seat, game, text)
            assert answer.status_code == 303
            assert game.texts()[-1] == text
            await stand.write()
            if game.id in stand.arena.play.games:
                assert "Tap a cell" not in (await stand.client.get(seat)).text
                stand.turn(game)
                await stand.write()
        if game.id in stand.arena.play.games:
            await sent(stand, seat, game, RESIGN)
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
        answer = await sent(stand, seat, again, text)
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
            assert f"{MAX_OF_ADDRESS} games from your address are running" in answer.text
            answer = await stand.client.post(place, data=ASKED, headers=OURS)
            assert answer.status_code == 303


async def test_visitors_of_one_address_play_no_more_games_after_a_restart(tmp_path):
    """The bug: the count began anew, and each restart gave an address two more engines."""
    engines = tuple(f"engine {letter}" for letter in "abc")
    ours = "203.0.113.7"

    def asked(stand, name, address=ours):
        stand.join(name, takes_challenges=True)
        return challenge(stand.arena, name, POOLS[0], stand.now(), opens=True, address=address)

    def plans():
        with closing(sqlite3.connect(tmp_path / FILE)) as file:
            return dict(file.execute("select id, plan from games where round = 0"))

    async with standing(tmp_path, names=("ann", "bob", *engines, "fox")) as stand:
        one, other = (asked(stand, name) for name in engines[:MAX_OF_ADDRESS])
        await stand.write()
    async with standing(tmp_path, names=("ann", "bob", *engines, "fox")) as stand:
        with pytest.raises(VisitError, match=f"{MAX_OF_ADDRESS} games from your address"):
            asked(stand, engines[-1])
        stand.arena.play.void(one.id, "the engine is away", stand.now())
        await stand.write()
        has_address = {game: "address" in plan for game, plan in plans().items()}
        assert has_address == {one.id: False, other.id: True}
        assert ours not in str(plans())
        asked(stand, engines[-1])


async def test_nobody_else_plays_from_the_seat_of_a_visitor(tmp_path):
    async with standing(tmp_path) as stand:
        game, seat = await begun(stand)
        text = await tapped(stand, seat)
        form = {"number": 0, "turn": text}
        for origin in ("", "http://evil.example", "null", "http://["):
            headers = {"origin": origin} if origin else {}
            answer = await stand.client.post(seat, data=form, headers=headers)
            assert answer.status_code == 409
            assert "a form must come from this site" in answer.text
        transport = httpx2.ASGITransport(stand.app)
        for cookie in ("", f"seat-{game.id}=wrong", f"seat-{stand.running.id}=x"):
            async with httpx2.AsyncClient(
                transport=transport, base_url="http://arena.test"
            ) as other:
                headers = OURS | {"cookie": cookie}
                answer = await other.post(seat, data=form, headers=headers)
                assert answer.headers["location"] == f"../{game.id}"
        assert game.texts() == ()
        answer = await sent(stand, seat, game, "x" * 3000)
        assert "a form has at most" in answer.text
        many = {f"field{number}": "x" for number in range(MAX_FIELDS)}
        answer = await sent(stand, seat, game, text, **many)
        assert answer.status_code == 409
        assert f"a form has at most {MAX_FIELDS} fields" in answer.text
        answer = await sent(stand, seat, game, "<b>")
        assert answer.status_code == 409
        assert "&lt;b&gt; is not legal" in answer.text
        assert (await stand.client.get(f"{seat}?taps=zz9.%3Cb%3E")).status_code == 200
        await sent(stand, seat, game, text)
        assert game.texts() == (text,)


@pytest.mark.parametrize("pool", ["ayu-5", "yodd-3"])
async def test_a_visitor_is_told_to_tap_on_where_more_can_be_tapped(tmp_path, pool):
    async with standing(tmp_path, games=0, pools=(pool,)) as stand:
        _, seat = await begun(stand, pool=pool)
        await tapped(stand, seat)


async def test_no_swap_is_offered_to_the_visitor_who_opens(tmp_path, monkeypatch):
    def with_pie(name, size):
        return create_game(name, size, {"pie": True})

    monkeypatch.setattr("benchmarks.standing.create_game", with_pie)
    async with standing(tmp_path, games=0, pools=("ayu-5",)) as stand:
        game, seat = await begun(stand, pool="ayu-5")
        move = next(game.position.legal_turns())
        page = await stand.client.get(f"{seat}?taps={move.origin}.{move.destination}")
        assert f">Play {move}<" in page.text
        assert "Swap" not in page.text


@pytest.mark.parametrize("other", ['consent={"ads":false}', "consent", "seen by=1", 'seat="x'])
async def test_cookies_of_other_sites_of_the_domain_take_no_seat_away(tmp_path, other):
    async with standing(tmp_path) as stand:
        game, seat = await begun(stand)
        own = stand.client.cookies[f"seat-{game.id}"]
        stand.client.cookies.clear()
        headers = {"cookie": f"{other}; seat-{game.id}={own}; b=2"}
        assert (await stand.client.get(seat, headers=headers)).status_code == 200


async def test_an_old_page_of_a_seat_plays_nothing(tmp_path):
    async with standing(tmp_path) as stand:
        game, seat = await begun(stand)
        page = await stand.client.get(seat)
        # The Back button must not bring it again.
        assert page.headers["cache-control"] == "no-store"
        (number,) = set(re.findall(r'name="number" value="([^"]*)"', page.text))
        assert int(number) == len(game.turns)
        await sent(stand, seat, game, await tapped(stand, seat))
        stand.turn(game)
        await stand.write()
        before, legal = game.texts(), str(random_turn(game.position, stand.draw))
        for turn, old in product((legal, RESIGN), (number, "", "zero")):
            answer = await sent(stand, seat, game, turn, number=old)
            assert answer.status_code == 409
            assert "the board has changed meanwhile" in answer.text
            assert f'name="number" value="{len(before)}"' in answer.text
        assert game.texts() == before
        assert game.is_running


async def challenged(stand, tab):
    """A game that a visitor has begun in a browser."""
    stand.join("cat", takes_challenges=True)
    await tab.go(f"{stand.address}/engines/cat")
    await tab.click("form[action='cat/challenge'] button")
    await tab.until("location.pathname.endsWith('/seat') && document.querySelector('.board a')")
    (game,) = [each for each in stand.arena.play.games.values() if not each.plan.rated]
    stand.arena.play.set_up("cat", game.id, stand.now())
    await stand.write()
    return game


@needs("chromium")
async def test_a_visitor_plays_in_a_browser(tmp_path):
    async with on_the_air(tmp_path) as stand, tab_of("chromium", tmp_path) as tab:
        game = await challenged(stand, tab)
        await tab.click(".board a")
        await tab.until("document.querySelector('button').innerText.startsWith('Play')")
        await tab.click(".actions button")
        await tab.until("document.querySelector('[data-turn=\"1\"]')")
        assert not await tab.value("document.querySelector('.board a')")
        assert len(game.turns) == 1
        await stand.write()
        # Screen readers tell of the engine's turn only in a node that stays.
        await tab.value("document.querySelector('[role=status]').stayed = true")
        stand.turn(game)
        await stand.write()
        await tab.until(
            "document.querySelector('[data-turn=\"2\"]') && document.querySelector('.board a')"
        )
        assert await tab.value("document.querySelector('[role=status]').stayed")
        await tab.value("history.back()")
        await tab.until(f"location.search.startsWith('?taps=') && {NUMBERS}.includes('2')")
        assert await tab.value(STONES) == sum(1 for stone in game.position.stones if stone)
        assert tab.errors == []


@needs("chromium")
async def test_another_tab_of_a_visitor_goes_with_the_game(tmp_path):
    async with on_the_air(tmp_path) as stand, tab_of("chromium", tmp_path) as tab:
        game = await challenged(stand, tab)
        await tab.click(".board a")
        await tab.until("location.search.startsWith('?taps=')")
        # What follows comes from the visitor's other tab.
        text = str(random_turn(game.position, stand.draw))
        play_for_visitor(stand.arena, game, text, stand.now())
        await stand.write()
        await tab.until("document.querySelector('[data-turn=\"1\"]')")
        await tab.until("location.pathname.endsWith('/seat') && !location.search")
        assert not await tab.value("document.querySelector('.board a')")
        stand.turn(game)
        await stand.write()
        await tab.until("document.querySelector('.board a')")
        assert await tab.value(STONES) == sum(1 for stone in game.position.stones if stone)
        assert set(await tab.value(NUMBERS)) == {"2"}
        play_for_visitor(stand.arena, game, RESIGN, stand.now())
        await stand.write()
        await tab.until("!document.querySelector('main').dataset.live")
        front = await tab.value("document.querySelector('main .note a').href")
        assert front == f"{stand.address}/pools/{game.plan.pool}"
        assert await tab.value("location.pathname") == f"/games/{game.id}"
        assert tab.errors == []

"""Pages that move turn by turn, in a real browser."""

import re
import socket
from contextlib import asynccontextmanager

import pytest
import trio
from starlette.responses import HTMLResponse

from benchmarks.standing import POOLS, standing
from oddly.interfaces.serving.http_server import keep_serving, server_config
from tests.interfaces.web.tabs import tab_of
from tests.patience import PATIENCE
from tests.programs import needs


class Proxy:
    """It stands before an arena, and answers every request itself while that is away."""

    def __init__(self, app):
        self.app, self.is_away, self.refused = app, False, []

    async def __call__(self, scope, receive, send):
        if self.is_away and scope["type"] == "http":
            self.refused.append(scope["path"])
            answer = HTMLResponse("<main><h1>502 Bad Gateway</h1></main>", 502)
            await answer(scope, receive, send)
        else:
            await self.app(scope, receive, send)


@asynccontextmanager
async def on_the_air(folder, patience=30, **options):
    """A standing arena on a port of its own, with its address."""
    async with standing(folder, **options) as stand, trio.open_nursery() as nursery:
        with socket.create_server(("127.0.0.1", 0)) as listener:
            stop = trio.Event()
            stand.proxy = Proxy(stand.app)
            nursery.start_soon(keep_serving, stand.proxy, listener, server_config(patience), stop)
            stand.address = f"http://127.0.0.1:{listener.getsockname()[1]}"
            yield stand
            nursery.cancel_scope.cancel()


async def play(stand, game):
    """One more turn, on the disk and on its way."""
    stand.turn(game)
    await stand.write()


AS_DRAWN = """async (turn) => {
  // An answer without a turn may be a second old.
  const text = await (await fetch(`${location.pathname}?turn=${turn}`)).text();
  const drawn = new DOMParser().parseFromString(text, "text/html");
  const [shown, expected] = [document, drawn].map((page) => {
    const main = page.querySelector("main").cloneNode(true);
    for (const clock of main.querySelectorAll(".clock")) clock.remove();
    return main;
  });
  return shown.isEqualNode(expected) || [shown, expected].map((main) => main.outerHTML);
}"""
"""Whether a page that has moved is the one that the server draws, except for its clocks."""


def of(game, what):
    return f"document.querySelector('[data-game=\"{game.id}\"] {what}')"


@needs("chromium")
async def test_a_game_moves_its_clocks_run_and_both_evaluations_are_drawn(tmp_path):
    async with on_the_air(tmp_path) as stand, tab_of("chromium", tmp_path) as tab:
        game = stand.begin(POOLS[0], "bob", "cat")
        await stand.write()
        await tab.go(f"{stand.address}/games/{game.id}?turn=0")
        clock = await tab.value(of(game, ".to-move .clock") + ".textContent")
        await tab.until(of(game, ".to-move .clock") + f".textContent !== {clock!r}")
        assert await tab.value("location.search") == ""
        for _ in range(2):
            await play(stand, game)
            at = len(game.turns)
            await tab.until(f"document.querySelector('[data-turn=\"{at}\"]')")
            stones = sum(1 for stone in game.position.stones if stone)
            drawn = await tab.value(
                "document.querySelectorAll('.board .black, .board .white').length"
            )
            assert drawn == stones
            shown = await tab.value(
                "[...document.querySelectorAll('.turns li')].map(e => e.innerText)"
            )
            assert shown == [*game.texts()]
            assert await tab.value(f"({AS_DRAWN})({at})") is True
        for player in (0, 1):
            chance = 75 if player else 25
            points = await tab.value(
                f"document.querySelector('.of-{player}').getAttribute('points')"
            )
            assert re.findall(r"(\d+),([\d.]+)", points) == [
                (str(n), f"{chance:.1f}") for n in range(1 + player, at + 1, 2)
            ]
            seat = f"document.querySelector('[data-seat=\"{player}\"] .expects').textContent"
            assert await tab.value(seat) == "expects 75 %, ahead by 1.5, 3 turns deep, 100 visits"
        # No list marks a turn that it lacks: of two at once, a spectator is told the last.
        stand.turn(game)
        await play(stand, game)
        await tab.until(f"document.querySelector('[data-turn=\"{len(game.turns)}\"]')")
        assert await tab.value("document.querySelector('.turns [aria-current]')") is None
        # Screen readers tell what changes in a node that stays, and Tab goes on from where one was.
        line = "document.querySelector('[role=status]')"
        await tab.value(f"{line}.stayed = true, document.querySelector('.turns a').focus()")
        stand.finish(game)
        await stand.write()
        await tab.until("!document.querySelector('main').dataset.live")
        assert "after" in await tab.value(f"{line}.textContent")
        assert await tab.value(f"{line}.stayed")
        assert await tab.value("document.activeElement.textContent") == game.texts()[0]
        assert await tab.value(f"({AS_DRAWN})({len(game.turns)})") is True
        assert tab.errors == []


@needs("chromium")
async def test_a_spectator_who_is_cut_off_misses_no_turn(tmp_path):
    # The server ends a connection on which nothing comes for a second; the browser comes again.
    async with on_the_air(tmp_path, patience=1) as stand, tab_of("chromium", tmp_path) as tab:
        game = stand.running
        await tab.go(f"{stand.address}/games/{game.id}")
        for _ in range(2):
            await trio.sleep(1.2)
            stand.turn(game)
            await play(stand, game)
        await tab.until(f"document.querySelectorAll('.turns li').length === {len(game.turns)}")
        shown = await tab.value("[...document.querySelectorAll('.turns li')].map(e => e.innerText)")
        assert shown == [*game.texts()]


@needs("chromium")
async def test_a_page_waits_for_an_arena_that_is_away_behind_a_proxy(tmp_path):
    async with (
        on_the_air(tmp_path, patience=1, time="600+0") as stand,
        tab_of("chromium", tmp_path) as tab,
    ):
        game, page = stand.running, f"/games/{stand.running.id}"
        await tab.go(stand.address + page)
        clock = of(game, ".to-move .clock") + ".textContent"
        shown = await tab.value(clock)
        await tab.until(f"{clock} !== {shown!r}")
        stand.proxy.is_away = True
        with trio.fail_after(PATIENCE):
            while stand.proxy.refused.count(page) < 2:
                await trio.sleep(0.05)
        shown = await tab.value(clock)
        await trio.sleep(1.5)
        assert await tab.value(clock) == shown
        await play(stand, game)
        stand.proxy.is_away = False
        await tab.until(f"document.querySelector('[data-turn=\"{len(game.turns)}\"]')")
        await play(stand, game)
        await tab.until(f"document.querySelector('[data-turn=\"{len(game.turns)}\"]')")


@needs("chromium")
async def test_tv_moves_all_boards_and_takes_the_next_game(tmp_path):
    async with on_the_air(tmp_path, names=("ann", "bob", "cat", "dan")) as stand:
        other = stand.begin(POOLS[1], "cat", "dan")
        await stand.write()
        plain = (await stand.client.get("/tv")).text
        assert plain.count("<article") == plain.count('class="board') // 2 == 2
        assert '<noscript><meta http-equiv="refresh"' in plain
        async with tab_of("chromium", tmp_path) as tab:
            await tab.go(f"{stand.address}/tv")
            for game in (stand.running, other, stand.running):
                await play(stand, game)
                place = f"document.querySelector('[data-game=\"{game.id}\"]')"
                await tab.until(f"{place}.dataset.turn === '{len(game.turns)}'")
                stones = sum(1 for stone in game.position.stones if stone)
                drawn = f"{place}.querySelectorAll('.board .black, .board .white').length"
                assert await tab.value(drawn) == stones
            assert await tab.value("document.querySelectorAll('.large [data-game]').length") == 1
            stand.finish(other)
            after = stand.begin(POOLS[1], "dan", "cat")
            await stand.write()
            await tab.until(f"document.querySelector('[data-game=\"{after.id}\"]')")
            await play(stand, after)
            await tab.until(f'document.querySelector(\'[data-game="{after.id}"][data-turn="1"]\')')
            assert tab.errors == []


@pytest.mark.parametrize("path", ["/games/{id}", "/tv", "/engines/ann"])
async def test_pages_have_a_preview_with_a_board(tmp_path, path):
    async with standing(tmp_path) as stand:
        page = (await stand.client.get(path.format(id=stand.running.id))).text
        (picture,) = re.findall(r'og:image" content="http://arena.test([^"]*)"', page)
        assert picture == f"/games/{stand.running.id}/board.png"
        answer = await stand.client.get(picture)
    assert answer.headers["content-type"] == "image/png"
    assert answer.content.startswith(b"\x89PNG")

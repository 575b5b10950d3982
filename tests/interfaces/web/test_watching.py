"""A tournament is watched in real browsers: one story for all of them."""

import json
from contextlib import asynccontextmanager

import pytest

from oddly.games import create_game
from oddly.games.turns import Colour
from oddly.protocol import TurnEvaluation
from oddly.referee import Outcome, PlayedTurn, Termination
from oddly.referee.justice.record import GameRecord
from oddly.safe_files.sqlite_file import lock, unlock
from oddly.tournaments import ScheduledGame
from oddly.tournaments.run.live_feed import FeedWriter
from tests.interfaces.report.events import add_records, make_ledger
from tests.interfaces.web.serving import serving
from tests.interfaces.web.tabs import BROWSERS, tab_of
from tests.tournaments.run.test_feed import ended, turned

YODD = create_game("yodd", 3)
TURNS = ("Bc3", "Wa3,We3", "pass", "pass")
LONG = "an engine with quite a long name"


@asynccontextmanager
async def watched(folder, *words):
    """A server of a ledger whose run plays one game, and the writer of its feed."""
    ledger = folder / "event.sqlite"
    make_ledger(ledger, ["one", LONG], games=[YODD, create_game("ayu", 5)])
    held = lock(ledger)
    writer = FeedWriter(ledger)
    game = ScheduledGame(7, YODD, 1, "one", LONG, 0, "live")
    writer.began(game)
    try:
        with serving(folder, ledger, *words) as server:
            yield server, writer, game
    finally:
        writer.finish()
        unlock(held)


def box(selector, what):
    return (
        f"Math.round(document.querySelector({json.dumps(selector)}).getBoundingClientRect().{what})"
    )


async def spill(browser):
    """By how many pixels a page is wider than its window."""
    return await browser.value("document.documentElement.scrollWidth - innerWidth")


async def the_story(browser, folder):
    async with watched(folder) as (server, writer, game):
        await browser.resize(1280, 900)
        await browser.go(f"{server.origin}/watch")
        card = "document.querySelector('[data-game=live]')"
        await browser.until(f"{card} && document.querySelector('.ranking')")
        writer.turned(*turned(game, TURNS[0], expects=TurnEvaluation(0.75), left=(61.0, 60.0)))
        await browser.until(f"{card}.innerText.includes('last Bc3')")
        said = await browser.value(f"{card}.innerText")
        assert "expects 75 %" in said
        assert "1:01" in said
        # The boards are beside the standings, and all of these are seen.
        assert await browser.value(box(".tables", "left")) > await browser.value(
            box("[data-game=live]", "right")
        )
        assert await spill(browser) <= 0
        heads = "[...document.querySelectorAll('.ranking')][0].innerText"
        assert (await browser.value(heads)).split("\n")[0].split() == [
            "#", "engine", "Elo", "±", "won", "lost", "points",
        ]  # fmt: skip
        # Who has no rating learns why, as the script and as the server draw it.
        assert "too few games" in await browser.value(heads)
        assert "too few games</span>" in server.get("/watch").text
        await browser.resize(390, 844)
        assert await spill(browser) <= 0
        # The window of WebKit's small browser is never so narrow.
        assert await browser.value(f"{box('.ranking', 'right')} <= innerWidth")
        assert await browser.value(box(".tables", "top")) >= await browser.value(
            box("[data-game=live]", "bottom")
        )

        await browser.resize(1280, 900)
        await browser.click("[data-game=live] .open")
        address = f"{server.origin}/watch/game/live"
        await browser.until(f"location.href === {json.dumps(address)}")
        await browser.until("document.querySelector('svg .piece.black')")
        writer.turned(*turned(game, TURNS[1]))
        await browser.until("document.querySelectorAll('svg .piece.white').length === 2")
        state = "document.querySelector('.state-line').innerText"
        assert await browser.value(state) == "Turn 3: one is to move."
        # Who looks back stays there while the game goes on.
        await browser.click("[aria-label='To the start']")
        writer.turned(*turned(game, TURNS[2]))
        await browser.until(f"{state}.includes('it is at turn 4')")
        assert await browser.value("document.querySelectorAll('svg .piece').length") == 0
        await browser.click("[aria-label='To the end']")

        played = tuple(
            PlayedTurn((Colour.BLACK, Colour.WHITE)[n % 2], text, 0.25)
            for n, text in enumerate(TURNS)
        )
        outcome = Outcome(
            0, Colour.BLACK, "B+1", Termination.DOUBLE_PASS, "both passed", len(TURNS)
        )
        record = GameRecord(YODD, ("one", LONG), ("", ""), 0, played, outcome)
        add_records(folder / "event.sqlite", {"live": record})
        writer.ended(*ended(game))
        await browser.until(f"{state}.startsWith('one wins: B+1')")
        await browser.until(f"location.href === {json.dumps(address)}")
        await browser.go(address)
        await browser.until("document.querySelectorAll('.tree .turn').length === 4")
        assert (await browser.value(state)).startswith("one wins: B+1")
        # Browsers refuse addresses that change too often; the turn is shown all the same.
        refuse = "history.replaceState = () => { throw new Error('too often'); }"
        await browser.value(f"void ({refuse})")
        # Its analysis has an address that holds the game, and begins at the turn that is shown.
        await browser.click("[aria-label='To the start']")
        await browser.click(".links a[href*='#analyse/line/yodd/3/']")
        await browser.until(
            "location.hash && document.querySelectorAll('.tree .turn').length === 4"
        )
        turns = TURNS[1].replace(",", "-")
        assert f"/Bc3.{turns}.pass.pass" in await browser.value("location.hash")
        assert await browser.value("location.search") == "?turn=0"
        await browser.until(f"document.body.innerText.includes({json.dumps(LONG)})")

        await browser.go(f"{server.origin}/watch/archive")
        await browser.value(f"document.querySelector('[name=opponent]').value = {json.dumps(LONG)}")
        await browser.click("form.search button")
        await browser.until("location.search.startsWith('?opponent=an+engine')")
        await browser.until("document.querySelectorAll('.games-table img').length === 5")
        await browser.resize(390, 844)
        assert await spill(browser) <= 0
        assert browser.errors == []


@pytest.mark.sampled
@pytest.mark.parametrize("browser", BROWSERS)
async def test_a_tournament_is_watched(browser, tmp_path):
    async with tab_of(browser, tmp_path) as tab:
        await the_story(tab, tmp_path)


@pytest.mark.sampled
@pytest.mark.parametrize("browser", BROWSERS)
async def test_links_to_games_stay_as_others_end(browser, tmp_path):
    """A click on a link that is replaced between press and release would be lost."""
    links = "[...document.querySelectorAll('a.ended')]"
    async with watched(tmp_path) as (server, writer, game), tab_of(browser, tmp_path) as tab:
        await tab.go(f"{server.origin}/watch")
        await tab.until("document.querySelector('[data-game=live]')")
        shown = await tab.value(f"{links}.map((link) => link.marked = link.href).join()")
        assert shown.count("/watch/game/") == 4
        outcome = Outcome(0, Colour.BLACK, "B+1", Termination.DOUBLE_PASS, "both passed", 0)
        record = GameRecord(YODD, ("one", LONG), ("", ""), 0, (), outcome)
        add_records(tmp_path / "event.sqlite", {"live": record})
        writer.ended(*ended(game))
        await tab.until(f"{links}.length === 5")
        kept = await tab.value(f"{links}.map((link) => link.marked || 'new').join()")
        assert kept == f"new,{shown}"

"""The page and the report in Chromium, Firefox and WebKit alike, and axe on every screen.

What is not installed is skipped by its name. Firefox is Debian's `firefox-esr`, WebKit its
`webkit2gtk-driver`, axe the package `axe-playwright-python`; see `tests/programs.py`.
"""

import json
from contextlib import closing
from importlib.resources import files

import pytest
import trio

from oddly.games.catalogue import create_game
from oddly.protocol import TurnEvaluation
from tests.interfaces.report.events import make_ledger, report_of
from tests.interfaces.web.serving import HINTS, LINES, Socket, serving
from tests.interfaces.web.tabs import BROWSERS, tab_of
from tests.interfaces.web.test_watching import watched
from tests.programs import needs
from tests.tournaments.run.test_feed import turned

SAID = "(document.querySelector('.said-of-turn')?.textContent || '')"
TURNS = "Bc3.Wa3-Be3.We1-Bd3.pass.pass"
LINE = "document.querySelectorAll('.line-turns .turn').length"


def count(selector):
    """The expression of how many elements there are."""
    return f"document.querySelectorAll({json.dumps(selector)}).length"


def invited(server):
    """A game of two people far apart, and the invitation to it."""
    asked = {"game": "yodd", "size": 3, "seats": ["human", "friend"]}
    opened = server.post("/api/seats/open", asked)
    name, cookie = opened.json()["id"], opened.headers["set-cookie"].split(";")[0]
    with closing(Socket(server, f"/ws/play/{name}", cookie=cookie)) as owner:
        return name, owner.hear("game")["invitations"][0]["key"]


@pytest.mark.sampled
@pytest.mark.parametrize("browser", BROWSERS)
async def test_rules_a_game_an_analysis_a_replay_and_the_report(browser, tmp_path):
    ledger = tmp_path / "event.sqlite"
    make_ledger(ledger, ["one", "two"], games=[create_game("yodd", 3)])
    report = tmp_path / "report.html"
    report.write_text(report_of(ledger, 9), encoding="utf-8")
    with serving(tmp_path, ledger, *HINTS) as server:
        async with tab_of(browser, tmp_path) as tab:
            await tab.go(f"{server.origin}/#learn/yodd/first-stone")
            await tab.click("[data-vertex=c3]")
            await tab.click("[data-do=end]")
            await tab.until("document.querySelector('.said.right')")

            key = await trio.to_thread.run_sync(server.open_game, "yodd", 3)
            await tab.go(f"{server.origin}/?game={key}")
            await tab.click("[data-vertex=c3]")
            await tab.click("[data-colour=white]")
            await tab.click("[data-vertex=c3]")
            await tab.until("document.querySelector('[data-vertex=c3] .piece.white')")
            await tab.click("[data-do=end]")
            await tab.until("document.querySelector('.turns').innerText.includes('Wc3')")
            await tab.click("[data-do=hint]")
            await tab.until("document.querySelector('table.thoughts')")
            await tab.click("p.links a")
            await tab.until("document.querySelector('.graph')")
            await tab.click("[aria-label='To the start']")
            await tab.until(f"{SAID} == 'The start.'")

            game, invitation = await trio.to_thread.run_sync(invited, server)
            await tab.go(f"{server.origin}/?game={game}#join/{invitation}")
            await tab.click("form .primary")
            await tab.until("document.querySelectorAll('.player strong')[1].innerText === 'you'")
            await tab.go(f"{server.origin}/?game={game}")
            await tab.until("document.querySelectorAll('.player strong')[1].innerText === 'you'")

            await tab.go(f"{server.origin}/#watch")
            # The first page has such links too, until the address of old has led on.
            await tab.until("location.pathname === '/watch'")
            await tab.until("document.querySelector('a.ended[data-key]')")
            await tab.click("a.ended")
            await tab.until("document.querySelectorAll('.tree .turn').length > 3")

            await tab.go(f"{report.as_uri()}#replay=0000/2")
            await tab.until(f"{SAID}.startsWith('Turn 2')")
            await tab.click("[aria-label='One turn on']")
            await tab.until(f"{SAID}.startsWith('Turn 3')")
            assert tab.errors == []


@pytest.mark.sampled
@pytest.mark.parametrize("browser", BROWSERS)
async def test_an_address_shows_a_turn_and_its_line_and_back_goes_back(browser, tmp_path):
    with serving(tmp_path, *LINES) as server:
        async with tab_of(browser, tmp_path) as tab:
            await tab.go(f"{server.origin}/?turn=2#analyse/line/yodd/3/-/-/{TURNS}")
            await tab.until(f"{SAID}.startsWith('Turn 2 of 5')")
            await tab.until(f"{LINE} === 4 && document.querySelector('.graph')")
            await tab.hover(".line-turns .turn")
            await tab.until("document.querySelector('.expected.shown')")
            await tab.until(count(".vertex[aria-label*='in turn 1 of the line']") + " > 0")
            await tab.hover("h1")
            await tab.until("!document.querySelector('.expected.shown, .expecting')")
            await tab.press("v")
            await tab.until("document.querySelector('.expected.shown')")
            await tab.press("Escape")
            await tab.until("!document.querySelector('.expected.shown')")
            await tab.click(".tree .turn:nth-of-type(5)")
            await tab.until("location.search === '?turn=5'")
            await tab.value("history.back()")
            await tab.until(f"{SAID}.startsWith('Turn 2 of 5')")
            await tab.value("history.forward()")
            await tab.until(f"{SAID}.startsWith('Turn 5 of 5')")
            assert tab.errors == []


def screens(server):
    """The address of each screen, what is there when it is shown, and what is done first."""
    playing = server.open_game("yodd", 5, turns=["Bc3"])
    ayu = server.open_game("ayu", 5)
    over = server.open_game("yodd", 3, turns=["Bc3", "pass", "pass"])
    shared, secret = invited(server)
    engines = {"game": "yodd", "size": 3, "first": "greedy", "second": "random"}
    shown = server.post("/api/exhibitions", engines).json()["id"]
    analysed = "ehcyggfan1ab/We1-Bd3"
    return {
        "home": ("#home", "document.querySelectorAll('.picture svg').length === 4"),
        "rules": ("#learn/yodd", "document.querySelector('svg.board')"),
        "lesson": ("#learn/yodd/first-stone", "document.querySelector('svg.board')"),
        "puzzles": ("#puzzles", "document.querySelector('summary')"),
        "puzzle": ("#puzzles/yodd-3-17", "document.querySelector('svg.board')"),
        "form": ("#play/new/yodd", "document.querySelector('[name=clock]')"),
        "game": (f"?game={playing}", "document.querySelector('svg.board')"),
        "ayu": (f"?game={ayu}", "document.querySelector('svg.board')"),
        "looking on": (f"?game={shared}", "document.querySelector('svg.board')"),
        "the past": (f"?game={playing}&turn=0", "document.querySelector('.board.past')"),
        "over": (f"?game={over}", "document.querySelector('.counts.over')"),
        "no game": ("?game=nobody-has-this-game#play/nobody-has-this-game",
                    "document.querySelector('[role=alert]')"),
        "no invitation": (f"?game={shared}#join/nobody-has-this", "document.querySelector('h1')"),
        "library": ("#analyse", "document.querySelector('textarea')"),
        "analysis": (f"?turn=2#analyse/line/yodd/3/-/Ann~Bob~/{TURNS}/{analysed}",
                     f"{LINE} > 0 && document.querySelector('.mistakes a')"),
        "no analysis": ("#analyse/line/chess/8", "document.querySelector('[role=alert]')"),
        "no lesson": ("#learn/ayu/one-step", "document.querySelector('[role=alert]')"),
        "invitation": (f"?game={shared}#join/{secret}", "document.querySelector('[name=name]')"),
        "watch": ("watch", "document.querySelector('[data-game=live] svg, .ranking')"),
        "watched": ("watch/game/live", "document.querySelector('#viewer .steps')"),
        "replay": ("watch/game/0000", "document.querySelector('.tree .turn')"),
        "exhibited": (f"watch/game/{shown}", "document.querySelector('#viewer .steps')"),
        "exhibition": ("watch/exhibition", "document.querySelector('a.ended, #exhibition')"),
        "archive": ("watch/archive", "document.querySelector('.games-table img')"),
        "nothing found": ("watch/archive?engine=nobody", "document.querySelector('h1')"),
        "no watched game": ("watch/game/nothing", "document.querySelector('h1')"),
    }  # fmt: skip


@pytest.mark.sampled
@needs("axe")
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("browser", BROWSERS)
async def test_axe_finds_nothing_on_any_screen_at_twice_the_size(browser, scheme, tmp_path):
    script = files("axe_playwright_python").joinpath("axe.min.js").read_text(encoding="utf-8")
    run = (
        "axe.run().then(({ violations }) => violations.flatMap(({ id, nodes }) =>"
        "nodes.map(({ html }) => `${id}: ${html.slice(0, 160)}`)))"
    )
    async with watched(tmp_path, *LINES) as (server, writer, game):
        writer.turned(*turned(game, "Bc3", expects=TurnEvaluation(0.75), left=(61.0, 60.0)))
        found = {}
        async with tab_of(browser, tmp_path, scheme) as tab:
            await tab.resize(640, 450)
            for name, (address, shown) in (await trio.to_thread.run_sync(screens, server)).items():
                await tab.go("about:blank")
                await tab.go(f"{server.origin}/{address}")
                await tab.until(shown)
                await tab.value(
                    "document.querySelectorAll('details').forEach((e) => e.open = true)"
                )
                await tab.value(f"(() => {{ {script}; }})()")
                found[name] = await tab.value(run)
        assert found == {name: [] for name in found}

"""The pages for spectators as the server draws them: read without JavaScript."""

import re
from dataclasses import replace
from html import unescape
from html.parser import HTMLParser
from urllib.parse import quote

import pytest
from playwright.sync_api import expect

from oddly.games import create_game, storable_text
from oddly.interfaces.viewer.viewer import nearest
from oddly.protocol import TurnEvaluation
from oddly.referee import Outcome, Termination
from oddly.tournaments.ledger.store import Ledger
from tests.interfaces.report.events import HOSTILE, SHOWN, add_records, fault_record, make_ledger
from tests.interfaces.web.serving import serving, wait_until
from tests.programs import needs

ENGINES = ("one", "two", HOSTILE)
GAMES = [create_game("yodd", 3), create_game("ayu", 5)]
ROUNDS = 10


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    folder = tmp_path_factory.mktemp("serve")
    ledger = folder / "event.sqlite"
    make_ledger(ledger, ENGINES, games=GAMES, rounds=ROUNDS, name=f"An event of {HOSTILE}")
    add_records(ledger, {"erred": fault_record(GAMES[0], ("one", "two"), "it erred")})
    with serving(folder, ledger) as server:
        wait_until(lambda: "games played" in server.get("/watch").text, "the first look")
        server.ledger = ledger
        yield server


@pytest.fixture(scope="module")
def records(server):
    with Ledger(server.ledger, read_only=True) as ledger:
        return ledger.records()


def text_of(page):
    """What a reader sees of a page."""
    body = re.sub(r"<(script|style)\b.*?</\1>", " ", page, flags=re.DOTALL)
    return " ".join(unescape(re.sub(r"<[^>]*>", " ", body)).split())


def attributes_of(page):
    """The names of all attributes of a page, as a browser reads it."""
    found = set()

    class Reader(HTMLParser):
        def handle_starttag(self, tag, attrs):
            found.update(name for name, _ in attrs)

    Reader().feed(page)
    return found


def rows_of(page):
    """The ids of the games in a table."""
    return re.findall(r'<td class="who"><a href="[^"]*watch/game/([^"]+)"', page)


def test_the_tournament_shows_its_standings(server, records):
    answer = server.get("/watch")
    assert answer.status_code == 200
    said = text_of(answer.text)
    number = 6 * ROUNDS * len(GAMES) + 1
    assert f"{number} of {number - 1} games played, not running" in said
    for heading in ("# engine Elo ± won lost", "yodd 3", "ayu 5", "all games", "Latest games"):
        assert heading in said
    won = [r for r in records.values() if "one" in r.players and r.game == GAMES[0]]
    wins = sum(r.outcome.winner == r.players.index("one") for r in won)
    assert re.search(rf"one [+−]?\d+ ± \d+ {wins} ", said)


def test_nothing_of_strangers_is_markup_or_inline(server, records):
    hostile = next(name for name, record in records.items() if HOSTILE in record.players)
    for path in ("/watch", "/watch/archive", f"/watch/game/{hostile}", "/watch/exhibition"):
        page = server.get(path).text
        assert "<img src=x" not in page
        assert "\u202e" not in page
        assert re.findall(r"<script[^>]*>(.*?)</script>", page) == [""]
        assert not [name for name in attributes_of(page) if name == "style" or name[:2] == "on"]
        assert "<style" not in page
    assert SHOWN in unescape(server.get("/watch").text)


def test_a_game_is_shown_turn_by_turn_by_its_addresses(server, records):
    _, (name, record), *_ = (
        (name, record)
        for name, record in records.items()
        if record.game == GAMES[0] and record.players == ("one", "two") and record.turns
    )
    page = server.get(f"/watch/game/{name}").text
    said = text_of(page)
    assert record.outcome.score in said
    assert all(played.turn in said for played in record.turns)
    assert page.count('class="black"') + page.count('class="white"') > 2
    start = server.get(f"/watch/game/{name}?turn=0").text
    assert start.count('class="black"') + start.count('class="white"') == 0
    assert f"The start of {len(record.turns)} turns." in text_of(start)
    one = server.get(f"/watch/game/{name}?turn=1").text
    assert f"Turn 1 of {len(record.turns)}: {record.turns[0].turn}." in text_of(one)
    assert server.get(f"/watch/game/{name}?turn=9999999999").text.count('class="black"') > 0
    around = re.findall(r'href="(\w+)" rel="(?:prev|next)"', page)
    assert len(around) == 2
    assert set(around) <= set(records)


def test_a_fault_says_how_the_game_ended(server):
    said = text_of(server.get("/watch/game/erred").text)
    assert "two wins: W+F, illegal turn after 0 turns (it erred)." in said


@pytest.mark.parametrize("name", ["nothing", "%3Cb%3E", "x" * 3000])
def test_an_unknown_game_says_so(server, name):
    answer = server.get(f"/watch/game/{name}")
    assert answer.status_code == 404
    assert "There is no such game here" in text_of(answer.text)
    assert "<b>" not in answer.text
    assert server.get(f"/watch/board/{name}.svg").status_code == 404
    assert server.get(f"/api/watch/games/{name}").status_code == 404


def test_the_archive_has_every_game_page_by_page(server, records):
    found, path = [], "/watch/archive"
    while path:
        page = server.get(path).text
        found += rows_of(page)
        following = re.search(r'href="(archive[^"]*)" rel="next"', page)
        path = following and f"/watch/{unescape(following[1])}"
    assert found == list(records)[::-1]


@pytest.mark.parametrize(
    ("asked", "fits"),
    [
        ("engine=one&opponent=two", lambda r: {"one", "two"} == set(r.players)),
        ("engine=one&result=won", lambda r: "one" in r.players and r.outcome.winner is not None
         and r.players[r.outcome.winner] == "one"),
        ("game=ayu+5&result=second", lambda r: str(r.game) == "ayu 5" and r.outcome.winner == 1),
        ("result=fault", lambda r: r.outcome.termination.is_forfeit),
        ("from=12&to=20", lambda r: 12 <= len(r.turns) <= 20),
        (f"engine={quote(storable_text(HOSTILE))}", lambda r: HOSTILE in r.players),
    ],
)  # fmt: skip
def test_a_search_has_an_address_and_finds_what_it_says(server, records, asked, fits):
    wanted = [name for name, record in records.items() if fits(record)][::-1]
    page = server.get(f"/watch/archive?{asked}").text
    assert rows_of(page) == wanted[:50]
    assert f"{len(wanted):,} game{'' if len(wanted) == 1 else 's'} found" in text_of(page)


def test_what_a_form_leaves_empty_is_no_part_of_the_address(server):
    path = "/watch/archive?engine=one&opponent=&game=&result=&from=&to="
    answer = server.get(path, follow_redirects=False)
    assert (answer.status_code, answer.headers["location"]) == (303, "archive?engine=one")
    answer = server.get("/watch/archive?engine=", follow_redirects=False)
    assert answer.headers["location"] == "archive"


def test_a_slash_too_many_leads_on_at_the_address_that_the_visitor_sees(server):
    answer = server.get("/watch/archive/?engine=one", follow_redirects=False)
    assert (answer.status_code, answer.headers["location"]) == (307, "../archive?engine=one")


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ("engine=onee", "There is no engine 'onee' in this archive; did you mean 'one'?"),
        ("game=yod", "There is no game 'yod' in this archive"),
        ("result=wonn", "There is no result 'wonn': expected one of won, lost, "),
        ("from=-1", "Turns from '-1': expected a whole number."),
        ("to=1e9", "Turns to '1e9': expected a whole number."),
        ("result=lost", "Name the engine to find the games that it lost."),
    ],
)
def test_a_search_that_makes_no_sense_is_told(server, asked, said):
    answer = server.get(f"/watch/archive?{asked}")
    assert answer.status_code in (200, 400)
    assert said in text_of(answer.text)


@pytest.mark.parametrize("page", ["0", "-1", "x", "999999999"])
def test_a_page_that_is_not_there_is_empty_or_the_first(server, page):
    answer = server.get(f"/watch/archive?page={page}")
    assert answer.status_code == 200
    assert len(rows_of(answer.text)) in (0, 50)


def test_a_board_is_a_small_picture_that_is_asked_for_by_its_tag(server, records):
    path = f"/watch/board/{next(iter(records))}.svg"
    answer = server.get(path)
    assert answer.headers["content-type"] == "image/svg+xml"
    assert answer.text.startswith("<?xml")
    (cells,) = re.findall(r'class="cell"[^>]* d="([^"]*)"', answer.text)
    assert cells.count("z") == len(GAMES[0].board)
    tag = answer.headers["etag"]
    again = server.get(path, headers={"if-none-match": tag})
    assert (again.status_code, again.content) == (304, b"")
    page = server.get("/watch/archive").text
    assert page.count('loading="lazy"') == len(rows_of(page)) == 50


def test_a_board_of_a_table_is_kept_for_good_under_the_digest_of_its_game(server):
    page = server.get("/watch/archive").text
    path, digest = re.search(r'src="\.\./(watch/board/\w+\.svg)\?of=(\w{16})"', page).groups()
    assert "immutable" in server.get(f"/{path}?of={digest}").headers["cache-control"]
    # Another game at this address has another one.
    for query in ("", f"?of={'0' * 16}"):
        assert "no-cache" in server.get(f"/{path}{query}").headers["cache-control"]


def test_a_page_is_sent_again_only_when_it_has_changed(server):
    answer = server.get("/watch/archive?engine=one")
    again = server.get(
        "/watch/archive?engine=one", headers={"if-none-match": answer.headers["etag"]}
    )
    assert (again.status_code, again.content) == (304, b"")


def test_without_a_tournament_the_pages_say_so(tmp_path):
    with serving(tmp_path) as server:
        for path in ("/watch", "/watch/archive"):
            said = text_of(server.get(path).text)
            assert "No tournament is being watched." in said
            assert "oddly serve tournament.sqlite" in server.get(path).text
        assert server.get("/watch/game/nothing").status_code == 404


@pytest.mark.sampled
def test_the_address_of_a_game_shows_it_without_the_token_and_nothing_else(tmp_path):
    ledger = tmp_path / "event.sqlite"
    make_ledger(ledger, ("one", "two"), games=GAMES[:1])
    with serving(tmp_path, ledger, "--name", "a", "--token-file", tmp_path / "token") as server:
        wait_until(lambda: server.get("/watch/game/0001").status_code == 200, "the first look")
        page = server.get("/watch/game/0001")
        assert "watch/archive" not in page.text
        guest = {"cookie": page.headers["set-cookie"].partition(";")[0]}
        for path in ("/watch/board/0001.svg", "/api/watch/games/0001", "/api/boards/hexhex/3"):
            assert server.get(path, headers=guest).status_code == 200
        for path in ("/watch", "/watch/archive", "/watch/nothing"):
            assert server.get(path, headers=guest).status_code == 401
        answer = server.get("/watch/game/nothing", headers={"accept": "text/html"})
        assert answer.status_code == 401
        assert "There is no such game on this server" in answer.text


def percentages(page):
    """What both players expect, as it is shown."""
    return re.findall(r"expects (\d+) %", page)


@needs("chromium")
def test_what_is_expected_is_the_same_with_and_without_a_script(tmp_path, page):
    ledger = tmp_path / "event.sqlite"
    (record, *_) = make_ledger(ledger, ["one", "two"], games=GAMES[:1])
    # Halves of a percentage, of three decimals or more, are where two ways of rounding differ.
    rates = (0.625, 0.125, 0.375, 0.045, 0.285, 0.2845)
    turns = tuple(
        played._replace(evaluation=TurnEvaluation(win_rate=rate))
        for played, rate in zip(record.turns, rates, strict=False)
    )
    assert len(turns) == len(rates)
    outcome = Outcome(0, record.turns[0].colour, "B+R", Termination.RESIGNATION, "", len(turns))
    add_records(ledger, {"expected": replace(record, turns=turns, opening=0, outcome=outcome)})
    with serving(tmp_path, ledger) as server:
        for number, played in enumerate(turns, start=1):
            address = f"/watch/game/expected?turn={number}"
            plain = percentages(text_of(server.get(address).text))
            page.goto(f"{server.origin}{address}")
            said = page.locator(".said-of-turn")
            expect(said).to_contain_text("who gave Black")
            assert percentages(page.inner_text("#players")) == plain
            own = int(plain[(number - 1) % 2])
            of_black = own if str(played.colour) == "black" else 100 - own
            assert f"who gave Black {of_black} %" in said.inner_text()


def test_figures_are_rounded_as_scripts_round_them():
    assert [nearest(value) for value in (0.5, 1.5, 62.5, -0.5, -1.5, 1.4)] == [1, 2, 63, 0, -1, 1]


@needs("chromium")
@pytest.mark.parametrize("turn", ["-3", "", "1e1", "0x1", " 1", "1.0", "9999999", "1"])
def test_a_script_reads_the_turn_of_an_address_as_the_server_does(server, records, page, turn):
    name, record = max(records.items(), key=lambda item: len(item[1].turns))
    address = f"/watch/game/{name}?turn={quote(turn)}"
    drawn = server.get(address).text.count('class="black"')
    page.goto(f"{server.origin}{address}")
    at = 1 if turn == "1" else len(record.turns)
    expect(page.locator(".said-of-turn")).to_contain_text(f"Turn {at} of {len(record.turns)}")
    assert page.locator(".board .piece.black").count() == drawn
    expect(page.locator(".problem")).to_have_text("")


@needs("chromium")
def test_a_void_game_says_so_once(tmp_path, page):
    ledger = tmp_path / "event.sqlite"
    (record, *_) = make_ledger(ledger, ["one", "two"], games=GAMES[:1])
    outcome = Outcome(None, None, "void", Termination.VOID, "nobody was ready", 0)
    add_records(ledger, {"void": replace(record, turns=(), opening=0, outcome=outcome)})
    with serving(tmp_path, ledger) as server:
        assert ">void after 0 turns.<" in server.get("/watch/game/void").text
        page.goto(f"{server.origin}/watch/game/void")
        expect(page.locator("#moves .tree")).to_be_attached()
        expect(page.locator(".state-line")).to_have_text("void after 0 turns.")
        add_records(ledger, {"short": replace(record, turns=record.turns[:1], outcome=outcome)})
        assert ">void after 1 turn.<" in server.get("/watch/game/short").text
        page.goto(f"{server.origin}/watch/game/short")
        expect(page.locator("#moves .tree")).to_be_attached()
        expect(page.locator(".state-line")).to_have_text("void after 1 turn.")

"""The report in a real browser, from a file: its script runs, and shows what the rules say."""

from dataclasses import replace
from functools import reduce

import pytest
from playwright.sync_api import expect

from oddly.games.catalogue import create_game
from oddly.games.drawing.picture import touched
from oddly.games.turns import EMPTY, Colour
from oddly.interfaces.report.page import statement
from oddly.protocol.evaluation import TurnEvaluation
from oddly.protocol.notation import parse_turn
from oddly.referee import Outcome, Termination
from tests.interfaces.report.events import (
    GAMES,
    HOSTILE,
    SHOWN,
    add_records,
    event_of,
    make_ledger,
    report_of,
)
from tests.interfaces.web.test_accessibility import AUDIT
from tests.programs import needs

pytestmark = needs("chromium")


def written(ledger):
    """The address of the report of a ledger."""
    path = ledger.with_suffix(".html")
    path.write_text(report_of(ledger), encoding="utf-8")
    return path.as_uri()


@pytest.fixture(scope="module")
def event(tmp_path_factory):
    path = tmp_path_factory.mktemp("browser") / "event.sqlite"
    make_ledger(path, [HOSTILE, "tame"], name=HOSTILE)
    return written(path), event_of(path, 99).latest


PAPER = {"width": 718, "height": 1047}
"""A4 within the margins of a browser."""


def test_every_column_and_the_colours_of_the_crosstables_are_printed(event, page):
    page.set_viewport_size(PAPER)
    page.emulate_media(media="print")
    page.goto(event[0])
    tables = page.locator("section.game table, #statistics table")
    right = "(all) => Math.max(...all.map((each) => each.getBoundingClientRect().right))"
    assert tables.evaluate_all(right) <= PAPER["width"]
    shown = page.locator(".crosstable td, .scale span")
    styles = "(all) => all.map((each) => getComputedStyle(each).printColorAdjust)"
    assert set(shown.evaluate_all(styles)) == {"exact"}


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_line_of_a_chart_has_a_name_that_can_be_read(page, tmp_path, scheme):
    make_ledger(tmp_path / "eight.sqlite", "abcdefgh", GAMES[:1])
    page.emulate_media(color_scheme=scheme)
    page.goto(written(tmp_path / "eight.sqlite"))
    expect(page.locator(".chart .series-7 .name")).to_have_count(1)
    assert page.evaluate(AUDIT) == []


@pytest.mark.parametrize("game", GAMES, ids=str)
def test_a_game_is_shown_at_the_turn_that_the_address_names(game, event, page):
    address, latest = event
    identity, record = next(pair for pair in latest if pair[1].game == game)
    turns = [parse_turn(played.turn) for played in record.turns]
    number = len(turns) // 2
    position = reduce(lambda at, turn: at.play(turn), turns[:number], game.start())
    page.goto(f"{address}#replay={identity}/{number}")
    expect(page.locator(".counts")).to_have_text(statement(position))
    said = f"Turn {number} of {len(turns)}: {turns[number - 1]}"
    assert page.inner_text(".said-of-turn").startswith(said)
    assert SHOWN in page.inner_text("#viewer .players")
    placed, left = touched(turns[number - 1])
    for vertex, stone in zip(game.board.vertices, position.stones, strict=True):
        marks = page.locator(f"[data-vertex={vertex}] .marks")
        pieces = marks.locator(".piece").evaluate_all("all => all.map(one => one.classList[1])")
        assert pieces == ([] if stone == EMPTY else [str(Colour(stone))])
        assert marks.locator(".placed").count() == (vertex in placed)
        assert marks.locator(".left").count() == (vertex in left)


def test_keys_slider_and_turns_go_through_a_game(event, page):
    address, latest = event
    identity, record = latest[-1]
    page.goto(f"{address}#replay={identity}/1")
    turns = page.locator(".tree .turn")
    expect(turns).to_have_count(len(record.turns))
    turns.nth(2).click()
    expect(page.locator(".tree [aria-current]")).to_be_focused()
    page.keyboard.press("ArrowRight")
    expect(page).to_have_url(f"{address}#replay={identity}/4")
    page.get_by_label("Turn", exact=True).fill("2")
    expect(page.locator(".said-of-turn")).to_contain_text("Turn 2 of")
    page.get_by_label("To the end").click()
    expect(page.locator(".said-of-turn")).to_contain_text(record.outcome.score)
    # Without recorded evaluations there is only the lead.
    expect(page.locator(".graph .bar").first).to_be_attached()
    expect(page.locator(".graph .ground")).to_have_count(1)


def test_the_keys_work_while_the_game_is_on_the_screen_and_a_button_keeps_the_focus(event, page):
    address, latest = event
    identity, record = latest[-1]
    page.goto(f"{address}#replay={identity}/2")
    said = page.locator(".said-of-turn")
    page.keyboard.press("ArrowLeft")
    expect(said).to_contain_text("Turn 1 of")
    page.locator("#viewer svg.board").click()
    page.keyboard.press("End")
    expect(said).to_contain_text(f"Turn {len(record.turns)} of")
    to_start = page.get_by_label("To the start")
    to_start.press("Enter")
    expect(said).to_contain_text("The start.")
    expect(to_start).to_be_disabled()
    expect(to_start).to_be_focused()
    page.keyboard.press("ArrowRight")
    expect(said).to_contain_text("Turn 1 of")
    to_start.press("Enter")
    to_start.press("Enter")
    expect(said).to_contain_text("The start.")
    # Elsewhere on the page the keys are the browser's.
    page.evaluate("document.activeElement.blur()")
    page.evaluate("find = document.querySelector('#viewer'); find.style.marginTop = '9000px'")
    page.evaluate("window.scrollTo(0, 0)")
    page.keyboard.press("ArrowRight")
    expect(said).to_contain_text("The start.")


STEPS = """() => {
  const write = history.replaceState.bind(history);
  let left = 3;
  history.replaceState = (...given) => {
    if (left === 0) throw new Error("too often");
    left -= 1;
    write(...given);
  };
  const on = document.querySelector("[aria-label='One turn on']");
  for (let step = 0; step < 6; step += 1) on.click();
}"""
"""Six steps in a browser that refuses addresses that change too often, as most do."""


def test_many_steps_at_once_are_all_shown(event, page):
    address, latest = event
    identity, _ = latest[-1]
    page.goto(f"{address}#replay={identity}/1")
    page.evaluate(STEPS)
    expect(page.locator(".said-of-turn")).to_contain_text("Turn 7 of")
    expect(page).to_have_url(f"{address}#replay={identity}/7")


LEAVE = """() => new Promise((left) => {
  addEventListener("hashchange", left, { once: true });
  const on = document.querySelector("[aria-label='One turn on']");
  for (let step = 0; step < 3; step += 1) on.click();
  document.querySelector("a[href='#statistics']").click();
})"""
"""Three steps, and at once a link of the contents."""


def test_steps_do_not_take_the_address_of_a_part_of_the_page_that_is_opened_next(event, page):
    address, latest = event
    identity, _ = latest[-1]
    page.clock.install()
    page.goto(f"{address}#replay={identity}/1")
    page.evaluate(LEAVE)
    page.clock.run_for(1000)
    assert page.url == f"{address}#statistics"


def test_recorded_evaluations_make_a_graph_and_mark_mistakes(tmp_path, page):
    path = tmp_path / "event.sqlite"
    # Each sees its own chances: the second player sees its opponent's third turn as a blunder.
    chances = [0.5, 0.5, 0.5, 0.9]
    (record, *_) = make_ledger(path, ["one", "two"], games=[create_game("yodd", 3)])
    turns = tuple(
        played._replace(evaluation=TurnEvaluation(win_rate=rate))
        for played, rate in zip(record.turns[:4], chances, strict=True)
    ) + record.turns[4:]  # fmt: skip
    add_records(path, {"expected": replace(record, turns=turns)})
    page.goto(f"{written(path)}#replay=expected/3")
    expect(page.locator(".graph .recorded")).to_have_count(2)
    expect(page.locator(".legend-line")).to_have_text("as one saw it as two saw it")
    expect(page.locator(".said-of-turn")).to_contain_text("who gave Black 50 %")
    expect(page.locator(".verdict")).to_have_text(
        f"{record.turns[2].turn} was a blunder: gave away 40 %, as the opponent saw it."
    )
    expect(page.locator(".turn.bad .mark")).to_have_text("??")
    expect(page.locator(".graph .error")).to_have_count(1)


@pytest.mark.parametrize(
    ("chances", "marks"),
    [
        # The one who swaps has Black's chances after it, as its opponent sees them.
        ([0.53, 0.53, 0.02, 0.5], []),
        ([0.4, 0.6, 0.9, 0.1], ["??"]),
    ],
    ids=["right", "wrong"],
)
def test_a_swap_is_judged_by_the_chances_of_the_player_who_swaps(tmp_path, page, chances, marks):
    path = tmp_path / "event.sqlite"
    game = create_game("ayu", 5, {"pie": True})
    (record, *_) = make_ledger(path, ["one", "two"], games=[game])
    turns = [record.turns[0], record.turns[1]._replace(turn="swap"), *record.turns[1:3]]
    judged = tuple(
        played._replace(evaluation=TurnEvaluation(win_rate=rate))
        for played, rate in zip(turns, chances, strict=True)
    )
    add_records(path, {"swapped": replace(record, turns=judged)})
    page.goto(f"{written(path)}#replay=swapped/2")
    expect(page.locator(".turn[aria-current], .turn.current").first).to_contain_text("swap")
    expect(page.locator(".turn .mark")).to_have_text(marks)


def test_a_void_game_says_so_once(tmp_path, page):
    path = tmp_path / "event.sqlite"
    (record, *_) = make_ledger(path, ["one", "two"], games=[create_game("yodd", 3)])
    outcome = Outcome(None, None, "void", Termination.VOID, "nobody was ready", 0)
    add_records(path, {"void": replace(record, turns=(), opening=0, outcome=outcome)})
    page.goto(f"{written(path)}#replay=void/0")
    expect(page.locator(".said-of-turn")).to_have_text("The start. void: nobody was ready.")


def test_players_have_the_colours_of_the_turn_that_is_shown(tmp_path, page):
    path = tmp_path / "event.sqlite"
    game = create_game("ayu", 5, {"pie": True})
    (record, *_) = make_ledger(path, ["one", "two"], games=[game])
    first = record.turns[0]
    swap = record.turns[1]._replace(turn="swap")
    add_records(path, {"swapped": replace(record, turns=(first, swap))})
    page.goto(f"{written(path)}#replay=swapped/1")

    def colours():
        stones = page.locator("#viewer .player .stone")
        return stones.evaluate_all("all => all.map(one => one.classList[1])")

    assert colours() == ["black", "white"]
    page.get_by_label("One turn on").click()
    assert colours() == ["white", "black"]

"""The clocks of people: whose runs, who loses by it, and what undo gives back."""

import pytest
import trio
from trio.testing import wait_all_tasks_blocked

from oddly.tournaments.ledger.store import Ledger
from tests.interfaces.web.test_lobby import OWNER, PEOPLE, Visitor, request, room, visit

CLOCK = {"clock": {"main": 10, "increment": 0}}
LONG = 10_000
"""Seconds, more than any clock here."""
LOST = "Black wins: White lost on time."


def yodd(**more):
    """A request for a game of two people in which the clock of White runs."""
    return request("yodd", 3, PEOPLE, turns=["Bc3"], **more)


async def test_no_clock_runs_for_an_engine_even_when_it_has_failed(tmp_path):
    settings = {"min_group": "1"}
    more = {"game": "odd", "settings": settings, "terms": CLOCK}
    async with visit(tmp_path, "human", "crasher", **more) as visitor:
        visitor.plays()
        await visitor.sees(turns=2)
        visitor.plays()
        assert (await visitor.sees(lambda v: v["fault"]))["ticking"] is None
        visitor.game._since -= LONG
        visitor.game._news.set()
        await wait_all_tasks_blocked()
        assert not visitor.game.current.is_over
        visitor.do("restart")
        view = await visitor.sees(turns=4)
        assert (view["fault"], view["over"], view["ticking"]) == ("", "", 0)
        # The engine did not think while it was not there.
        assert visitor.game.record().turns[3].seconds < LONG


async def test_a_turn_in_the_instant_of_the_flag_is_late_and_costs_the_other_nothing(
    tmp_path, autojump_clock
):
    # Tasks of one instant run in any order, so that one game would show nothing.
    async with room(tmp_path, games=20) as play:
        visitors = [Visitor(play.open(yodd(terms=CLOCK), OWNER)) for _ in range(20)]
        await trio.sleep(10)
        for visitor in visitors:
            visitor.do("pass", turn=1)
        for visitor in visitors:
            assert await visitor.is_refused() == "The game is over."
            record = visitor.game.record()
            assert [turn.turn for turn in record.turns] == ["Bc3"]
            assert record.outcome.reason == "human #2: lost on time"


async def test_a_turn_in_time_stops_the_clock(tmp_path, autojump_clock):
    async with room(tmp_path) as play:
        visitor = Visitor(play.open(yodd(terms=CLOCK), OWNER))
        await trio.sleep(9.5)
        visitor.do("pass")
        view = await visitor.sees(turns=2)
        assert (view["clocks"], view["ticking"]) == ([10.0, 0.5], 0)
        await trio.sleep(9.5)
        assert not visitor.game.current.is_over


@pytest.mark.parametrize("thought", [4, 10], ids=["resigned", "lost on time"])
async def test_undo_after_the_end_gives_the_time_of_the_turn_back(
    tmp_path, autojump_clock, thought
):
    async with room(tmp_path) as play:
        visitor = Visitor(play.open(yodd(terms=CLOCK), OWNER))
        await trio.sleep(thought)
        if thought < 10:
            visitor.do("resign")
        view = await visitor.sees(lambda v: v["over"])
        assert view["clocks"] == [10.0, 10.0 if thought < 10 else 0.0]
        await trio.sleep(60)
        visitor.do("undo")
        view = await visitor.sees(lambda v: not v["over"])
        assert (view["clocks"], view["ticking"]) == ([10.0, 10.0], 1)
        await trio.sleep(3)
        visitor.do("pass")
        assert (await visitor.sees(turns=2))["clocks"] == [10.0, 7.0]


async def test_seconds_after_the_end_are_no_part_of_a_turn_without_a_clock(
    tmp_path, autojump_clock
):
    async with room(tmp_path) as play:
        visitor = Visitor(play.open(yodd(), OWNER))
        visitor.do("resign")
        await trio.sleep(60)
        visitor.do("undo")
        await trio.sleep(3)
        visitor.do("pass")
        assert visitor.game.record().turns[1].seconds == pytest.approx(3)


async def test_a_loss_on_time_that_cannot_be_stored_is_tried_again(tmp_path, autojump_clock):
    async with room(tmp_path) as play:
        visitor = Visitor(play.open(yodd(terms=CLOCK), OWNER))
        play.store.connection.execute("pragma query_only = on")
        view = await visitor.sees(lambda v: v["notice"])
        assert "cannot be written" in view["notice"]
        assert not view["over"]
        play.store.connection.execute("pragma query_only = off")
        view = await visitor.sees(lambda v: v["over"])
        assert (view["over"], view["notice"]) == (LOST, "")


async def test_every_end_of_a_game_is_recorded_once(tmp_path, autojump_clock):
    async with room(tmp_path) as play:
        visitor = Visitor(play.open(yodd(terms=CLOCK), OWNER))
        await visitor.sees(lambda v: v["over"] == LOST)
        for name in ("Ann", "Ann", "Bob"):
            visitor.do("undo")
            visitor.do("name", seat=1, name=name)
            visitor.do("resign")
    with Ledger(tmp_path / "played.sqlite", read_only=True) as ledger:
        ends = [(r.players[1], r.outcome.termination.value) for r in ledger.records().values()]
    assert ends == [("human #2", "time"), ("Ann", "resignation"), ("Bob", "resignation")]

"""The clocks of people: whose runs, who loses by it, and what undo gives back."""

import json

import pytest
import trio
from trio.testing import wait_all_tasks_blocked

from oddly.interfaces.web.lobby import BETWEEN_LOOKS
from oddly.interfaces.web.play_routes import Invitations
from oddly.tournaments.ledger.store import Ledger
from tests.interfaces.web.test_lobby import FRIEND, OWNER, PEOPLE, Visitor, request, room, visit

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


async def test_the_clock_runs_on_in_a_game_that_nobody_watches(tmp_path, autojump_clock):
    async with room(tmp_path, idle=2) as play, trio.open_nursery() as nursery:
        nursery.start_soon(play.look_after)
        name = play.open(yodd(terms={"clock": {"main": 100, "increment": 0}}), OWNER).name
        for left in (60, 20):
            await trio.sleep(40)
            assert name not in play.games
            visitor = Visitor(*play.find(name, [OWNER]))
            view = await visitor.sees()
            assert (view["clocks"], view["ticking"]) == ([100, left], 1)
            visitor.game.leave(visitor.outbox)
        await trio.sleep(40)
        visitor = Visitor(*play.find(name, [OWNER]))
        assert (await visitor.sees(lambda v: v["over"]))["over"] == LOST
        nursery.cancel_scope.cancel()


async def test_no_clock_runs_for_a_player_who_has_not_come_yet(tmp_path, autojump_clock):
    asked = request("yodd", 3, ("human", "friend"), turns=["Bc3"], terms=CLOCK)
    async with room(tmp_path) as play:
        game = play.open(asked, OWNER)
        await trio.sleep(LONG)
        view = await Visitor(game).sees()
        assert (view["over"], view["clocks"], view["ticking"]) == ("", [10, 10], None)
        Invitations(play).take(game.seating.invitations[1], FRIEND, "")
        await trio.sleep(4)
    async with room(tmp_path) as play:
        friend = Visitor(*play.find(game.name, [FRIEND]))
        view = await friend.sees()
        assert (view["clocks"], view["ticking"]) == ([10, 6], 1)
        await trio.sleep(2)
        friend.do("pass")
        assert (await friend.sees(turns=2))["clocks"] == [10, 4]
        assert friend.game.record().turns[1].seconds == pytest.approx(6)


async def test_the_clock_stands_still_while_no_server_runs(tmp_path, autojump_clock):
    async with room(tmp_path) as play:
        name = play.open(yodd(terms=CLOCK), OWNER).name
        await trio.sleep(4)
    for left, vertex in ((6, "a3"), (4, "e3")):
        await trio.sleep(LONG)
        async with room(tmp_path) as play:
            visitor = Visitor(*play.find(name, [OWNER]))
            assert (await visitor.sees())["clocks"] == [10, left]
            await trio.sleep(2)
            # A stone that is only tried begins no turn.
            visitor.do("click", vertex=vertex, colour="white")
    async with room(tmp_path) as play:
        visitor = Visitor(*play.find(name, [OWNER]))
        assert set((await visitor.sees())["tentative"]) == {"a3", "e3"}
        assert (await visitor.sees(lambda v: v["over"]))["over"] == LOST


async def test_a_server_that_was_killed_has_written_how_long_it_ran(tmp_path, autojump_clock):
    clock = {"clock": {"main": 100, "increment": 0}}
    async with room(tmp_path) as play, trio.open_nursery() as nursery:
        nursery.start_soon(play.look_after)
        name = play.open(yodd(terms=clock), OWNER).name
        await trio.sleep(BETWEEN_LOOKS + 5)
        nursery.cancel_scope.cancel()
        # Nothing is written at its end.
        play._keep_time = lambda: None
    async with room(tmp_path) as play:
        assert (await Visitor(*play.find(name, [OWNER])).sees())["clocks"] == [100, 70]


async def test_a_state_of_an_older_version_begins_its_turn_when_it_is_fetched(
    tmp_path, autojump_clock
):
    async with room(tmp_path) as play:
        game = play.open(yodd(terms=CLOCK), OWNER)
        state, summary = game.state()
        old = {key: value for key, value in json.loads(state).items() if key != "began"}
        play.store.change(game.name, json.dumps(old), summary)
        await trio.sleep(4)
    async with room(tmp_path) as play:
        visitor = Visitor(*play.find(game.name, [OWNER]))
        assert (await visitor.sees())["clocks"] == [10, 10]


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

"""A bot that is killed at any moment, at a site that is often away: no turn is lost or sent twice.

All of it runs on trio's mock clock.
"""

from datetime import datetime
from itertools import pairwise

import pytest
import trio

from oddly.interfaces.bot.admission import read_opening_hours
from oddly.interfaces.bot.outbox import TurnStage
from oddly.interfaces.bot.service import BotService
from oddly.interfaces.text.line_writer import Journal
from tests.interfaces.bot.mocked_world import (
    DAY,
    HOUR,
    Chooser,
    World,
    answered,
    check,
    living,
    now,
    outages,
    outbox_at,
    play,
    settings_of,
)
from tests.interfaces.bot.site_double import CLIENT, move


@pytest.mark.parametrize(
    ("seed", "kills", "games"),
    [
        *((seed, 25, 4) for seed in range(3)),
        *(pytest.param(seed, 200, 30, marks=pytest.mark.soak) for seed in range(100, 110)),
    ],
)
async def test_no_turn_is_lost_or_sent_twice(tmp_path, autojump_clock, seed, kills, games):
    world = World(seed, kills=kills)
    world.outages = outages(world.random)
    await play(tmp_path, world, games)
    check(world)
    assert world.killed == kills


async def test_all_is_found_without_a_single_webhook(tmp_path, autojump_clock):
    world = World(1, lost=1.0)
    await play(tmp_path, world, 3)
    check(world)
    assert not any("answered before" in line for line in world.log)


@pytest.mark.parametrize("length", [1.0, 80.0, HOUR, DAY])
async def test_an_accepted_turn_outlives_an_outage_and_a_kill(tmp_path, autojump_clock, length):
    """The bug: the turn was given up after some 80 s, and forgotten by a new process."""
    world = World(0, lost=1.0)
    path = tmp_path / "outbox"
    with trio.fail_after(2 * DAY):
        async with trio.open_nursery() as world.nursery:
            game = world.games.begin("one", now())
            first = trio.CancelScope()
            world.nursery.start_soon(cancellable, first, world.bot, path)
            while world.service is None or not world.service.outbox.tasks:
                await trio.sleep(0.1)
            world.outages = [(trio.current_time(), trio.current_time() + length)]
            await trio.sleep(60)
            first.cancel()
            await trio.sleep(1)
            world.nursery.start_soon(world.bot, path)
            await answered(game)
            delay = trio.current_time() - world.outages[0][1]
            world.nursery.cancel_scope.cancel()
    assert [taken[:2] for taken in world.games.taken] == [("one", 0)]
    assert delay < 20 * 60


async def cancellable(scope, function, *arguments):
    with scope:
        await function(*arguments)


async def test_a_sweep_that_fails_is_repeated_sooner(tmp_path, autojump_clock):
    """The site is away when the bot starts, which nothing else tells of the game."""
    world = World(0, lost=1.0)
    world.outages = [(0.0, 10.0)]
    async with living(world, tmp_path, HOUR):
        await answered(world.games.begin("one", now()))
        passed = trio.current_time()
    assert passed < 150
    assert sum("no sweep: meta_games: no reply: ConnectError" in line for line in world.log) == 1
    assert any("the sweeps succeed again" in line for line in world.log)


async def test_a_clock_that_was_fast_does_not_put_off_what_is_due(tmp_path, autojump_clock):
    """The bug: after a first sweep a year ahead, it did not learn the games for a year."""
    world, fast = World(0, lost=1.0), 365 * DAY
    queries, ask = [], world.ask

    async def noting(query, **pars):
        queries.append(query)
        return await ask(query, **pars)

    world.ask = noting
    with trio.fail_after(DAY * 5):
        with outbox_at(tmp_path / "outbox") as file:
            service = BotService(
                settings_of(), CLIENT, Chooser(world), world, file, Journal(world.log.append),
                lambda: now() + fast,
            )  # fmt: skip
            async with trio.open_nursery() as nursery:
                nursery.start_soon(service.run)
                await trio.sleep(HOUR)
                fast = 0.0
                assert 0 <= service.health()["seconds_since_sweep"] < HOUR
                await trio.sleep(3.5 * DAY)
                nursery.cancel_scope.cancel()
    assert queries.count("meta_games") == 4


async def test_a_refused_turn_is_thought_about_twice_again_and_no_more(tmp_path, autojump_clock):
    world = World(0)
    said = "Unable to apply move: the groups are even"
    offered = []

    def refuse(facts, _now=0.0):
        offered.append(facts["move"])
        return 500, {"message": said}

    world.games.take = refuse
    world.random.random = lambda: 0.5
    async with living(world, tmp_path):
        world.games.begin("one", now())
        await trio.sleep(DAY / 2)
        stage = world.service.outbox.tasks["one"].stage
    assert offered == ["one-0", "one-0-1", "one-0-2"]
    assert stage is TurnStage.REFUSED
    assert sum(f"refused (500: {said}); thinking again" in line for line in world.log) == 2
    assert sum(f"refused (500: {said}), given up" in line for line in world.log) == 1


async def test_a_name_with_half_an_emoji_stops_no_sweep(tmp_path, autojump_clock):
    """A sweep keeps all games, so a name that the outbox refused would stop every game."""
    world = World(0, lost=1.0)
    async with living(world, tmp_path):
        game = world.games.begin("one", now())
        world.games.begin("other", now(), seat=1)["players"][0]["name"] = "x\ud83d"
        await answered(game)
    assert not any("no sweep" in line or "cannot be written" in line for line in world.log)


async def test_words_that_cannot_be_kept_stop_no_turn(tmp_path, autojump_clock):
    world = World(0, lost=1.0)
    take, refusals = world.games.take, 2
    answers = []

    def refuse_at_first(facts, at):
        answers.append((500, {"message": "oops \ud83d"}) if len(answers) < refusals else None)
        return answers[-1] or take(facts, at)

    world.games.take = refuse_at_first
    world.random.random = lambda: 0.5
    async with living(world, tmp_path, HOUR):
        await answered(world.games.begin("one", now()))
    assert len(answers) == refusals + 1
    assert any("the outbox cannot be written" in line for line in world.log)


async def test_a_turn_at_which_the_bot_itself_fails_waits_for_its_next_attempt(
    tmp_path, autojump_clock
):
    """The bug: it was tried again at once, as long as the failure lasted."""
    world = World(0, lost=1.0)
    ask, failures = world.ask, []

    async def ask_or_fail(query, **pars):
        if query == "get_game" and refusals:
            failures.append(now())
            await trio.sleep(0.1)
            raise ValueError("a bug")
        return await ask(query, **pars)

    refusals = []
    world.ask = ask_or_fail
    world.games.take = lambda *_: refusals.append(500) or (500, {})
    async with living(world, tmp_path):
        world.games.begin("one", now())
        await trio.sleep(HOUR)
    waits = [later - earlier for earlier, later in pairwise(failures)]
    assert len(waits) > 3
    assert min(waits) >= 1


async def test_a_late_webhook_of_a_game_that_has_gone_on_moves_nothing(tmp_path, autojump_clock):
    """It comes to a bot that knows nothing of the game any more, and while the sweep is not due."""
    world = World(0, lost=1.0)
    async with living(world, tmp_path):
        world.games.begin("one", now(), seat=1)["texts"] += ["a", "b", "c", "d"]
        await trio.sleep(30)
        await world.deliver(move([["a"]], "one"))
        await trio.sleep(HOUR)
        tasks = dict(world.service.outbox.tasks)
    assert world.games.taken == world.games.out_of_turn == []
    assert tasks == {}


async def test_engines_rest_while_the_machine_is_closed(tmp_path, autojump_clock):
    world = World(0, lost=1.0)
    thought = []
    choose = Chooser.choose

    class Noting(Chooser):
        async def choose(self, request, refused=()):
            thought.append((request.gameid, now()))
            return await choose(self, request, refused)

    hours = read_opening_hours("0:00-6:00")
    with trio.fail_after(3 * DAY):
        async with trio.open_nursery() as world.nursery, trio.open_nursery() as inner:
            with outbox_at(tmp_path / "outbox") as file:
                service = BotService(
                    settings_of("0:00-6:00"), CLIENT, Noting(world), world, file,
                    Journal(world.log.append), now,
                )  # fmt: skip
                inner.start_soon(service.run)
                for number in range(8):
                    world.games.begin(f"long{number}", now())
                    world.games.begin(f"short{number}", now(), hours=0.2)
                    await trio.sleep(5 * HOUR)
                inner.cancel_scope.cancel()
                world.nursery.cancel_scope.cancel()
    assert {name for name, _ in thought} >= {"long0", "short0", "long3", "short3"}
    closed = [name for name, at in thought if not hours.is_open(datetime.fromtimestamp(at))]
    assert closed
    assert all(name.startswith("short") for name in closed)

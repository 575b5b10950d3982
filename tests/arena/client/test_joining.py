"""The client over connections in memory that are cut, with engines that are slow or die."""

import math
import random
from itertools import chain, repeat

import pytest
import trio

from oddly.arena.client.connection import parse_arena_url
from oddly.arena.client.engine import ArenaEngine
from oddly.arena.client.identity import Identity
from oddly.arena.client.joining import GONE, LAST_WAIT, Joining, Pauses
from oddly.arena.client.machine import ClientMachine
from oddly.games import create_game
from oddly.protocol import NO_CLOCK, parse_turn
from oddly.referee import EngineConfiguration
from tests.arena.client.scripted_arena import HOST, POOL, MemoryEngine, ScriptedArena

SECRET = bytes(range(32))


class Visit:
    """What happened while an engine was at the scripted arena."""

    def __init__(self) -> None:
        self.arena = None
        self.events = []
        self.engines = []
        self.problem = None
        self.joining = None
        self.failures = []

    def told(self, name):
        return [event for event in self.events if name == event.NAME]

    @property
    def asked(self):
        """How many turns engines were asked for."""
        return sum(engine.chosen for engine in self.engines)


async def visit(
    games=1,
    *,
    seconds=0.5,
    sets_up=0.0,
    deaths=(),
    options=None,
    meanwhile=None,
    prepare=None,
    is_smallest=False,
    **arena,
):
    """Let an engine play `games` games; it takes `seconds` a turn, and dies as `deaths` say."""
    found = Visit()
    lives = chain(deaths, repeat(math.inf))

    def open_channel(command, most_stderr, resources):
        found.engines.append(
            MemoryEngine((seconds, next(lives)), sets_up=sets_up, is_smallest=is_smallest)
        )
        return found.engines[-1]

    async with trio.open_nursery() as nursery:
        found.arena = ScriptedArena(nursery, games, **arena)
        if prepare:
            prepare(found.arena)
        engine = ArenaEngine(
            EngineConfiguration("mine", ("mine",), NO_CLOCK, options or {}), nursery,
            found.failures.append, open_channel,
        )  # fmt: skip
        machine = ClientMachine(
            Identity("mine", "mine", "ann", SECRET, HOST, pools=(POOL["pool"],) * is_smallest),
            await engine.start(), games,
        )  # fmt: skip
        found.joining = Joining(
            machine, engine, parse_arena_url(f"ws://{HOST}"), found.events.append,
            found.arena.open_stream,
        )  # fmt: skip
        if meanwhile:
            nursery.start_soon(meanwhile, found)
        found.problem = await found.joining.run()
        nursery.cancel_scope.cancel()
    return found


def assert_sound(found, games=1):
    """Each game was played once, to its end, by legal turns."""
    assert found.problem == ""
    assert len(found.arena.played) == found.arena.acknowledged == games
    assert len(found.told("end")) == games
    for turns in found.arena.played:
        position = create_game(POOL["game"], POOL["size"]).start()
        for turn in turns:
            position = position.play(parse_turn(turn))
        assert position.is_over


async def test_an_engine_plays_two_games_and_leaves(autojump_clock):
    found = await visit(2)
    assert_sound(found, 2)
    assert found.arena.connections == 1
    assert found.asked == len(found.arena.turns_received)
    assert found.arena.joined["program"].startswith("random")
    assert [event.NAME for event in found.events[:2]] == ["joined", "start"]
    assert found.events[-1].NAME == "left"


async def test_an_engine_that_no_command_brings_back_to_the_start_is_started_for_each_game(
    autojump_clock,
):
    found = await visit(3, is_smallest=True)
    assert_sound(found, 3)
    assert found.failures == []
    assert len(found.engines) == 3


async def test_every_message_twice_changes_nothing(autojump_clock):
    found = await visit(2, twice=True)
    assert_sound(found, 2)
    assert found.asked == sum(
        number % 2 == side
        for side, turns in zip((1, 0), found.arena.played, strict=True)
        for number in range(len(turns))
    )


@pytest.mark.parametrize("after", range(1, 40))
async def test_a_cut_after_any_message_costs_nothing(autojump_clock, after):
    found = await visit(messages=chain([after], repeat(math.inf)))
    assert_sound(found)
    assert found.asked == len({number for _, number, _ in found.arena.turns_received})
    turns = {(number, turn) for _, number, turn in found.arena.turns_received}
    assert len(turns) == len({number for number, _ in turns})


async def test_cuts_at_any_byte_cost_nothing(autojump_clock):
    chance = random.Random(36)
    for _ in range(30):
        # The client gives up an arena that it has never reached.
        cuts = [1000, *(chance.randrange(1, 6000) for _ in range(12))]
        found = await visit(2, bytes_=chain(cuts, repeat(math.inf)), seconds=chance.random())
        assert_sound(found, 2)
        assert found.arena.connections > 1


async def test_an_engine_that_thinks_longer_than_silence_lasts_keeps_its_connection(autojump_clock):
    found = await visit(seconds=100.0)
    assert_sound(found)
    assert found.arena.connections == 1


async def test_an_engine_that_dies_gets_the_game_again(autojump_clock):
    found = await visit(deaths=(1, 0))
    assert_sound(found)
    assert found.failures == ["the engine exited with 3"] * 2
    assert len(found.engines) == 3
    names = [command.name for command in found.engines[2].received]
    assert names.index("set_game") < names.index("play") < names.index("genmove")


async def test_an_engine_that_always_dies_resigns_and_leaves_after_three_games(autojump_clock):
    found = await visit(9, deaths=repeat(0))
    assert found.problem == "the engine failed in 3 games in a row"
    assert found.arena.results == ["resigned"] * 3


async def test_an_arena_that_is_silent_is_dialled_again(autojump_clock):
    found = await visit(messages=chain([12], repeat(math.inf)), silent={2, 3, 4})
    assert_sound(found)
    assert found.arena.connections == 5
    cuts = found.told("cut")
    assert [cut.why for cut in cuts[1:]] == ["the arena is silent"] * 3
    assert all(0 < cut.seconds < later.seconds for cut, later in zip(cuts, cuts[2:], strict=False))


async def test_an_engine_that_takes_long_to_say_what_it_plays_is_waited_for(autojump_clock):
    found = await visit(sets_up=50.0, messages=chain([1], repeat(math.inf)))
    assert_sound(found)
    assert found.arena.connections == 2
    assert found.told("cut") == []


async def test_an_option_that_cannot_be_sent_is_a_refusal(autojump_clock):
    found = await visit(options={"seed": "4#2"})
    assert "'4#2' is not one word of a command" in found.problem
    assert found.arena.played == []


async def test_an_engine_that_dies_while_it_is_asked_what_it_plays_is_asked_again(autojump_clock):
    found = await visit(deaths=(-1,))
    assert_sound(found)
    assert found.failures == ["the engine exited with 3"]


async def test_pauses_grow_and_differ(autojump_clock):
    pauses = Pauses()
    found = [pauses.next() for _ in range(12)]
    assert 0.1 <= found[0] <= 0.3
    assert all(0.1 <= pause <= 60 for pause in found)
    assert found[-1] >= 30
    assert len({Pauses().next() for _ in range(9)}) == 9
    pauses.begin_anew()
    assert pauses.next() <= 0.3


@pytest.mark.parametrize("again", [None, 90.0])
async def test_a_refusal_ends_the_visit_or_delays_it(autojump_clock, again):
    def refuse(arena):
        arena.refusal = {"code": "too-many", "reason": "one is enough", "again": again}

    async def relent(found):
        await trio.sleep(80)
        found.arena.refusal = None

    found = await visit(prepare=refuse, meanwhile=relent)
    if again is None:
        assert found.problem == "the arena refuses: one is enough"
        assert found.arena.connections == 1
    else:
        assert_sound(found)
        assert found.arena.connections == 2
        assert [(cut.why, cut.seconds) for cut in found.told("cut")] == [("one is enough", 90.0)]


async def test_the_owner_rests_and_the_game_is_finished(autojump_clock):
    async def rest(found):
        await trio.sleep(1)
        found.joining.rest()

    found = await visit(9, meanwhile=rest)
    assert_sound(found, 1)


@pytest.mark.parametrize(("asked", "after"), [("rest", 1), ("rest", 1000), ("resign", 1000)])
async def test_an_arena_that_is_gone_is_left_a_minute_after_the_owner_wants_to(
    autojump_clock, asked, after
):
    """The bug: a client that was to leave after its game waited for a gone arena for ever."""

    noted = []

    async def leave(found):
        await trio.sleep(after)
        getattr(found.joining, asked)()
        while not found.told("note"):
            await trio.sleep(0.1)
        noted.append(trio.current_time())

    found = await visit(
        messages=chain([12], repeat(math.inf)), silent=range(2, 1000), seconds=10, meanwhile=leave
    )
    (note,) = found.told("note")
    assert note.text == "the arena is away; leaving in 60 s unless it is back"
    assert found.problem == GONE
    assert found.arena.connections > 2
    assert trio.current_time() - noted[0] == pytest.approx(LAST_WAIT, abs=0.2)


async def test_an_arena_that_is_back_in_time_finishes_the_game_of_an_owner_who_rests(
    autojump_clock,
):
    async def rest(found):
        await trio.sleep(100)
        found.joining.rest()

    messages = chain([12], repeat(math.inf))
    found = await visit(9, messages=messages, silent={2, 3, 4, 5}, meanwhile=rest)
    assert_sound(found, 1)
    assert len(found.told("note")) == 1


async def test_the_owner_resigns(autojump_clock):
    async def resign(found):
        await trio.sleep(1)
        found.joining.rest()
        found.joining.resign()

    found = await visit(9, meanwhile=resign)
    assert found.problem == ""
    assert found.arena.results == ["resigned"]


async def test_the_owner_leaves_at_once(autojump_clock):
    async def leave(found):
        await trio.sleep(1)
        found.joining.leave("the game goes on without the engine")

    found = await visit(9, meanwhile=leave)
    assert found.problem == "the game goes on without the engine"
    assert found.arena.results == []

"""Engines between games: kept, restarted, withdrawn; and the processes they leave behind."""

import os
import sys

import pytest
import trio

from oddly.games.catalogue import create_game
from oddly.games.turns import Colour
from oddly.referee.justice.outcome import EngineFault, MachineExhausted, Termination
from oddly.referee.match.engine_pool import EnginePool, Restart
from oddly.referee.match.game import play_game, play_pooled_game
from oddly.referee.program.configuration import EngineConfiguration, Limits, Resources
from oddly.referee.program.process import EngineProcess
from tests.processes import processes
from tests.referee.fakes import ScriptedChannel, composed, fake, said_by, scripted

GAME = create_game("odd", 2)
LIMITS = Limits(grace=0.4)


async def play(
    count: int, first: EngineConfiguration, second: EngineConfiguration, game=GAME, **policy
):
    """Some games in one pool: their terminations, and how many processes they took."""
    started = []

    def open_channel(command, most_stderr, resources=None):
        started.append(command)
        return EngineProcess.start(command, most_stderr, resources)

    outcomes = []
    async with trio.open_nursery() as nursery:
        pool = EnginePool(nursery, LIMITS, open_channel=open_channel, **policy)
        for _ in range(count):
            record = await play_pooled_game(pool, game, (first, second))
            outcomes.append(record.outcome.termination)
        await pool.stop()
    return outcomes, len(started)


async def test_engines_without_a_fault_play_on_in_the_same_process():
    outcomes, started = await play(3, fake(name="a"), fake(name="b"))
    assert outcomes == [Termination.BOARD_FULL] * 3
    assert started == 2


@pytest.mark.parametrize("places", [2, 3])
async def test_idle_engines_make_room_where_the_machine_has_none_for_another(places):
    running = set()

    class Placed(ScriptedChannel):
        def __init__(self, command, most_stderr, resources=None):
            if len(running) == places:
                raise MachineExhausted("no place")
            super().__init__(("", ""))
            running.add(self)

        async def stop(self, grace, farewell=b""):
            await trio.sleep(0.001)
            running.discard(self)

    async with trio.open_nursery() as nursery:
        pool = EnginePool(nursery, LIMITS, open_channel=Placed)
        for names in ("ab", "cd", "ac", "bd", "abc"[:places], "bcd"[:places]):
            players = []

            async def acquire(name, players=players):
                players.append(await pool.acquire(scripted("", name)))

            async with trio.open_nursery() as together:
                for name in names:
                    together.start_soon(acquire, name)
            if len(players) == places:
                with pytest.raises(MachineExhausted):
                    await pool.acquire(scripted("", "e"))
            for player in players:
                await pool.release(player, at_fault=False)
        await pool.stop()
    assert not running


async def test_engines_can_be_restarted_for_every_game():
    outcomes, started = await play(3, fake(name="a"), fake(name="b"), restart=Restart.EVERY_GAME)
    assert outcomes == [Termination.BOARD_FULL] * 3
    assert started == 6


@pytest.mark.parametrize(("name", "size"), [("yodd", 2), ("xodd", 2), ("odd", 2), ("ayu", 3)])
async def test_an_engine_that_no_command_brings_back_to_the_start_is_restarted(name, size):
    smallest = fake("--only", name, str(size), name="b")
    outcomes, started = await play(2, fake(name="a"), smallest, game=create_game(name, size))
    assert not any(outcome.is_forfeit for outcome in outcomes)
    assert started == 3


async def test_such_an_engine_stays_if_no_turn_was_played():
    async with trio.open_nursery() as nursery:
        pool = EnginePool(nursery, LIMITS)
        smallest = fake("--only", "odd", "2")
        player = await pool.acquire(smallest)
        await player.set_up(GAME, None)
        await pool.release(player, at_fault=False)
        assert await pool.acquire(smallest) is player
        await player.take_note(Colour.BLACK, "Ba1")
        await pool.release(player, at_fault=False)
        assert await pool.acquire(smallest) is not player
        await pool.stop()


async def test_an_engine_at_fault_is_restarted_and_its_opponent_is_not():
    outcomes, started = await play(3, fake(name="a"), fake("--fault", "crash", name="b"))
    assert outcomes == [Termination.CRASH] * 3
    assert started == 4


async def test_an_engine_is_withdrawn_after_faults_in_a_row_at_no_cost():
    outcomes, started = await play(
        4, fake(name="a"), fake("--fault", "crash", name="b"), withdraw_after=2
    )
    assert outcomes == [Termination.CRASH] * 2 + [Termination.WITHDRAWN] * 2
    assert started == 3


async def test_a_game_without_a_fault_makes_the_count_begin_anew():
    async with trio.open_nursery() as nursery:
        pool = EnginePool(nursery, LIMITS, withdraw_after=2)
        for at_fault in (True, False, True):
            player = await pool.acquire(fake(name="a"))
            await pool.release(player, at_fault=at_fault)
        assert not pool.is_withdrawn("a")
        player = await pool.acquire(fake(name="a"))
        await pool.release(player, at_fault=True)
        assert pool.is_withdrawn("a")
        with pytest.raises(EngineFault, match="withdrawn after 2 faults in a row"):
            await pool.acquire(fake(name="a"))
        await pool.stop()


async def test_output_too_much_at_a_games_end_is_not_charged_to_the_next_game():
    noisy = fake("--fault", "twice", "--at", "3", name="b")
    outcomes, started = await play(3, fake(name="a"), noisy)
    assert outcomes == [Termination.BOARD_FULL] * 3
    assert started > 2


async def test_a_sequential_engine_gets_one_command_at_a_time(tmp_path):
    log = []
    configuration = fake(name="a")
    patient = EngineConfiguration("b", configuration.command, configuration.time, pipelining=False)

    class Wire:
        def data(self, player, direction, data, at):
            if player == 1 and direction == ">":
                log.append(data.count(b"\n"))

    async with trio.open_nursery() as nursery:
        pool = EnginePool(nursery, LIMITS)
        await play_pooled_game(pool, GAME, (configuration, patient), log=Wire())
        await pool.stop()
    setting_up, *turns = log
    assert setting_up > 1
    assert set(turns) == {1}


@pytest.mark.skipif(sys.platform != "linux", reason="orphans are found on Linux only")
async def test_a_child_that_left_the_group_is_found_and_killed():
    mark = f"{5000 + os.getpid()}.25"
    code = (
        "import subprocess, sys; "
        f"subprocess.Popen(['sleep', '{mark}'], start_new_session=True); "
        "sys.stdout.write('hello\\n')"
    )
    stray = EngineConfiguration("stray", (sys.executable, "-c", code), fake().time)
    outcomes, _ = await play(1, fake(name="a"), stray)
    assert outcomes == [Termination.PROTOCOL]
    assert [line for line in processes() if mark in line] == []


async def test_the_directory_and_the_environment_are_the_engines_own(tmp_path):
    resources = Resources(directory=str(tmp_path), environment={"COLOUR": "green"})
    code = "import os; print(os.getcwd(), os.environ['COLOUR'])"
    assert await said_by(code, resources) == f"{tmp_path.resolve()} green"


async def test_niceness_is_added():
    code = "import os; print(os.nice(0))"
    assert await said_by(code, Resources(nice=3)) == str(min(19, os.nice(0) + 3))


async def test_memory_beyond_the_limit_is_refused_to_the_engine():
    code = "try: bytearray(10**9)\nexcept MemoryError: print('refused')"
    assert await said_by(code, Resources(memory=400)) == "refused"


async def test_processor_time_beyond_the_limit_ends_the_engine():
    ended = await said_by("while True: pass", Resources(cpu_seconds=1))
    assert ended.startswith("was killed (")


async def test_an_idle_engine_outlives_the_threads_that_come_and_go():
    process = EngineProcess.start(("sleep", "60"), 1000)
    for _ in range(3):
        await trio.to_thread.run_sync(lambda: None)
    assert await process.how_it_ended(0.2) == "closed its output and went on running"
    await process.stop(0.2)


async def test_standard_error_of_an_engine_that_is_gone_already_can_be_drained():
    process = EngineProcess.start(("true",), 1000)
    await process.stop(0.2)
    await process.attend()
    assert await process.receive() == b""


async def test_an_engine_that_exits_while_its_child_holds_the_pipes_has_crashed():
    code = (
        "import subprocess, sys; "
        "subprocess.Popen(['sleep', '4000']); "
        "sys.stdin.readline(); sys.exit(3)"
    )
    orphan = EngineConfiguration("orphan", (sys.executable, "-c", code), fake().time)
    outcomes, _ = await play(1, fake(name="a"), orphan)
    assert outcomes == [Termination.CRASH]


@pytest.mark.parametrize(
    ("calls", "death"),
    [
        ([["fork", ["delay", 0.1], ["signal_parent", 9]]], "was killed (SIGKILL)"),
        ([["exit", 3]], "exited with code 3"),
    ],
)
async def test_an_engine_that_dies_between_games_is_started_again(calls, death):
    dying = composed(["play4", *calls], name="b")
    async with trio.open_nursery() as nursery:
        pool = EnginePool(nursery, LIMITS, withdraw_after=1)
        records = []
        for _ in range(2):
            records.append(await play_pooled_game(pool, GAME, (fake(name="a"), dying)))
            await trio.sleep(0.3)
        await pool.stop()
    assert [record.outcome.termination for record in records] == [Termination.BOARD_FULL] * 2
    assert [record.deaths for record in records] == [("", ""), ("", death)]


async def test_an_engine_that_was_stuck_is_not_given_the_whole_limit_again(autojump_clock):
    class Stuck(ScriptedChannel):
        def send_nowait(self, data):
            return b""

    seconds = []
    async with trio.open_nursery() as nursery:
        pool = EnginePool(nursery, Limits(), open_channel=Stuck)
        for _ in range(3):
            began = trio.current_time()
            with pytest.raises(EngineFault, match="no answer to the handshake"):
                await pool.acquire(scripted("", "stuck"))
            seconds.append(trio.current_time() - began)
        await pool.stop()
    assert seconds == pytest.approx([60, 6, 6])
    async with trio.open_nursery() as nursery:
        pool = EnginePool(nursery, Limits(), open_channel=Stuck, stuck=["stuck"])
        began = trio.current_time()
        with pytest.raises(EngineFault, match="no answer to the handshake within 6 s"):
            await pool.acquire(scripted("", "stuck"))
        assert trio.current_time() - began == pytest.approx(6)
        await pool.stop()


async def test_the_engines_of_a_game_are_released_together_and_after_its_record(autojump_clock):
    class Slow(ScriptedChannel):
        async def stop(self, grace, farewell=b""):
            await trio.sleep(grace)

    ended = []
    async with trio.open_nursery() as nursery:
        pool = EnginePool(nursery, Limits(grace=3.0), Restart.EVERY_GAME, open_channel=Slow)
        players = scripted("Bb1 Bb2", "a"), scripted("Bb1", "b")
        await play_pooled_game(
            pool, GAME, players, ended=lambda _: ended.append(trio.current_time())
        )
        assert trio.current_time() - ended[0] == pytest.approx(3.0)


async def test_an_engine_that_closes_its_standard_error_first_has_crashed_all_the_same():
    holds_stdout = ["fork", ["close", 2]]
    bad = composed(
        ["ask2", holds_stdout, ["close", 2], ["delay", 0.3], ["exit", 3]], name="bad", time="20"
    )
    with trio.fail_after(15):
        record = await play_game(GAME, (fake(name="a"), bad), limits=LIMITS)
    assert record.outcome.termination is Termination.CRASH
    assert record.outcome.reason == "bad: the engine exited with code 3"


@pytest.mark.soak
async def test_an_idle_engine_lives_for_half_a_minute_beside_threads_that_end():
    process = EngineProcess.start((sys.executable, "-c", "input()"), 1000)
    for _ in range(31):
        await trio.to_thread.run_sync(lambda: None)
        await trio.sleep(1)
    assert await process.how_it_ended(0.1) == "closed its output and went on running"
    await process.stop(0.2)

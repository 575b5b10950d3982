"""`oddly join` as an author types it, against an arena on a real port."""

import json
import os
import re
import signal
import ssl
import subprocess
import sys
import time
from datetime import datetime

import pytest
import trio
import trustme

from oddly.arena.client.identity import own_key
from oddly.interfaces.command_line import arena_commands
from tests.arena.client.real_arena import listening_arena
from tests.arena.client.scripted_arena import POOL
from tests.patience import PATIENCE

RANDOM = (sys.executable, "-m", "oddly", "engine", "random")


@pytest.fixture
def key(tmp_path):
    return tmp_path / "arena.key"


class Joined:
    """A finished `oddly join`."""

    def __init__(self, code, output, errors) -> None:
        self.code, self.errors = code, errors.decode()
        self.lines = output.decode().splitlines()

    @property
    def events(self):
        return [json.loads(line) for line in self.lines]


def command_line(url, *words, key, engine=RANDOM):
    command = [sys.executable, "-m", "oddly", "join", url, "--name", "mine 1.5"]
    return [*command, "--key", str(key), *words, "--", *engine]


async def join(url, *words, key, engine=RANDOM, stop=None):
    """Run `oddly join` to its end; `stop` gets the process meanwhile."""
    command = command_line(url, *words, key=key, engine=engine)
    output, errors = bytearray(), bytearray()

    async def read(stream, data):
        async for piece in stream:
            data += piece

    with trio.fail_after(PATIENCE):
        process = await trio.lowlevel.open_process(
            command, stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )
        async with trio.open_nursery() as nursery:
            nursery.start_soon(read, process.stdout, output)
            nursery.start_soon(read, process.stderr, errors)
            if stop is not None:
                nursery.start_soon(stop, process)
            code = await process.wait()
    return Joined(code, output, errors)


async def test_an_author_joins_for_two_games(key):
    async with listening_arena(2) as (arena, port):
        done = await join(f"ws://127.0.0.1:{port}", "--games", "2", key=key)
    assert (done.code, arena.acknowledged) == (0, 2)
    assert done.errors == f"oddly: {key} is your key; keep a copy of it\n"
    assert done.lines[0] == "mine 1.5 is at The example, for the first time: http://a/e/mine"
    assert done.lines[1] == "game g1 begins against rival in xodd-3-10+1"
    assert re.match(r"game g1 against rival drawn, [BW]\+\d: as the rules say", done.lines[2])
    assert done.lines[-1] == "left after 2 games"
    assert (arena.joined["family"], arena.joined["owner"]) == ("mine", "")


async def test_json_has_a_line_for_each_event_and_nothing_of_the_key(key):
    async with listening_arena() as (arena, port):
        words = ("--once", "--json", "--family", "ours", "--owner", "ann", "--about", "A try.")
        done = await join(f"http://127.0.0.1:{port}/", *words, key=key)
    assert done.code == 0
    names = [event["event"] for event in done.events]
    assert names[:4] == ["engine", "joined", "start", "clock"]
    assert names[-2:] == ["end", "left"]
    assert (arena.joined["family"], arena.joined["owner"]) == ("ours", "ann")
    assert arena.joined["about"] == "A try."
    secret = key.read_text(encoding="ascii").splitlines()[1]
    assert secret not in "".join(done.lines) + done.errors


async def test_over_tls_with_a_certificate_of_its_own(key, tmp_path):
    authority = trustme.CA()
    server = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    authority.issue_cert("127.0.0.1").configure_cert(server)
    authority.cert_pem.write_to_path(tmp_path / "ca.pem")
    async with listening_arena(tls=server) as (arena, port):
        url = f"wss://127.0.0.1:{port}"
        done = await join(url, "--once", "--ca", str(tmp_path / "ca.pem"), key=key)
        assert (done.code, arena.acknowledged) == (0, 1)
        refused = await join(url, "--once", key=tmp_path / "new.key")
    assert refused.code == 2
    assert refused.errors.endswith(
        "oddly: join: no TLS with the other side: unable to get local issuer certificate\n"
    )


@pytest.mark.sampled
@pytest.mark.parametrize("opened", [os.openpty, os.pipe])
async def test_a_reader_that_goes_away_costs_no_game(key, opened):
    async with listening_arena(2) as (arena, port):
        ours, theirs = opened()
        command = command_line(f"ws://127.0.0.1:{port}", "--games", "2", key=key)
        with trio.fail_after(PATIENCE):
            process = await trio.lowlevel.open_process(
                command, stdin=subprocess.DEVNULL, stdout=theirs, stderr=theirs
            )
            os.close(theirs)
            while len(arena.played) < 2:
                await trio.sleep(0.01)
            os.close(ours)
            code = await process.wait()
    assert (code, arena.acknowledged) == (0, 2)


@pytest.mark.sampled
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
async def test_the_first_signal_finishes_the_game(key, number):
    async with listening_arena(5) as (arena, port):

        async def stop(process):
            while len(arena.played) < 2:
                await trio.sleep(0.01)
            process.send_signal(number)

        done = await join(f"ws://127.0.0.1:{port}", key=key, stop=stop)
    assert done.code == 0
    assert arena.game is None
    assert arena.acknowledged == len(arena.played)
    assert done.lines[-1].startswith("left after")


async def test_the_second_signal_resigns_the_game_and_the_third_leaves(key):
    async with listening_arena(5, seconds=1000.0) as (arena, port):

        async def resign(process):
            while not (arena.game and arena.game.was_set):
                await trio.sleep(0.01)
            process.send_signal(signal.SIGINT)
            await trio.sleep(0.5)
            process.send_signal(signal.SIGINT)

        done = await join(f"ws://127.0.0.1:{port}", key=key, stop=resign)
        assert done.code == 0
        assert arena.results == ["resigned"]
    assert "leaving after this game; another Ctrl-C resigns it" in done.lines
    assert "the game is resigned; another Ctrl-C leaves it to its clock" in done.lines


@pytest.mark.sampled
async def test_an_engine_that_dies_in_a_game_is_started_again(key):
    fake = (sys.executable, "-m", "tests.fakes.engine", "--fault", "crash", "--at", "2")
    async with listening_arena() as (arena, port):
        done = await join(f"ws://127.0.0.1:{port}", "--once", key=key, engine=fake)
    assert done.code == 0
    assert arena.acknowledged == 1
    assert any("exited with code 3; it is started again" in line for line in done.lines)


async def test_an_engine_that_does_not_say_what_it_plays_needs_a_named_pool(key):
    quiet = (sys.executable, "examples/python/tiny.py")
    async with listening_arena() as (arena, port):
        done = await join(f"ws://127.0.0.1:{port}", key=key, engine=quiet)
        assert done.code == 2
        assert "does not say which game it plays: name the pool with --pool" in done.errors
        arena.refusal = {"code": "closed", "reason": "this is enough", "again": None}
        await join(f"ws://127.0.0.1:{port}", "--pool", POOL["pool"], key=key, engine=quiet)
    assert arena.joined["pools"] == [POOL["pool"]]


@pytest.mark.sampled
async def test_the_check_comes_first(key):
    async with listening_arena() as (arena, port):
        words = ("-m", "tests.fakes.engine", "--fault", "illegal", "--at", "1")
        done = await join(
            f"ws://127.0.0.1:{port}", "--check", key=key, engine=(sys.executable, *words)
        )
    assert done.code == 2
    assert arena.played == []
    assert re.search(r"join: the engine fails (a|\d+) steps? of the check in xodd 3", done.errors)


async def _refusing(stream):
    await stream.receive_some()
    await stream.send_all(b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n")
    await stream.aclose()


async def _babbling(stream):
    await stream.send_all(b"220 mail.example.org\r\n")
    await stream.receive_some()
    await stream.aclose()


@pytest.mark.parametrize(
    ("handler", "said"),
    [
        (_refusing, "no arena that speaks oddly-arena.1: HTTP 404"),
        (_babbling, "the other side closed the connection|the connection failed"),
    ],
)
async def test_what_is_no_arena_is_told_in_a_sentence(key, handler, said):
    async with trio.open_nursery() as nursery:
        listeners = await trio.open_tcp_listeners(0, host="127.0.0.1")
        nursery.start_soon(trio.serve_listeners, handler, listeners)
        port = listeners[0].socket.getsockname()[1]
        done = await join(f"ws://127.0.0.1:{port}", key=key)
        nursery.cancel_scope.cancel()
    assert done.code == 2
    assert re.search(said, done.errors), done.errors
    assert "Traceback" not in done.errors


async def test_a_port_where_nobody_listens(key):
    listeners = await trio.open_tcp_listeners(0, host="127.0.0.1")
    port = listeners[0].socket.getsockname()[1]
    for listener in listeners:
        await listener.aclose()
    done = await join(f"ws://127.0.0.1:{port}", key=key)
    assert done.code == 2
    assert done.errors.endswith(
        f"oddly: join: cannot connect to 127.0.0.1:{port}: Connection refused\n"
    )


@pytest.mark.sampled
@pytest.mark.parametrize("words", [(), ("--wait",)], ids=["a known key", "told to wait"])
async def test_an_arena_that_is_away_is_waited_for(key, words):
    if not words:
        own_key(key)
    listeners = await trio.open_tcp_listeners(0, host="127.0.0.1")
    port = listeners[0].socket.getsockname()[1]
    for listener in listeners:
        await listener.aclose()

    async def come_later(process):
        async with listening_arena(port=port) as (arena, _):
            await process.wait()
            assert arena.acknowledged == 1

    async def after_two_tries(process):
        await trio.sleep(0.5)
        await come_later(process)

    done = await join(f"ws://127.0.0.1:{port}", "--once", *words, key=key, stop=after_two_tries)
    assert done.code == 0
    assert done.lines[-1] == "left after 1 game"


@pytest.fixture
def in_berlin(monkeypatch):
    """Where clocks jump on the last Sundays of March and October."""
    with monkeypatch.context() as here:
        here.setenv("TZ", "CET-1CEST,M3.5.0,M10.5.0/3")
        time.tzset()
        yield
    time.tzset()


@pytest.mark.usefixtures("in_berlin")
@pytest.mark.parametrize(
    ("now", "until", "leaves"),
    [
        ("2026-10-24T22:00+02:00", "07:00", "2026-10-25T07:00+01:00"),
        ("2026-03-28T22:00+01:00", "07:00:30", "2026-03-29T07:00:30+02:00"),
        ("2026-03-28T22:00+01:00", "2026-03-29T07:00", "2026-03-29T07:00+02:00"),
        ("2026-10-25T02:30+01:00", "02:45", "2026-10-25T02:45+01:00"),
        ("2026-10-25T12:00+01:00", "12:00", "2026-10-26T12:00+01:00"),
        ("2026-10-25T12:00+01:00", "12:01", "2026-10-25T12:01+01:00"),
    ],
)
def test_until_is_a_time_of_the_clock_on_the_wall(monkeypatch, now, until, leaves):
    class Clock(datetime):
        @classmethod
        def now(cls, tz=None):
            return datetime.fromtimestamp(datetime.fromisoformat(now).timestamp(), tz)

    monkeypatch.setattr(arena_commands, "datetime", Clock)
    found = arena_commands._moment(until)
    assert found.timestamp() == datetime.fromisoformat(leaves).timestamp()


async def test_an_arena_that_refuses(key):
    async with listening_arena() as (arena, port):
        arena.refusal = {"code": "banned", "reason": "no cheats here", "again": None}
        done = await join(f"ws://127.0.0.1:{port}", key=key)
    assert done.code == 2
    assert done.errors.endswith("oddly: join: the arena refuses: no cheats here\n")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("arena.example.org", "--name", "x", "--", "false"), "did you mean 'wss://arena.example"),
        (("wss://a", "--name", "x"), "the engine's command line is missing"),
        (("wss://a", "--", "true"), "required: --name"),
        (("wss://a", "--name", "x", "--", "rave"), "did you mean 'oddly engine rave'"),
        (("wss://a", "--name", "", "--", "true"), "argument --name: the name .* has 0 characters"),
        (("wss://a", "--name", "räve", "--", "true"), "has the character 'ä', expected letters"),
        (("wss://a", "--name", "x", "--until", "noon", "--", "true"), "argument --until: a time"),
        (
            ("wss://a", "--name", "x", "--invitation", "bad\udcff", "--", "true"),
            r'argument --invitation: is "bad\\udcff", expected printable text in one line',
        ),
        (
            ("wss://a", "--name", "x", "--until", "2001-01-01T00:00", "--", "true"),
            "time in the future",
        ),
        (
            ("wss://a", "--name", "x", "--until", "0001-01-01T00:00", "--", "true"),
            "argument --until: a time",
        ),
        (("wss://a", "--name", "x", "--games", "2", "--once", "--", "true"), "not allowed with"),
        (("wss://a", "--name", "x", "--", "false"), "the engine does not start: .*exited with"),
        (
            ("wss://a", "--name", "x", "--ca", "none.pem", "--", "false"),
            "cannot read the certificate none.pem: No such file or directory",
        ),
        (
            ("wss://a", "--name", "x", "--ca", __file__, "--", "false"),
            "test_join_command.py is no certificate as PEM",
        ),
    ],
)
def test_bad_input_gets_one_sentence(refusal, key, monkeypatch, words, said):
    monkeypatch.setenv("XDG_CONFIG_HOME", str(key.parent))
    (key.parent / "oddly").mkdir()
    from oddly.arena.client.identity import own_key

    own_key(key.parent / "oddly" / "arena.key")
    assert re.search(said, refusal("join", *words))

"""A real arena in a process of its own, over real sockets."""

import json
import socket
from contextlib import asynccontextmanager

import httpx2
import pytest
import trio

from oddly.arena import SUBPROTOCOL, Hello, parse_from_arena
from oddly.interfaces.command_line.main import main
from oddly.referee import Termination
from tests.interfaces.arena.guests import GONE, Guest, codes_in, dialled
from tests.interfaces.arena.hosting import Host, hosted
from tests.patience import PATIENCE


async def until(what):
    """Wait until something is true."""
    with trio.fail_after(PATIENCE):
        while not what():
            await trio.sleep(0.02)


@asynccontextmanager
async def playing(*guests):
    """Let guests play while the block runs; yield the nursery in which they do."""
    async with trio.open_nursery() as nursery:
        for guest in guests:
            nursery.start_soon(guest.play)
        yield nursery
        nursery.cancel_scope.cancel()


async def play_for(guests, what):
    """Let guests play until something is true."""
    async with playing(*guests):
        await until(what)


def agree(guests, records):
    """What guests heard is what the ledger has, without a loss by fault."""
    for guest in guests:
        for game, end in guest.ends.items():
            assert records[game].outcome.winner == end.winner
    for record in records.values():
        assert record.outcome.termination in (Termination.BOARD_FULL, Termination.DOUBLE_PASS)
        assert record.timing.credits is not None


@pytest.mark.sampled
async def test_engines_dial_in_and_play(tmp_path):
    with hosted(tmp_path) as host:
        guests = [Guest(host.url, f"guest {n}x") for n in range(3)]
        await play_for(guests, lambda: all(len(guest.ends) >= 4 for guest in guests))
        assert host.stop() == 0
    assert host.greeting.startswith(f"http://127.0.0.1:{host.port}/ Test; Ctrl-C")
    agree(guests, host.records())
    (welcome,) = guests[0].welcomes
    assert welcome.new
    assert welcome.page == f"http://127.0.0.1:{host.port}/engines/guest-0x"
    rating = [*guests[0].ends.values()][-1].rating
    assert rating.games == len(guests[0].ends)
    assert rating.provisional


@pytest.mark.sampled
async def test_games_go_on_after_a_kill_and_after_a_stop(tmp_path):
    with hosted(tmp_path) as host:
        guests = [Guest(host.url, f"guest {n}x", thinks=0.02) for n in range(4)]
        async with playing(*guests):
            for end in (host.kill, host.stop, host.kill):
                accepted = sum(len(guest.accepted) for guest in guests)
                await until(lambda n=accepted: sum(len(g.accepted) for g in guests) > n + 20)
                end()
                await trio.to_thread.run_sync(host.start)
            await until(lambda: all(guest.ends for guest in guests))
        host.stop()
    agree(guests, host.records())
    assert all(not guest.welcomes[-1].new for guest in guests)
    assert 1012 in {code for guest in guests for code in guest.codes}


@pytest.fixture(scope="module")
def idle(tmp_path_factory):
    """An arena in which no game is played."""
    with hosted(tmp_path_factory.mktemp("idle")) as host:
        yield host


async def first_messages(url, *texts, headers=(), subprotocols=(SUBPROTOCOL,)):
    """What the arena says after these texts, until it closes; and the codes."""
    heard, codes = [], []
    try:
        async with dialled(url, subprotocols, headers) as websocket:
            for text in texts:
                await websocket.send_message(text)
            with trio.fail_after(PATIENCE):
                while True:
                    heard.append(parse_from_arena(await websocket.get_message()))
    except* GONE as gone:
        codes = codes_in(gone)
    return heard, codes


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("hello", "not a JSON object"),
        ('{"type":"ready"}', "the first message is expected to be join"),
        ('{"type":"redy"}', "did you mean 'ready'?"),
        (json.dumps({"type": "join"}), "'name' is missing"),
        (b"\x00", "expected to be text"),
    ],
)
async def test_what_is_no_join_is_refused(idle, text, said):
    (hello, refused), codes = await first_messages(idle.url, text)
    assert (hello.arena, refused.code, codes) == ("Test", "bad-message", [1008])
    assert said in refused.reason


async def test_a_header_of_half_a_megabyte_is_refused(idle):
    try:
        said = await first_messages(idle.url, headers=[(b"x", b"y" * 500_000)])
    except* GONE:
        said = ([], [])
    assert said == ([], [])
    async with dialled(idle.url) as websocket:
        assert isinstance(parse_from_arena(await websocket.get_message()), Hello)


@pytest.mark.sampled
async def test_attacks_cost_others_nothing(tmp_path):
    """A giant frame, a page, half-open sockets, a reader that does not read, a stolen name."""
    with hosted(tmp_path) as host:
        _, codes = await first_messages(host.url, "x" * 1_000_000)
        assert codes == [1009]
        for options in ({"headers": [(b"origin", b"https://evil.example")]}, {"subprotocols": ()}):
            assert await first_messages(host.url, **options) == ([], [])
        half_open = [socket.create_connection(("127.0.0.1", host.port)) for _ in range(200)]
        guests = [Guest(host.url, f"guest {n}x") for n in range(2)]
        thief = Guest(host.url, "guest 0x", owner="a thief")
        twin = Guest(host.url, "Guest Ox", owner="a twin")
        await play_for(guests, lambda: all(len(guest.ends) >= 2 for guest in guests))
        for other in (thief, twin):
            with trio.fail_after(PATIENCE):
                await other.play()
            assert other.refused.code == "name-taken"
        await play_for(guests, lambda: all(len(guest.ends) >= 4 for guest in guests))
        for each in half_open:
            each.close()
        host.stop()
    agree(guests, host.records())


def test_no_message_is_compressed(idle):
    asked = (
        f"GET /arena HTTP/1.1\r\nHost: arena\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        f"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: {'A' * 22}==\r\n"
        f"Sec-WebSocket-Protocol: {SUBPROTOCOL}\r\n"
        "Sec-WebSocket-Extensions: permessage-deflate\r\n\r\n"
    )
    with socket.create_connection(("127.0.0.1", idle.port), PATIENCE) as connection:
        connection.sendall(asked.encode())
        answer = connection.recv(1000).lower()
    assert answer.startswith(b"http/1.1 101")
    assert b"sec-websocket-extensions" not in answer


async def test_a_second_session_takes_over(idle):
    one, other = (Guest(idle.url, "same x") for _ in range(2))
    async with playing(one) as nursery:
        await until(lambda: one.welcomes)
        nursery.start_soon(other.play)
        await until(lambda: one.refused)
        assert one.refused.code == "taken-over"
        await until(lambda: other.welcomes)


async def test_too_many_connections_are_refused(tmp_path):
    with hosted(tmp_path, "connections = 1") as host:
        one, other = Guest(host.url, "one x"), Guest(host.url, "other x")
        async with playing(one):
            await until(lambda: one.welcomes)
            with trio.fail_after(PATIENCE):
                await other.play()
            assert other.refused.code == "too-many"
            assert other.refused.again == 60


def test_a_folder_belongs_to_one_arena(idle, refusal):
    other = Host(idle.folder)
    errors = refusal("arena", other.file)
    assert "another run is writing to this file of an arena now" in errors
    assert errors.count("\n") == 1


async def test_health(tmp_path):
    with hosted(tmp_path) as host:
        guests = [Guest(host.url, f"guest {n}x", thinks=0.05) for n in range(2)]
        async with playing(*guests):
            await until(lambda: guests[0].accepted)
            async with httpx2.AsyncClient() as client:
                answer = await client.get(f"http://127.0.0.1:{host.port}/healthz")
    assert answer.status_code == 200
    assert answer.json() == {"status": "ok", "games": 1, "engines": 2, "connections": 2}


def test_a_port_that_is_taken_is_one_sentence(tmp_path, capsys):
    host = Host(tmp_path)
    with socket.create_server(("127.0.0.1", host.port)):
        assert main(["arena", str(host.file)]) == 2
    assert capsys.readouterr().err == (
        f"oddly: arena: port {host.port} is taken: another program listens there; give another "
        f"port in {host.file}, or 0 for any that is free\n"
    )

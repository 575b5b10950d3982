"""A bridge on loopback, with real engines, and with clients that mean no good."""

from __future__ import annotations

import os
import socket
import struct
import sys
from contextlib import asynccontextmanager

import pytest
import trio
import trio.testing

from games.catalogue import create_game
from protocol.codec import MAX_LINE
from protocol.time_control import parse_time_control
from referee.bridge import handshake
from referee.bridge.address import BridgeAddress, BridgeError
from referee.bridge.connector import carry
from referee.bridge.limits import BridgeLimits
from referee.bridge.listener import Listener, open_listeners
from referee.match import play_game
from referee.outcome import Termination
from referee.player import EngineConfiguration
from tests.patience import PATIENCE
from tests.referee.fakes import FAKE

ECHO = ("cat",)
FAMILY = ("sh", "-c", "sleep 1000 & echo $$ $!; cat; sleep 1000")
TOKEN = b"a secret of the club"


class Place:
    """Where a bridge listens; what was dialled is hung up in the end."""

    def __init__(self, address: BridgeAddress) -> None:
        self.address = address
        self.streams: list[trio.SocketStream] = []

    async def dial(self) -> trio.SocketStream:
        stream = await trio.open_tcp_stream(*self.address)
        self.streams.append(stream)
        return stream


@asynccontextmanager
async def bridge(command=ECHO, token=b"", told=None, **limits):
    """A bridge that runs `command`, for a while."""
    told = [] if told is None else told
    listeners = await open_listeners(BridgeAddress("127.0.0.1", 0), has_token=bool(token))
    listener = Listener(command, token, BridgeLimits(**{"grace": 0.2, **limits}), told.append)
    with trio.fail_after(PATIENCE):
        async with trio.open_nursery() as nursery:
            nursery.start_soon(listener.serve, listeners)
            place = Place(BridgeAddress(*listeners[0].socket.getsockname()))
            try:
                yield place
            finally:
                nursery.cancel_scope.cancel()
                for stream in place.streams:
                    stream.socket.close()


async def knock(place, token=b""):
    """A connection that has shaken hands, and what came with it."""
    stream = await place.dial()
    nonce = handshake.nonce_in((await some(stream)).rstrip())
    await stream.send_all(handshake.HELLO + handshake.prove(token, nonce) + b"\n")
    return stream, await some(stream)


async def some(stream) -> bytes:
    try:
        return bytes(await stream.receive_some(MAX_LINE))
    except trio.BrokenResourceError:
        return b""


async def everything(stream) -> bytes:
    said = b""
    while data := await some(stream):
        said += data
    return said


async def until(condition) -> None:
    while not condition():
        await trio.sleep(0.01)


def is_running(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


async def test_bytes_go_both_ways_and_the_engine_sees_the_end_of_its_input():
    async with bridge() as place:
        stream, answer = await knock(place)
        await stream.send_all(b"1 name\n")
        while not answer.endswith(b"1 name\n"):
            answer += await some(stream)
        assert answer == b"ok\n1 name\n"
        await stream.send_eof()
        assert await everything(stream) == b""


async def test_each_connection_has_an_engine_of_its_own():
    async with bridge(("sh", "-c", "echo $$; cat")) as place:
        said = set()
        for _ in range(3):
            stream, answer = await knock(place)
            while answer.count(b"\n") < 2:
                answer += await some(stream)
            said.add(answer)
        assert len(said) == 3


async def test_a_disconnection_ends_the_engine_and_its_children():
    told = []
    async with bridge(FAMILY, told=told) as place:
        stream, answer = await knock(place)
        while answer.count(b"\n") < 2:
            answer += await some(stream)
        pids = [int(word) for word in answer.split()[1:]]
        assert all(map(is_running, pids))
        await trio.aclose_forcefully(stream)
        await until(lambda: not any(map(is_running, pids)))
        await until(lambda: len(told) == 3)
    assert "began" in told[1]
    assert "clos" in told[2] or "broke" in told[2]


async def test_a_bridge_that_stops_ends_its_engines():
    async with bridge(FAMILY) as place:
        stream, answer = await knock(place)
        while answer.count(b"\n") < 2:
            answer += await some(stream)
        pids = [int(word) for word in answer.split()[1:]]
    with trio.fail_after(PATIENCE):
        await until(lambda: not any(map(is_running, pids)))


async def test_an_engine_that_dies_ends_the_connection_and_its_last_words_are_told():
    told = []
    async with bridge(("sh", "-c", "echo '\033[31mfire' >&2; exit 3"), told=told) as place:
        stream, answer = await knock(place)
        assert answer + await everything(stream) == b"ok\n"
        await until(lambda: len(told) == 3)
    assert "exited with code 3; it had said: \\x1b[31mfire" in told[2]


@pytest.mark.parametrize(
    "line",
    [
        b"",
        b"GET / HTTP/1.1\r\n",
        b"oddly-bridge 1 0000\n",
        b"oddly-bridge 1 \xff\xfe\n",
        b"\0" * 600,
    ],
)
async def test_who_does_not_prove_the_token_gets_no_engine(line):
    told = []
    async with bridge(token=TOKEN, told=told, handshake=0.2) as place:
        stream = await place.dial()
        await some(stream)
        await stream.send_all(line)
        assert (await some(stream)).startswith(b"error ")
        await until(lambda: len(told) == 2)
    assert "began" not in told[1]


async def test_a_wrong_token_is_refused_and_the_right_one_is_not():
    async with bridge(token=TOKEN) as place:
        assert (await knock(place, b"a guess"))[1].startswith(b"error wrong token")
        assert (await knock(place))[1].startswith(b"error wrong token")
        assert (await knock(place, TOKEN))[1] == b"ok\n"


async def test_an_old_proof_is_worth_nothing():
    async with bridge(token=TOKEN) as place:
        first = await place.dial()
        proof = handshake.prove(TOKEN, handshake.nonce_in((await some(first)).rstrip()))
        second = await place.dial()
        await some(second)
        await second.send_all(handshake.HELLO + proof + b"\n")
        assert (await some(second)).startswith(b"error wrong token")


@pytest.mark.parametrize("said", [b"", b"GET / HTTP/1.1\r\n"])
async def test_who_resets_the_connection_at_once_leaves_the_bridge_standing(said):
    at_once = struct.pack("ii", 1, 0)
    told = []
    async with bridge(told=told) as place:
        for _ in range(20):
            stream = await place.dial()
            stream.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, at_once)
            if said:
                await stream.send_all(said)
            stream.socket.close()
        assert (await knock(place))[1] == b"ok\n"


async def test_one_who_drips_his_handshake_is_cut_off():
    async with bridge(handshake=0.3) as place:
        stream = await place.dial()
        await some(stream)
        try:
            while True:
                await stream.send_all(b"o")
                await trio.sleep(0.05)
        except trio.BrokenResourceError:
            pass


async def test_there_are_no_more_strangers_and_no_more_engines_than_allowed():
    async with bridge(strangers=2, sessions=1) as place:
        _open, answer = await knock(place)
        assert answer == b"ok\n"
        assert (await knock(place))[1].startswith(b"error busy: 1 engines")
        strangers = [await place.dial() for _ in range(2)]
        for stranger in strangers:
            await some(stranger)
        assert await some(await place.dial()) == b"error too many connections at once\n"
        for stranger in strangers:
            await trio.aclose_forcefully(stranger)


async def test_a_line_without_end_ends_the_connection_and_is_not_kept():
    told = []
    async with bridge(("sleep", "1000"), told=told) as place:
        stream, _ = await knock(place)
        try:
            for _ in range(64):
                await stream.send_all(b"x" * MAX_LINE)
        except trio.BrokenResourceError:
            pass
        await until(lambda: len(told) == 3)
    assert f"a line of more than {MAX_LINE} bytes" in told[2]


async def test_lines_of_the_most_bytes_pass():
    async with bridge(("wc", "-c")) as place:
        stream, answer = await knock(place)
        for _ in range(3):
            await stream.send_all(b"x" * MAX_LINE + b"\n")
        await stream.send_eof()
        answer += await everything(stream)
        assert int(answer.split()[1]) == 3 * (MAX_LINE + 1)


async def test_one_who_does_not_read_is_cut_off():
    told = []
    async with bridge(("yes",), told=told, stall=0.3) as place:
        _stream, _ = await knock(place)
        await until(lambda: len(told) == 3)
    assert "read nothing for 0.3 s" in told[2]


async def test_silence_is_not_borne_for_ever():
    told = []
    async with bridge(told=told, idle=0.3) as place:
        stream, _ = await knock(place)
        assert await everything(stream) == b""
        await until(lambda: len(told) == 3)
    assert "nothing was said for 0.3 s" in told[2]


async def test_an_engine_that_cannot_start_is_no_secret():
    told = []
    async with bridge(("/no/such/engine",), told=told) as place:
        stream, answer = await knock(place)
        await everything(stream)
        assert answer.startswith((b"ok", b"error"))
        await until(lambda: len(told) == 3)
    assert "No such file" in " ".join(told) or "exited" in " ".join(told)


@pytest.mark.parametrize("host", ["0.0.0.0", "::"])  # noqa: S104
async def test_without_a_token_nobody_else_may_listen_in(host):
    with pytest.raises(BridgeError, match="can be reached from other machines: expected a token"):
        await open_listeners(BridgeAddress(host, 0), has_token=False)


async def test_the_connector_is_the_engine():
    async with bridge(token=TOKEN) as place:
        there, source = trio.testing.memory_stream_pair()
        sink, back = trio.testing.memory_stream_pair()
        await there.send_all(b"1 name\n")
        async with trio.open_nursery() as nursery:
            nursery.start_soon(carry, place.address, TOKEN, source, sink)
            assert await back.receive_some(100) == b"1 name\n"
            await there.send_eof()


async def test_the_connector_says_why_it_was_refused():
    source, sink = trio.testing.memory_stream_pair()
    async with bridge(token=TOKEN) as place:
        with pytest.raises(BridgeError, match="refused: wrong token"):
            await carry(place.address, b"", source, sink)
    with pytest.raises(BridgeError, match=r"cannot connect to .*: Connection refused"):
        await carry(place.address, b"", source, sink)


async def test_the_connector_says_that_the_connection_was_closed():
    source, sink = trio.testing.memory_stream_pair()
    async with bridge(("sh", "-c", "exit 1")) as place:
        with pytest.raises(BridgeError, match="closed the connection"):
            await carry(place.address, b"", source, sink)


async def test_a_game_over_a_bridge(tmp_path):
    token = tmp_path / "token"
    token.write_bytes(TOKEN)
    engine = (sys.executable, FAKE)
    async with bridge(engine, token=TOKEN) as place:
        far = (
            sys.executable,
            "-m",
            "interfaces",
            "bridge",
            "--connect",
            str(place.address),
        )
        clock = parse_time_control("10")
        configurations = (
            EngineConfiguration("far", (*far, "--token-file", str(token)), clock),
            EngineConfiguration("near", engine, clock),
        )
        record = await play_game(create_game("xodd", 2), configurations, seed=1)
    assert not record.outcome.is_forfeit, record.outcome.reason
    assert record.outcome.score in ("B+1", "W+1")


async def test_a_bridge_that_falls_in_the_middle_of_a_game_is_a_crash_of_its_engine():
    engine = (sys.executable, FAKE)
    listeners = await open_listeners(BridgeAddress("127.0.0.1", 0), has_token=False)
    address = BridgeAddress(*listeners[0].socket.getsockname())
    far = (sys.executable, "-m", "interfaces", "bridge", "--connect", str(address))
    clock = parse_time_control("10")
    configurations = (
        EngineConfiguration("near", engine, clock),
        EngineConfiguration("far", far, clock),
    )
    with trio.fail_after(PATIENCE):
        async with trio.open_nursery() as nursery:
            falling = trio.CancelScope()

            async def serve():
                with falling:
                    await Listener(engine).serve(listeners)

            nursery.start_soon(serve)
            game = create_game("yodd", 3)
            record = await play_game(game, configurations, on_turn=lambda _: falling.cancel())
    assert record.outcome.termination is Termination.CRASH
    assert record.players[1 - record.outcome.winner] == "far"

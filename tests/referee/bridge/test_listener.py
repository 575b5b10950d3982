"""The engine's end of a bridge, with real engines, and with clients that mean no good."""

import socket
import struct
import sys

import pytest
import trio
import trio.testing
from trio_websocket import ConnectionClosed

from oddly.protocol.codec import MAX_LINE
from oddly.referee.bridge import handshake
from oddly.referee.bridge.address import BridgeAddress, BridgeError, BridgeTarget
from oddly.referee.bridge.connector import carry, websocket_to
from oddly.referee.bridge.listener import open_listeners
from oddly.referee.bridge.websocket import accepted
from oddly.referee.justice.outcome import MachineExhausted
from oddly.referee.program.channel import CHUNK
from oddly.referee.program.process import EngineProcess
from tests.patience import PATIENCE
from tests.referee.bridge.guests import FAMILY, TOKEN, bridge, is_running, knock, until, visit


async def test_bytes_go_both_ways_and_the_engine_sees_the_end_of_its_input():
    async with bridge() as place:
        guest, answer = await knock(place)
        assert answer == "ok"
        await guest.channel.send(b"1 name\n")
        assert await guest.receives_lines(1) == b"1 name\n"
        await guest.channel.send(b"")
        assert await guest.receives() == b""


async def test_each_connection_has_an_engine_of_its_own():
    async with bridge(("sh", "-c", "echo $$; cat")) as place:
        said = {await (await knock(place))[0].receives_lines(1) for _ in range(3)}
    assert len(said) == 3


async def test_a_disconnection_ends_the_engine_and_its_children():
    told = []
    async with bridge(FAMILY, told=told) as place:
        guest, _ = await knock(place)
        pids = [int(word) for word in (await guest.receives_lines(1)).split()]
        assert all(map(is_running, pids))
        await guest.hangs_up()
        await until(lambda: not any(map(is_running, pids)))
        await until(lambda: len(told) == 3)
    assert "began" in told[1]
    assert "clos" in told[2]


async def test_a_bridge_that_stops_ends_its_engines():
    async with bridge(FAMILY) as place:
        guest, _ = await knock(place)
        pids = [int(word) for word in (await guest.receives_lines(1)).split()]
    with trio.fail_after(PATIENCE):
        await until(lambda: not any(map(is_running, pids)))


async def test_an_engine_that_dies_ends_the_connection_and_its_last_words_are_told():
    told = []
    async with bridge(("sh", "-c", "echo '\033[31mfire' >&2; exit 3"), told=told) as place:
        guest, _ = await knock(place)
        assert await guest.receives_all() == b""
        await until(lambda: len(told) == 3)
    assert "exited with code 3; it had said: \\x1b[31mfire" in told[2]


@pytest.mark.parametrize(
    "words",
    [
        b"",
        b"GET / HTTP/1.1\r\n\r\n",
        b"oddly-bridge 1 0000\n",
        b"\xff\xfe\n",
        pytest.param(b"\0" * 60_000, id="zeros"),
        # A page in a browser, which would be any page.
        (
            b"GET / HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
            b"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n"
            b"Sec-WebSocket-Protocol: oddly-bridge.2\r\nOrigin: http://localhost\r\n\r\n"
        ),
    ],
)
async def test_what_opens_no_websocket_of_ours_gets_no_engine(words):
    told = []
    async with bridge(told=told, handshake=0.3) as place:
        stream = await place.dial()
        await stream.send_all(words)
        try:
            while data := await stream.receive_some(MAX_LINE):
                assert b" 101 " not in data
        except trio.BrokenResourceError:
            pass
        await until(lambda: len(told) == 2)
        assert (await knock(place))[1] == "ok"
    assert "refused: " in told[1]


@pytest.mark.sampled
@pytest.mark.parametrize("message", ["", b"", "hello", "x" * 100_000, "hello " + "0" * 32])
async def test_who_does_not_prove_the_token_gets_no_engine(message):
    told = []
    async with bridge(token=TOKEN, told=told, handshake=2.0) as place:
        guest = await visit(place)
        await guest.says(message)
        while answer := await guest.hears():
            assert answer != "ok"
        await until(lambda: len(told) == 2)
    assert "began" not in told[1]


async def test_a_wrong_token_is_refused_and_the_right_one_is_not():
    async with bridge(token=TOKEN) as place:
        assert (await knock(place, b"a guess"))[1] == "error wrong token"
        assert (await knock(place))[1] == "error wrong token"
        assert (await knock(place, TOKEN))[1] == "ok"


async def test_an_old_proof_is_worth_nothing():
    async with bridge(token=TOKEN) as place:
        one, other = await visit(place), await visit(place)
        nonce = "0" * 32
        for guest in (one, other):
            await guest.says(handshake.hello(nonce))
        nonces = handshake.Nonces(nonce, (await one.hears()).split()[1])
        await other.hears()
        await other.says(f"proof {handshake.prove(TOKEN, 'connector', nonces)}")
        assert await other.hears() == "error wrong token"


async def test_a_false_listener_learns_nothing_and_gets_no_session():
    """It passes every message of the handshake on, and then wants to play by itself."""
    told = []
    async with bridge(token=TOKEN, told=told) as place:
        listeners = await open_listeners(BridgeAddress("127.0.0.1", 0), has_token=True)
        false = BridgeAddress(*listeners[0].socket.getsockname())
        seen = []

        async def relay(stream):
            async with accepted(stream) as victim, websocket_to(place.target) as listener:
                for source, sink in ((victim, listener), (listener, victim)) * 2:
                    message = await source.get_message()
                    seen.append(message)
                    await sink.send_message(message)
                await listener.send_message(b"1 name\n")
                with pytest.raises(ConnectionClosed):
                    await listener.get_message()
                await victim.send_message(b"= mine\n\n")
                await trio.sleep_forever()

        place.nursery.start_soon(trio.serve_listeners, relay, listeners)
        _there, source = trio.testing.memory_stream_pair()
        sink, _back = trio.testing.memory_stream_pair()
        with pytest.raises(BridgeError, match="somebody is in between"):
            await carry(BridgeTarget(false), TOKEN, source, sink)
    assert (seen[3], len(seen)) == ("ok", 4)
    assert "somebody is in between" in told[2]
    assert not any(TOKEN.decode() in str(message) for message in seen)


async def test_a_listener_without_the_token_is_refused():
    source, sink = trio.testing.memory_stream_pair()
    async with bridge(token=b"another secret here") as place:
        with pytest.raises(BridgeError, match="does not know the token"):
            await carry(place.target, TOKEN, source, sink)


@pytest.mark.parametrize("said", [b"", b"GET / HTTP/1.1\r\n"])
async def test_who_resets_the_connection_at_once_leaves_the_bridge_standing(said):
    at_once = struct.pack("ii", 1, 0)
    async with bridge() as place:
        for _ in range(20):
            stream = await place.dial()
            stream.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, at_once)
            if said:
                await stream.send_all(said)
            stream.socket.close()
        assert (await knock(place))[1] == "ok"


async def test_silent_connections_lock_nobody_out_and_fill_no_log():
    told = []
    async with bridge(told=told, sessions=1, token=TOKEN) as place:
        for _ in range(100):
            await place.dial()
        _guest, answer = await knock(place, TOKEN)
        assert answer == "ok"
        assert (await knock(place, TOKEN))[1].startswith("error busy: 1 engines")
        for _ in range(100):
            assert (await knock(place, b"a guess"))[1] == "error wrong token"
        told_before = len(told)
    assert told_before == 3, told
    assert "refused: its place was taken" in told[1]
    assert "more connections refused, from 1 addresses" in told[-2] + told[-1]


async def test_one_who_drips_is_cut_off():
    async with bridge(handshake=0.3) as place:
        stream = await place.dial()
        try:
            while True:
                await stream.send_all(b"o")
                await trio.sleep(0.05)
        except trio.BrokenResourceError:
            pass


async def test_a_line_without_end_reaches_the_engine_cut():
    """It is for the engine to refuse it, and to read the next line as usual."""
    async with bridge(("wc", "-c")) as place:
        guest, _ = await knock(place)
        for _ in range(64):
            await guest.channel.send(b"x" * MAX_LINE)
        await guest.channel.send(b"x\nname\n")
        await guest.channel.send(b"")
        assert int(await guest.receives_all()) == MAX_LINE + 1 + len(b"\nname\n")


async def test_a_bridged_engine_refuses_a_line_that_is_too_long():
    async with bridge((sys.executable, "-m", "oddly", "engine", "random")) as place:
        guest, _ = await knock(place)
        line = b"1 name " + b"x" * (3 * MAX_LINE) + b"\n2 name\n"
        for start in range(0, len(line), CHUNK):
            await guest.channel.send(line[start : start + CHUNK])
        refusal, _, name, _ = (await guest.receives_lines(4)).splitlines()
    assert refusal.startswith(b"?1 ")
    assert name == b"=2 random"


async def test_what_an_engine_writes_is_never_cut():
    """Its long lines are for the referee to judge."""
    async with bridge(("head", "-c", str(3 * MAX_LINE), "/dev/zero")) as place:
        guest, _ = await knock(place)
        assert len(await guest.receives_all()) == 3 * MAX_LINE


async def test_lines_of_the_most_bytes_pass():
    async with bridge(("wc", "-c")) as place:
        guest, _ = await knock(place)
        for _ in range(3):
            line = b"x" * MAX_LINE + b"\n"
            await guest.channel.send(line[:CHUNK])
            await guest.channel.send(line[CHUNK:])
        await guest.channel.send(b"")
        assert int(await guest.receives_all()) == 3 * (MAX_LINE + 1)


async def test_one_who_does_not_read_is_cut_off():
    told = []
    async with bridge(("yes",), told=told, stall=0.3) as place:
        _guest, _ = await knock(place)
        await until(lambda: len(told) == 3)
    assert "read nothing for 0.3 s" in told[2]


async def test_silence_is_not_borne_for_ever():
    told = []
    async with bridge(told=told, idle=0.3) as place:
        guest, _ = await knock(place)
        assert await guest.receives_all() == b""
        await until(lambda: len(told) == 3)
    assert "no byte came for 0.3 s" in told[2]


async def test_an_engine_that_cannot_start_is_no_secret():
    told = []
    async with bridge(("/no/such/engine",), told=told) as place:
        _guest, answer = await knock(place)
        assert answer.startswith(("ok", "error"))
        await until(lambda: len(told) == 3)
    assert "No such file" in " ".join(told) or "exited" in " ".join(told)


@pytest.mark.parametrize("host", ["0.0.0.0", "::"])  # noqa: S104
async def test_without_a_token_nobody_else_may_listen_in(host):
    with pytest.raises(BridgeError, match="can be reached from other machines: expected a token"):
        await open_listeners(BridgeAddress(host, 0), has_token=False)


async def test_an_exhausted_machine_costs_a_session_and_not_the_listener(monkeypatch):
    def exhausted(*_):
        raise MachineExhausted("too many open files")

    told = []
    async with bridge(told=told) as place:
        with monkeypatch.context() as patch:
            patch.setattr(EngineProcess, "start", exhausted)
            _, answer = await knock(place)
            assert answer == "error the engine did not start"
        assert told[-1] == "the machine is exhausted: too many open files"
        assert (await knock(place))[1] == "ok"

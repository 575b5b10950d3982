"""The referee's end of a bridge, and games over one."""

import functools
import ssl
import sys
from datetime import UTC, datetime, timedelta

import pytest
import trio
import trio.testing
import trustme

from oddly.games.catalogue import create_game
from oddly.protocol.notation import parse_time_control
from oddly.referee.bridge import connector
from oddly.referee.bridge.address import BridgeAddress, BridgeError, BridgeTarget, parse_target
from oddly.referee.bridge.connector import carry
from oddly.referee.bridge.listener import Listener, open_listeners
from oddly.referee.bridge.presence import answers
from oddly.referee.justice.outcome import Termination
from oddly.referee.match.game import play_game
from oddly.referee.program.configuration import EngineConfiguration
from tests.patience import PATIENCE
from tests.referee.bridge.guests import TOKEN, bridge, carried
from tests.referee.fakes import FAKE


async def test_the_connector_is_the_engine():
    async with bridge(token=TOKEN) as place, carried(place.target, TOKEN) as (there, back):
        await there.send_all(b"1 name\n")
        assert await back.receive_some(100) == b"1 name\n"


async def test_the_connector_says_why_it_was_refused():
    source, sink = trio.testing.memory_stream_pair()
    async with bridge(token=TOKEN) as place:
        with pytest.raises(BridgeError, match="does not know the token"):
            await carry(place.target, b"", source, sink)
    with pytest.raises(BridgeError, match=r"cannot connect to .*: Connection refused"):
        await carry(place.target, b"", source, sink)
    with pytest.raises(BridgeError, match=r"cannot connect to \xfc_:1: no host has such a name"):
        await carry(parse_target("\xfc_:1"), b"", source, sink)


@pytest.mark.parametrize("said", [b"oddly-bridge 1 0000\n", b"HTTP/1.1 404 no\r\n\r\n", b""])
async def test_the_connector_says_that_there_is_no_bridge(said):
    async def stranger(stream):
        await stream.send_all(said)
        await stream.aclose()

    source, sink = trio.testing.memory_stream_pair()
    async with trio.open_nursery() as nursery:
        (listener,) = await nursery.start(
            functools.partial(trio.serve_tcp, stranger, 0, host="127.0.0.1")
        )
        target = BridgeTarget(BridgeAddress(*listener.socket.getsockname()))
        with trio.fail_after(PATIENCE), pytest.raises(BridgeError, match="the other side"):
            await carry(target, TOKEN, source, sink)
        assert not await answers(target)
        nursery.cancel_scope.cancel()


async def test_a_websocket_that_nobody_answers_is_given_up(monkeypatch, autojump_clock):
    streams = trio.testing.memory_stream_pair()

    async def connection(_target):
        return streams[0]

    monkeypatch.setattr(connector, "stream_to", connection)
    source, sink = trio.testing.memory_stream_pair()
    with trio.fail_after(5 * connector.PATIENCE), pytest.raises(BridgeError) as refusal:
        await carry(parse_target("7777"), TOKEN, source, sink)
    assert str(refusal.value) == connector.NO_HANDSHAKE


async def test_a_bridge_over_tls(tmp_path):
    authority = trustme.CA()
    authority.cert_pem.write_to_path(tmp_path / "ca")
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    authority.issue_cert("127.0.0.1").configure_cert(context)
    async with bridge(token=TOKEN, tls=context) as place:
        target = parse_target(f"wss://{place.address}/engine", tmp_path / "ca")
        async with carried(target, TOKEN) as (there, back):
            await there.send_all(b"1 name\n")
            assert await back.receive_some(100) == b"1 name\n"
        assert await answers(target)


@pytest.mark.parametrize(
    ("name", "is_trusted", "lifetime", "why"),
    [
        ("127.0.0.1", False, timedelta(days=1), "unable to get local issuer certificate"),
        ("127.0.0.1", True, timedelta(days=-1), "certificate has expired"),
        ("::1", True, timedelta(days=1), "IP address mismatch, certificate is not valid for"),
    ],
)
async def test_the_connector_says_what_is_wrong_with_a_certificate(
    name, is_trusted, lifetime, why, tmp_path
):
    authority = trustme.CA()
    authority.cert_pem.write_to_path(tmp_path / "ca")
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    dates = {
        "not_before": datetime(2000, 1, 1, tzinfo=UTC),
        "not_after": datetime.now(UTC) + lifetime,
    }
    authority.issue_cert(name, **dates).configure_cert(context)
    source, sink = trio.testing.memory_stream_pair()
    async with bridge(token=TOKEN, tls=context) as place:
        target = parse_target(f"wss://{place.address}", tmp_path / "ca" if is_trusted else None)
        with pytest.raises(BridgeError) as refusal:
            await carry(target, TOKEN, source, sink)
    assert str(refusal.value).startswith(f"no TLS with the other side: {why}")


async def test_the_connector_says_what_is_wrong_with_a_file_of_certificates(tmp_path):
    (tmp_path / "text").write_text("no PEM")
    source, sink = trio.testing.memory_stream_pair()
    async with bridge(token=TOKEN) as place:
        for name, said in {
            "text": f"{tmp_path / 'text'} is no certificate as PEM",
            "none": f"cannot read the certificate {tmp_path / 'none'}: No such file or directory",
        }.items():
            target = parse_target(f"wss://{place.address}", tmp_path / name)
            with pytest.raises(BridgeError) as refusal:
                await carry(target, TOKEN, source, sink)
            assert str(refusal.value) == said


async def test_the_connector_says_that_the_other_side_speaks_no_tls():
    source, sink = trio.testing.memory_stream_pair()
    async with bridge(token=TOKEN) as place:
        with pytest.raises(BridgeError, match=r"^no TLS with the other side: [a-z ]+$"):
            await carry(parse_target(f"wss://{place.address}"), TOKEN, source, sink)


async def test_the_connector_says_that_the_connection_was_closed():
    source, sink = trio.testing.memory_stream_pair()
    async with bridge(("sh", "-c", "exit 1")) as place:
        with pytest.raises(BridgeError, match="closed the connection"):
            await carry(place.target, b"", source, sink)


async def test_a_game_over_a_bridge(tmp_path):
    token = tmp_path / "token"
    token.write_bytes(TOKEN)
    engine = (sys.executable, FAKE)
    async with bridge(engine, token=TOKEN) as place:
        far = (sys.executable, "-m", "oddly", "bridge", "--connect", str(place.address))
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
    far = (sys.executable, "-m", "oddly", "bridge", "--connect", str(address))
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

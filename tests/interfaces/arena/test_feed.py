"""What spectators get: sent events, written past the HTTP server."""

from urllib.parse import urlsplit

import pytest
import trio

from oddly.interfaces.arena.pages.feed import MAX_WAITING, Spectator
from oddly.interfaces.serving.upgraded_stream import KEY
from tests.interfaces.arena.test_engine_socket import Wire
from tests.interfaces.arena.test_live import on_the_air, play
from tests.patience import PATIENCE


async def never():
    """What the other side says: nothing."""
    await trio.sleep_forever()


async def test_a_spectator_who_does_not_read_is_cut_off(autojump_clock):
    wire = Wire(room=10)
    spectator = Spectator({"state": {KEY: wire}, "http_version": "1.1"})
    async with trio.open_nursery() as nursery:
        nursery.start_soon(spectator.stay, never)
        await trio.testing.wait_all_tasks_blocked()
        for _ in range(2 * MAX_WAITING // 1000):
            spectator.put(b"x" * 1000)
    assert wire.sent == b"3e8\r\nxxxxx"


@pytest.mark.parametrize(
    ("method", "version", "coded", "turns"),
    [("GET", "1.1", True, 2), ("GET", "1.0", False, 2), ("HEAD", "1.1", True, 0)],
)
async def test_events_come_as_the_version_of_http_has_it(tmp_path, method, version, coded, turns):
    async with on_the_air(tmp_path, games=0) as stand:
        game, place = stand.running, urlsplit(stand.address)
        said = b""
        async with await trio.open_tcp_stream(place.hostname, place.port) as stream:
            asked = f"{method} /live?games={game.id} HTTP/{version}\r\nHost: arena\r\n\r\n"
            await stream.send_all(asked.encode())
            with trio.fail_after(PATIENCE):
                while b'"turn":1' not in said and (data := await stream.receive_some()):
                    said += data
                await play(stand, game)
                while turns and b'"turn":2' not in said:
                    said += await stream.receive_some()
    head, _, body = said.partition(b"\r\n\r\n")
    assert b"text/event-stream" in head
    assert (b"transfer-encoding: chunked" in head.lower()) == coded
    if coded:
        text = b""
        while body:
            size, _, rest = body.partition(b"\r\n")
            text += rest[: int(size, 16)]
            body = rest[int(size, 16) + 2 :]
    else:
        text = body
    events = [event for event in text.split(b"\n\n") if event.startswith(b"data: ")]
    assert len(events) == turns

"""What one address may do at a real arena, also behind a proxy that says who calls."""

import json

import trio

from oddly.arena import JoinRefused, ReadyForGame, Welcome, parse_from_arena
from tests.interfaces.arena.guests import Guest, dialled
from tests.interfaces.arena.hosting import hosted
from tests.interfaces.arena.test_service import play_for
from tests.patience import PATIENCE

CALLER, OTHER = "203.0.113.7", "203.0.113.8"


def through(address):
    """The header by which a proxy says who calls; the first word is the caller's own."""
    return [(b"x-forwarded-for", f"198.51.100.1, {address}".encode())]


async def refusal_of(url, headers):
    """The refusal after `hello`; None if there is none."""
    async with dialled(url, headers=headers) as websocket:
        said = parse_from_arena(await websocket.get_message())
        return said if isinstance(said, JoinRefused) else None


async def test_connections_are_counted_by_the_address_that_the_proxy_names(tmp_path):
    with hosted(tmp_path, "connections_per_address = 1") as host:
        async with dialled(host.url, headers=through(CALLER)) as websocket:
            await websocket.get_message()
            refused = await refusal_of(host.url, through(CALLER))
            assert refused.reason == f"1 connections of {CALLER} are open: there may be no more"
            assert await refusal_of(host.url, through(OTHER)) is None
            assert await refusal_of(host.url, ()) is None


async def joined(websocket, guest, more=()):
    """Let a guest join; the answer."""
    for answer in await guest.answers(parse_from_arena(await websocket.get_message())):
        await websocket.send_message(answer.encoded())
    for answer in more:
        await websocket.send_message(answer.encoded())
    return parse_from_arena(await websocket.get_message())


async def test_an_address_registers_some_engines_a_day(tmp_path):
    with hosted(tmp_path, "engines_per_address = 1") as host:
        for name, address, kind in (
            ("one x", CALLER, Welcome),
            ("two x", CALLER, JoinRefused),
            ("one x", CALLER, Welcome),
            ("two x", OTHER, Welcome),
            ("three x", "", Welcome),
            ("four x", "", Welcome),
        ):
            headers = through(address) if address else ()
            async with dialled(host.url, headers=headers) as websocket:
                answer = await joined(websocket, Guest(host.url, name))
                assert isinstance(answer, kind), (name, answer)


async def test_who_sends_too_many_bytes_is_refused_and_others_play(tmp_path):
    more = "bytes_per_second = 2048"
    flood = json.dumps({"type": "pong", "id": 1, "more": "x" * 3000})
    with hosted(tmp_path, more) as host:
        async with dialled(host.url, headers=through(CALLER)) as websocket:
            await joined(websocket, Guest(host.url, "loud x"), [ReadyForGame()])
            refused = None
            with trio.fail_after(PATIENCE):
                while not isinstance(refused, JoinRefused):
                    await websocket.send_message(flood)
                    with trio.move_on_after(0.01):
                        refused = parse_from_arena(await websocket.get_message())
        assert (refused.code, refused.again) == ("too-many", 60)
        assert refused.reason == f"more than 2048 bytes a second from {CALLER}"
        guest = Guest(host.url, "quiet x")
        await play_for([guest], lambda: guest.welcomes)
        host.stop()


async def test_two_names_of_one_owner_meet_where_the_keeper_lets_them(tmp_path):
    with hosted(tmp_path, "own_games = true") as host:
        guests = [Guest(host.url, f"guest {n}x", owner="me") for n in range(2)]
        await play_for(guests, lambda: all(guest.ends for guest in guests))
    assert all(end.rating is not None for end in guests[0].ends.values())

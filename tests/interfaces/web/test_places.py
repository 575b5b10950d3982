"""Places for WebSockets, held by tasks instead of browsers."""

import pytest
import trio
import trio.testing
from starlette.websockets import WebSocket

from oddly.interfaces.web.access_policy import AccessPolicy
from oddly.interfaces.web.bounds import Bounds
from oddly.interfaces.web.play_routes import PlayRoutes
from oddly.interfaces.web.websockets import FULL, Places
from tests.interfaces.web.test_lobby import FRIEND, OWNER, request, room


async def test_one_address_with_all_places_gives_one_to_another_at_once():
    places, gone = Places(3), []

    async def hold(name, address, task_status):
        with places.take(address) as place:
            task_status.started(place is not None)
            if place is not None:
                await trio.sleep_forever()
        if place is not None and place.cancelled_caught:
            gone.append(name)

    async with trio.open_nursery() as nursery:
        for number in range(3):
            assert await nursery.start(hold, number, "greedy")
        assert not await nursery.start(hold, "more", "greedy")
        assert await nursery.start(hold, "first", "honest")
        await trio.testing.wait_all_tasks_blocked()
        assert gone == [0]
        assert not await nursery.start(hold, "second", "honest")
        assert not await nursery.start(hold, "back", "greedy")
        assert len(places._taken) == 3
        nursery.cancel_scope.cancel()
    assert len(places._taken) == 0


class Comer:
    """A browser behind an address that opens the WebSocket of a game."""

    def __init__(self, pages, game, address, secret=""):
        self.pages, self.sent = pages, []
        cookie = f"oddly-8765-seats={secret}".encode()
        self.scope = {
            "type": "websocket",
            "path": f"/ws/play/{game}",
            "path_params": {"name": game},
            "client": (address, 0),
            "headers": [(b"host", b"127.0.0.1:8765"), (b"cookie", cookie)],
        }

    async def stay(self):
        first = [{"type": "websocket.connect"}]

        async def receive():
            return first.pop() if first else await trio.sleep_forever()

        async def send(message):
            self.sent.append(message)

        await self.pages.play_socket(WebSocket(self.scope, receive, send))

    @property
    def sees(self):
        """Whether the game was sent, and the code of the end."""
        kinds = [message["type"] for message in self.sent]
        code = self.sent[-1]["code"] if kinds[-1] == "websocket.close" else None
        return "websocket.send" in kinds, code


@pytest.mark.parametrize("crowd", ["spectators", "players"])
async def test_those_who_look_on_and_those_who_play_have_places_of_their_own(tmp_path, crowd):
    async with room(tmp_path) as play, trio.open_nursery() as nursery:
        pages = PlayRoutes(
            play, AccessPolicy(8765, frozenset()),
            Bounds(players=3), Places(2),
        )  # fmt: skip
        game = play.open(request(seats=("human", "human")), OWNER)
        played = play.open(request(seats=("human", "human")), FRIEND)

        async def comes(one, address, secret=""):
            comer = Comer(pages, one.name, address, secret)
            nursery.start_soon(comer.stay)
            await trio.testing.wait_all_tasks_blocked()
            return comer

        greedy = "203.0.113.1"
        secret, most = ("", 2) if crowd == "spectators" else (OWNER, 3)
        crowded = [await comes(game, greedy, secret) for _ in range(most)]
        assert [each.sees for each in crowded] == [(True, None)] * most
        assert (await comes(game, greedy, secret)).sees == (False, FULL)
        # The others have all of theirs, even behind the same address.
        others = (FRIEND, 3) if crowd == "spectators" else ("", 2)
        for number in range(others[1]):
            assert (await comes(played, greedy, others[0])).sees == (True, None), number
        assert (await comes(played, greedy, others[0])).sees == (False, FULL)
        assert [each.sees for each in crowded] == [(True, None)] * most
        # And another address has a place in both.
        assert (await comes(played, "203.0.113.2", FRIEND)).sees == (True, None)
        assert (await comes(played, "203.0.113.2")).sees == (True, None)
        assert crowded[0].sees == (True, FULL)
        nursery.cancel_scope.cancel()

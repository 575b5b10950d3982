"""Places for WebSockets, held by tasks instead of browsers."""

import trio
import trio.testing

from oddly.interfaces.web.places import Places


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
        assert len(places) == 3
        nursery.cancel_scope.cancel()
    assert len(places) == 0

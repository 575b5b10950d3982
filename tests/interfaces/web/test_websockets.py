"""Mailboxes, allowances, and what is read of a message."""

import trio
from hypothesis import given, settings
from hypothesis import strategies as st

from oddly.interfaces.serving.applications import RateLimit
from oddly.interfaces.web.websockets import Outbox, read_object


async def test_a_mailbox_holds_the_newest_of_each_kind(autojump_clock):
    outbox = Outbox()
    for number in range(1000):
        outbox.put("game", str(number))
        outbox.put("refused", "no")
    assert await outbox.get() == ["999", "no"]
    with trio.move_on_after(5) as scope:
        await outbox.get()
    assert scope.cancelled_caught
    outbox.put("game", "last")
    outbox.close()
    assert await outbox.get() == ["last"]
    assert await outbox.get() == []


@given(st.lists(st.floats(0, 100), max_size=200))
def test_no_more_messages_pass_than_the_rate_allows(moments):
    moments = sorted(moments)
    allowance = RateLimit(rate=2, burst=5, now=0.0)
    passed = [moment for moment in moments if allowance.spend(moment)]
    for first in passed:
        window = [moment for moment in passed if first <= moment < first + 10]
        assert len(window) <= 5 + 2 * 10


@settings(max_examples=50)
@given(st.text() | st.binary())
def test_whatever_is_no_json_object_is_none(text):
    assert read_object(text) is None or isinstance(read_object(text), dict)


def test_deep_and_odd_json_is_none_or_an_object():
    assert read_object("[" * 100_000) is None
    assert read_object('{"do": "end"}') == {"do": "end"}
    assert read_object("3") is None

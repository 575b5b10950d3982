"""What bounds a connection: its mailbox, and how many there are."""

from oddly.interfaces.arena.endpoint import MAX_WAITING, Addresses, Mailbox


async def test_texts_come_in_their_order_and_then_the_end():
    mailbox = Mailbox()
    mailbox.put("a")
    mailbox.put("b")
    mailbox.close(1008)
    mailbox.close(1012)
    mailbox.put("c")
    assert [await mailbox.next() for _ in range(3)] == ["a", "b", None]
    assert mailbox.code == 1008


async def test_a_reader_that_is_too_slow_is_given_up():
    mailbox, given_up = Mailbox(), []
    mailbox.give_up = lambda: given_up.append(True)
    text = "x" * 1000
    for _ in range(3 * MAX_WAITING // 1000):
        mailbox.put(text)
    assert given_up == [True]
    assert mailbox.is_stuck
    assert await mailbox.next() is None


def test_connections_are_counted_in_all_and_by_address():
    addresses = Addresses(in_all=3, from_one=1)
    with addresses.one_from("192.0.2.1") as one:
        assert one == ""
        with addresses.one_from("192.0.2.1") as two:
            assert two.startswith("1 connections of 192.0.2.1 are open")
        with addresses.one_from("127.0.0.1") as here, addresses.one_from("127.0.0.1") as again:
            assert here == again == ""
            with addresses.one_from("192.0.2.9") as full:
                assert full.startswith("3 connections are open")
    with addresses.one_from("192.0.2.1") as one:
        assert one == ""

"""How many connections there may be."""

from oddly.interfaces.arena.endpoint import Addresses


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

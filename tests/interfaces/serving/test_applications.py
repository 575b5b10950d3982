"""To whose address a request is counted."""

import ipaddress

import pytest

from oddly.arena.sessions import is_here
from oddly.interfaces.serving.applications import LOOPBACK, UNKNOWN, seen_through, visitor_of

PROXY = (*LOOPBACK, ipaddress.ip_network("10.0.0.2/32"))


def counted_to(peer, *forwarded, proxies=PROXY):
    headers = [(b"x-forwarded-for", each.encode()) for each in forwarded]
    client = (peer, 1) if peer else None
    return visitor_of({"type": "http", "client": client, "headers": headers}, proxies)


@pytest.mark.parametrize("peer", ["127.0.0.1", "::1", "::ffff:127.0.0.1", "10.0.0.2"])
def test_a_trusted_proxy_names_the_visitor(peer):
    assert counted_to(peer, "203.0.113.7") == "203.0.113.7"


@pytest.mark.parametrize(
    "forwarded",
    [["198.51.100.1, 203.0.113.7"], ["198.51.100.1", "203.0.113.7"], ["rubbish,203.0.113.7"]],
)
def test_what_a_visitor_writes_before_the_proxy_does_not_count(forwarded):
    assert counted_to("127.0.0.1", *forwarded) == "203.0.113.7"


def test_whoever_is_no_proxy_cannot_name_another():
    assert counted_to("203.0.113.7", "198.51.100.1") == "203.0.113.7"
    assert counted_to("127.0.0.1", "198.51.100.1", proxies=()) == "127.0.0.1"


def test_who_comes_through_a_proxy_that_names_nobody_is_counted_to_the_proxy():
    assert counted_to("127.0.0.1") == "127.0.0.1"


@pytest.mark.parametrize("here", ["127.0.0.1", "::1", "::ffff:127.0.0.1"])
@pytest.mark.parametrize(
    "forwarded", ["", "unknown", "203.0.113.7,", "_hidden", "203.0.113.7:", "]:4711", "1.2.3.4:x"]
)
def test_who_is_named_by_no_address_is_not_this_machine(here, forwarded):
    """The bug: the visitor was taken for the proxy, for which an arena has no limits."""
    assert counted_to(here, "198.51.100.1", forwarded) == UNKNOWN
    assert not is_here(client_seen(here, forwarded))


@pytest.mark.parametrize("port", ["", ":1", ":65535"])
def test_a_port_is_no_part_of_an_address(port):
    assert counted_to("127.0.0.1", f"198.51.100.1, 203.0.113.7{port}") == "203.0.113.7"
    assert counted_to("127.0.0.1", f"[2001:db8:1:2::1]{port}") == "2001:db8:1:2::/64"
    assert counted_to("127.0.0.1", f"[::ffff:203.0.113.7]{port}") == "203.0.113.7"


def test_all_addresses_of_one_line_are_one():
    assert counted_to("2001:db8:1:2::1") == counted_to("2001:db8:1:2:ffff::2")
    assert counted_to("2001:db8:1:2::1") != counted_to("2001:db8:1:3::1")
    assert counted_to("127.0.0.1", "[2001:db8:1:2::1]") == "2001:db8:1:2::/64"
    assert counted_to("") == ""


def client_seen(peer, *forwarded, proxies=()):
    """The client that an application behind `seen_through` sees."""
    seen = []

    async def app(scope, receive, send):
        seen.append(scope["client"])

    headers = [(b"x-forwarded-for", each.encode()) for each in forwarded]
    scope = {"type": "websocket", "client": (peer, 1), "headers": headers}
    calls = seen_through(app, proxies)(scope, None, None)
    with pytest.raises(StopIteration):
        calls.send(None)
    return seen[0][0]


def test_an_application_sees_the_visitor_as_its_client():
    assert client_seen("127.0.0.1", "203.0.113.7") == "203.0.113.7"
    assert client_seen("203.0.113.7", "198.51.100.1") == "203.0.113.7"
    assert client_seen("10.0.0.2", "198.51.100.1") == "10.0.0.2"
    networks = [ipaddress.ip_network("10.0.0.0/24")]
    assert client_seen("10.0.0.2", "198.51.100.1", proxies=networks) == "198.51.100.1"
    assert [client_seen(here) for here in ("127.0.0.1", "::1")] == ["127.0.0.1", "::1"]


@pytest.mark.parametrize("here", ["127.0.0.1", "::1", "::ffff:127.0.0.1"])
def test_an_arena_knows_its_own_machine(here):
    assert is_here(client_seen(here))
    assert not is_here(client_seen(here.replace("127.0.0.1", "192.0.2.1"), "192.0.2.1"))

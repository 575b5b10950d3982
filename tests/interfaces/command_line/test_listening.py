"""The address of a page, and the sentence for a host or port on which nothing can listen."""

import errno

import pytest

from oddly.interfaces.command_line import listening
from oddly.interfaces.command_line.errors import BadInputError


@pytest.mark.parametrize(
    ("host", "address"), [("127.0.0.1", "127.0.0.1:8765"), ("fd00::1", "[fd00::1]:8765")]
)
def test_an_address_of_ipv6_stands_in_brackets(host, address, monkeypatch):
    def no_listener(*_, **__):
        raise OSError(errno.EADDRNOTAVAIL, "no such address")

    monkeypatch.setattr(listening, "listen", no_listener)
    assert listening.http_address(host, 8765) == f"http://{address}/"
    with pytest.raises(BadInputError) as error:
        listening.listening("serve", host, 8765, unread=1, stalled=1.0)
    assert str(error.value) == f"serve: cannot listen on {address}: no such address"


@pytest.mark.parametrize("host", ["a..b", ".", "127.0.0.1\0x", f"{'a' * 64}.example"])
def test_a_host_that_no_name_can_be_is_refused(host):
    with pytest.raises(BadInputError) as error:
        listening.listening("arena", host, 0, unread=1, stalled=1.0, by="")
    assert str(error.value) == f"arena: host {host!r} is not an address"

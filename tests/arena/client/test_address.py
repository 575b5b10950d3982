"""Addresses of arenas: what is dialled, and what is signed."""

from pathlib import Path

import pytest

from oddly.arena.client.connection import ArenaURLError, parse_arena_url


@pytest.mark.parametrize(
    ("url", "shown", "host", "port", "secure"),
    [
        ("wss://arena.example", "wss://arena.example/arena", "arena.example", 443, True),
        ("https://Arena.example/", "wss://arena.example/arena", "arena.example", 443, True),
        ("ws://localhost:8800/x/arena", "ws://localhost:8800/x/arena", "localhost", 8800, False),
        ("http://127.0.0.1", "ws://127.0.0.1/arena", "127.0.0.1", 80, False),
        ("wss://[::1]:8443", "wss://[::1]:8443/arena", "::1", 8443, True),
    ],
)  # fmt: skip
def test_an_address_is_read(url, shown, host, port, secure):
    address = parse_arena_url(url)
    assert str(address) == shown
    assert address.target.address == (host, port)
    assert address.target.is_secure is secure


@pytest.mark.parametrize(
    ("url", "secure"),
    [("ws://localhost:8800", "wss://localhost:8800"), ("http://a/x", "wss://a/x")],
)
def test_a_certificate_is_trusted_only_by_one_who_encrypts(url, secure):
    ours = Path("ca.pem")
    with pytest.raises(ArenaURLError) as refused:
        parse_arena_url(url, ours)
    assert str(refused.value) == f"{url!r} is not encrypted: --ca goes with {secure}"
    assert parse_arena_url(secure, ours).target.authority == ours


@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("arena.example.org", r"expected wss://HOST.*did you mean 'wss://arena.example.org'"),
        ("", "expected wss://HOST"),
        ("ftp://arena.example.org", "expected wss://HOST"),
        ("wss://", "expected wss://HOST"),
        ("wss://a:99999", "[Pp]ort"),
        ("wss://a:0", "expected a port from 1"),
        ("wss://a:b", "[Pp]ort"),
        ("wss://ann@a", "expected no user"),
        ("wss://a/?x", "expected no user"),
        ("wss://[::1", "Invalid IPv6 URL"),
        ("wss://a b", "without spaces"),
        ("wss://ärena", "punycode"),
        ("ws://a..b/arena", "no host is called 'a..b'"),
        ("wss://a\n.example", "is not the address of an arena"),
    ],
)
def test_anything_else_is_refused_in_one_sentence(url, said):
    with pytest.raises(ArenaURLError, match=said) as refused:
        parse_arena_url(url)
    assert "\n" not in str(refused.value)

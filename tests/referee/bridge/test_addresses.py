"""How addresses are written, and which of them others can reach."""

from __future__ import annotations

import pytest

from referee.bridge.address import BridgeAddress, BridgeError, is_loopback, parse_address, resolve
from referee.bridge.handshake import is_proof, nonce_in, prove, read_token


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("7777", BridgeAddress("127.0.0.1", 7777)),
        ("localhost:0", BridgeAddress("localhost", 0)),
        ("[::1]:80", BridgeAddress("::1", 80)),
        ("10.0.0.1:65535", BridgeAddress("10.0.0.1", 65535)),
    ],
)
def test_an_address_is_a_port_or_a_host_and_a_port(text: str, address: BridgeAddress) -> None:
    assert parse_address(text) == address
    assert parse_address(str(address)) == address


@pytest.mark.parametrize("text", ["", "host", ":1", "host:", "host:65536", "::1:80", "a:b:1", "-1"])
def test_what_is_no_address_is_refused(text: str) -> None:
    with pytest.raises(BridgeError, match="expected HOST:PORT or PORT"):
        parse_address(text)


def test_only_loopback_addresses_are_of_this_machine_alone() -> None:
    assert all(is_loopback(number) for number in resolve(BridgeAddress("localhost", 1)))
    assert all(is_loopback(number) for number in ("127.3.4.5", "::1"))
    others = ("8.8.8.8", "::", "2001::1", "10.0.0.1", "fe80::1%lo")
    assert not any(is_loopback(number) for number in others)


def test_a_proof_holds_for_one_token_and_one_nonce() -> None:
    proof = b"oddly-bridge 1 " + prove(b"token", b"nonce")
    assert is_proof(proof, b"token", b"nonce")
    assert not is_proof(proof, b"token", b"other")
    assert not is_proof(proof, b"tokem", b"nonce")
    assert b"token" not in proof


@pytest.mark.parametrize("line", [b"", b"HTTP/1.1 4", b"oddly-bridge 2 " + b"0" * 32, b"\xff\0"])
def test_what_is_no_bridge_is_told(line: bytes) -> None:
    with pytest.raises(BridgeError, match="is no oddly bridge"):
        nonce_in(line)


def test_a_token_is_read_without_the_white_space_around_it(tmp_path) -> None:
    file = tmp_path / "token"
    file.write_bytes(b" 0123456789abcdef\r\n")
    assert read_token(file) == b"0123456789abcdef"
    file.write_bytes(b"short\n")
    with pytest.raises(BridgeError, match="has 5 characters: expected 16 or more"):
        read_token(file)
    with pytest.raises(BridgeError, match="No such file"):
        read_token(tmp_path / "none")

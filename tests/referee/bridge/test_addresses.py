"""How addresses are written, and which of them others can reach."""

from pathlib import Path

import pytest

from oddly.referee.bridge.address import (
    BridgeAddress,
    BridgeError,
    BridgeTarget,
    is_loopback,
    parse_address,
    parse_target,
    resolve,
)
from oddly.referee.bridge.handshake import (
    Nonces,
    Seal,
    check_listener,
    hello,
    is_proof,
    nonce_in,
    prove,
    read_token,
    session_key,
)


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("7777", BridgeAddress("127.0.0.1", 7777)),
        ("localhost:0", BridgeAddress("localhost", 0)),
        ("[::1]:80", BridgeAddress("::1", 80)),
        ("[fe80::1%eth0]:80", BridgeAddress("fe80::1%eth0", 80)),
        ("10.0.0.1:65535", BridgeAddress("10.0.0.1", 65535)),
    ],
)
def test_an_address_is_a_port_or_a_host_and_a_port(text: str, address: BridgeAddress) -> None:
    assert parse_address(text) == address
    assert parse_address(str(address)) == address


@pytest.mark.parametrize(
    "text",
    [
        *("", "host", ":1", "host:", "host:65536", "::1:80", "a:b:1", "-1"),
        *("a..b:7979", "[a..b]:7979", "[\udc80]:1", f"{'a' * 64}.example:1"),
    ],
)
def test_what_is_no_address_is_refused(text: str) -> None:
    with pytest.raises(BridgeError, match="expected HOST:PORT or PORT"):
        parse_address(text)


def test_only_loopback_addresses_are_of_this_machine_alone() -> None:
    assert all(is_loopback(number) for number in resolve(BridgeAddress("localhost", 1)))
    assert all(is_loopback(number) for number in ("127.3.4.5", "::1"))
    others = ("8.8.8.8", "::", "2001::1", "10.0.0.1", "fe80::1%lo")
    assert not any(is_loopback(number) for number in others)


def test_one_may_connect_by_a_url() -> None:
    assert parse_target("far:7") == BridgeTarget(BridgeAddress("far", 7))
    assert parse_target("wss://far/x/y?z") == (BridgeAddress("far", 443), True, "/x/y?z", None)
    assert parse_target("ws://[::1]:8/") == (BridgeAddress("::1", 8), False, "/", None)
    for text in ("http://far/", "wss://", "wss://far/a b", "wss://far:99999/", "wss://a:b@far/x"):
        with pytest.raises(BridgeError) as refusal:
            parse_target(text)
        assert str(refusal.value).startswith(f"{text!r} is not an address: expected HOST:PORT")


@pytest.mark.parametrize(
    ("text", "secure"),
    [("7", "wss://127.0.0.1:7"), ("[::1]:7", "wss://[::1]:7"), ("ws://far/x", "wss://far/x")],
)
def test_a_certificate_is_trusted_only_by_one_who_encrypts(text: str, secure: str) -> None:
    ours = Path("ca.pem")
    with pytest.raises(BridgeError) as refusal:
        parse_target(text, ours)
    assert str(refusal.value) == f"{text!r} is not encrypted: --tls-ca goes with {secure}"
    assert parse_target(secure, ours).authority == ours


def test_a_proof_holds_for_one_token_one_role_and_one_session() -> None:
    nonces = Nonces("a" * 32, "b" * 32)
    proof = f"proof {prove(b'token', 'connector', nonces)}"
    assert is_proof(proof, b"token", nonces)
    assert not is_proof(proof, b"tokem", nonces)
    assert not is_proof(proof, b"token", Nonces("a" * 32, "c" * 32))
    # What the listener proves is no proof of the other end.
    assert not is_proof(f"proof {prove(b'token', 'listener', nonces)}", b"token", nonces)
    answer = hello(nonces.listener, prove(b"token", "listener", nonces))
    assert check_listener(answer, b"token", nonces.connector) == nonces
    for token, nonce in ((b"tokem", nonces.connector), (b"token", "c" * 32)):
        with pytest.raises(BridgeError, match="does not know the token"):
            check_listener(answer, token, nonce)


@pytest.mark.parametrize("line", ["", b"HTTP/1.1 4", "hello 12", "hello " + "é" * 32, b"\xff\0"])
def test_what_is_no_bridge_is_told(line: str | bytes) -> None:
    with pytest.raises(BridgeError, match="not an oddly bridge"):
        nonce_in(line)
    with pytest.raises(BridgeError, match="not an oddly bridge"):
        check_listener(line, b"token", "a" * 32)


def test_a_sealed_message_is_opened_once_in_its_place_and_unchanged() -> None:
    nonces = Nonces("a" * 32, "b" * 32)
    key = session_key(b"token", "connector", nonces)
    assert key != session_key(b"token", "listener", nonces)
    sender = Seal(key)
    first, second, last = (sender.close(data) for data in (b"1 name\n", b"", b"quit\n"))
    receiver = Seal(key)
    assert [receiver.open(each) for each in (first, second, last)] == [b"1 name\n", b"", b"quit\n"]
    for wrong in (
        [second],
        [first, first],
        [first[:-1]],
        [first[:16] + b"2 name\n"],
        [b"quit\n"],
        [b""],
        ["text"],
    ):
        receiver = Seal(key)
        for message in wrong[:-1]:
            receiver.open(message)
        with pytest.raises(BridgeError, match="somebody is in between"):
            receiver.open(wrong[-1])


def test_a_token_is_read_without_the_white_space_around_it(tmp_path) -> None:
    file = tmp_path / "token"
    file.write_bytes(b" 0123456789abcdef\r\n")
    assert read_token(file) == b"0123456789abcdef"
    file.write_bytes(b"short\n")
    with pytest.raises(BridgeError, match="has 5 characters: expected 16 or more"):
        read_token(file)
    with pytest.raises(BridgeError, match="No such file"):
        read_token(tmp_path / "none")

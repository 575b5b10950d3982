"""The proof of a key: it serves once, for one name, at one arena."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oddly.arena.wire.proof import (
    host_of,
    is_proof,
    new_secret,
    prove,
    public_key,
    raw_key,
    same_key,
    signed_text,
)

SECRET = bytes(range(32))
KEY = public_key(SECRET)
NONCE = "ab" * 32


def test_a_proof_holds_for_what_was_signed_alone():
    proof = prove(SECRET, NONCE, "arena.example:8000", "mine 1.5")
    assert is_proof(KEY, proof, NONCE, "arena.example:8000", "mine 1.5")
    assert is_proof(KEY, proof, NONCE, "Arena.Example:8000", "mine 1.5")
    assert not is_proof(KEY, proof, "ba" * 32, "arena.example:8000", "mine 1.5")
    assert not is_proof(KEY, proof, NONCE, "other.example", "mine 1.5")
    assert not is_proof(KEY, proof, NONCE, "arena.example:8000", "mine 1.6")
    other = public_key(new_secret())
    assert not is_proof(other, proof, NONCE, "arena.example:8000", "mine 1.5")


@given(st.text(max_size=90), st.text(max_size=140))
def test_no_text_is_a_proof_by_chance_or_an_error(key, proof):
    assert not is_proof(key, proof, NONCE, "a", "b")
    assert not is_proof(KEY, proof, NONCE, "a", "b")


def test_the_signed_text_is_that_of_the_reference():
    expected = b"oddly-arena.1\n" + NONCE.encode() + b"\nx.org\nmine\n"
    assert signed_text(NONCE, "X.org", "mine") == expected


def test_a_key_has_one_spelling():
    assert len(KEY) == 43
    assert raw_key(KEY) == raw_key(KEY + "=")
    assert same_key(KEY + "=") == KEY
    for text in ("", "AAAA", "é", KEY[:-2], KEY + "AA"):
        with pytest.raises(ValueError, match=r"expected 32|not base64url"):
            raw_key(text)


@pytest.mark.parametrize(
    ("url", "host"),
    [
        ("ws://LocalHost:8000/arena", "localhost:8000"),
        ("wss://arena.example/arena", "arena.example"),
        ("wss://ann:secret@arena.example/", "arena.example"),
        ("ws://[::1]:8000/x", "[::1]:8000"),
        ("ws://[::1]:80/x", "[::1]"),
        ("wss://arena.example:443/arena", "arena.example"),
        ("wss://arena.example:80/arena", "arena.example:80"),
        ("ws://arena.example:443/arena", "arena.example:443"),
    ],
)
def test_the_host_is_what_was_dialled(url, host):
    assert host_of(url) == host


@pytest.mark.parametrize("url", ["", "arena", "ws:///arena", "/arena"])
def test_without_a_host_there_is_nothing_to_sign(url):
    with pytest.raises(ValueError, match="has no host"):
        host_of(url)

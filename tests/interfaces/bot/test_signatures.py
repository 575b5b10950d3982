"""Which webhooks are the site's own, and how its key may be written."""

import base64

import pytest
from cryptography.hazmat.primitives.asymmetric.ec import SECP256R1, generate_private_key
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from oddly.interfaces.bot import admission
from oddly.interfaces.bot.admission import (
    NONCE,
    SIGNATURE,
    TIMESTAMP,
    PublicKeyError,
    SignatureCheck,
    SignatureError,
    read_public_key,
)

KEY = Ed25519PrivateKey.from_private_bytes(bytes(range(32)))
NOW = 1_790_000_000.5


def signed(body, nonce="n1", at=int(NOW), key=KEY):
    signature = key.sign(f"{at}.{nonce}.".encode() + body)
    return [
        (TIMESTAMP, str(at)), (NONCE, nonce), (SIGNATURE, base64.b64encode(signature).decode()),
    ]  # fmt: skip


@pytest.fixture
def check():
    return SignatureCheck(KEY.public_key())


@pytest.mark.parametrize("seconds", [-300, 0, 300])
def test_a_signed_webhook_is_taken_once_and_within_five_minutes(check, seconds):
    at = int(NOW) + seconds
    check.check(signed(b"{}", at=at), b"{}", float(int(NOW)))
    with pytest.raises(SignatureError, match="the nonce was used before"):
        check.check(signed(b"{}", at=at), b"{}", NOW)
    with pytest.raises(SignatureError, match="the nonce was used before"):
        check.check(signed(b"{ }", at=int(NOW)), b"{ }", NOW)


@pytest.mark.parametrize(
    ("headers", "words"),
    [
        (signed(b"{}", at=int(NOW) - 301), "more than 300 s off"),
        (signed(b"{}", at=int(NOW) + 302), "more than 300 s off"),
        (signed(b"{ }"), "signature is not right"),
        (signed(b"{}", key=Ed25519PrivateKey.generate()), "signature is not right"),
        ([*signed(b"{}")[:2], (SIGNATURE, "!!")], "signature is not right"),
        ([*signed(b"{}")[:2], (SIGNATURE, "")], "x-signature is expected once"),
        (signed(b"{}")[1:], "x-signature-timestamp is expected once"),
        ([*signed(b"{}"), (NONCE, "n2")], "x-signature-nonce is expected once"),
        ([(TIMESTAMP, "-5"), *signed(b"{}")[1:]], "not a number of seconds"),
        ([(TIMESTAMP, "9" * 400), *signed(b"{}")[1:]], "not a number of seconds"),
        ([(TIMESTAMP, "nan"), *signed(b"{}")[1:]], "not a number of seconds"),
        (signed(b"{}", nonce="n" * 201), "the nonce is too long"),
    ],
)
def test_any_other_webhook_is_refused(check, headers, words):
    with pytest.raises(SignatureError, match=words):
        check.check(headers, b"{}", NOW)
    # What was refused is not remembered.
    check.check(signed(b"{}"), b"{}", NOW)


def test_nonces_are_forgotten_when_they_cannot_matter_any_more(check, monkeypatch):
    monkeypatch.setattr(admission, "MAX_NONCES", 2)
    for nonce in "ab":
        check.check(signed(b"", nonce), b"", NOW)
    with pytest.raises(SignatureError, match="too many webhooks at once"):
        check.check(signed(b"", "c"), b"", NOW)
    later = int(NOW) + 302
    check.check(signed(b"", "a", at=later), b"", later + 0.0)


def test_a_key_may_be_written_in_many_ways(tmp_path):
    public = KEY.public_key()
    raw = public.public_bytes_raw()
    pem = public.public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo).decode()
    der = public.public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)
    line = public.public_bytes(Encoding.OpenSSH, PublicFormat.OpenSSH).decode()
    wire = line.split()[1]
    begin, end = "---- BEGIN SSH2 PUBLIC KEY ----", "---- END SSH2 PUBLIC KEY ----"
    ways = [
        pem, base64.b64encode(raw).decode(), base64.b64encode(der).decode(), line, f"{line} x@y",
        wire, f"{begin}\nComment: \"key of a: b\"\n{wire[:30]}\n{wire[30:]}\n{end}\n",
        base64.b64encode(pem.encode()).decode(), base64.b64encode(line.encode()).decode(),
    ]  # fmt: skip
    for number, text in enumerate(ways):
        (tmp_path / f"key{number}").write_text(text)
        for each in (text, f"key{number}", str(tmp_path / f"key{number}")):
            assert read_public_key(each, tmp_path).public_bytes_raw() == raw
    other = generate_private_key(SECP256R1()).public_key()
    (tmp_path / "other").write_bytes(
        other.public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
    )
    for text, words in (
        ("none.pem", "'none.pem' is not an Ed25519 public key, and there is no such file"),
        ("other", "but a file without one"),
        ("", "is not an Ed25519 public key"),
        ("x\ny", "an Ed25519 public key is expected"),
    ):
        with pytest.raises(PublicKeyError, match=words):
            read_public_key(text, tmp_path)

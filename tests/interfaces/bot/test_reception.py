"""Which webhooks are the site's own, what they are answered, and what is thought about.

All of it without any input or output; and how the site's key may be written.
"""

import base64
import json
from http import HTTPStatus

import pytest
from cryptography.hazmat.primitives.asymmetric.ec import SECP256R1, generate_private_key
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from oddly.interfaces.bot import admission, outbox, reception
from oddly.interfaces.bot.admission import (
    NONCE,
    SIGNATURE,
    TIMESTAMP,
    Admission,
    PublicKeyError,
    SignatureCheck,
    SignatureError,
    read_public_key,
)
from oddly.interfaces.bot.outbox import DELAYS, TurnOutbox, TurnStage, delay_before
from oddly.interfaces.bot.reception import Reception
from oddly.interfaces.bot.site_view import NextStep, SiteReply, read_reply
from oddly.interfaces.text.line_writer import HIDDEN, Journal
from tests.interfaces.bot.site_double import challenge, move

KEY = Ed25519PrivateKey.from_private_bytes(bytes(range(32)))
NOW = 1_790_000_000.5


def signed(body, nonce="n1", at=int(NOW), key=KEY):
    signature = key.sign(f"{at}.{nonce}.".encode() + body)
    return [
        (TIMESTAMP, str(at)), (NONCE, nonce), (SIGNATURE, base64.b64encode(signature).decode()),
    ]  # fmt: skip


class Desk:
    """A reception with webhooks that are signed on the way."""

    def __init__(self):
        self.outbox = TurnOutbox(lambda task: None)
        admission = Admission(lambda game: game.name != "xodd")
        self.reception = Reception(
            SignatureCheck(KEY.public_key()), admission.objection, self.outbox.ask
        )
        self.number = 0

    def __call__(self, facts, **how):
        self.number += 1
        body = facts if isinstance(facts, bytes) else json.dumps(facts).encode()
        return self.reception.answer(signed(body, f"n{self.number}"), body, NOW, **how)


@pytest.mark.parametrize(
    "facts",
    [
        challenge("ayu", ["size-9"]),
        challenge(variants=[]),
        challenge("ayu", ["#board"]),
        challenge(challengers=["a", "b"], anything=1),
    ],
)
def test_challenges_to_what_the_engines_play_are_accepted(facts):
    assert Desk()(facts).status == HTTPStatus.OK


REFUSED = [
    challenge("odd"), challenge("zendo", []), challenge(variants=["yopp"]),
    challenge(variants=["hex-6", "yopp"]), challenge(variants=["hex-6", "hex-7"]),
    challenge(variants=["square-12"]), challenge(variants=["square-9"]),
    challenge(variants="hex-6"), challenge(variants=None), challenge(variants=[6]),
    challenge(clockStart="72"), challenge(challengers="someone"), challenge(verb="chalenge"),
    {"verb": "challenge"}, {"verb": "move"}, {}, [], b"", b"{",
    b'{"verb": "challenge", "metaGame": "yodd"', b"\xff\xfe", b"[" * 50_000,
    move(numPlayers=3), move(variants=["yopp"]), move(meta="odd"), move(gameid=""),
    move(gameid="g" * 300), move(moves=[["1f6"] * 3]), move(moves=[["1f6"], ["1f5"]]),
    {**move(), "moves": [[None]]}, {**move(), "moves": "1f6"}, {**move(), "moves": None},
]  # fmt: skip


@pytest.mark.parametrize("facts", REFUSED, ids=lambda facts: str(facts)[:60])
def test_all_else_is_answered_with_400(facts):
    answer = Desk()(facts)
    assert (answer.status, answer.request) == (HTTPStatus.BAD_REQUEST, None)
    assert answer.sentence.startswith("refused: ")


def test_an_unsigned_webhook_learns_nothing():
    assert Desk().reception.answer([], b"{", NOW).status == HTTPStatus.UNAUTHORIZED


def test_each_turn_is_thought_about_once_and_in_order():
    desk = Desk()
    first = move()
    assert desk(first).request.plies == 0
    assert desk(first) == reception.Answer(
        HTTPStatus.ACCEPTED, "game game-1, after 0 plies: answered before"
    )
    # The opponent took our first move by the pie rule: the one ply is now theirs.
    assert desk(move([["1f6"]])).request.plies == 1
    later = [["1f6", "1f5"], ["pass"]]
    assert desk(move(later)).request.texts == ("1f6", "1f5", "pass")
    assert desk(move([["1f6", "1f5"]])).request is None
    assert desk(move(gameid="other")).request is not None


def test_a_turn_for_which_the_engines_failed_may_be_asked_for_again_after_a_rest():
    desk = Desk()
    request = desk(move()).request
    desk.outbox.fail(request, "a crash", NOW - outbox.REST)
    assert desk(move()).request == request
    desk.outbox.fail(request, "a crash", NOW)
    assert desk(move()).request is None
    assert desk(move([["1f6", "pass"]])).request.plies == 2
    desk.outbox.fail(request, "too late", NOW)
    assert desk.outbox.tasks["game-1"].stage is TurnStage.ASKED


def test_no_more_turns_than_can_wait_are_taken():
    desk = Desk()
    full = desk(move(), is_full=True)
    assert (full.status, full.request) == (HTTPStatus.SERVICE_UNAVAILABLE, None)
    assert desk(challenge(), is_full=True).status == HTTPStatus.OK
    assert desk(move()).request is not None


def test_only_so_many_games_are_remembered(monkeypatch):
    monkeypatch.setattr(outbox, "MAX_TASKS", 10)
    desk = Desk()
    for name in "abcdefghijk":
        request = desk(move(gameid=name)).request
        assert request
        # Only what is done is forgotten.
        desk.outbox.close(request, "over")
    assert desk(move(gameid="c")).request is None
    assert desk(move(gameid="l")).request is not None
    assert len(desk.outbox.tasks) < 12


@pytest.mark.parametrize(
    ("status", "body", "step", "counts"),
    [
        (200, b'{"id": 1}', NextStep.DONE, 200),
        (200, b"no json", NextStep.DONE, 200),
        (200, b'{"statusCode": 500, "body": "{\\"message\\": \\"no\\"}"}', NextStep.RETRY, 500),
        (200, b'{"statusCode": 200, "body": "{}"}', NextStep.DONE, 200),
        (200, b'{"statusCode": 401}', NextStep.RENEW, 401),
        (401, b"", NextStep.RENEW, 401),
        (429, b"", NextStep.RETRY, 429),
        (500, b'{"message": "illegal"}', NextStep.RETRY, 500),
        (500, b'{"message": "Unable to apply move 1a1"}', NextStep.REFUSED, 500),
        (400, b'{"message": "metaGame is required"}', NextStep.REFUSED, 400),
        (502, b"<html>", NextStep.RETRY, 502),
        (403, b"[]", NextStep.RETRY, 403),
        (302, b"", NextStep.RETRY, 302),
        (404, b"[" * 100_000, NextStep.RETRY, 404),
    ],
)  # fmt: skip
def test_what_a_reply_means(status, body, step, counts):
    reply = read_reply(status, body)
    assert (reply.next_step, reply.status) == (step, counts)


def test_attempts_are_as_far_apart_as_the_clock_and_the_site_want():
    delays = [delay_before(n, None) for n in range(1, len(DELAYS) + 2)]
    assert delays == [*DELAYS, DELAYS[-1]]
    assert delay_before(6, 1200.0) == 60
    assert delay_before(6, 2.0) == 1
    assert delay_before(1, 1.0, read_reply(429, b"", "999999").retry_after) == 120
    assert read_reply(429, b"", "7").retry_after == 7
    assert read_reply(429, b"", "Wed, 21 Oct").retry_after is None
    assert read_reply(500, b'{"message": "not your turn"}').message == "not your turn"
    assert SiteReply(0).next_step is NextStep.RETRY


@pytest.mark.parametrize("status", [200, 502])
def test_a_failure_of_the_sites_program_is_no_answer(status):
    reply = read_reply(status, b'{"errorType": "Error", "errorMessage": "Task timed out"}')
    assert reply.next_step is NextStep.RETRY
    assert not reply.may_refuse


@pytest.mark.parametrize(
    ("status", "body", "may_refuse"),
    [
        (500, b'{"message": "It is not your turn!"}', True),
        (200, b'{"statusCode": 500, "body": "{\\"message\\": \\"no\\"}"}', True),
        (500, b'{"message": null}', False),
        (500, b'{"message": "Internal server error"}', False),
        (500, b"", False),
        (401, b'{"message": "Unauthorized"}', False),
        (403, b'{"message": "Forbidden"}', False),
        (429, b'{"message": "Too Many Requests"}', False),
        (504, b'{"message": "Network error communicating with endpoint"}', False),
    ],
)
def test_only_words_of_the_sites_program_may_refuse_a_turn(status, body, may_refuse):
    assert read_reply(status, body).may_refuse is may_refuse


def test_no_secret_is_ever_logged():
    lines = []
    journal = Journal(lines.append)
    journal.hide("s3cr+t/x y")
    journal.hide_token("to-ken")
    journal.say("a s3cr+t/x y, s3cr%2Bt%2Fx%20y and s3cr%2Bt%2Fx+y;\n to-ken \x1b[31m" + "x" * 999)
    (line,) = lines
    assert line.startswith(f"oddly: a {HIDDEN}, {HIDDEN} and {HIDDEN};\\n {HIDDEN} \\x1b[31m")
    assert len(line) < 600


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

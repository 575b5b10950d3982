"""What a webhook is answered, and what is thought about: without any input or output."""

import json
from http import HTTPStatus

import pytest

from oddly.interfaces.bot import outbox, reception
from oddly.interfaces.bot.admission import Admission, SignatureCheck
from oddly.interfaces.bot.outbox import DELAYS, TurnOutbox, TurnStage, delay_before
from oddly.interfaces.bot.reception import Reception
from oddly.interfaces.bot.site_view import NextStep, SiteReply, read_reply
from oddly.interfaces.text.line_writer import HIDDEN, Journal
from tests.interfaces.bot.site_double import challenge, move
from tests.interfaces.bot.test_signatures import KEY, NOW, signed


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

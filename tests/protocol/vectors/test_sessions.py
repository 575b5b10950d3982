"""The sessions of the vectors are what our engine answers, and analyses what a reader reads."""

import json

import pytest

from oddly.engines.dispatcher import Dispatcher
from oddly.engines.random_engine import RandomEngine
from oddly.games.catalogue import create_game
from oddly.protocol.codec import CommandDecoder, encode_reply
from tools.vectors.files import FOLDER
from tools.vectors.sessions import BETWEEN

LINES = [json.loads(line) for line in (FOLDER / "sessions.jsonl").read_text().splitlines()]


@pytest.mark.parametrize("facts", LINES, ids=lambda each: f"{each['about']} {each['game']}")
def test_our_engine_answers_so(facts):
    dispatcher = Dispatcher(RandomEngine(), create_game("yodd", 2))
    decoder = CommandDecoder()
    decoder.feed("".join(f"{line}\n" for line in facts["commands"].split(BETWEEN)).encode())
    for reply in facts["replies"].split(BETWEEN):
        got = encode_reply(dispatcher.answer(decoder.next_event())).decode().rstrip("\n")
        assert got == reply if reply.startswith("=") else got.startswith(reply)
    assert decoder.next_event() is None


def test_every_subject_and_every_kind_of_failure_is_there():
    assert {facts["about"] for facts in LINES} == {"undo", "sequence", "settings", "setup"}
    replies = {reply for facts in LINES for reply in facts["replies"].split(BETWEEN)}
    assert {reply for reply in replies if reply.startswith("?")} == {
        "? cannot undo",
        "? game is not over",
        "? illegal move",
        "? illegal position",
        "? syntax error",
        "? unacceptable size",
        "? unknown game",
    }

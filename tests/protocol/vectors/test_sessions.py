"""The sessions of the vectors, and their framing, are what our engine answers and reads."""

import os
from urllib.parse import unquote_to_bytes

import pytest

from oddly.engines.dispatcher import Dispatcher
from oddly.engines.plain_engines import RandomEngine
from oddly.engines.stdio import serve
from oddly.games.catalogue import create_game
from oddly.protocol.codec import CommandDecoder, encode_reply
from tests.protocol.vectors.test_vectors import lines_of
from tools.vectors.sessions import BETWEEN

LINES = lines_of("sessions.jsonl")


class AnalyzingEngine(RandomEngine):
    """Knows `analyze`, which is never asked about a game that goes on."""

    can_analyze = True


@pytest.mark.parametrize("facts", LINES, ids=lambda each: f"{each['about']} {each['game']}")
def test_our_engine_answers_so(facts):
    dispatcher = Dispatcher(AnalyzingEngine(), create_game("yodd", 2))
    decoder = CommandDecoder()
    decoder.feed("".join(f"{line}\n" for line in facts["commands"].split(BETWEEN)).encode())
    for reply in facts["replies"].split(BETWEEN):
        got = encode_reply(dispatcher.answer(decoder.next_event())).decode().rstrip("\n")
        assert got == reply if reply.startswith("=") else got.startswith(reply)
    assert decoder.next_event() is None


def test_every_subject_and_every_kind_of_failure_is_there():
    subjects = {"undo", "sequence", "settings", "setup", "game_over", "evaluate", "analyze"}
    assert {facts["about"] for facts in LINES} == subjects
    replies = {reply for facts in LINES for reply in facts["replies"].split(BETWEEN)}
    assert {reply for reply in replies if reply.startswith("?")} == {
        "? cannot undo",
        "? game is not over",
        "? illegal move",
        "? illegal position",
        "? syntax error",
        "? the game is over",
        "? unacceptable size",
        "? unknown game",
    }


@pytest.mark.parametrize("facts", lines_of("commands.jsonl"), ids=lambda each: each["bytes"])
def test_our_engine_reads_lines_so(facts):
    (reading, to_engine), (from_engine, writing) = os.pipe(), os.pipe()
    os.write(to_engine, unquote_to_bytes(facts["bytes"]))
    os.close(to_engine)
    serve(Dispatcher(RandomEngine(), create_game("yodd", 2)), reading, writing)
    os.close(reading)
    os.close(writing)
    with os.fdopen(from_engine, encoding="ascii") as output:
        replies = output.read().split("\n\n")[:-1]
    heads = [reply.split()[0] if reply.startswith("?") else reply for reply in replies]
    assert BETWEEN.join(heads) == facts["replies"]


EXPECTED_REPLIES = {
    "=5 pass%0A%0A": ("success", "5", b"pass"),
    "=5  pass  %0A%0A": ("success", "5", b"pass"),
    "?%0A%0A": ("failure", "", b""),
    "=007 pass%0A%0A": ("success", "7", b"pass"),
    "=1%0A . .%0A . .%0A%0A": ("success", "1", b"\n . .\n . ."),
    "=5 pass%0D%0A%0D%0A": ("success", "5", b"pass"),
    "=5%00 pa%1Bss%7F%0A%0A": ("success", "5", b"pass"),
    "%1B=5 pass%0A%0A": ("success", "5", b"pass"),
    "=5 a%09b%09%0A%09c%0D%0A%0A": ("success", "5", b"a b\n c"),
    "=5 pass%0A": ("unfinished", "", b""),
    "=5 pass%0D%0A%0D": ("unfinished", "", b""),
    "=2147483648 pass%0A%0A": ("malformed", "", b""),
    "%09=5 pass%0A%0A": ("malformed", "", b""),
}


def test_replies_are_what_the_spec_says():
    """The command reads them with the referee's decoder, so here some are read by hand."""
    read = {
        facts["bytes"]: (facts["kind"], facts["id"], unquote_to_bytes(facts["text"]))
        for facts in lines_of("replies.jsonl")
    }
    assert read | EXPECTED_REPLIES == read

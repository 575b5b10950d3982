"""The page of the wire says what the parsers read, and each session on it can be read."""

import json
import re
from dataclasses import MISSING, fields

import pytest

from oddly.arena import Hello, Join, PoolOffer, RatingNow, parse_from_arena, parse_from_engine
from oddly.arena.wire import messages
from oddly.arena.wire.proof import is_proof
from tests.arena.wire.transcripts import HOST, PAGE, transcripts

TEXT = PAGE.read_text(encoding="utf-8")
KINDS = [*messages.FROM_ENGINE.values(), *messages.FROM_ARENA.values()]


def test_every_kind_of_message_is_in_a_session_or_in_prose():
    said = {json.loads(line.text)["type"] for each in transcripts() for line in each if line.side}
    assert {kind.TYPE for kind in KINDS} - said == {"note"}
    assert said <= {kind.TYPE for kind in KINDS}


@pytest.mark.parametrize("lines", transcripts(), ids=lambda lines: lines[0].text[:24])
def test_each_line_of_a_session_is_a_message_of_its_side(lines):
    for side, text in lines:
        if side:
            parse = parse_from_arena if side == "S" else parse_from_engine
            message = parse(text)
            assert message is not None
            assert message.as_json() == json.loads(text)


def test_each_proof_is_of_its_connection():
    proofs = 0
    for lines in transcripts():
        nonce = ""
        for side, text in lines:
            match parse_from_arena(text) if side == "S" else side and parse_from_engine(text):
                case Hello() as hello:
                    nonce = hello.nonce
                case Join() as join:
                    proofs += 1
                    assert is_proof(join.key, join.proof, nonce, HOST, join.name)
    assert proofs == 2


@pytest.mark.parametrize("kind", [*KINDS, PoolOffer, RatingNow], ids=lambda kind: kind.__name__)
def test_each_member_is_on_the_page_and_optional_there_if_it_is(kind):
    name = getattr(kind, "TYPE", "pool" if kind is PoolOffer else "rating")
    page = TEXT if name in ("pool", "rating") else TEXT[TEXT.index(f"**`{name}`") :]
    for field in fields(kind):
        row = re.search(rf"\| (?:[^|]*`{field.name}`[^|]*) \| (.*) \|$", page, re.MULTILINE)
        in_prose = re.search(rf"`{field.name}`", page)
        assert row or in_prose, field.name
        if row and name not in ("pool", "rating") and field.default is not MISSING:
            assert "optional" in row[1], field.name


def test_the_codes_of_refusals_are_on_the_page():
    table = TEXT[TEXT.index("| code | what is wrong |") :]
    assert set(re.findall(r"^\| `([a-z-]+)` \|", table, re.MULTILINE)) == set(messages.REFUSALS)

"""The grammar in ABNF, the one in pyparsing and the hot paths read the same texts."""

import re
from random import Random
from urllib.parse import unquote_to_bytes

import abnf
import pytest

from oddly.games.turns import DROPS, MOVE
from oddly.protocol import codec, grammar
from oddly.protocol.evaluation import (
    ANY_TURN,
    MAX_LENGTH,
    parse_analysis,
    parse_evaluation,
    parse_turn_evaluation,
)
from oddly.protocol.messages import MAX_ID, MAX_TURN_LENGTH, VERTEX, NotationError
from oddly.protocol.notation import parse_time_control
from tests.protocol.vectors.test_vectors import lines_of
from tests.sampling import sample_number
from tools.abnf import (
    CORE,
    FILE,
    RULES,
    Alternatives,
    Chain,
    CodeRange,
    Reference,
    Repetition,
    Text,
    expression,
    read_rules,
)

TEXTS = 400
CHARACTERS = "abkwBWz0159,-+/x. #%psRn"


def generated(clause, random: Random) -> str:
    """A text that a clause matches."""
    match clause:
        case Text(text, is_exact):
            return (
                text if is_exact else "".join(random.choice((c.upper(), c.lower())) for c in text)
            )
        case CodeRange(first, last):
            return chr(random.randint(first, last))
        case Reference(name):
            return generated(RULES[name], random)
        case Alternatives(parts):
            return generated(random.choice(parts), random)
        case Chain(parts):
            return "".join(generated(part, random) for part in parts)
        case Repetition(part, least, most):
            times = random.randint(least, min(most or least + 3, least + 3))
            return "".join(generated(part, random) for _ in range(times))


def mutated(text: str, random: Random) -> str:
    """A text that differs in one or two characters."""
    for _ in range(random.randint(1, 2)):
        at = random.randint(0, len(text))
        text = (
            text[:at]
            + random.choice((random.choice(CHARACTERS), ""))
            + text[at + random.randint(0, 1) :]
        )
    return text


def texts(name: str) -> list[str]:
    random = Random(f"{name} {sample_number()}")
    found = [generated(RULES[name], random) for _ in range(TEXTS)]
    return found + [mutated(text, random) for text in found]


def is_matched(name: str, text: str) -> bool:
    return re.fullmatch(expression(RULES, RULES[name]), text) is not None


def is_read(read, text: str) -> bool:
    try:
        read(text)
    except NotationError:
        return False
    return True


@pytest.mark.parametrize(
    ("name", "read"), [("answer", grammar.read_answer), ("vertex", grammar.read_vertex)]
)
def test_turns(name, read):
    for text in texts(name):
        if len(text) <= MAX_TURN_LENGTH and " " not in text:
            assert is_matched(name, text) == is_read(read, text), text


def test_turns_that_are_not_read():
    for text in texts("turn"):
        assert is_matched("turn", text) == bool(ANY_TURN.fullmatch(text)), text


def test_commands():
    for text in texts("command"):
        number = re.match("[0-9]+(?= )", text)
        is_too_large = number and (len(number[0]) > 10 or int(number[0]) > MAX_ID)
        if text == text.strip() and "#" not in text and not is_too_large and not text.isdigit():
            assert is_matched("command", text) == is_read(grammar.read_command, text), text


def test_time_controls():
    for text in texts("time-control"):
        try:
            parse_time_control(text)
            is_right = True
        except NotationError as error:
            # Nobody could play a turn in no time, which no grammar says.
            is_right = "more" in str(error)
        assert is_matched("time-control", text) == is_right, text


@pytest.mark.parametrize(
    ("name", "hot"), [("written-drops", DROPS), ("written-move", MOVE), ("written-vertex", VERTEX)]
)
def test_the_hot_paths_read_what_is_written(name, hot):
    for text in texts(name):
        assert is_matched(name, text) == bool(hot.fullmatch(text)), text


def test_evaluations():
    for text in texts("evaluation"):
        # Only ten candidates are looked at.
        if text.count("\n") <= 10:
            assert is_matched("evaluation", text) == is_read(parse_evaluation, text), text


def test_expectations():
    for text in texts("expected"):
        is_bounded = len(text) <= MAX_LENGTH and text == text.strip()
        if is_bounded and is_read(parse_turn_evaluation, text):
            assert is_matched("expected", text), text
    assert is_read(parse_turn_evaluation, "mood good win_rate 0.5")


def test_analyses():
    for text in texts("analysis")[:10]:
        turns = text.split("info turn ")[1:]
        assert len(parse_analysis(same_first_turns(text)).turns) == min(10, len(turns))


@pytest.mark.sampled
def test_no_reader_takes_an_analysis_that_breaks_the_grammar():
    random = Random(f"broken analyses {sample_number()}")
    for text in texts("analysis")[:TEXTS]:
        broken = mutated(same_first_turns(text), random)
        if is_read(parse_analysis, broken):
            assert is_recognised("analysis", broken), broken


def same_first_turns(text: str) -> str:
    """A line whose variations begin with their turns, which no grammar says."""
    return re.sub(r"turn ([^ ]+)( visits (?:(?! info ).)*? variation) [^ ]+", r"turn \1\2 \1", text)


class Grammar(abnf.Rule):
    """The rules as another reader of ABNF reads them."""


Grammar.from_file(FILE)


def is_recognised(name: str, text: str) -> bool:
    try:
        Grammar.get(name).parse_all(text)
    except abnf.ParseError:
        return False
    return True


def test_another_reader_of_abnf_reads_the_same_rules():
    names = {rule.name for rule in Grammar.rules()}
    assert names == RULES.keys() - CORE.keys()
    for name in names:
        for text in texts(name)[::40]:
            assert is_recognised(name, text) == is_matched(name, text), (name, text)


def words_of(field: str) -> set[str]:
    """The words of a field in all vectors about games."""
    files = ("positions.jsonl", "illegal.jsonl", "games.jsonl", "perft.jsonl", "boards.jsonl")
    return {
        word for file in files for line in lines_of(file) for word in line.get(field, "").split()
    }


@pytest.mark.parametrize(
    ("field", "name"),
    [
        ("turns", "written-turn"),
        ("legal", "written-turn"),
        ("turn", "written-turn"),
        ("vertices", "written-vertex"),
        ("to_move", "player"),
        ("colour", "player"),
        ("result", "result"),
    ],
)
def test_every_word_of_the_vectors_is_in_the_grammar(field, name):
    words = words_of(field)
    assert words
    assert [word for word in words if not is_recognised(name, word)] == []


def test_every_text_of_the_vectors_is_in_the_grammar_if_it_is_well_formed():
    for line in lines_of("notation.jsonl"):
        assert is_recognised("answer", line["text"]) == (line["kind"] != "malformed"), line
        assert is_recognised("written-turn", line["canonical"]) == (
            line["kind"] not in ("malformed", "resign")
        )
    for line in lines_of("analysis.jsonl"):
        # No grammar says that a variation begins with its turn.
        is_right = line["text"] == same_first_turns(line["text"])
        assert (is_recognised("analysis", line["text"]) and is_right) != line["malformed"], line


def test_every_command_and_reply_of_the_vectors_is_in_the_grammar():
    for line in lines_of("sessions.jsonl") + lines_of("commands.jsonl"):
        sent = unquote_to_bytes(line.get("bytes", "")).translate(codec.TABS, codec.CONTROLS)
        # What follows the last line feed is no line.
        lines = [each.partition("#")[0].strip() for each in sent.decode().split("\n")[:-1]]
        for each in filter(None, line.get("commands", "").split("; ") + lines):
            assert is_recognised("command", each), each
        for reply in filter(None, line["replies"].split("; ")):
            name = "reply" if reply.startswith("=") else "failure"
            assert is_recognised(name, f"{reply}\n\n"), reply


def test_what_a_controller_reads_is_in_the_grammar_if_it_is_a_reply():
    for line in lines_of("replies.jsonl"):
        data = unquote_to_bytes(line["bytes"]).translate(codec.TABS, codec.CONTROLS)
        found = [name for name in ("reply", "failure") if is_recognised(name, data.decode("ascii"))]
        if re.match(rb"=[0-9]{10} ", data) and line["kind"] == "malformed":
            # No grammar says how large an id may be.
            assert found == ["reply"]
        else:
            right = {"success": ["reply"], "failure": ["failure"]}.get(line["kind"], [])
            assert found == right, line


@pytest.mark.parametrize("text", ["a = <b>", "= b", "a = (b", "a =", "a = b )"])
def test_what_is_no_abnf_is_refused(text):
    with pytest.raises((ValueError, IndexError)):
        read_rules(text)

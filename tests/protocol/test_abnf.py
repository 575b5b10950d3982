"""The grammar in ABNF, the one in pyparsing and the hot paths read the same texts."""

import re
from random import Random

import pytest

from oddly.games.turns import DROPS, MOVE
from oddly.protocol import grammar
from oddly.protocol.analysis import parse_analysis
from oddly.protocol.errors import NotationError
from oddly.protocol.evaluation import parse_evaluation
from oddly.protocol.messages import MAX_ID, MAX_TURN_LENGTH, VERTEX
from oddly.protocol.time_control import parse_time_control
from tests.sampling import sample_number
from tools.abnf import (
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
    ("name", "hot"),
    [("written-drops", DROPS), ("written-move", MOVE), ("written-vertex", VERTEX)],
)
def test_the_hot_paths_read_what_is_written(name, hot):
    for text in texts(name):
        assert is_matched(name, text) == bool(hot.fullmatch(text)), text


def test_evaluations():
    for text in texts("evaluation")[:TEXTS]:
        lines = text.split("\n")
        assert len(parse_evaluation(text).candidates) == min(10, len(lines) - 1)


def test_analyses():
    for text in texts("analysis")[:10]:
        turns = text.split("info turn ")[1:]
        assert len(parse_analysis(same_first_turns(text)).turns) == min(10, len(turns))


def same_first_turns(text: str) -> str:
    """A line whose variations begin with their turns, which no grammar says."""
    return re.sub(r"turn ([^ ]+)( visits .*? variation) [^ ]+", r"turn \1\2 \1", text)


def test_every_rule_is_used_or_named_in_the_spec_and_none_is_missing():
    for clause in RULES.values():
        re.compile(expression(RULES, clause))


@pytest.mark.parametrize("text", ["a = <b>", "= b", "a = (b", "a =", "a = b )"])
def test_what_is_no_abnf_is_refused(text):
    with pytest.raises((ValueError, IndexError)):
        read_rules(text)

"""Command lines are split into words as a shell splits them."""

import shlex

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oddly.referee.program.configuration import ProgramError, split_words

LINES = st.text("ab'\"\\ #\n", max_size=12)


@given(LINES)
def test_words_are_those_of_a_shell(line):
    try:
        expected = shlex.split(line)
    except ValueError:
        with pytest.raises(ProgramError):
            split_words(line)
    else:
        assert split_words(line) == expected


@pytest.mark.parametrize(
    ("line", "said", "mark"),
    [
        ("it's", "'s'", "'"),
        ("'", '"\'"', "'"),
        ("engine '", '"engine \'"', "'"),
        ('\'"\' a "b \\"c', "'b \\\\\"c'", '"'),
        ("'oddly engine", "'oddly engine'", "'"),
        ('a\\" "it\'s', '"it\'s"', '"'),
    ],
)
def test_what_follows_an_unclosed_mark_is_quoted_as_it_was_typed(line, said, mark):
    """The bug: `its` was quoted of `it's`, and nothing of a mark alone."""
    with pytest.raises(ProgramError) as caught:
        split_words(line)
    assert str(caught.value) == f"{said} lacks its closing quotation mark {mark}"


@given(LINES)
def test_the_text_that_is_quoted_stands_at_the_end_of_the_line(line):
    try:
        split_words(line)
    except ProgramError as error:
        quoted, found, mark = str(error).partition(" lacks its closing quotation mark ")
        ends = [line] + [line[at + 1 :] for at, each in enumerate(line) if each == mark]
        assert not found or quoted in [repr(end.replace("\n", "\\n")) for end in ends]

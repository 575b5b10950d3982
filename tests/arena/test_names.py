"""Names: plain, short, and not to be mistaken for one another."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oddly.arena.names import MAX_NAME, UnfitNameError, check_new, plain_name, skeleton, slug

names = st.from_regex(r"[A-Za-z][A-Za-z0-9 ._-]{0,20}[A-Za-z0-9]", fullmatch=True)


@given(st.text(max_size=60))
def test_any_text_is_a_plain_name_or_refused_with_a_sentence(text):
    try:
        name = plain_name(text)
    except UnfitNameError as error:
        said = str(error)
    else:
        said = "expected"
        assert plain_name(name) == name
        assert name.isascii()
        assert len(name) <= MAX_NAME
        assert slug(name).replace("-", "").replace(".", "").isalnum()
    assert "expected" in said
    assert said.isprintable()


@given(names, names)
def test_names_that_are_no_look_alikes_have_addresses_of_their_own(one, other):
    one, other = plain_name(one), plain_name(other)
    if skeleton(one) != skeleton(other):
        assert slug(one) != slug(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Bill", "BiII"),
        ("Bill", "8ill".replace("8", "B").replace("l", "1")),
        ("Zero 0", "Zero O"),
        ("my engine", "My-Engine"),
        ("my engine", "myengine"),
        ("my engine", "my_engine"),
        ("modern", "modem"),
        ("ｗｉｄｅ", "wide"),  # noqa: RUF001
    ],
)
def test_look_alikes_have_one_skeleton(one, other):
    assert skeleton(plain_name(one)) == skeleton(plain_name(other))


def test_versions_are_no_look_alikes():
    versions = ["mine", "mine 1", "mine 1.5", "mine 15", "mine 2", "mine 1.5.0"]
    assert len({skeleton(name) for name in versions}) == len(versions)


@pytest.mark.parametrize("text", ["", " ", ".", "-a", "a-", "12", "é", "a\u200bb", "a/b", "a" * 41])
def test_unfit_names_are_refused(text):
    with pytest.raises(UnfitNameError):
        plain_name(text)


@pytest.mark.parametrize("name", ["0123456789abcdef", "ABCDEF0123456789"])
def test_no_new_name_is_one_of_a_game(name):
    with pytest.raises(UnfitNameError, match="looks like the id of a game"):
        check_new(plain_name(name))
    for other in (name[1:], name + "0", "g" + name[1:], name[:-1] + ".0"):
        check_new(plain_name(other))

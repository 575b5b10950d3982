"""What the docs show of a terminal is what a terminal shows."""

import pytest

from tests.docs.pages import DOCS, blocks, matches, work_through

PAGES = [
    page
    for page in sorted(DOCS.rglob("*.md"))
    # These have tests of their own: a program is put together, and an arena runs meanwhile.
    if page.name not in ("write-an-engine.md", "arena.md")
    and any(block.language == "console" for block in blocks(page))
]
SHOWN = {
    "tutorials/first-game.md",
    "tutorials/first-tournament.md",
    "tutorials/rating-list.md",
    "how-to/compare-two-versions.md",
    "explanation/ratings.md",
    "reference/rules.md",
}


OTHERS = [page for page in PAGES if page.stem != "learn-a-game"]
"""The pages that need nothing but oddly: test_learn_a_game.py types the other one."""


def test_these_pages_show_a_terminal():
    assert {page.relative_to(DOCS).as_posix() for page in PAGES} >= SHOWN


@pytest.mark.sampled
@pytest.mark.parametrize("page", OTHERS, ids=lambda page: page.stem)
def test_commands_print_what_the_page_shows(page, tmp_path):
    assert work_through(page, tmp_path) > 0


def test_a_page_that_is_not_true_is_found_out(tmp_path):
    page = tmp_path / "page.md"
    shown = "```console\n$ cat a.txt\ntwo\n```\n"
    page.write_text(f"<!-- file: a.txt -->\n```text\none\n```\n\n{shown}")
    with pytest.raises(AssertionError, match=r"page.md: \$ cat a.txt\none"):
        work_through(page, tmp_path)


def test_a_command_that_fails_shows_its_error(tmp_path):
    page = tmp_path / "page.md"
    typed = "$ echo fine; echo hidden >&2\nfine\n$ echo told >&2; false\ntold\n"
    page.write_text(f"```console\n{typed}```\n")
    assert work_through(page, tmp_path) == 2


def test_dots_stand_for_anything_and_all_else_is_verbatim():
    lines, words = "a\n...\nb\n", "a ... c\n"
    for expected, output in (
        (lines, "a\nb\n"),
        (lines, "a\nx\n\ny\nb\n"),
        (words, "a b c\n"),
        ("", ""),
    ):
        assert matches(expected, output)
    for expected, output in (
        ("", "a\n"),
        (lines, "a\nx\n"),
        (words, "a b\nc\n"),
        ("a\n", "a\nb\n"),
    ):
        assert not matches(expected, output)

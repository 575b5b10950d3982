"""The walk of one turn through the code, as the page about the house tells it."""

from tools.write_walk import PAGE, STEPS, with_walk


def test_its_line_numbers_are_those_of_today():
    page = PAGE.read_text(encoding="utf-8")
    assert with_walk(page) == page, "python tools/write_walk.py writes it anew"


def test_it_opens_at_most_eight_files():
    assert len({file for file, *_ in STEPS}) <= 8

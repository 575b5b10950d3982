"""Rows from the pages of a file, of which nothing is believed: not even that it ends."""

import random
from contextlib import closing

import pytest

from oddly.safe_files import sqlite_pages
from oddly.safe_files.sqlite_pages import MAGIC, ONCE, Pages

SIZE = 512
MOST = SIZE - 35
"""The bytes of a row that lie on its page, if it does not continue on others."""
LEAST = (SIZE - 12) * 32 // 255 - 23
"""Those of a row that continues, whose rest fills its other pages."""


def number(value):
    """A number of SQLite of one or two bytes."""
    return bytes([value]) if value < 128 else bytes([128 | value >> 7, value & 127])


def text_row(length, following):
    """The start of a cell: a row with a text, which continues on other pages if it is long."""
    kind = number(13 + 2 * length)
    payload = bytes([len(kind) + 1]) + kind + b"x" * length
    here = payload if len(payload) <= MOST else payload[:LEAST] + following.to_bytes(4, "big")
    return number(len(payload)) + b"\1" + here


def long_text(pages):
    """The length of a text whose row fills so many other pages."""
    return LEAST + pages * (SIZE - 4) - 3


def leaf(*cells, pointers=1):
    """A page with some cells, to each of which so many pointers lead."""
    page, at, places = bytearray(SIZE), SIZE, []
    for cell in cells:
        at -= len(cell)
        page[at : at + len(cell)] = cell
        places += [at] * pointers
    page[0] = 13
    page[3:7] = len(places).to_bytes(2, "big") + at.to_bytes(2, "big")
    for place, pointer in enumerate(places):
        page[8 + 2 * place : 10 + 2 * place] = pointer.to_bytes(2, "big")
    return bytes(page)


def more(following):
    """A page on which a row continues, and perhaps goes on to another."""
    return following.to_bytes(4, "big") + b"x" * (SIZE - 4)


@pytest.fixture
def opened(tmp_path):
    """The pages of a file, of which the first one has only the header."""

    def opened(*pages):
        path = tmp_path / "a.sqlite"
        first = (MAGIC + SIZE.to_bytes(2, "big")).ljust(SIZE, b"\0")
        path.write_bytes(first + b"".join(pages))
        return closing(Pages(path))

    return opened


def lengths(pages):
    """The lengths of the texts found on each page that has any."""
    found = {page: [len(row.values[0]) for row in rows] for page, rows in pages.rows()}
    return {page: texts for page, texts in found.items() if texts}


def test_a_row_may_continue_on_other_pages(opened):
    length = long_text(2)
    with opened(leaf(text_row(length, 3), text_row(9, 0)), more(4), more(0)) as pages:
        assert lengths(pages) == {2: [length, 9]}
        assert [len(row.values[0]) for row in pages.rows_of(2)] == [length, 9]


def test_a_row_that_comes_back_to_a_page_is_none(opened):
    with opened(leaf(text_row(long_text(3), 3)), more(4), more(3)) as pages:
        assert lengths(pages) == {}


def test_a_row_that_is_longer_than_the_file_is_not_read(opened, monkeypatch):
    with opened(leaf(text_row(long_text(7), 3)), more(3)) as pages:
        asked = []
        monkeypatch.setattr(pages, "_page", lambda page: asked.append(page) or more(3))
        assert list(pages._rows_on(leaf(text_row(long_text(7), 3)), 0)) == []
        assert asked == []


def test_a_cell_is_one_row_however_many_pointers_lead_to_it(opened):
    with opened(leaf(text_row(9, 0), pointers=100)) as pages:
        assert lengths(pages) == {2: [9]}


def test_rows_that_share_their_pages_are_read_only_so_often(opened):
    shared = [more(3 + each) for each in range(12)]
    sharing = [leaf(*[text_row(long_text(12), 2)] * 4)] * 100
    with opened(*shared[:-1], more(0), *sharing) as pages:
        found = [length for texts in lengths(pages).values() for length in texts]
        assert 0 < sum(found) <= (ONCE + 1) * pages.number * SIZE
        assert list(pages.rows_of(pages.number)) != []
        rows = sum(len(list(pages.rows_of(pages.number))) for _ in range(2000))
        assert rows * long_text(12) <= sqlite_pages.AGAIN * pages.number * SIZE


def test_whatever_is_on_the_pages_the_reading_ends(opened):
    draw = random.Random(7)
    for _ in range(20):
        page = bytearray(draw.randbytes(SIZE))
        page[0:5] = b"\r\0\0\xff\xff"
        with opened(*[bytes(page)] * 20) as pages:
            assert sum(len(list(rows)) for _, rows in pages.rows()) <= 20 * SIZE

"""Strangers' text in every place where it may be written."""

import csv
import io
from xml.etree import ElementTree as ET

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from tabulate import tabulate

from oddly.games.untrusted_text import (
    csv_cell,
    file_name,
    from_csv_cell,
    log_line,
    one_line,
    sentence_beside_tables,
    short_name,
    storable_text,
    table_cell,
    xml_text,
)

ANYTHING = st.text(st.characters(codec=None)) | st.sampled_from(
    ["\x1b[31mred", "a\nb", "\u202egnp.exe", "\ud800", "=1+1", "<script>", "a|b", "../..", ""]
)
"""Every character, lone surrogates too."""


@given(ANYTHING | st.binary())
def test_a_line_is_printable_and_bounded(text):
    line = one_line(text, 20)
    assert line.isprintable()
    assert len(line) <= 20 * len("\\U0010ffff") + len("...")
    assert line.endswith("...") or len(text) <= 20


def test_a_line_shows_what_it_escapes():
    assert one_line("a\x1b[31m\n\u202e\ud800") == "a\\x1b[31m\\n\\u202e\\ud800"
    assert one_line(b"\xff\x00ok") == "\\xff\\x00ok"


@given(ANYTHING | st.text("a \t", min_size=60, max_size=70))
@example("a" * 63 + " b")
def test_a_name_is_one_printable_line(text):
    name = short_name(text)
    assert name.isprintable()
    assert name == name.strip()


@given(st.binary(), st.binary())
def test_different_bytes_are_different_lines_of_a_log(one, other):
    assert (log_line(one) == log_line(other)) is (one == other)


@given(ANYTHING)
def test_xml_takes_it(text):
    root = ET.Element("title")
    root.text = xml_text(text)
    assert ET.fromstring(ET.tostring(root)).text in (root.text, None)  # noqa: S314 - ours


@given(ANYTHING)
def test_a_spreadsheet_computes_nothing(text):
    sink = io.StringIO()
    csv.writer(sink).writerow([csv_cell(text)])
    ((cell,),) = csv.reader(io.StringIO(sink.getvalue()))
    assert cell == csv_cell(text)
    assert not cell.startswith(("=", "+", "-", "@"))


@given(st.text("'=+-@a").filter(str.isprintable))
def test_a_cell_tells_the_text_that_it_was_written_for(text):
    assert from_csv_cell(csv_cell(text)) == text


@pytest.mark.parametrize("table_format", ["github", "pipe", "html", "orgtbl", "mediawiki", "tsv"])
def test_a_cell_stays_a_cell(table_format):
    cells = [table_cell(text, table_format) for text in ("a|b", "<b>&", "=1", "\n\x1b")]
    table = tabulate([cells], list("wxyz"), tablefmt=table_format, disable_numparse=True)
    assert "\x1b" not in table
    if table_format in ("github", "pipe", "html"):
        assert "<b>" not in table
    if table_format in ("github", "pipe"):
        assert {line.replace("\\|", "").count("|") for line in table.splitlines()} == {5}


def test_a_sentence_beside_a_table_is_no_markup():
    assert sentence_beside_tables("<b> & c", "html") == "&lt;b&gt; &amp; c"
    assert sentence_beside_tables("<b> & c", "simple") == "<b> & c"


@given(ANYTHING)
def test_a_file_name_stays_in_its_folder(text):
    name = file_name(text, 30)
    assert len(name) <= 30
    assert not set(name) & set("/\\\0 ")
    assert not name.startswith((".", "-"))


@given(ANYTHING)
def test_anything_can_be_stored(text):
    storable_text(text).encode()

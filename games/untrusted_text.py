"""Text from engines, files and other programs, made safe for the place where it is written.

There is one function for each kind of place. HTML templates escape markup by themselves, and so
does the library that writes XML, so those places need `xml_text` alone; `protocol.codec` frames
replies, and `oddly.game_records.sgf` escapes what means something in SGF.
"""

from __future__ import annotations

import html
import re

MAX_LINE_LENGTH = 400
MAX_NAME_LENGTH = 64
HTML_FORMATS = frozenset({"github", "html", "pipe"})
"""Formats of tables in which a browser interprets HTML: Markdown lets it through."""
BARS = {
    **dict.fromkeys(("github", "pipe", "jira", "asciidoc", "youtrack"), "\\|"),
    **dict.fromkeys(("mediawiki", "moinmoin", "textile"), "&#124;"),
    "orgtbl": "\\vert{}",
}
"""How a format of tables writes a bar inside a cell, where a bare one would end it."""
FORMULA_STARTS = tuple("=+-@")
"""Characters at which a spreadsheet begins to compute."""


def xml_text(text: str) -> str:
    """Return `text` for XML, SVG or HTML: control and invisible characters become escapes.

    The writer of the document still has to escape markup.
    """
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def one_line(text: str | bytes, max_length: int = MAX_LINE_LENGTH) -> str:
    """Return `text` as one line for a terminal, a log or a message, cut off at `max_length`.

    Bytes are read as UTF-8. What is not printable becomes escapes.
    """
    start = text[:max_length]
    if isinstance(start, bytes):
        start = start.decode("utf-8", "backslashreplace")
    return xml_text(start) + ("..." if len(text) > max_length else "")


def short_name(text: str) -> str:
    """Return the name that a program gives itself as one short line, with single spaces."""
    return xml_text(" ".join(text.split())[:MAX_NAME_LENGTH].rstrip())


def log_line(line: bytes) -> str:
    """Return a line of any bytes as printable text from which they can be recovered.

    A backslash is doubled, so that no escape is ambiguous.
    """
    return xml_text(line.replace(b"\\", b"\\\\").decode("utf-8", "backslashreplace"))


def csv_cell(text: str) -> str:
    """Return `text` for a cell of CSV or TSV that no spreadsheet takes for a formula.

    The writer of the file still has to quote it. `from_csv_cell` returns printable text as it was.
    """
    line = one_line(text)
    # Apostrophes before such a character count too, so that no two texts get the same cell.
    return f"'{line}" if line.lstrip("'").startswith(FORMULA_STARTS) else line


def from_csv_cell(cell: str) -> str:
    """Return the text for which `csv_cell` writes that cell."""
    is_marked = cell.startswith("'") and cell.lstrip("'").startswith(FORMULA_STARTS)
    return cell[1:] if is_marked else cell


def table_cell(text: str, table_format: str) -> str:
    """Return `text` for a cell of a table in one of tabulate's formats.

    tabulate escapes HTML and LaTeX itself, and nothing in other formats.
    """
    if table_format == "tsv":
        return csv_cell(text)
    line = one_line(text)
    if table_format in HTML_FORMATS - {"html"}:
        line = line.replace("&", "&amp;").replace("<", "&lt;")
    return line.replace("|", BARS.get(table_format, "|"))


def sentence_beside_tables(text: str, table_format: str) -> str:
    """Return a sentence that stands beside tables of one of tabulate's formats."""
    return html.escape(text, quote=False) if table_format in HTML_FORMATS else text


def file_name(text: str, max_length: int = 120) -> str:
    """Return `text` as the stem of a file's name: hyphens for all but letters, digits, `.`, `_`.

    It is empty if nothing is left, and never begins with a dot.
    """
    return re.sub(r"[^a-zA-Z0-9._]+", "-", text)[:max_length].strip("-.")


def storable_text(text: str) -> str:
    """Return `text` for a database or a file: what is not Unicode becomes escapes."""
    return text.encode("utf-8", "backslashreplace").decode()

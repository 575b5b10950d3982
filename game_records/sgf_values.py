"""The values of SGF's properties, read and written: points, words and untrusted text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from oddly.game_records import sgf_grammar
from oddly.games import Board, Vertex, one_line
from oddly.protocol import NotationError, grid_width
from oddly.protocol.notation import read_sgf_point, sgf_point, vertex_at
from oddly.referee import RecordError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


Node = dict[str, list[bytes]]
"""The raw values of a node's properties, by their names; no list is empty."""

PRIVATE = "ODDLY"
"""The property that keeps what SGF has no word for."""

_FIRST, _LAST = "a", "z"
_ENCODINGS = {
    name.replace("-", "").replace("_", ""): name
    for name in (
        "utf-8", "us-ascii", "ascii", "iso-8859-1", "latin1", "iso-8859-15", "windows-1252",
        "windows-1251", "koi8-r", "gb2312", "gbk", "gb18030", "big5", "shift_jis", "euc-jp",
        "euc-kr",
    )
}  # fmt: skip


def decode(node: Node, name: str, encoding: str | None) -> str:
    """Return a property's text in the file's encoding; empty without one. Raises RecordError.

    If no encoding is named, text that is not UTF-8 is read as Latin-1, SGF's default.
    """
    if name not in node:
        return ""
    value: bytes = sgf_grammar.text_value(node[name][0])
    try:
        return value.decode(encoding or "utf-8")
    except UnicodeDecodeError as error:
        if encoding is None:
            return value.decode("latin-1")
        raise RecordError(
            f"{name} is not {encoding.upper()} text, at byte {error.start + 1}"
        ) from None


def encoding_of(root: Node) -> str | None:
    """Return the encoding that a game's CA property names, None without one. Raises RecordError."""
    if "CA" not in root:
        return None
    named = root["CA"][0].decode("ascii", "replace").strip()
    encoding = _ENCODINGS.get(named.lower().replace("-", "").replace("_", ""))
    if encoding is None:
        raise RecordError(
            f"CA[{one_line(named[:40])}] is not a known encoding: save the file as UTF-8"
        )
    return encoding


def escaped(text: str) -> bytes:
    """Return a text as a raw value."""
    raw: bytes = sgf_grammar.escape_text(text.encode("utf-8", "backslashreplace"))
    return raw


def one_line_value(text: str) -> bytes:
    """Return untrusted text as a raw value that other programs may show: one line, bounded."""
    return escaped(one_line(text))


def points(board: Board, vertices: Iterable[Vertex]) -> list[bytes]:
    """Return the raw values of a list of points."""
    return [sgf_point(board, vertex).encode() for vertex in vertices]


def read_points(board: Board, name: str, values: Sequence[bytes]) -> list[Vertex]:
    """Return the vertices of points and rectangles (`aa:cc`). Raises RecordError."""
    vertices: list[Vertex] = []
    for value in values:
        if not (text := value.decode("ascii", "replace").strip()):
            continue
        try:
            vertices += [read_sgf_point(board, point) for point in _rectangle(text)]
        except NotationError as error:
            raise RecordError(f"{name}[{one_line(text)[:20]}]: {error}") from None
        if len(vertices) > len(board):
            break
    if len(set(vertices)) < len(vertices):
        raise RecordError(f"{name} names a point twice")
    return vertices


def _rectangle(text: str) -> list[str]:
    """Return the points of `ab` or `aa:cc`, and anything else unchanged."""
    first, colon, last = text.partition(":")
    if not colon:
        return [text]
    corners = first + last
    if len(corners) != 4 or not all(_FIRST <= letter <= _LAST for letter in corners):
        return [text]
    columns = range(ord(first[0]), ord(last[0]) + 1)
    rows = range(ord(first[1]), ord(last[1]) + 1)
    return [chr(column) + chr(row) for column in columns for row in rows] or [text]


def off_board(board: Board) -> list[bytes]:
    """Return the grid's points off the board, row by row, as rectangles one point high."""
    width = grid_width(board)
    values = []
    for row in range(width, 0, -1):
        columns = [x for x in range(1, width + 1) if vertex_at(board, x, row) is None]
        letter = chr(ord(_FIRST) + width - row)
        runs = _runs(columns)
        values += [_run(first, last, letter).encode() for first, last in runs]
    return values


def _runs(numbers: Sequence[int]) -> list[tuple[int, int]]:
    """Return the first and the last number of each run of consecutive numbers."""
    runs: list[tuple[int, int]] = []
    for number in numbers:
        if runs and runs[-1][1] == number - 1:
            runs[-1] = runs[-1][0], number
        else:
            runs.append((number, number))
    return runs


def _run(first: int, last: int, row: str) -> str:
    begin = chr(ord(_FIRST) + first - 1) + row
    return begin if first == last else f"{begin}:{chr(ord(_FIRST) + last - 1)}{row}"

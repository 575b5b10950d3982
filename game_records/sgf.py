"""SGF by itself: files cut into games and parsed within bounds, and the values of properties.

sgfmill knows the grammar. The rest is done here: a file is read a game at a time, so that a
collection may have any length; the cost of an untrusted file is bounded; an error names its line
and character. Values are points, words and untrusted text, read and written.
"""

from __future__ import annotations

import re
import warnings
from bisect import bisect_left
from typing import IO, TYPE_CHECKING, NamedTuple

from oddly.games import PASS, Board, Colour, Pass, Vertex, one_line
from oddly.protocol import NotationError, grid_width
from oddly.protocol.notation import read_sgf_point, sgf_point, vertex_at
from oddly.referee import RecordError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

with warnings.catch_warnings():
    # Python 3.12 and later warn of a backslash in one of its docstrings when compiling it, which
    # pip does unseen and other installers leave to the first import.
    warnings.simplefilter("ignore")
    from sgfmill import sgf_grammar


Node = dict[str, list[bytes]]
"""The raw values of a node's properties, by their names; no list is empty."""

PRIVATE = "ODDLY"
"""The property that keeps what SGF has no word for."""

OLD_PASS = b"tt"
"""A pass on boards of up to 19 points a side, in SGF before version 4."""

LARGEST_GAME = 1 << 20
"""Bytes: ten times a game of ours on the largest board."""
MAX_NODES = 20_000
"""Nodes of a game in all its variations."""
MAX_MARKS = 200_000
"""Values, nodes and parentheses of a game."""
DEEPEST = 1_000
"""Variations inside variations."""

_CHUNK = LARGEST_GAME // 8
_START = re.compile(rb"\(\s{0,99};")
_HALF_A_START = re.compile(rb"\(\s{0,99}\Z")
_MARK = re.compile(rb"[();]|\[[^\\\]]*+(?:\\.[^\\\]]*+)*+\]|\[", re.DOTALL)


class SgfGame(NamedTuple):
    """A game of a collection: the line where it begins, and the tree of its nodes."""

    line: int
    tree: sgf_grammar.Coarse_game_tree

    @property
    def nodes(self) -> list[Node]:
        """The nodes of the main line, which is the first of all variations."""
        return list(sgf_grammar.main_sequence_iter(self.tree))

    @property
    def tree_size(self) -> int:
        """The number of nodes in all variations."""
        waiting, count = [self.tree], 0
        while waiting:
            tree = waiting.pop()
            count += len(tree.sequence)
            waiting += tree.children
        return count

    @property
    def longest_line(self) -> list[Node]:
        """The nodes of the longest variation; of several, the last."""
        best: tuple[int, int] = (0, -1)
        trees: list[tuple[sgf_grammar.Coarse_game_tree, int, int]] = []
        waiting = [(self.tree, 0, -1)]
        while waiting:
            tree, before, parent = waiting.pop()
            length = before + len(tree.sequence)
            trees.append((tree, length, parent))
            waiting += [(child, length, len(trees) - 1) for child in tree.children]
            # The last child is looked at first.
            if length > best[0]:
                best = length, len(trees) - 1
        line: list[Node] = []
        at = best[1]
        while at >= 0:
            tree, _, at = trees[at]
            line[:0] = tree.sequence
        return line


def game_text(nodes: Iterable[Node]) -> str:
    """Return the text of one game, with a newline. Raises RecordError if it is too long to read."""
    tree = sgf_grammar.Coarse_game_tree()
    tree.sequence = [*nodes]
    text: bytes = sgf_grammar.serialise_game_tree(tree)
    if len(text.rstrip()) > LARGEST_GAME:
        raise RecordError(f"its SGF is longer than {LARGEST_GAME >> 20} MiB")
    return text.decode()


def parse_collection(stream: IO[bytes]) -> Iterator[SgfGame]:
    """Return the games of a file, skipping anything between them. Raises RecordError."""
    for number, (line, text) in enumerate(_cut(stream), start=1):
        yield SgfGame(line, _parse(text, line, number))


def _cut(stream: IO[bytes]) -> Iterator[tuple[int, bytes]]:
    """Yield each game's first line and its text."""
    text, at, line, number = b"", 0, 1, 0
    finished = False
    while not finished:
        chunk = stream.read(_CHUNK)
        finished = not chunk
        text, at = text[at:] + chunk, 0
        while found := _START.search(text, at):
            line += text.count(b"\n", at, found.start())
            at = found.start()
            end = _end_of_game(text, at, line, number + 1)
            if end is None:
                if finished:
                    raise _unfinished(text, at, line, number + 1)
                break
            number += 1
            yield line, text[at:end]
            line += text.count(b"\n", at, end)
            at = end
        else:
            half = _HALF_A_START.search(text, at)
            rest = half.start() if half else len(text)
            line += text.count(b"\n", at, rest)
            at = rest
    if number == 0:
        raise RecordError("it has no SGF game: one begins with '(;'")


def _end_of_game(text: bytes, start: int, line: int, number: int) -> int | None:
    """Return where the game at `start` ends, or None if the text ends first.

    Raises RecordError for a game beyond the bounds.
    """
    at, depth, nodes, marks = start, 0, 0, 0
    end = None
    while end is None and (found := _MARK.search(text, at)):
        at = found.end()
        marks += 1
        match text[found.start()]:
            case 0x28:  # (
                depth += 1
            case 0x29:  # )
                depth -= 1
                end = at if depth == 0 else None
            case 0x3B:  # ;
                nodes += 1
            case _ if found[0] == b"[":
                break
        if depth > DEEPEST:
            raise _beyond(number, line, f"has more than {DEEPEST:,} variations inside each other")
        if nodes > MAX_NODES:
            raise _beyond(number, line, f"has more than {MAX_NODES:,} nodes")
        if marks > MAX_MARKS:
            raise _beyond(number, line, f"has more than {MAX_MARKS:,} values and nodes")
    if (len(text) if end is None else end) - start > LARGEST_GAME:
        raise _beyond(number, line, f"is longer than {LARGEST_GAME >> 20} MiB, or never ends")
    return end


def _beyond(number: int, line: int, what: str) -> RecordError:
    return RecordError(f"game {number}, line {line}, {what}")


def _unfinished(text: bytes, start: int, line: int, number: int) -> RecordError:
    """Return the error of a file that ends within a game."""
    for found in _MARK.finditer(text, start):
        if found[0] == b"[":
            opened, character = place(text[start:], found.start() - start, line)
            missing = f"the '[' of line {opened}, character {character}, has no ']'"
            break
    else:
        missing = "a ')' is missing"
    return RecordError(f"game {number}, line {line}: the file ends inside it: {missing}")


def _parse(text: bytes, line: int, number: int) -> sgf_grammar.Coarse_game_tree:
    """Return the game's tree. Raises RecordError."""
    try:
        return sgf_grammar.parse_sgf_game(text)
    except ValueError as error:
        at, what = _first_error(text, str(error))
    line, character = place(text, at, line)
    raise RecordError(f"game {number}, line {line}, character {character}: {what}")


def _first_error(text: bytes, message: str) -> tuple[int, str]:
    """Return where a text stops being SGF, and what is wrong there."""
    _, stopped = sgf_grammar.tokenise(text)
    if stopped < len(text):
        stopped += len(text[stopped:]) - len(text[stopped:].lstrip())
        return stopped, f"{one_line(text[stopped : stopped + 1])!r} belongs to no property"
    # A text cut off before its error is merely unfinished, so bisection finds the place.
    ends = range(1, len(text) + 1)
    return bisect_left(ends, True, key=lambda end: _is_wrong(text[:end])), message


def _is_wrong(text: bytes) -> bool:
    """Return whether a text is wrong whatever follows."""
    try:
        sgf_grammar.parse_sgf_game(text)
    except ValueError as error:
        return str(error) not in ("unexpected end of SGF data", "no SGF data found")
    return False


def place(text: bytes, at: int, line: int) -> tuple[int, int]:
    """Return the line and the character of an index, both from 1; the text begins in `line`."""
    before = text[:at]
    return line + before.count(b"\n"), at - before.rfind(b"\n")


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


def text_of(value: bytes, encoding: str | None) -> str:
    """Return a raw value as text in that encoding or UTF-8; what is not that, as Latin-1."""
    raw: bytes = sgf_grammar.text_value(value)
    try:
        return raw.decode(encoding or "utf-8")
    except UnicodeDecodeError:
        return raw.decode("latin-1")


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


def point_or_pass(board: Board, colour: Colour, value: bytes) -> Vertex | Pass:
    """Return where a raw value of B or W puts a stone, if anywhere. Raises RecordError."""
    if not value.strip() or (value.strip() == OLD_PASS and grid_width(board) <= 19):
        return PASS
    text = value.decode("ascii", "replace").strip()
    try:
        return read_sgf_point(board, text)
    except NotationError as error:
        raise RecordError(f"{colour.letter}[{one_line(text)[:20]}]: {error}") from None


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

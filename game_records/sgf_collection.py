"""SGF files, cut into games and parsed within bounds.

sgfmill knows the grammar. The rest is done here: a file is read a game at a time, so that a
collection may have any length; the cost of an untrusted file is bounded; an error names its line
and character.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from typing import IO, TYPE_CHECKING, NamedTuple

from oddly.game_records import sgf_grammar
from oddly.games import one_line
from oddly.referee import RecordError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from oddly.game_records.sgf_values import Node


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

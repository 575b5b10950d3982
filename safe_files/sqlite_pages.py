"""Rows from the pages of a damaged SQLite file, without SQLite.

Every page is read as a leaf of a table, whatever its header says; other pages yield nothing that
fits our tables. So a lost page costs only the rows on it. In a malicious file many rows may share
their bytes, so the size of the file bounds what is read in all. The format is described at
https://sqlite.org/fileformat2.html.
"""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, Any, NamedTuple

from oddly.safe_files.sqlite_file import MAGIC, file_beside

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

DEFAULT_PAGE_SIZE = 4096
PAGE_SIZES = frozenset(1 << power for power in range(9, 17))

LOG_HEADER, FRAME_HEADER = 32, 24
MAX_PAYLOAD = 1 << 26
MAX_ROW_HEADER = 128
"""The bytes that say of which types the values of a row are: our files need a tenth of this."""
ONCE, AGAIN = 8, 256
"""How often the bytes of a file may be read for its rows: while all pages are read, and later."""

FIXED_SIZES = {0: 0, 1: 1, 2: 2, 3: 3, 4: 4, 5: 6, 6: 8, 7: 8, 8: 0, 9: 0}
"""The bytes of a value by its serial type, except for texts and blobs."""

REAL, ZERO, ONE, FIRST_OF_SOME_LENGTH = 7, 8, 9, 12


class FoundRow(NamedTuple):
    """A row found on a page, not yet checked."""

    rowid: int
    values: tuple[Any, ...]


class _Frame(NamedTuple):
    """A version of a page in the write-ahead log."""

    place: int
    """Where its bytes begin."""
    number: int
    in_all: int
    """The pages of the file, if a transaction ends with this one; else 0."""
    salts: bytes


class Pages:
    """The pages of a file; those in its write-ahead log replace older ones."""

    def __init__(self, path: Path) -> None:
        """Open the file. Raises OSError if it cannot be read."""
        self._file = path.open("rb")
        header = self._file.read(100)
        said = int.from_bytes(header[16:18], "big")
        said = 1 << 16 if said == 1 else said
        self.size = said if said in PAGE_SIZES else DEFAULT_PAGE_SIZE
        size = path.stat().st_size
        self.number = -(-size // self.size)
        self._whole = size // self.size
        self.expected = _pages_in(header)
        """How many pages there should be, by the log or the header; 0 if neither says."""
        self._in_log: dict[int, int] = {}
        log = file_beside(path, "-wal")
        self._log = log.open("rb") if log.is_file() else None
        self._log_size = log.stat().st_size if self._log is not None else 0
        self.damaged = 0
        """How many pages of the log have lost the mark that they are its own."""
        self.unfinished = 0
        """How many pages of the log lie behind its last whole transaction."""
        self._index_log()
        self._left = AGAIN * self.number * self.size
        """The bytes of rows that may still be read."""

    def close(self) -> None:
        """Close the files."""
        self._file.close()
        if self._log is not None:
            self._log.close()

    @property
    def missing(self) -> int:
        """How many of the expected pages are missing or cut off."""
        in_log = sum(self._whole < number <= self.expected for number in self._in_log)
        return max(0, self.expected - self._whole - in_log)

    def rows(self) -> Iterator[tuple[int, Iterator[FoundRow]]]:
        """Yield the number of each page with the rows that may be on it."""
        later, self._left = self._left, ONCE * self.number * self.size
        for number in range(1, self.number + 1):
            yield number, self.rows_of(number)
        self._left = later

    def rows_of(self, number: int) -> Iterator[FoundRow]:
        """Yield the rows that may be on a page, in the same order each time."""
        return self._rows_on(self._page(number), 100 if number == 1 else 0)

    def _page(self, number: int) -> bytes:
        """Return a page, padded with zeros if the file is cut off."""
        if (place := self._in_log.get(number)) is not None and self._log is not None:
            self._log.seek(place)
            page = self._log.read(self.size)
        else:
            self._file.seek((number - 1) * self.size)
            page = self._file.read(self.size)
        return page.ljust(self.size, b"\0")

    def _index_log(self) -> None:
        """Find the newest committed version of each page in the write-ahead log."""
        begun: dict[int, int] = {}
        foreign, salts = 0, self._salts()
        for frame in self._frames():
            if not _are_alike(frame.salts, salts):
                foreign += 1
                continue
            # Frames of an earlier log lie only behind the last frame of this one.
            self.damaged += foreign
            foreign = 0
            begun[frame.number] = frame.place
            if frame.in_all:
                # The end of a transaction, which says how many pages there are.
                self._in_log |= begun
                self.expected = frame.in_all
                self.number = max(self.number, min(frame.in_all, self.number + len(self._in_log)))
                begun = {}
        self.unfinished = len(begun)

    def _frames(self) -> Iterator[_Frame]:
        """Yield the frames of the log file that are whole, also those of an earlier log."""
        if self._log is None:
            return
        length = FRAME_HEADER + self.size
        for place in range(LOG_HEADER, self._log_size - length + 1, length):
            self._log.seek(place)
            header = self._log.read(FRAME_HEADER)
            if len(header) < FRAME_HEADER:
                return
            number, in_all = struct.unpack(">II", header[:8])
            yield _Frame(place + FRAME_HEADER, number, in_all, header[8:16])

    def _salts(self) -> bytes:
        """Return the mark of the log's frames, by its header or, if that is damaged, by two frames.

        Frames of an earlier log have another one.
        """
        if self._log is None:
            return b""
        self._log.seek(16)
        said, first, seen = self._log.read(8), b"", set()
        for frame in self._frames():
            if frame.salts == said:
                return said
            if frame.salts in seen:
                first = first or frame.salts
            seen.add(frame.salts)
        return first or next((frame.salts for frame in self._frames()), said)

    def _rows_on(self, page: bytes, header: int) -> Iterator[FoundRow]:
        (start,) = struct.unpack_from(">H", page, header + 5)
        first, last = header + 8, start if start > header + 8 else self.size
        (cells,) = struct.unpack_from(">H", page, header + 3)
        # The number of cells may be damaged: every place up to the first cell may hold a pointer.
        end = max(last, first + 2 * cells)
        places = range(first, min(end, self.size) - 1, 2)
        for pointer in dict.fromkeys(struct.unpack_from(">H", page, place)[0] for place in places):
            if header + 8 < pointer < self.size - 3 and self._left > 0:
                row = self._row_at(page, pointer)
                if row is not None:
                    yield row

    def _row_at(self, page: bytes, place: int) -> FoundRow | None:
        """Return the row of the cell at a place on a page; None if there is none."""
        try:
            size, place = _number_at(page, place)
            rowid, place = _number_at(page, place)
            if not 1 < size < MAX_PAYLOAD:
                return None
            row = FoundRow(rowid, _values(self._payload(page, place, size)))
        except (IndexError, ValueError, struct.error):
            return None
        self._left -= size
        return row

    def _payload(self, page: bytes, place: int, size: int) -> bytes:
        """Return the bytes of a row, which may continue on other pages. Raises ValueError."""
        # In our files, SQLite reserves no bytes at the end of a page.
        most = self.size - 35
        if size <= most:
            return page[place : place + size]
        least = (self.size - 12) * 32 // 255 - 23
        here = least + (size - least) % (self.size - 4)
        here = here if here <= most else least
        parts = [page[place : place + here]]
        (following,) = struct.unpack_from(">I", page, place + here)
        left = size - here
        if left > self.number * self.size:
            raise ValueError("the row is longer than the file")
        seen = set()
        while left > 0:
            if not 0 < following <= self.number or following in seen:
                raise ValueError("the row continues on no page of its own")
            seen.add(following)
            page = self._page(following)
            self._left -= self.size
            parts.append(page[4 : 4 + min(left, self.size - 4)])
            left -= len(parts[-1])
            following = int.from_bytes(page[:4], "big")
        return b"".join(parts)


def _are_alike(salts: bytes, others: bytes) -> bool:
    """Return whether a half of the salts is the same: each log has two new ones."""
    return salts[:4] == others[:4] or salts[4:] == others[4:]


def _pages_in(header: bytes) -> int:
    """Return the number of pages by the header of a file; 0 if it does not say."""
    if not header.startswith(MAGIC) or header[24:28] != header[92:96]:
        return 0
    return int.from_bytes(header[28:32], "big")


def _number_at(data: bytes, place: int) -> tuple[int, int]:
    """Return the SQLite varint of 1 to 9 bytes at a place, and the next place."""
    value = 0
    for taken in range(8):
        byte = data[place + taken]
        value = value << 7 | byte & 0x7F
        if byte < 0x80:
            return value, place + taken + 1
    return value << 8 | data[place + 8], place + 9


def _values(payload: bytes) -> tuple[Any, ...]:
    """Return the values of a row. Raises ValueError or IndexError if there is none."""
    header, place = _number_at(payload, 0)
    if not 1 < header <= min(len(payload), MAX_ROW_HEADER):
        raise ValueError("no row has such a header")
    kinds = []
    while place < header:
        kind, place = _number_at(payload, place)
        kinds.append(kind)
    values: list[Any] = []
    for kind in kinds:
        size = FIXED_SIZES[kind] if kind in FIXED_SIZES else (kind - 12) // 2
        if size < 0 or header + size > len(payload):
            raise ValueError("a value goes beyond its row")
        values.append(_value(kind, payload[header : header + size]))
        header += size
    if header != len(payload):
        raise ValueError("a row goes beyond its values")
    return tuple(values)


def _value(kind: int, data: bytes) -> Any:  # noqa: ANN401 - SQLite has values of all kinds
    """Return the value of a serial type. Raises ValueError for text that is not UTF-8."""
    if kind >= FIRST_OF_SOME_LENGTH:
        return data.decode() if kind % 2 else data
    if kind == REAL:
        return struct.unpack(">d", data)[0]
    if kind in (ZERO, ONE):
        return kind - ZERO
    return int.from_bytes(data, "big", signed=True) if kind else None

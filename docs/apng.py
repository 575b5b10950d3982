"""Several PNG pictures of one size as a moving one (APNG): https://www.w3.org/TR/png-3/#apng."""

from __future__ import annotations

import struct
import zlib
from itertools import count
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

SIGNATURE = b"\x89PNG\r\n\x1a\n"


def apng(frames: Sequence[bytes], milliseconds: Sequence[int]) -> bytes:
    """Return the pictures one after the other, each for its time, over and over.

    Raises ValueError if one is no PNG or differs from the first in size or kind.
    """
    number = count()
    header = _data(frames[0], b"IHDR")
    if any(_data(frame, b"IHDR") != header for frame in frames):
        raise ValueError("the pictures differ in size or kind")
    width, height = struct.unpack(">II", header[:8])
    parts = [
        SIGNATURE,
        _chunk(b"IHDR", header),
        _chunk(b"acTL", struct.pack(">II", len(frames), 0)),
    ]
    for place, (frame, time) in enumerate(zip(frames, milliseconds, strict=True)):
        control = struct.pack(">IIIIIHHBB", next(number), width, height, 0, 0, time, 1000, 0, 0)
        parts.append(_chunk(b"fcTL", control))
        # Browsers write quickly rather than small.
        pixels = zlib.compress(zlib.decompress(_data(frame, b"IDAT")), 9)
        if place:
            parts.append(_chunk(b"fdAT", struct.pack(">I", next(number)) + pixels))
        else:
            parts.append(_chunk(b"IDAT", pixels))
    return b"".join((*parts, _chunk(b"IEND", b"")))


def _data(png: bytes, kind: bytes) -> bytes:
    """Return what the chunks of a kind have together."""
    return b"".join(data for name, data in _chunks(png) if name == kind)


def _chunks(png: bytes) -> Iterator[tuple[bytes, bytes]]:
    if not png.startswith(SIGNATURE):
        raise ValueError("this is no PNG")
    place = len(SIGNATURE)
    while place < len(png):
        (length,) = struct.unpack_from(">I", png, place)
        yield png[place + 4 : place + 8], png[place + 8 : place + 8 + length]
        place += length + 12


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

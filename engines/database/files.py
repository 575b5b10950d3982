"""A database on disk: a folder with a bit for each position, and a page of facts about them.

Each layer has a file for each of its planes: bit n, the highest of a byte first, is the value of
position n. `database.json` says which game it is, which layers are finished, and their SHA-256.
Files appear whole or not at all, so that a run that was stopped goes on with the next layer. One
process at a time makes a database: two would write to the same files.
"""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from hashlib import sha256
from typing import TYPE_CHECKING, Any

import numpy as np

from oddly.games import one_line
from oddly.safe_files import UnusableFileError, lock, unlock

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from pathlib import Path

FACTS = "database.json"
FORMAT = 1
MAX_SHOWN = 60
"""The characters of a wrong fact that an error shows."""


class DatabaseError(ValueError):
    """A database that cannot be read or made. The message is one sentence."""


def damage(what: str, folder: Path) -> DatabaseError:
    """Return the error for a file or a value that is wrong, with the way on."""
    return DatabaseError(f"{what}; delete {folder / FACTS} and make the database again")


def unreadable(file: Path, error: OSError | ValueError) -> DatabaseError:
    """Return the error for a file that neither the system nor NumPy can read, with the way on."""
    reason = error.strerror if isinstance(error, OSError) else error
    return damage(f"{file} cannot be read: {reason}", file.parent)


def in_parts(solve: Callable[[int], None], count: int, step: int, threads: int) -> Iterator[int]:
    """Call `solve` in threads with every `step`-th number below `count`; yield how many are done.

    After an exception no further call begins.
    """
    with ThreadPoolExecutor(threads) as pool:
        try:
            for number, _ in enumerate(pool.map(solve, range(0, count, step)), start=1):
                yield min(number * step, count)
        except BaseException:
            pool.shutdown(cancel_futures=True)
            raise


class Folder:
    """The files of one database. Raises DatabaseError for those of another game."""

    def __init__(self, path: Path, header: Mapping[str, Any], planes: Sequence[int]) -> None:
        self.path = path
        self.planes = tuple(planes)
        last = max(self.planes, default=0)
        self.dtype = np.dtype(np.uint8 if last < 8 else np.uint16 if last < 16 else np.uint32)
        self._whole: dict[tuple[int, int], np.ndarray] = {}
        """The planes of layers that were compared with their SHA-256."""
        self._header = {"format": FORMAT, **header}
        self.facts: dict[str, Any] = {**self._header, "layers": {}}
        self._read()

    def _read(self) -> None:
        """Take the facts from `database.json` if there is one."""
        if not (self.path / FACTS).exists():
            return
        found = self._read_facts()
        for name, expected in self._header.items():
            if found.get(name) != expected:
                raise DatabaseError(
                    f"{self.path} is a database of another kind: its {name} is "
                    f"{found.get(name)!r}, expected {expected!r}"
                )
        self._check_layers(found["layers"])
        self.facts = found

    @contextmanager
    def held(self) -> Iterator[None]:
        """Hold the folder, made if there is none, for this process, and read its facts again.

        Raises DatabaseError if another process makes the database now, OSError if the folder cannot
        be made.
        """
        self.path.mkdir(parents=True, exist_ok=True)
        try:
            held = lock(self.path / FACTS, "database")
        except UnusableFileError as error:
            raise DatabaseError(str(error)) from None
        try:
            # The process that held it before may have gone on since they were read.
            self._read()
            yield
        finally:
            unlock(held)

    def has(self, stones: int) -> bool:
        """Return whether that layer is finished."""
        return str(stones) in self.facts["layers"]

    def bits(self, stones: int, plane: int) -> np.ndarray:
        """Return a plane of a layer as packed bits, mapped from its file; uint8, 8 positions each.

        The first time, it is compared with its SHA-256. Raises DatabaseError if the file is missing
        or differs from what was written.
        """
        if (stones, plane) not in self._whole:
            self._whole[stones, plane] = self._verified(stones, plane)
        return self._whole[stones, plane]

    def value(self, stones: int, plane: int, number: int) -> bool:
        """Return the value of a position. Raises DatabaseError as `bits` does."""
        return bool(self.bits(stones, plane)[number >> 3] >> (7 - (number & 7)) & 1)

    def _mapped(self, stones: int, plane: int) -> np.ndarray:
        """Return a plane as it is. Raises DatabaseError if it is missing or of another length."""
        file = self._file(stones, plane)
        try:
            found = np.memmap(file, dtype=np.uint8, mode="r")
        except (OSError, ValueError) as error:
            raise unreadable(file, error) from None
        wanted = -(-self.facts["layers"][str(stones)]["positions"] // 8)
        if len(found) != wanted:
            raise damage(f"{file} has {len(found)} bytes, expected {wanted}", self.path)
        return found

    def verify(self) -> None:
        """Compare the files of all finished layers with their SHA-256.

        Raises DatabaseError for the first that is missing or differs from what was written.
        """
        for plane in self.planes:
            for stones in self.facts["layers"]:
                self._verified(int(stones), plane)

    def load(self, stones: int) -> np.ndarray:
        """Return the values of a finished layer; one number a position, with a bit for each plane.

        Raises DatabaseError if a file is missing or differs from what was written.
        """
        layer = self.facts["layers"][str(stones)]
        values = np.zeros(layer["positions"], dtype=self.dtype)
        for plane in self.planes:
            packed = self._verified(stones, plane)
            values |= np.unpackbits(packed, count=len(values)).astype(self.dtype) << plane
        return values

    def _verified(self, stones: int, plane: int) -> np.ndarray:
        packed = self._mapped(stones, plane)
        expected = self.facts["layers"][str(stones)]["sha256"][str(plane)]
        if sha256(packed.data).hexdigest() != expected:
            file = self._file(stones, plane)
            raise damage(f"{file} is damaged: its SHA-256 is not the one in {FACTS}", self.path)
        return packed

    def save(self, stones: int, values: np.ndarray, **facts: object) -> None:
        """Write a layer, then enter it as finished. Raises OSError."""
        hashes = {}
        for plane in self.planes:
            packed = np.packbits((values >> plane).astype(np.uint8) & 1)
            self.write(self._file(stones, plane), packed.tobytes())
            hashes[str(plane)] = sha256(packed.tobytes()).hexdigest()
            self._whole.pop((stones, plane), None)
        layer = {"positions": len(values), "sha256": hashes, **facts}
        self.facts["layers"][str(stones)] = layer
        self.save_facts()

    def save_facts(self) -> None:
        """Write `database.json` anew. Raises OSError."""
        self.write(self.path / FACTS, json.dumps(self.facts, indent=1).encode())

    def _file(self, stones: int, plane: int) -> Path:
        return self.path / f"layer-{stones:02}-{plane:02}.bits"

    def write(self, file: Path, data: bytes) -> None:
        """Write a file of the folder, whole or not at all. Raises OSError."""
        passing = file.with_suffix(".part")
        passing.write_bytes(data)
        passing.replace(file)

    def _read_facts(self) -> dict[str, Any]:
        try:
            found = json.loads((self.path / FACTS).read_text(encoding="utf-8"))
            if isinstance(found["layers"], dict):
                return dict(found)
        except (OSError, ValueError, KeyError, TypeError, RecursionError):
            pass
        raise DatabaseError(f"{self.path / FACTS} is not the facts of a database")

    def _check_layers(self, layers: Mapping[str, Any]) -> None:
        """Raise DatabaseError for the first fact of a layer that is missing or of another kind."""
        hashes = [(f"sha256.{plane}", str, "64 digits of SHA-256") for plane in self.planes]
        wanted = [
            ("positions", int, "a whole number"),
            ("seconds", int | float, "a number"),
            *hashes,
        ]
        for layer, facts in layers.items():
            if self.planes and not (layer.isascii() and layer.isdigit() and len(layer) < 4):
                raise self._wrong(f"layers.{layer}", "a number of stones as its key")
            for key, kind, expected in wanted:
                found = facts
                for part in key.split("."):
                    found = found.get(part) if isinstance(found, dict) else None
                if not isinstance(found, kind) or isinstance(found, bool):
                    shown = "missing" if found is None else one_line(repr(found), MAX_SHOWN)
                    raise self._wrong(f"layers.{layer}.{key} is {shown}", expected)

    def _wrong(self, what: str, expected: str) -> DatabaseError:
        return damage(f"{self.path / FACTS}: {one_line(what)}, expected {expected}", self.path)

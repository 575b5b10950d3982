"""The files that everybody may download, and their list: all games by month, and all ratings.

A thread writes the files, and each appears complete or not at all. The games of a month are
rewritten during the month, and after rulings of the keeper. `files.json` lists the files; those of
a pool change together with it, when all of them are written.
"""

from __future__ import annotations

import hashlib
import json
import os
import zlib
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import trio
from starlette.requests import Request
from starlette.responses import FileResponse, PlainTextResponse, Response

from oddly.arena.sessions import Addresses
from oddly.games.untrusted_text import csv_cell
from oddly.interfaces.arena.event_log import report
from oddly.interfaces.arena.pages.rating_pages import ratings_csv
from oddly.interfaces.arena.pages.site import UNREADABLE, ArenaSite
from oddly.tournaments import Ledger
from oddly.tournaments.ledger.ledger_file import utc_now

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from pathlib import Path

    from starlette.types import Receive, Scope, Send


FOLDER = "downloads"
LIST = "files.json"
AT_ONCE = 200
LEVEL = 6
GZIP = 31
"""The setting of zlib's window that produces gzip."""
COUNTED = "from summaries where winner is not null"
MONTHS = f"select substr(finished, 1, 7), count(*) {COUNTED} group by 1 order by 1"
GAMES = """
select '{"id": ' || json_quote(id) || ', "pool": ' || json_quote(?) || ', "finished": '
    || json_quote(summaries.finished) || ', ' || substr(record, 2)
from summaries join games using (id)
where summaries.winner is not null and substr(summaries.finished, 1, 7) = ? order by number
"""
HISTORY = """
select engine, hour, elo, error, games from ratings where pool = ? and hour <= ?
order by hour, engine
"""
HISTORY_HEAD = "engine,hour,elo,error_95,games\n"


@dataclass(frozen=True, slots=True)
class Download:
    """A file that can be downloaded."""

    name: str
    what: str
    """Its content in words."""
    kind: str
    """Its media type."""
    pool: str
    size: int
    sha256: str
    written: str
    """UTC, ISO 8601."""
    month: str = ""
    rulings: int = 0
    """The number of rulings when it was written."""
    games: int = 0

    def as_json(self) -> dict[str, Any]:
        """Return the download as plain values."""
        return {name: getattr(self, name) for name in self.__slots__}


def read_list(folder: Path) -> list[Download]:
    """Return the list of files; empty if it is missing or cannot be read."""
    try:
        value = json.loads((folder / LIST).read_text("utf-8"))
        return [Download(**each) for each in value]
    except (OSError, ValueError, TypeError):
        return []


class _PoolGames(Ledger):
    """A ledger whose games are written to a file."""

    def months(self) -> dict[str, int]:
        """Return the number of games that ended in each month."""
        self._connection.bound_by(self.path.stat().st_size)
        return {str(month): int(games) for month, games in self._fetch(MONTHS)}

    def lines(self, pool: str, month: str) -> Iterator[str]:
        """Yield the games of a month as JSON, in the order in which they ended."""
        self._connection.bound_by(self.path.stat().st_size)
        for (line,) in self._fetch(GAMES, (pool, month)):
            yield str(line)


class NightlyFiles:
    """Writes the downloads of an arena. Methods raise OSError, LedgerError and sqlite3.Error."""

    def __init__(
        self,
        folder: Path,
        ledgers: Mapping[str, Path],
        open_file: Callable[[], sqlite3.Connection],
    ) -> None:
        self.folder = folder
        self._ledgers = ledgers
        self._open_file = open_file
        self.listed = {each.name: each for each in read_list(folder)}
        """The files that the list has now, by their names."""

    def write(self, ladders: Mapping[str, str], now: str) -> list[Download]:
        """Write everything that is out of date; `ladders` are the ratings of each pool as CSV.

        `now` is in UTC, ISO 8601. Returns the list of files.
        """
        self.folder.mkdir(parents=True, exist_ok=True)
        self._clear_away()
        before = {each.name: each for each in read_list(self.folder)}
        found: list[Download] = []
        left = list(before.values())
        try:
            for pool, path in self._ledgers.items():
                made = [*self._games(pool, path, before, now)]
                made += self._ratings(pool, ladders[pool], now)
                found += made
                left = [each for each in left if each.pool != pool]
                self._publish(made, [*found, *left])
        finally:
            self._clear_away()
        if left:
            self._publish([], found)
        for name in before.keys() - {each.name for each in found}:
            (self.folder / name).unlink(missing_ok=True)
        return found

    def _publish(self, made: Sequence[Download], listed: Sequence[Download]) -> None:
        """Give the new files among those made their names, and write the list."""
        # On a full disk this fails, before any file has its name.
        with self._file(LIST) as file:
            file.add(json.dumps([each.as_json() for each in listed], indent=1) + "\n")
        for name in (*(each.name for each in made), LIST):
            with suppress(FileNotFoundError):
                self._part(name).rename(self.folder / name)
        self.listed = {each.name: each for each in listed}

    def _part(self, name: str) -> Path:
        """Return where a file is until its pool is published."""
        return self.folder / f".{name}.part"

    def _clear_away(self) -> None:
        """Remove what was not published, also by a killed process."""
        for part in self.folder.glob(".*.part"):
            part.unlink(missing_ok=True)

    def _games(
        self, pool: str, path: Path, before: Mapping[str, Download], now: str
    ) -> Iterator[Download]:
        with _PoolGames(path, read_only=True) as ledger:
            rulings = len(ledger.rulings().given)
            for month, games in ledger.months().items():
                name = f"{pool}-{month}.jsonl.gz"
                old = before.get(name)
                # The clock may have been ahead when the file was written.
                is_over = old is not None and month < old.written[:7] and old.written <= now
                is_whole = old is not None and (old.games, old.rulings) == (games, rulings)
                if old and is_over and is_whole and (self.folder / name).is_file():
                    yield old
                    continue
                with self._file(name, packed=True) as file:
                    for line in ledger.lines(pool, month):
                        file.add(line + "\n")
                what = f"games of {month}"
                done = file.done(name, what, "application/gzip", pool, now, month)
                yield replace(done, rulings=rulings, games=games)

    def _ratings(self, pool: str, ladder: str, now: str) -> Iterator[Download]:
        name = f"{pool}-ratings.csv"
        with self._file(name) as file:
            file.add(ladder)
        yield file.done(name, "ratings", "text/csv", pool, now)
        name = f"{pool}-ratings-by-hour.csv"
        with self._file(name) as file:
            for text in self._history(pool, now):
                file.add(text)
        yield file.done(name, "ratings by hour", "text/csv", pool, now)

    def _history(self, pool: str, now: str) -> Iterator[str]:
        yield HISTORY_HEAD
        with closing(self._open_file()) as connection:
            for engine, hour, elo, error, games in connection.execute(HISTORY, (pool, now)):
                name = csv_cell(engine).replace('"', '""')
                yield f'"{name}",{hour},{elo},{error},{games}\n'

    @contextmanager
    def _file(self, name: str, *, packed: bool = False) -> Iterator[_Growing]:
        """Yield a file to fill, which gets its name when its pool is published."""
        with self._part(name).open("wb") as file:
            growing = _Growing(file.write, packed=packed)
            yield growing
            growing.end()
            file.flush()
            os.fsync(file.fileno())


class _Growing:
    """A file that grows text by text, written in larger pieces."""

    def __init__(self, write: Callable[[bytes], object], *, packed: bool) -> None:
        self._write = write
        self._packer = zlib.compressobj(LEVEL, zlib.DEFLATED, GZIP) if packed else None
        self._texts: list[str] = []
        self._digest = hashlib.sha256()
        self._size = 0

    def add(self, text: str) -> None:
        """Add a text."""
        self._texts.append(text)
        if len(self._texts) >= AT_ONCE:
            self._pass_on()

    def end(self) -> None:
        """Write the rest."""
        self._pass_on()
        if self._packer is not None:
            self._put(self._packer.flush())

    def done(
        self, name: str, what: str, kind: str, pool: str, now: str, month: str = ""
    ) -> Download:
        """Return the file's entry in the list."""
        digest = self._digest.hexdigest()
        return Download(name, what, kind, pool, self._size, digest, now, month)

    def _pass_on(self) -> None:
        # Packing a large piece lets other threads run meanwhile.
        data = "".join(self._texts).encode()
        self._texts.clear()
        self._put(data if self._packer is None else self._packer.compress(data))

    def _put(self, data: bytes) -> None:
        self._digest.update(data)
        self._size += len(data)
        self._write(data)


MAX_AT_ONCE, MAX_OF_ONE = 32, 3
"""Downloads allowed at the same time, in all and to one address."""
LOOK_EVERY, AGAIN = 60.0, 3600.0
"""Seconds between two checks of the date, and before a failed write is tried again."""
LISTED = Download(LIST, "", "application/json", "", 0, "", "")
FIRST_PAUSE = 5.0
"""Seconds before the first write, in which engines may come back to their games."""


class Downloads:
    """Serves the page of downloads, and as an application the files."""

    def __init__(self, site: ArenaSite, files: NightlyFiles) -> None:
        self._site, self._files = site, files
        self._addresses = Addresses(MAX_AT_ONCE, MAX_OF_ONE)

    async def page(self, request: Request) -> Response:
        """Send the list."""
        files = sorted(self._files.listed.values(), key=lambda each: (each.pool, each.name))
        return self._site.drawn.page(
            request, "downloads.html", files=[(each, _size(each.size)) for each in files]
        )

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send the file that an address names from the disk, or the requested part of it."""
        name = scope["path_params"]["name"]
        found = LISTED if name == LIST and self._files.listed else self._files.listed.get(name)
        address = scope["client"][0] if scope.get("client") else ""
        with self._addresses.one_from(address) as refused:
            if found is None:
                said = "There is no file of this name: the page of downloads lists all."
                answer: Response = self._site.drawn.nothing(Request(scope), "No such file", said)
            elif refused:
                said = "Too many download at the same time: try again in a minute.\n"
                answer = PlainTextResponse(said, 503, {"retry-after": "60"})
            else:
                answer = FileResponse(
                    self._files.folder / found.name,
                    media_type=found.kind,
                    filename=found.name,
                    headers={"cache-control": "public, no-cache"},
                )
            await answer(scope, receive, send)

    async def keep_writing(self) -> None:
        """Write the files at the start and every night at 0:00 UTC."""
        await trio.sleep(FIRST_PAUSE)
        while True:
            now = utc_now()
            if not self._is_of(now[:10]):
                is_written = await self.write(now)
                await trio.sleep(LOOK_EVERY if is_written else AGAIN)
            await trio.sleep(LOOK_EVERY)

    def _is_of(self, day: str) -> bool:
        """Return whether the files of every pool are of this day."""
        written: dict[str, str] = {}
        for each in self._files.listed.values():
            written[each.pool] = max(written.get(each.pool, ""), each.written[:10])
        # The last day may be a later one, if the clock was ahead.
        return all(written.get(pool) == day for pool in self._site.arena.pools)

    async def write(self, now: str) -> bool:
        """Write the files, and return whether that worked; a failure is reported to the keeper."""
        ladders = {pool: ratings_csv(self._site.ladder(pool)) for pool in self._site.arena.pools}
        try:
            await trio.to_thread.run_sync(self._files.write, ladders, now)
        except (OSError, *UNREADABLE) as error:
            report(f"the downloads cannot be written: {error}")
            return False
        return True


def _size(size: int) -> str:
    """Return a size, given in bytes, in KiB or MiB."""
    if size < 1 << 20:
        return f"{max(1, round(size / 1024)):,} KiB"
    return f"{size / (1 << 20):,.1f} MiB"

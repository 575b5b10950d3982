"""The list of downloads, the files themselves, and when they are written."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import trio
from starlette.requests import Request
from starlette.responses import FileResponse, PlainTextResponse, Response

from oddly.arena.limits import is_here
from oddly.interfaces.arena.event_log import report
from oddly.interfaces.arena.pages.nightly import LIST, Download, read_list
from oddly.interfaces.arena.pages.pool_pages import ratings_csv
from oddly.interfaces.arena.pages.site import UNREADABLE
from oddly.tournaments.ledger.ledger_file import utc_now

if TYPE_CHECKING:
    from starlette.types import Receive, Scope, Send

    from oddly.interfaces.arena.pages.nightly import NightlyFiles
    from oddly.interfaces.arena.pages.site import ArenaSite

MAX_AT_ONCE, MAX_OF_ONE = 32, 3
"""The maximum of downloads at the same time, in all and to one address."""
LOOK_EVERY, AGAIN = 60.0, 3600.0
"""Seconds between two checks of the date, and before a failed write is tried again."""
LISTED = Download(LIST, "", "application/json", "", 0, "", "")
FIRST_PAUSE = 5.0
"""Seconds after the start in which engines may come back to their games."""


class Downloads:
    """Serves the downloads."""

    def __init__(self, site: ArenaSite, files: NightlyFiles) -> None:
        self._site, self._files = site, files
        self._known = {each.name: each for each in read_list(files.folder)}
        self._open: Counter[str] = Counter()

    async def page(self, request: Request) -> Response:
        """Send the list."""
        files = sorted(self._known.values(), key=lambda each: (each.pool, each.name))
        return self._site.drawn.page(
            request, "downloads.html", files=[(each, _size(each.size)) for each in files]
        )

    async def file(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send a file from the disk, or the requested part of it."""
        name = scope["path_params"]["name"]
        found = LISTED if name == LIST and self._known else self._known.get(name)
        address = scope["client"][0] if scope.get("client") else ""
        is_full = self._open.total() >= MAX_AT_ONCE
        if found is None:
            said = "There is no file of this name: the page of downloads lists all."
            answer: Response = self._site.drawn.nothing(Request(scope), "No such file", said)
        elif is_full or (self._open[address] >= MAX_OF_ONE and not is_here(address)):
            said = "Too many download at the same time: try again in a minute.\n"
            answer = PlainTextResponse(said, 503, {"retry-after": "60"})
        else:
            answer = _file(self._files, found)
        self._open[address] += 1
        try:
            await answer(scope, receive, send)
        finally:
            self._open[address] -= 1

    async def keep_writing(self) -> None:
        """Write the files at the start and every night at 0:00 UTC."""
        await trio.sleep(FIRST_PAUSE)
        while True:
            now = utc_now()
            written = {each.written[:10] for each in self._known.values()}
            if max(written, default="") < now[:10]:
                is_written = await self.write(now)
                await trio.sleep(LOOK_EVERY if is_written else AGAIN)
            await trio.sleep(LOOK_EVERY)

    async def write(self, now: str) -> bool:
        """Write the files, and return whether that worked; a failure is reported to the keeper."""
        ladders = {pool: ratings_csv(self._site.ladder(pool)) for pool in self._site.arena.pools}
        try:
            found = await trio.to_thread.run_sync(self._files.write, ladders, now)
        except (OSError, *UNREADABLE) as error:
            report(f"the downloads cannot be written: {error}")
            return False
        self._known = {each.name: each for each in found}
        return True


class DownloadedFile:
    """The application that sends one file."""

    def __init__(self, downloads: Downloads) -> None:
        self._downloads = downloads

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send it."""
        await self._downloads.file(scope, receive, send)


def _file(files: NightlyFiles, found: Download) -> Response:
    return FileResponse(
        files.folder / found.name,
        media_type=found.kind,
        filename=found.name,
        headers={"cache-control": "public, no-cache"},
    )


def _size(size: int) -> str:
    """Return a number of bytes for people."""
    if size < 1 << 20:
        return f"{max(1, round(size / 1024)):,} KiB"
    return f"{size / (1 << 20):,.1f} MiB"

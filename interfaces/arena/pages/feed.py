"""Running games for spectators, turn by turn, and the news of an arena.

All spectators of a game get the same server-sent events. The news is an Atom feed (RFC 4287): new
leaders of pools, and new engines.
"""

from __future__ import annotations

import json
from collections import defaultdict
from contextlib import suppress
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import parse_qs, quote
from xml.etree import ElementTree as ET

import trio
from starlette.responses import PlainTextResponse, Response

from oddly.arena.effects import Batch, Finished, TurnCounted
from oddly.arena.names import slug
from oddly.arena.sessions import Addresses
from oddly.games import xml_text
from oddly.interfaces.arena.pages.shown import change_of
from oddly.interfaces.arena.pages.site import (
    UNREADABLE,
    ArenaSite,
    QueryParameter,
    not_now,
    slug_of,
)
from oddly.interfaces.serving.upgraded_stream import GONE, Outflow, upgraded

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from starlette.requests import Request
    from starlette.types import Receive, Scope, Send

    from oddly.interfaces.arena.service import ArenaService


MAX_IN_ALL, MAX_OF_ONE = 4000, 64
"""Spectators allowed at once, in all and from one address."""
MAX_GAMES = 12
"""Games that one page may watch."""
GAMES = QueryParameter(
    "games", f"the ids of up to {MAX_GAMES} games, with commas between them", {"type": "string"}
)
MAX_WAITING = 65_536
"""Bytes that may wait for a reader; a slower one is cut off, and connects again."""
HEADERS = [
    (b"content-type", b"text/event-stream"),
    (b"cache-control", b"no-store"),
    (b"x-accel-buffering", b"no"),
]
SIGN_OF_LIFE = 15.0
COME_AGAIN = b"retry: 200\n\n"
"""Milliseconds after which a browser connects again: the server ends silent connections. A
spectator then first gets the whole board with all turns.
"""


class Spectator:
    """A page that watches. Its answer has begun."""

    def __init__(self, scope: Scope) -> None:
        self._outflow = Outflow(upgraded(scope), MAX_WAITING)
        self._is_chunked = scope["http_version"] != "1.0"
        self._scope = trio.CancelScope()

    def put(self, message: bytes) -> None:
        """Send a message."""
        if self._is_chunked:
            message = b"%x\r\n%b\r\n" % (len(message), message)
        if not self._outflow.put(message):
            self._scope.cancel()

    async def stay(self, receive: Receive) -> None:
        """Watch until the page is gone, or too slow."""
        with self._scope:
            async with trio.open_nursery() as nursery:
                nursery.start_soon(self._write)
                nursery.start_soon(self._live)
                while (await receive())["type"] != "http.disconnect":
                    pass
                self._scope.cancel()

    async def _write(self) -> None:
        with suppress(*GONE):
            await self._outflow.keep_writing(lambda: False)
        self._scope.cancel()

    async def _live(self) -> None:
        while True:
            await trio.sleep(SIGN_OF_LIFE)
            self.put(b":\n\n")


class Feed:
    """The spectators of all games. Each change is encoded once."""

    def __init__(self, service: ArenaService) -> None:
        self._service = service
        self._watching: defaultdict[str, set[Spectator]] = defaultdict(set)
        self._told: dict[str, Sequence[int]] = {}
        self._addresses = Addresses(MAX_IN_ALL, MAX_OF_ONE)

    def watch(self, batch: Batch) -> None:
        """Tell spectators what a batch changes."""
        for write in batch.writes:
            if isinstance(write, TurnCounted) and write.game in self._watching:
                self._tell_turn(write.game)
            elif isinstance(write, Finished) and write.game in self._watching:
                self._tell(write.game, _event({"id": write.game, "over": True}))
                self._told.pop(write.game, None)

    def _tell_turn(self, name: str) -> None:
        game = self._service.arena.play.games.get(name)
        if game is not None:
            change = change_of(game, self._told.get(name), self._service.clock.now())
            self._told[name] = game.position.stones
            self._tell(name, _event(change))

    def _tell(self, name: str, message: bytes) -> None:
        for spectator in [*self._watching[name]]:
            spectator.put(message)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one page: `?games=ID,ID`."""
        asked = parse_qs(scope["query_string"].decode("latin-1")).get("games", [""])[0]
        names = [name for name in asked.split(",")[:MAX_GAMES] if name]
        address = scope["client"][0] if scope.get("client") else ""
        with self._addresses.one_from(address) as refused:
            if refused:
                refusal = PlainTextResponse("Too many look on.\n", 503, {"retry-after": "10"})
                await refusal(scope, receive, send)
                return
            await send({"type": "http.response.start", "status": 200, "headers": HEADERS})
            await send({"type": "http.response.body", "body": COME_AGAIN, "more_body": True})
            if scope["method"] == "GET":
                await self._watch(names, Spectator(scope), receive)

    async def _watch(self, names: Sequence[str], spectator: Spectator, receive: Receive) -> None:
        try:
            for name in names:
                self._join(name, spectator)
            await spectator.stay(receive)
        finally:
            for name in names:
                self._leave(name, spectator)

    def _join(self, name: str, spectator: Spectator) -> None:
        game = self._service.arena.play.games.get(name)
        if game is None:
            spectator.put(_event({"id": name, "over": True}))
            return
        self._watching[name].add(spectator)
        spectator.put(_event(change_of(game, None, self._service.clock.now())))
        self._told.setdefault(name, game.position.stones)

    def _leave(self, name: str, spectator: Spectator) -> None:
        if name in self._watching:
            self._watching[name].discard(spectator)
            if not self._watching[name]:
                del self._watching[name]
                self._told.pop(name, None)


def _event(value: object) -> bytes:
    return f"data: {json.dumps(value, separators=(',', ':'))}\n\n".encode()


ATOM = "application/atom+xml"
NAMESPACE = "http://www.w3.org/2005/Atom"
MOST = 50
NOTHING_YET = "1970-01-01T00:00:00+00:00"


class NewsEntry(NamedTuple):
    """Something that happened."""

    moment: str
    """UTC, ISO 8601."""
    identity: str
    """A unique address."""
    title: str
    text: str
    address: str
    author: str


class News:
    """Serves the news."""

    def __init__(self, site: ArenaSite) -> None:
        self._site = site

    async def atom(self, request: Request) -> Response:
        """Send the last entries."""
        try:
            entries = [*await self._leads(), *self._engines()]
        except UNREADABLE as error:
            return not_now(f"The news cannot be read: {error}.")
        entries.sort(key=lambda each: each.moment, reverse=True)
        name = self._site.arena.settings.name
        return Response(atom(name, self._site.address, entries[:MOST]), media_type=ATOM)

    async def _leads(self) -> list[NewsEntry]:
        found = await trio.to_thread.run_sync(self._site.disk.leads, MOST)
        arena, address = self._site.arena, self._site.address
        pages = {lead.engine: self._page(slug_of(arena, lead.engine)) for lead in found}
        return [
            NewsEntry(
                lead.moment,
                f"{address}/feed.atom#lead-{lead.number}",
                f"{lead.engine} leads {lead.pool}",
                f"{lead.engine} took the lead of {lead.pool} with {lead.elo:z.0f} Elo.",
                pages[lead.engine],
                lead.engine,
            )
            for lead in found
        ]

    def _engines(self) -> Iterator[NewsEntry]:
        registry = self._site.arena.registry
        newest = sorted(registry.engines.values(), key=lambda it: it.created, reverse=True)
        for it in newest[:MOST]:
            # A reader of the feed takes an entry with another id for another event.
            first = registry.first_names.get(it.name, it.name)
            if registry.alike(first) not in (None, it):
                # In an older file another engine may have that name now.
                first = it.name
            identity = f"{self._page(slug(first))}#registered"
            said = f"An engine of {it.owner}." + (f" {it.about}" if it.about else "")
            title, page = f"{it.name} is new", self._page(it.slug)
            yield NewsEntry(it.created, identity, title, said, page, it.owner)

    def _page(self, slug: str) -> str:
        return f"{self._site.address}/" + (f"engines/{quote(slug)}" if slug else "")


def atom(arena: str, address: str, entries: list[NewsEntry]) -> bytes:
    """Return a feed of entries, the newest first."""
    root = ET.Element("feed", {"xmlns": NAMESPACE})
    _add(root, "title", f"News of {arena}")
    _add(root, "id", f"{address}/feed.atom")
    _add(root, "updated", entries[0].moment if entries else NOTHING_YET)
    ET.SubElement(root, "link", {"rel": "self", "type": ATOM, "href": f"{address}/feed.atom"})
    ET.SubElement(root, "link", {"rel": "alternate", "type": "text/html", "href": f"{address}/"})
    for each in entries:
        entry = ET.SubElement(root, "entry")
        _add(entry, "title", each.title)
        _add(entry, "id", each.identity)
        _add(entry, "updated", each.moment)
        ET.SubElement(entry, "link", {"rel": "alternate", "href": each.address})
        _add(ET.SubElement(entry, "author"), "name", each.author)
        _add(entry, "summary", each.text)
    return bytes(ET.tostring(root, "utf-8", xml_declaration=True))


def _add(parent: ET.Element, tag: str, text: str) -> None:
    # The library that writes XML escapes every text in it.
    ET.SubElement(parent, tag).text = xml_text(text)

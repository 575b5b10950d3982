"""The news of an arena as an Atom feed (RFC 4287): new leaders of pools, and new engines."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import quote
from xml.etree import ElementTree as ET

import trio
from starlette.responses import PlainTextResponse, Response

from oddly.games import xml_text
from oddly.interfaces.arena.pages.ladder import slug_of
from oddly.interfaces.arena.pages.site import UNREADABLE

if TYPE_CHECKING:
    from collections.abc import Iterator

    from starlette.requests import Request

    from oddly.interfaces.arena.pages.site import ArenaSite

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
            return PlainTextResponse(f"The news cannot be read: {error}.\n", 503)
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
                f"{lead.engine} took the lead of {lead.pool} with {lead.elo:.0f} Elo.",
                pages[lead.engine],
                lead.engine,
            )
            for lead in found
        ]

    def _engines(self) -> Iterator[NewsEntry]:
        registry = self._site.arena.registry
        newest = sorted(registry.engines.values(), key=lambda it: it.created, reverse=True)
        for it in newest[:MOST]:
            page = self._page(it.slug)
            said = f"An engine of {it.owner}." + (f" {it.about}" if it.about else "")
            yield NewsEntry(
                it.created, f"{page}#registered", f"{it.name} is new", said, page, it.owner
            )

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

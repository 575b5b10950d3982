"""The Atom feed and the badges, as programs read them."""

import sqlite3
from contextlib import closing
from xml.etree import ElementTree as ET

import pytest

from benchmarks.standing import POOLS, register, standing
from oddly.arena.effects import NewLeader
from oddly.arena.wire.messages import RatingNow
from oddly.interfaces.arena.pages.feed import NOTHING_YET, News, NewsEntry, atom
from oddly.interfaces.arena.pages.rating_pages import LABEL, badge
from oddly.interfaces.arena.pages.reading import Disk
from oddly.interfaces.arena.pages.site import TRY_AGAIN, ArenaSite

ATOM = "{http://www.w3.org/2005/Atom}"
SVG = "{http://www.w3.org/2000/svg}"


def parsed(text):
    return ET.fromstring(text)  # noqa: S314 - our own


HOSTILE = "</title><script>alert(1)</script>&\u202e\x00\"'"


async def test_the_feed_has_new_leaders_and_new_engines(tmp_path):
    async with standing(tmp_path) as stand:
        leaders = {POOLS[0]: "ann", POOLS[1]: "cat"}
        for pool, name in leaders.items():
            stand.arena.write(NewLeader(pool, name, 12.3))
        await stand.write()
        answer = await stand.client.get("/feed.atom")
        front = await stand.client.get("/")
    assert answer.headers["content-type"] == "application/atom+xml"
    assert 'type="application/atom+xml" href="./feed.atom"' in front.text
    root = parsed(answer.content)
    entries = root.findall(f"{ATOM}entry")
    titles = [each.findtext(f"{ATOM}title") for each in entries]
    assert {"ann is new", "bob is new", "cat is new"} <= {*titles}
    for pool, name in leaders.items():
        assert f"{name} leads {pool}" in titles
    moments = [each.findtext(f"{ATOM}updated") for each in entries]
    assert moments == sorted(moments, reverse=True)
    assert root.findtext(f"{ATOM}updated") == moments[0]
    identities = [each.findtext(f"{ATOM}id") for each in entries]
    assert len({*identities}) == len(identities)
    for each in entries:
        address = each.find(f"{ATOM}link").get("href")
        assert address.startswith("http://arena.test/engines/")
        assert each.findtext(f"{ATOM}author/{ATOM}name")


async def identities(site):
    root = parsed((await News(site).atom(None)).body)
    return {each.findtext(f"{ATOM}id") for each in root.findall(f"{ATOM}entry")}


async def test_the_id_of_an_engines_news_stays_when_it_is_renamed(tmp_path):
    async with standing(tmp_path) as stand:
        site, registry = ArenaSite(stand.service), stand.arena.registry
        with closing(site.disk):
            before = await identities(site)
            for old, new in (("bob", "b-ob"), ("b-ob", "bob 2"), ("bob 2", "bob"), ("bob", "rob")):
                registry.rename(registry.engine(old), new)
                assert await identities(site) == before
    assert "http://arena.test/engines/bob#registered" in before


async def test_an_engine_with_the_former_name_of_another_has_news_of_its_own(tmp_path):
    """In older files there may be one."""
    async with standing(tmp_path) as stand:
        site, registry = ArenaSite(stand.service), stand.arena.registry
        with closing(site.disk):
            before = await identities(site)
            registry.rename(registry.engine("bob"), "rob")
            register(registry, "bob")
            after = await identities(site)
    assert len(after) == len(before) + 1


@pytest.mark.parametrize(
    ("path", "what"),
    [("feed.atom", "news"), ("games/0/board.svg", "game"), ("games/0/board.png", "game")],
)
async def test_what_cannot_be_read_is_asked_for_again(path, what, tmp_path, monkeypatch):
    """The bug: the pictures of games were 404 meanwhile."""

    def fails(*_):
        raise sqlite3.OperationalError("disk I/O error")

    async with standing(tmp_path) as stand:
        monkeypatch.setattr(Disk, "leads", fails)
        monkeypatch.setattr(Disk, "game", fails)
        answer = await stand.client.get(f"/{path}")
    assert (answer.status_code, answer.headers["retry-after"]) == (503, TRY_AGAIN)
    assert answer.text == f"The {what} cannot be read: disk I/O error.\n"


async def test_a_badge_is_the_rating_and_may_be_kept(tmp_path):
    async with standing(tmp_path) as stand:
        path = f"/badges/ann/{POOLS[0]}.svg"
        answer = await stand.client.get(path)
        tag = {"if-none-match": answer.headers["etag"]}
        again = await stand.client.get(path, headers=tag)
        page = await stand.client.get("/engines/ann")
        for missing in ("/badges/none/xodd-3.svg", "/badges/ann/none.svg"):
            assert (await stand.client.get(missing)).status_code == 404
    rating = stand.arena.pools[POOLS[0]].rating("ann")
    assert answer.headers["cache-control"] == "public, max-age=300"
    assert answer.headers["content-type"] == "image/svg+xml"
    assert again.status_code == 304
    assert again.headers["cache-control"] == "public, max-age=300"
    texts = [each.text for each in parsed(answer.text).iter(f"{SVG}text")]
    assert texts == [POOLS[0], f"{rating.elo:.0f}? ± {rating.error:.0f} Elo"]
    assert f"[![{POOLS[0]}](http://arena.test{path})](http://arena.test/engines/ann)" in page.text


async def test_a_badge_has_no_negative_zero(tmp_path, monkeypatch):
    async with standing(tmp_path) as stand:
        rating = RatingNow(-0.01, 248.6, 2, provisional=True)
        monkeypatch.setattr(stand.arena.pools[POOLS[0]], "rating", lambda _: rating)
        answer = await stand.client.get(f"/badges/ann/{POOLS[0]}.svg")
    assert parsed(answer.content).findtext(f"{SVG}title").endswith(": 0? ± 249 Elo")


@pytest.mark.parametrize("seat", [0, 1, 2])
def test_strangers_text_is_text_in_a_badge(seat):
    words = ["pool", "100", "name"]
    words[seat] = HOSTILE
    root = parsed(badge(words[0], words[1], LABEL, words[2]))
    assert [each.tag for each in root] == [f"{SVG}{tag}" for tag in
                                           ("title", "rect", "text", "rect", "text")]  # fmt: skip
    assert not [each for each in root.iter() if len(each) and each is not root]
    said = root.find(f"{SVG}title").text
    assert "<script>alert(1)</script>" in said
    assert "\u202e" not in said


def test_strangers_text_is_text_in_the_feed():
    entry = NewsEntry("2026-01-01T00:00:00+00:00", "id", HOSTILE, HOSTILE, "http://a/", HOSTILE)
    root = parsed(atom(HOSTILE, "http://a", [entry]))
    tags = {each.tag.removeprefix(ATOM) for each in root.iter()}
    assert tags == {"feed", "title", "id", "updated", "link", "entry", "author", "name", "summary"}
    assert "<script>alert(1)</script>" in root.findtext(f"{ATOM}entry/{ATOM}summary")
    assert parsed(atom("a", "http://a", [])).findtext(f"{ATOM}updated") == NOTHING_YET

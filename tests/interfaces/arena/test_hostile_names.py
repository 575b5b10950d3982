"""Names and words of strangers at every address of an arena's site: they are text everywhere."""

import csv
from html.parser import HTMLParser
from urllib.parse import quote
from xml.etree import ElementTree as ET

from benchmarks.standing import POOLS, standing
from oddly.arena.effects import NewLeader, Ruled
from oddly.arena.names import slug

IMAGE = "<img src=x onerror=alert(1)>"
QUOTE = "\"'><script>alert(2)<!--{{ 7*7 }}\u202e"
FORMULA = "=cmd|' '!a1&amp;<b>"
NAMES = (IMAGE, QUOTE, FORMULA)


class Elements(HTMLParser):
    """The elements and attributes of a page."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.attributes, self.words = [], [], ""
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += [(tag, name, value or "") for name, value in attrs]

    def handle_data(self, data):
        self.words += data


def check_page(text):
    page = Elements(text)
    assert "b" not in page.tags
    for tag, name, value in page.attributes:
        assert not name.startswith("on"), (tag, name)
        if name == "src":
            assert value.split("/")[-2:][0] in ("static", *map(quote, map(slug, NAMES))), value
        if name == "href":
            assert not value.lower().startswith("javascript:")
    assert page.tags.count("script") == sum(tag == "script" for tag, name, _ in page.attributes
                                            if name == "src")  # fmt: skip
    assert "49" not in page.words.split()
    assert "\u202e" not in text


async def test_hostile_names_are_text_in_every_sink(tmp_path):
    async with standing(tmp_path, names=NAMES, about=QUOTE) as stand:
        for pool in POOLS:
            stand.arena.write(NewLeader(pool, IMAGE, 9.0))
        stand.arena.write(Ruled("ban", "owner", QUOTE, "", IMAGE))
        await stand.write()
        listed = (await stand.client.get("/api/v1/games")).json()["games"]
        shown = 0
        for game in (listed[0]["id"], stand.running.id):
            for name in NAMES:
                known = {"pool": POOLS[0], "slug": quote(slug(name), safe=""), "id": game}
                for route in stand.app.routes:
                    if route.path.endswith(("{name}", "/live", "/seat", "/challenge")):
                        continue
                    answer = await stand.client.get(route.path.format_map(known))
                    assert answer.status_code in (200, 404), route.path
                    shown += answer.status_code == 200
                    kind = answer.headers["content-type"].partition(";")[0]
                    assert answer.headers["x-content-type-options"] == "nosniff"
                    if kind == "text/html":
                        check_page(answer.text)
                    elif kind in ("image/svg+xml", "application/atom+xml"):
                        root = ET.fromstring(answer.content)  # noqa: S314 - our own
                        assert {each.tag.rpartition("}")[2] for each in root.iter()}.isdisjoint(
                            {"script", "img", "b", "foreignObject"}
                        )
                    elif kind == "text/csv":
                        cells = [
                            cell for row in csv.reader(answer.text.splitlines()) for cell in row
                        ]
                        assert not [cell for cell in cells if cell.startswith("=")]
        searched = await stand.client.get("/archive", params={"engine": QUOTE, "pool": POOLS[0]})
        check_page(searched.text)
    assert shown > 6 * 15

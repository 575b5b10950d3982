"""Charts of an engine's page: what is drawn where."""

from contextlib import closing
from xml.etree import ElementTree as ET

from oddly.interfaces.arena.pages.rating_pages import HEIGHT, WIDTH, hours_chart, rating_chart
from oddly.interfaces.arena.pages.reading import Disk, RatingThen
from tests.arena.store.test_store import POOL, store

POINTS = [
    RatingThen("2026-03-01T10", 0.0, 900.0, 1),
    RatingThen("2026-03-02T10", 100.0, 120.0, 20),
    RatingThen("2026-03-11T10", 150.0, 40.0, 300),
]


def places(element):
    return [tuple(map(float, place.split(","))) for place in element.get("points").split()]


def test_ratings_stand_by_their_moments_within_their_bands():
    root = ET.fromstring(rating_chart(POINTS))  # noqa: S314 - our own
    middle = places(root.find("polyline"))
    first, second, last = (x for x, _ in middle)
    # The second point is one day of ten after the first.
    assert abs((second - first) / (last - first) - 0.1) < 0.01
    assert all(0 <= x <= WIDTH and 0 <= y <= HEIGHT for x, y in places(root.find("polygon")))
    heights = [y for _, y in middle]
    assert heights == sorted(heights, reverse=True)
    assert "at the end 150 Elo, plus or minus 40, after 300 games" in root.find("title").text


def test_hours_of_a_clock_that_was_ahead_are_left_out(tmp_path):
    """The bug: the rating of such an hour was the last one until that hour came."""
    rows = [
        (POOL.name, "Ann", "2026-01-01T10", 12.5, 80.0, 3),
        (POOL.name, "Ann", "2099-01-01T10", 11.5, 90.0, 2),
    ]
    with store(tmp_path) as arena, closing(Disk(tmp_path, [POOL.name])) as disk:
        arena.file.connection.executemany("insert into ratings values (?,?,?,?,?,?)", rows)
        assert disk.ratings(POOL.name, "Ann") == [RatingThen("2026-01-01T10", 12.5, 80.0, 3)]


def test_a_point_alone_is_no_chart():
    assert rating_chart(POINTS[:1]) == rating_chart([]) == ""


def test_bars_are_as_high_as_their_hours_have_games():
    hours = [0] * 24
    hours[3], hours[20] = 10, 5
    bars = ET.fromstring(hours_chart(hours)).findall(".//rect")  # noqa: S314 - our own
    heights = [float(bar.get("height")) for bar in bars]
    assert len(heights) == 24
    assert abs(heights[3] / heights[20] - 2) < 0.05
    assert hours_chart([0] * 24) == ""

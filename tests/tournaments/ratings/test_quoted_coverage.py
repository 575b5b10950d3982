"""The tables of coverage that the docs quote are those that the benchmark prints."""

import re
from pathlib import Path

import pytest

from benchmarks.coverage import BOOKS, KINDS, SHAPES, repeating_row, shape_row, verdict_row

DOCS = Path(__file__).parents[3] / "docs"
RATINGS, VERSIONS = (
    (DOCS / page).read_text(encoding="utf-8").splitlines()
    for page in ("explanation/ratings.md", "how-to/compare-two-versions.md")
)
LEAGUES = 300
"""Of each kind, as the docs say."""

QUICK = "a round robin of 2, 300 apart, 20 games of each ordered pair"


def quoted(page, *cells):
    """The only row of a page that begins with these cells."""
    (row,) = [line for line in page if line.startswith(f"| {' | '.join(map(str, cells))} | ")]
    return row


def same(row, other):
    """Whether rows differ by no more than what another processor's rounding may change."""
    found, expected = (
        [float(n) for n in re.findall(r"\d+(?:\.\d+)?", each)] for each in (row, other)
    )
    return found == pytest.approx(expected, rel=0.01, abs=0.35)


def test_each_league_has_its_row():
    for name in SHAPES:
        assert quoted(RATINGS, name)
    for book in BOOKS:
        for kind in KINDS:
            assert quoted(RATINGS, kind, book or "endless")
            assert quoted(VERSIONS, kind, book or "endless")


def test_quick_rows_are_what_the_benchmark_prints():
    assert same(quoted(RATINGS, QUICK), shape_row(QUICK, LEAGUES))
    assert same(quoted(VERSIONS, "deterministic", 1), verdict_row("deterministic", 1, LEAGUES))


@pytest.mark.soak
@pytest.mark.parametrize("name", SHAPES)
def test_rows_of_leagues_are_what_the_benchmark_prints(name):
    assert same(quoted(RATINGS, name), shape_row(name, LEAGUES))


@pytest.mark.soak
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("book", BOOKS)
def test_rows_of_repeated_games_are_what_the_benchmark_prints(kind, book):
    cells = kind, book or "endless"
    assert same(quoted(RATINGS, *cells), repeating_row(kind, book, LEAGUES))
    assert same(quoted(VERSIONS, *cells), verdict_row(kind, book, LEAGUES))

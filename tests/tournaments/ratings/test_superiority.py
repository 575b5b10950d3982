"""What the likelihood of superiority claims of two equal engines, computed without simulation."""

from math import comb

import pytest

from benchmarks.superiority import claims, superiority, table_text
from oddly.tournaments.ratings.bradley_terry import rate
from oddly.tournaments.ratings.ordered_pairs import collect
from tests.source import ROOT


@pytest.mark.parametrize("pairs", [5, 9, 15, 25])
@pytest.mark.parametrize("first_wins", [0.5, 0.6, 0.7, 0.8, 0.9])
def test_equal_engines_are_seldom_said_to_differ(pairs, first_wins):
    at_99, at_95 = claims(pairs, first_wins)
    assert at_99 <= 0.031
    assert at_95 <= 0.12
    if first_wins <= 0.7:
        assert at_99 >= 0.01


def test_the_docs_have_the_table_of_the_benchmark():
    page = (ROOT / "docs" / "explanation" / "ratings.md").read_text(encoding="utf-8")
    assert table_text() in page


@pytest.mark.parametrize("wins", [(0, 0), (0, 5), (1, 2), (2, 1), (3, 0), (4, 3), (2, 3)])
def test_results_that_mirror_others_are_rated_like_them(wins):
    rows = [
        (*names, winner)
        for names, won in zip((("a", "b"), ("b", "a")), wins, strict=True)
        for winner in ["first"] * won + ["second"] * (5 - won)
    ]
    rated = rate(collect(rows, ["a", "b"])).likelihood_of_superiority(0, 1)
    assert superiority(5, *wins) == pytest.approx(rated)


def test_claims_count_every_result_once():
    assert sum(comb(5, wins) for wins in range(6)) == 2**5
    assert claims(1, 0.5) == (0.0, 0.0)

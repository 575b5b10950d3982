"""What the likelihood of superiority claims of two equal engines, computed without simulation."""

from math import comb

import pytest

from benchmarks.superiority import claims, table_text
from tests.source import ROOT


@pytest.mark.parametrize("pairs", [5, 9, 14, 25])
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


def test_claims_count_every_result_once():
    assert sum(comb(5, wins) for wins in range(6)) == 2**5
    assert claims(1, 0.5) == (0.0, 0.0)

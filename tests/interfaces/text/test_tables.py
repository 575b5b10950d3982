"""Tables fit a terminal of 80 columns, whatever engines are called and however many there are."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from wcwidth import wcswidth

from oddly.interfaces.text import tables
from oddly.interfaces.text.summary_tables import summaries_text
from oddly.interfaces.text.tables import SHORTEST_NAME, WIDE, aligned, aligned_lines
from oddly.tournaments.results.game_summary import game_summaries
from tests.tournaments.results.outcomes import league

NAMES = st.text(
    st.characters(categories=("L", "N", "P", "S")).filter(lambda c: wcswidth(c) > 0),
    min_size=1,
    max_size=40,
)
HEADERS = ["", "engine", "Elo", "games", "distinct", "score"]


def widest(text):
    return max(map(wcswidth, text.splitlines()))


@given(st.lists(NAMES, min_size=1, max_size=6, unique=True), st.integers(0, 30))
def test_no_line_is_wider_than_a_terminal(names, columns):
    headers = [*HEADERS, *map(str, range(columns))]
    rows = [[str(place), name, *["3-1-2"] * (len(headers) - 2)]
            for place, name in enumerate(names, start=1)]  # fmt: skip
    text = aligned(rows, headers, "simple", spare=[("distinct",), ("Elo", "games")])
    assert widest(text) <= 80
    assert text.count("3-1-2") == len(names) * (
        len(headers) - 2 - 1 * ("distinct" not in text) - 2 * ("games" not in text)
    )
    for place in range(1, len(names) + 1):
        assert f"{place} " in text
    everything = aligned(rows, headers, WIDE, spare=[("distinct",)])
    assert all(name in everything for name in names)


def test_what_is_cut_still_tells_names_apart():
    long = "a name that is much too long for any terminal on this earth"
    rows = [["1", f"{long} 1", "x" * 40], ["2", f"{long} 2", "x" * 40]]
    text = aligned(rows, ["", "engine", "x"], "simple")
    assert widest(text) == 80
    assert "earth 1" in text
    assert "earth 2" in text
    twins = [["1", f"1{long}", "x"], ["2", f"{'a' * 90}", "x" * 60], ["3", f"1{long}", "x"]]
    assert f"{'a' * ((SHORTEST_NAME - 1) // 2)}…" in aligned(twins, ["", "engine", "x"], "simple")


@pytest.mark.parametrize("engines", [2, 6, 20])
def test_summaries_fit_and_say_who_lost_by_a_fault(engines):
    names = [f"an engine with a long name, number {number}" for number in range(engines)]
    text = summaries_text(game_summaries(names, league(names, "1f2d")))
    assert widest(text) <= 80
    assert "lost by a fault: " in text.replace("\n  ", " ")
    assert "forfeits" in summaries_text(game_summaries(names, league(names, "1f2d")), WIDE)


@pytest.mark.parametrize("format_", ["simple", WIDE, "github"])
def test_a_table_that_is_laid_out_in_parts_looks_like_a_whole(monkeypatch, format_):
    rows = [
        ["1" * (number % 4 + 1), "名" * number, "x" * (number % 30), "y"] for number in range(40)
    ]
    headers = ["", "engine", "Elo", "longer than its cells"]
    whole = aligned(rows, headers, format_)
    assert len(set(whole.splitlines())) > 40
    monkeypatch.setattr(tables, "TOGETHER", 3)
    assert aligned(rows, headers, format_) == whole
    assert "\n".join(aligned_lines(lambda: iter(rows), headers, format_)) == whole

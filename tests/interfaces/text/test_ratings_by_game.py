"""Ratings at several games in one table."""

from __future__ import annotations

from oddly.interfaces.text.summary_tables import ratings_by_game
from oddly.tournaments.results.game_summary import game_summaries
from tests.tournaments.outcomes import league


def test_every_engine_has_its_rating_at_every_game():
    names = ["one", "other", "third"]
    summaries = game_summaries(names, league(names, "112", 2))
    lines = ratings_by_game(summaries).splitlines()
    assert lines[0].split() == ["engine", "yodd", "3", "ayu", "5"]
    for line, name in zip(lines[2:], summaries[-1].order, strict=True):
        assert line.split()[1] == name
        for summary in summaries[:2]:
            unknown = summary.strength.unknown(name)
            error = f"{summary.strength.error_95(name):.0f}"
            told = unknown or f"{summary.strength.elo(name):z.0f} +- {error}"
            assert told in line


def test_a_single_game_is_a_table_of_one_column():
    names = ["one", "other"]
    summaries = game_summaries(names, league(names, "12"))
    assert ratings_by_game(summaries).splitlines()[0].split() == ["engine", "yodd", "3"]

"""Ratings as text and as JSON, whatever the name of an engine."""

import json

import pytest
from hypothesis import given

from interfaces.text.rating_tables import advantage_line, rating_table
from interfaces.text.tables import table_formats
from tests.tournaments.outcomes import HOSTILE
from tests.tournaments.ratings.make_golden import FOLDER, FORMATS, games, golden
from tests.tournaments.ratings.test_ordered_pairs import LISTS
from tournaments.ratings.bradley_terry import advantage_test, rate
from tournaments.ratings.ordered_pairs import collect
from tournaments.ratings.ratings import AdvantageTest
from tournaments.ratings.ratings_json import ratings_json


@pytest.mark.parametrize("format_", FORMATS)
def test_a_table_is_the_golden_one(format_):
    assert golden(format_) == (FOLDER / f"{format_}.txt").read_text(encoding="utf-8")


@pytest.mark.parametrize("format_", table_formats())
def test_no_format_lets_a_control_character_through(format_):
    assert "\x1b" not in golden(format_)
    assert "strong" in golden(format_)


def test_an_engine_without_games_has_a_row():
    ratings = rate(collect([("a", "b", "first")], engines=["idle"]))
    (row,) = [line for line in rating_table(ratings).splitlines() if "idle" in line]
    assert row.split()[1:3] == ["idle", "0.0"]
    assert row.split()[4:6] == ["0", "-"]
    (fact,) = [fact for fact in ratings_json(ratings)["ratings"] if fact["name"] == "idle"]
    assert (fact["games"], fact["score"]) == (0, None)


def test_one_engine_alone_has_no_next():
    (row,) = rating_table(rate(collect([], engines=["a"]))).splitlines()[2:]
    assert row.split() == ["1", "a", "0.0", "0.0", "0", "-", "-"]


def test_a_p_value_too_small_to_write_is_bounded():
    ratings = rate(collect(games()))
    assert "(p < 0.0001 if there is none)" in advantage_line(ratings, AdvantageTest(100.0))
    assert "(p = 1.0000 if there is none)" in advantage_line(ratings, AdvantageTest(0.0))


@given(LISTS)
def test_json_has_the_facts_of_the_ratings(rows):
    results = collect(rows)
    ratings = rate(results)
    value = json.loads(json.dumps(ratings_json(ratings), allow_nan=False))
    assert set(value) == {"ratings", "first_player_advantage"}
    assert [fact["name"] for fact in value["ratings"]] == [
        ratings.names[engine] for engine in ratings.order()
    ]
    for fact in value["ratings"]:
        assert set(fact) == {"name", "elo", "error_95", "games", "score"}
        assert 0 <= fact["score"] <= 1
    assert sum(fact["games"] for fact in value["ratings"]) == 2 * len(rows)
    assert value["first_player_advantage"]["elo"] == pytest.approx(ratings.advantage, abs=1e-3)
    assert "-0.0" not in advantage_line(ratings, advantage_test(results)).split()


def test_json_has_names_as_they_are():
    names = [fact["name"] for fact in ratings_json(rate(collect(games())))["ratings"]]
    assert HOSTILE in names

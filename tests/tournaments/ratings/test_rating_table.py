"""Ratings as text and as JSON, and what follows from them: scores, superiority, order."""

import json

import numpy as np
import pytest
from hypothesis import given

from oddly.interfaces.text.summary_tables import advantage_line, rating_table
from oddly.interfaces.text.tables import table_formats
from oddly.tournaments.ratings.bradley_terry import rate
from oddly.tournaments.ratings.ordered_pairs import collect
from oddly.tournaments.ratings.playing_first import AdvantageTest, advantage_test
from oddly.tournaments.results.results_json import ratings_json
from tests.tournaments.ratings.make_golden import FOLDER, FORMATS, games, golden
from tests.tournaments.ratings.simulated import expected, league, superiority_matrix
from tests.tournaments.ratings.test_ordered_pairs import LISTS
from tests.tournaments.results.outcomes import HOSTILE


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
    assert row.split()[1:8] == ["idle", "-", "no", "games", "0", "0", "-"]
    (fact,) = [fact for fact in ratings_json(ratings)["ratings"] if fact["name"] == "idle"]
    assert (fact["games"], fact["score"]) == (0, None)
    assert (fact["elo"], fact["error_95"], fact["unknown"]) == (None, None, "no games")


@pytest.mark.parametrize(
    ("winners", "said"),
    [
        ("1212", {"too few games"}),
        ("12121221", {None}),
        ("12" * 100, {"won every game", "lost every game"}),
        ("12" * 100 + "2", {"too few games"}),
    ],
)
def test_a_rating_that_says_nothing_is_not_told(winners, said):
    """The games are of a and b, which take turns at opening; 12 is a pair that a wins."""
    seats = [("a", "b"), ("b", "a")]
    names = {"1": "first", "2": "second"}
    rows = [(*seats[place % 2], names[word]) for place, word in enumerate(winners)]
    ratings = rate(collect(rows))
    assert {ratings.unknown(engine) for engine in (0, 1)} == said
    facts = ratings_json(ratings)["ratings"]
    assert all((fact["elo"] is None) == (fact["unknown"] is not None) for fact in facts)


@pytest.mark.parametrize(("winner", "said"), [(0, "won every game"), (1, "lost every game")])
def test_an_engine_that_won_or_lost_every_game_is_not_rated_however_many(winner, said):
    """The bug: the prior alone made the error bar of a challenger of 30 engines short."""
    rows = []
    for number in range(30):
        other = f"e{number:02}"
        rows += [("hub", other, ("first", "second")[winner])]
        rows += [(other, "hub", ("second", "first")[winner])]
    rows += [("e00", "e01", "first"), ("e01", "e00", "first")] * 8
    others = ("e00", "e01")
    for anchor in (None, *others):
        ratings = rate(collect(rows), anchor=anchor)
        hub, *known = (ratings.names.index(name) for name in ("hub", *others))
        assert ratings.unknown(hub) == said
        # Their games with each other compare the two.
        assert anchor is None or not any(map(ratings.unknown, known))
    assert rate(collect(rows), anchor="hub").unknown(hub) is None


def test_where_no_engine_changed_seats_the_reason_is_told():
    games = [("a", "b", "first")] * 587 + [("a", "b", "second")] * 413
    results = collect(games)
    ratings = rate(results)
    assert {ratings.unknown(engine) for engine in (0, 1)} == {"always the same seat"}
    line = advantage_line(ratings, advantage_test(results))
    assert line == "first-player advantage: always the same seat"
    # A few games the other way round tell the two apart.
    assert (
        rate(collect([*games, *[("b", "a", "first"), ("b", "a", "second")] * 5])).unknown(0) is None
    )
    assert rate(collect(games[585:590])).unknown_advantage == "too few games"


def test_one_engine_alone_has_no_next():
    (row,) = rating_table(rate(collect([], engines=["a"]))).splitlines()[2:]
    assert row.split() == ["1", "a", "-", "no", "games", "0", "0", "-", "-"]


def test_a_p_value_too_small_to_write_is_bounded():
    ratings = rate(collect([*games()] * 4))
    assert "(p < 0.0001 if there is none)" in advantage_line(ratings, AdvantageTest(100.0))
    assert "(p = 1.0000 if there is none)" in advantage_line(ratings, AdvantageTest(0.0))


@given(LISTS)
def test_json_has_the_facts_of_the_ratings(rows):
    results = collect(rows)
    ratings = rate(results)
    value = json.loads(json.dumps(ratings_json(ratings), allow_nan=False))
    assert set(value) == {"ratings", "first_player_advantage", "fit", "groups"}
    assert value["groups"] == [
        [ratings.names[engine] for engine in group] for group in ratings.connected_groups()
    ]
    assert [fact["name"] for fact in value["ratings"]] == [
        ratings.names[engine] for engine in ratings.order()
    ]
    for fact in value["ratings"]:
        assert set(fact) == {
            "name", "elo", "error_95", "unknown", "games", "distinct", "score"
        }  # fmt: skip
        assert 0 <= fact["score"] <= 1
    assert sum(fact["games"] for fact in value["ratings"]) == 2 * len(rows)
    advantage = value["first_player_advantage"]
    assert (advantage["elo"] is None) == (ratings.unknown_advantage is not None)
    assert "-0.0" not in advantage_line(ratings, advantage_test(results)).split()


def test_json_has_names_as_they_are():
    names = [fact["name"] for fact in ratings_json(rate(collect(games())))["ratings"]]
    assert HOSTILE in names


@given(LISTS)
def test_superiority_is_a_probability_and_its_opposite_the_rest(games):
    ratings = rate(collect(games, engines=["idle", "idler"]))
    matrix = superiority_matrix(ratings)
    assert ((matrix >= 0) & (matrix <= 1)).all()
    assert matrix + matrix.T == pytest.approx(np.ones_like(matrix))
    assert (np.diag(matrix) == 0.5).all()
    ahead = ratings.elo[:, None] > ratings.elo + 1e-6
    connected = ratings.groups[:, None] == ratings.groups
    assert (matrix[ahead & connected] >= 0.5).all()
    assert (matrix[~connected] == 0.5).all()


@given(LISTS.filter(bool))
def test_expected_scores_are_those_of_the_model(games):
    ratings = rate(collect(games))
    for one in range(len(ratings.names)):
        for other in range(len(ratings.names)):
            difference = ratings.elo[one] - ratings.elo[other] + ratings.advantage
            assert ratings.expected_score(one, other) == pytest.approx(expected(difference))


@given(LISTS)
def test_the_order_is_from_the_strongest_on_and_equals_go_by_name(games):
    ratings = rate(collect(games))
    order = ratings.order()
    assert sorted(order) == list(range(len(ratings.names)))
    keys = [(ratings.groups[i], -round(float(ratings.elo[i]), 6), ratings.names[i]) for i in order]
    assert keys == sorted(keys)


def test_superiority_is_as_often_right_as_it_says():
    rng = np.random.default_rng(21)
    said, right = [], []
    for _ in range(300):
        one = league(rng, 4, 100, 4)
        ratings = rate(one.results)
        above, below = rng.choice(4, 2, replace=False)
        said.append(ratings.likelihood_of_superiority(above, below))
        right.append(one.elo[above] > one.elo[below])
    said, right = np.array(said), np.array(right)
    # The sum of independent throws with the probabilities said, within four standard deviations.
    for low, high in ((0, 0.5), (0.5, 1)):
        inside = (said >= low) & (said < high)
        deviation = np.sqrt((said * (1 - said))[inside].sum())
        assert abs(right[inside].sum() - said[inside].sum()) < 4 * deviation

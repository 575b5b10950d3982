"""Measures of design and of fairness, on games made by hand."""

import math
from types import SimpleNamespace

import pytest

from oddly.games.catalogue import create_game
from oddly.games.odd import Odd
from oddly.study.document import Column, cell_text
from oddly.study.estimates import (
    Estimate,
    IntervalMethod,
    mean_or_none,
    share,
    share_by_game,
    slope,
)
from oddly.study.game_course import GameLength
from oddly.study.game_properties import action_words, has_pairs, has_passes
from oddly.study.leads import (
    EvaluatedGame,
    decisiveness,
    drama,
    killer_move,
    late_uncertainty,
    lead_changes,
    measures_table,
    uncertainty,
    winners_points,
)
from oddly.study.playing import Purpose, StudyPairing
from oddly.study.scores import (
    Stage,
    elo_cell,
    homogeneity,
    simulations_of,
    trend,
    trend_table,
)
from oddly.study.summary import comparison, first_player_text, length_text, skill_text


@pytest.mark.parametrize(
    ("measure", "course", "margin", "value"),
    [
        (drama, (0.6, 0.7, 0.9), 0, 0),
        # One turn at 0.18, where the loser is ahead by 0.64, and one at 0.5 - 0.045.
        (drama, (0.18, 0.9), 0, 0.8),
        (drama, (0.18, 0.455, 0.9), 0, (0.8 + 0.3) / 2),
        (drama, (0.18, 0.455, 0.9), 0.1, 0.8),
        # A share of the turns after the first.
        (lead_changes, (0.6, 0.4, 0.6, 0.7, 0.8), 0, 2 / 4),
        (lead_changes, (0.6,), 0, 0),
        # The area above the lead.
        (uncertainty, (0.5, 0.5), None, 1),
        (uncertainty, (1.0, 0.0), None, 0),
        (uncertainty, (0.75, 0.5, 1.0, 1.0), None, (0.5 + 1) / 4),
        (late_uncertainty, (0.5, 0.5, 1.0, 1.0), None, 0),
        # The loser led by 0.2 once; the winner leads by more from the fourth turn on.
        (decisiveness, (0.5, 0.3, 0.65, 0.75, 0.8), 0, 4 / 5),
        (decisiveness, (0.5, 0.3, 0.75, 0.65, 0.8), 0, 5 / 5),
        (decisiveness, (0.6, 0.7, 0.8, 0.9), 0, 1 / 4),
        (decisiveness, (0.6, 0.7, 0.8, 0.9), 0.25, 3 / 4),
        # What changes most, and the result is none.
        (killer_move, (0.5, 0.7, 0.4, 0.45, 1.0), None, 0.3),
        (killer_move, (0.5,), None, 0),
    ],
)
def test_measures_of_a_course_are_those_of_their_definitions(measure, course, margin, value):
    assert measure(course, **({"margin": margin} if margin else {})) == pytest.approx(value)


def test_the_table_of_measures_knows_who_won_and_leaves_draws_out():
    white_wins = EvaluatedGame((0.5, 0.9, 0.1, 0.0), ())
    assert winners_points(white_wins) == pytest.approx((0.3, 0.5, 0.95))
    drawn = EvaluatedGame((0.5, 0.5, 0.5), ())
    assert winners_points(drawn) is None
    table = measures_table([white_wins, drawn], 10_000)
    assert {row[0]: row[1] for row in table.rows} == {
        "drama": 1, "lead change": 2, "uncertainty": 1, "uncertainty, second half": 1,
        "decisiveness": 1, "killer move": 2,
    }  # fmt: skip
    assert "as it was in 1 of 1 games." in table.note


def test_the_test_for_trend_is_that_of_the_books():
    """Agresti, *Categorical Data Analysis*, table 2.7 (alcohol and malformation): z^2 = 6.57.

    Its scores are 0, 0.5, 1.5, 4 and 7: simulations of 2 to those powers.
    """
    cases = ((48, 17114), (38, 14502), (5, 793), (1, 127), (1, 38))
    scores = (0, 0.5, 1.5, 4, 7)
    stages = [
        Stage(2**score, points, games) for score, (points, games) in zip(scores, cases, strict=True)
    ]
    found = trend(stages)
    assert found.z**2 == pytest.approx(6.57, abs=0.01)
    assert found.p == pytest.approx(0.0104, abs=0.0003)
    assert found.slope.low > 0
    assert "p = 0.01" in trend_table(stages).note


def test_the_test_of_homogeneity_finds_what_is_no_trend():
    """The shares of Yodd 4 that an issue names: 90, 79, 65 and 92.5 %, where p = 0.0003."""
    shares = ((30, 36, 40), (100, 316, 400), (300, 65, 100), (1000, 37, 40))
    stages = [Stage(*each) for each in shares]
    found = homogeneity(stages)
    assert found.freedom == 3
    assert found.p == pytest.approx(0.0003, abs=0.0001)
    assert trend(stages).p > 0.3
    # A drawn game counts for neither side.
    drawn = [Stage(30, 7.5, 15, 1), Stage(60, 7.5, 15, 1)]
    assert (homogeneity(drawn).square, homogeneity(drawn).p) == (0, 1)
    assert homogeneity([Stage(30, 7.5, 15, 1)]) is homogeneity([]) is None


def test_there_is_no_trend_of_one_strength_or_of_certainties():
    for stages in ([], [Stage(30, 5, 10)], [Stage(30, 9, 9), Stage(60, 4, 4)]):
        assert trend(stages) is None
    assert trend_table([]) is None
    assert (simulations_of("rave 300"), simulations_of("random")) == (300, None)


def share_of(low, value, high, games=1000):
    return Estimate(value, low, high, IntervalMethod.WILSON, games)


@pytest.mark.parametrize(
    ("points", "beginning"),
    [
        (share_of(0.51, 0.54, 0.57), "The first player has the advantage: 54.0 %"),
        (share_of(0.41, 0.44, 0.47), "The second player has the advantage: the first has 44.0 %"),
        (share_of(0.469, 0.50, 0.531), "Neither side has a measurable advantage"),
        (share_of(0.40, 0.50, 0.60), "Too few games to say which side has the advantage"),
        (share_of(0.61, 1.00, 1.00, games=6), "Too few games to say which side has the advantage"),
        (None, ""),
    ],
)
def test_the_sentence_on_the_first_player_follows_its_interval(points, beginning):
    text = first_player_text(("rave 100", points))
    assert text.startswith(beginning)
    assert bool(text) == bool(beginning)


def test_what_two_strengths_show_alike_is_one_sentence():
    few, many = share_of(0.40, 0.50, 0.60, games=30), share_of(0.51, 0.54, 0.57)
    both = first_player_text(("rave 100", share_of(0.44, 0.50, 0.56, games=90)), ("rave 300", few))
    assert both == (
        "Too few games to say which side has the advantage: the first player has 50.0 % [44.0, "
        "56.0] of the points in 90 games of rave 100 against itself, and 50.0 % [40.0, 60.0] in 30 "
        "games of rave 300 against itself."
    )
    assert first_player_text(("rave 100", many), ("rave 300", few)).count("Too few") == 1


@pytest.mark.parametrize(
    ("wins", "sentence"),
    [
        ((3,), "Against rave 1, rave 2 scores 75.0 % [30.1, 95.4] of the points."),
        # The bug: it named the first step alone.
        ((3, 3), "In at least 4 games a step, the stronger player scores 75 % of the points."),
        (
            (3, 2, 4),
            (
                "In at least 4 games a step, the stronger player scores 50 to 100 % of the points; "
                "none scores less than rave 3 against rave 2."
            ),
        ),
    ],
)
def test_the_sentence_on_skill_is_about_all_steps(wins, sentence):
    steps = {
        StudyPairing(Purpose.LADDER, f"rave {step + 1}", f"rave {step}", 2): [
            SimpleNamespace(
                players=(f"rave {step + 1}", f"rave {step}"),
                outcome=SimpleNamespace(winner=int(game >= won)),
            )
            for game in range(4)
        ]
        for step, won in enumerate(wins, 1)
    }
    assert skill_text(SimpleNamespace(pairings=tuple(steps)), steps) == sentence


def lengths(*means):
    names = ("rave 100", "rave 200", "rave 400")
    return {
        name: [GameLength(50, mean + noise) for noise in (-2, -1, 0, 1, 2)]
        for name, mean in zip(names, means, strict=False)
    }


@pytest.mark.parametrize(
    ("means", "beginning"),
    [
        ((100, 110, 120), "Games get longer with strength: 100, 110, 120 actions on average, from"),
        ((120, 110, 100), "Games get shorter with strength: 120, 110, 100"),
        ((100, 101, 100), "The length of games does not change measurably with strength"),
        ((100,), ""),
    ],
)
def test_the_sentence_on_lengths_follows_their_slope(means, beginning):
    assert length_text(lengths(*means)).startswith(beginning)


def test_games_that_all_last_alike_are_said_to():
    alike = dict.fromkeys(("rave 30", "rave 60"), [GameLength(61, 61)] * 3)
    assert length_text(alike) == "Every game has 61 actions."
    shorter = {"random actions": [GameLength(60, 60)]}
    assert length_text(shorter | alike) == (
        "Every game between equals from rave 30 to rave 60 has 61 actions."
    )


def test_the_slope_is_that_of_least_squares_with_an_honest_error():
    found = slope([(0, 0), (1, 1), (2, 2), (3, 3)])
    assert (found.value, found.low, found.high) == (1, 1, 1)
    # By hand: middle 1, rests 1, -2, 1; the error is 1.96 sqrt((1 + 0 + 1) / 4).
    found = slope([(0, 1), (1, -2), (2, 1)])
    assert found.value == 0
    assert found.high == pytest.approx(1.959964 * math.sqrt(2) / 2)
    assert slope([(1, 1), (1, 2), (1, 3)]) is slope([(0, 0), (1, 1)]) is None


def test_a_clean_sweep_is_worth_more_than_some_elo():
    assert elo_cell(share_of(0.8, 1.0, 1.0), 2.0) == "more than 120"
    assert elo_cell(share_of(0.0, 0.0, 0.2), 1.0) == "less than -241"
    assert elo_cell(share_of(0.7, 10 / 11, 0.95), 2.0).value == pytest.approx(200)
    assert elo_cell(None) is elo_cell(share_of(0.4, 0.5, 0.6), None) is None


def test_texts_name_no_drops_in_ayu_and_no_passes_in_odd():
    ayu, yodd = create_game("ayu", 5), create_game("yodd", 3)
    assert action_words(ayu) == "a move"
    assert action_words(create_game("ayu", 5, {"pie": True})) == "a move or a swap"
    assert action_words(Odd()) == "a drop"
    assert action_words(yodd) == "a drop, the end of a turn that could go on or a pass"
    assert not has_passes(Odd())
    assert not has_pairs(ayu)
    assert has_pairs(yodd)


def test_too_few_values_are_said_to_be_too_few():
    column = Column("x")
    assert cell_text(mean_or_none([1.0, 60.0]), column) == "too few"
    assert cell_text(mean_or_none([-1.0, 60.0]), column).startswith("29.5 ±")
    # No pass in any of three games of 40 turns: three trials, not 120.
    assert share_by_game([(0.0, 40.0)] * 3) == share(0, 3)
    assert share_by_game([(40.0, 40.0)] * 3) == share(3, 3)
    assert share_by_game([(1.0, 4.0), (2.0, 4.0)]).value == 3 / 8


@pytest.mark.parametrize(
    ("theirs", "ours", "said"),
    [
        ("338", 338, "the same"),
        ("57,460", 57461, "larger"),
        ("173", share_of(172.9, 173.2, 173.5), "the same"),
        ("129.08", share_of(131.6, 134.2, 137.1), "larger"),
        ("49.40 ± 3.09", share_of(39.7, 46.5, 53.4), "the same"),
        ("49.40 ± 3.09", share_of(39.7, 40.5, 46.2), "smaller"),
        ("82 to 100, from step to step", share_of(90, 95, 98), "the same"),
        ("12", None, "-"),
    ],
)
def test_published_figures_are_compared_by_their_intervals(theirs, ours, said):
    assert comparison(theirs, ours) == said

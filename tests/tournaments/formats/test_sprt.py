"""SPRT matches: the verdict is that of the test on the pairs in their order."""

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oddly.tournaments import Hypotheses, PlayedGame, SequentialTest, Sprt
from oddly.tournaments.ratings.elo import expected_score
from oddly.tournaments.ratings.sprt import MAX_PAIRS_PER_OPENING, SCALES
from tests.tournaments.formats.playing import (
    DRAW,
    VOID,
    always_split,
    by_strength,
    event,
    facts_of,
    never_upset,
    played,
    resumed,
)
from tests.tournaments.results.outcomes import outcome


def always_upset(scheduled):
    return outcome(int(scheduled.first < scheduled.second))


@given(st.integers(1, 6), st.integers(0, 50), st.sampled_from(sorted(SCALES)))
def test_the_verdict_falls_at_the_first_pair_that_crosses_a_bound(seats, seed, scale):
    settings = Sprt(0, 150, scale=scale)
    plan = settings.plan(event(2, seed=seed))
    games = played(plan, seats, seed)
    points = {}
    for scheduled, ended in games.values():
        winner = (scheduled.first, scheduled.second, None)[2 if (w := ended.winner) is None else w]
        mine = {"a": 1.0, "b": 0.0, None: 0.5}[winner]
        points.setdefault(scheduled.round, []).append(mine)
    test = SequentialTest(Hypotheses(0, 150), SCALES[scale])
    for number in range(1, len(points) + 1):
        if test.add(sum(points[number])).decision != "continue":
            break
    told = facts_of(plan)
    assert (told["decision"], told["llr"]) == (test.state.decision, test.state.llr)
    assert told["pairs"] == test.counts.pairs == number
    # No more is played beyond the verdict than was under way.
    assert len(games) < 2 * number + seats + 1 or seats > 1
    assert plan.next() is None


@pytest.mark.parametrize(
    ("result", "decision", "said"),
    [
        (never_upset, "H1", "H1 is accepted: a is 200 Elo above b rather than 0 (logistic Elo)"),
        (always_upset, "H0", "WW 0: H0 is accepted: a is 0 Elo above b rather than 200"),
    ],
)
def test_one_seat_stops_at_the_pair_of_the_verdict(result, decision, said):
    plan = Sprt(0, 200).plan(event(2))
    assert len(played(plan, result=result)) == 2 * facts_of(plan)["pairs"]
    assert facts_of(plan)["decision"] == decision
    assert said in plan.verdict()


def test_it_ends_without_a_verdict_after_the_most_games():
    plan = Sprt(0, 5, games=20).plan(event(2))
    assert len(played(plan, 3)) == 20
    assert plan.verdict().endswith("no verdict yet")
    more = Sprt(0, 5, games=40).plan(event(2))
    assert len(played(more)) == 40


@pytest.mark.parametrize("most", [20, 23])
def test_with_fewer_games_than_were_played_all_of_them_count(most):
    first_run = played(Sprt(0, 5, games=40).plan(event(2)), most=most)
    plan = resumed(lambda begun: Sprt(0, 5, games=10).plan(event(2, begun=begun)), first_run)
    rest = played(plan)
    ended = [name for name, (_, ended) in first_run.items() if ended is not None]
    assert len({*ended, *rest}) == 2 * facts_of(plan)["pairs"] == 2 * ((len(first_run) + 1) // 2)


def test_draws_show_all_five_outcomes_of_a_pair():
    plan = Sprt(0, 5, games=8).plan(event(2))
    played(plan, result=lambda game: DRAW if game.number % 2 else never_upset(game))
    assert "0 0, 0.5 0, 1 0, 1.5 4, 2 0" in plan.verdict()
    plan = Sprt(0, 5, games=8).plan(event(2))
    played(plan, result=always_split)
    assert "after 4 pairs, LL 0, WL 4, WW 0" in plan.verdict()


def test_nothing_is_decided_beyond_a_void_game():
    plan = Sprt(0, 100).plan(event(2))
    games = played(plan, 2, result=lambda game: VOID if game.number == 5 else by_strength(game))
    assert len(games) <= 7
    assert facts_of(plan)["pairs"] <= 2
    assert plan.verdict().endswith("no verdict: a void game must be played again first")


def test_pairs_before_a_void_game_count_though_they_end_after_it():
    plan = Sprt(0, 100).plan(event(2))
    first, second, third = (plan.next() for _ in range(3))
    plan.learn(PlayedGame(third, VOID))
    plan.learn(PlayedGame(first, by_strength(first)))
    plan.learn(PlayedGame(second, by_strength(second)))
    assert facts_of(plan)["pairs"] == 1
    assert plan.next() is None


@pytest.mark.parametrize(("elo", "wrong"), [(0, "H1"), (100, "H0")])
def test_wrong_verdicts_are_as_rare_as_was_asked_for(elo, wrong):
    """200 tests of alpha = beta = 0.1 with six games at once; 99.9 % of binomials are below 35."""
    wins = expected_score(elo)

    def by_elo(scheduled):
        won = Random(f"{scheduled.seed}").random() < wins
        return outcome(int((scheduled.first == "a") != won))

    verdicts = []
    for seed in range(200):
        plan = Sprt(0, 100, 0.1, 0.1).plan(event(2, seed=seed))
        played(plan, 6, seed, by_elo)
        verdicts.append(facts_of(plan)["decision"])
    assert "continue" not in verdicts
    assert verdicts.count(wrong) < 35


def test_a_test_whose_pairs_only_repeat_each_other_ends_without_a_verdict():
    """Two deterministic engines without openings: two games, again and again."""
    plan = Sprt(0, 10).plan(event(2))
    games = 0
    while (scheduled := plan.next()) is not None:
        leg = int(scheduled.first == "b")
        plan.learn(PlayedGame(scheduled, outcome(leg), 5 + leg))
        games += 1
    facts = facts_of(plan)
    assert facts["counts"] == [0, 0, 0, 0, facts["pairs"]]
    assert (facts["decision"], facts["openings"], facts["exhausted"]) == ("continue", 2, True)
    assert games == 2 * facts["pairs"] <= 2 * 2 * MAX_PAIRS_PER_OPENING
    assert plan.verdict().endswith("2 openings: no verdict possible")


def test_repeated_pairs_of_an_engine_that_scores_78_percent_are_no_verdict_for_h0():
    """It is deterministic, and its opponent repeats a lost line in six of ten games."""
    chance, plan = Random(1), Sprt(0, 50, games=600).plan(event(2))
    points = games = 0
    while (scheduled := plan.next()) is not None:
        leg = int(scheduled.first == "b")
        is_line = chance.random() < 0.6
        won = is_line or chance.random() < 0.45
        digest = 5 + leg if is_line else 100 + games
        plan.learn(PlayedGame(scheduled, outcome(leg if won else 1 - leg), digest))
        points += won
        games += 1
    assert points / games > 0.7
    facts = facts_of(plan)
    assert facts["decision"] == "continue"
    assert facts["exhausted"]
    assert facts["llr"] > 0

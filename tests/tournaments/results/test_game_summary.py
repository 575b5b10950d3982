"""The summaries of an event against naive recounts: ratings, statistics, sequential tests."""

from collections import Counter
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oddly.games import Colour, create_game
from oddly.interfaces.text.summary_tables import summaries_text
from oddly.referee import GameRecord, PlayedTurn, Termination
from oddly.tournaments import Hypotheses, Question, ResultCounts, collect, game_summaries, rate
from oddly.tournaments.ratings.sprt import pair_ratio
from oddly.tournaments.results.counts import kinds_of_faults, statistics_of
from oddly.tournaments.results.game_summary import TOTAL, strength_of
from oddly.tournaments.results.sequential import USUAL_QUESTION, pairs_between, sequential_tests
from tests.tournaments.results.outcomes import HOSTILE, SPELLED, league, outcome

NAMES = ["engine a", "engine b", "engine c"]
RESULTS = st.text("12dfv", min_size=1, max_size=12)
TIMES = st.lists(st.integers(0, 40).map(lambda tenths: tenths / 4), max_size=9)


@settings(deadline=None)
@given(RESULTS)
def test_strength_is_what_rating_the_rows_gives(spelled):
    played = league(NAMES, spelled)
    words = {None: "draw", 0: "first", 1: "second"}
    rows = [
        (game.scheduled.first, game.scheduled.second, words[game.outcome.winner])
        for game in played
        if not game.outcome.is_void
    ]
    strength = strength_of(NAMES, ResultCounts(played))
    if not rows:
        assert strength is None
        return
    ratings = rate(collect(rows, NAMES))
    for name, elo, error in zip(ratings.names, ratings.elo, ratings.errors_95, strict=True):
        assert strength.elo(name) == pytest.approx(elo)
        assert strength.error_95(name) == pytest.approx(error)


def test_names_that_no_file_of_results_could_have_are_rated():
    names = [" spaced ", "", HOSTILE]
    strength = strength_of(names, ResultCounts(league(names, "1112")))
    assert sum(strength.elo(name) for name in names) == pytest.approx(0, abs=1e-6)


@settings(deadline=None)
@given(RESULTS)
def test_each_game_has_ratings_of_its_own_and_the_total_has_none(spelled):
    played = league(NAMES, spelled, games=2)
    *single, total = game_summaries(NAMES, played)
    assert total.title == TOTAL
    assert total.strength is None
    for summary in single:
        own = [game for game in played if game.scheduled.game == summary.game]
        alone = strength_of(NAMES, ResultCounts(own))
        assert (summary.strength is None) == (alone is None)
        if alone is not None:
            assert [summary.strength.elo(n) for n in NAMES] == [alone.elo(n) for n in NAMES]
    assert sum(each.counts.games + each.counts.void for each in single) == len(played)
    assert total.counts.games == sum(each.counts.games for each in single)


def test_a_gauntlet_is_ranked_by_elo():
    # The challenger wins two games of five against each, and has thus the most points.
    rows = [game for game in league(NAMES, "1") if game.scheduled.first == NAMES[0]]
    played = [replace(game, outcome=outcome(winner)) for game in rows for winner in (0, 0, 1, 1, 1)]
    (by_points,) = game_summaries(NAMES, played)
    (by_elo,) = game_summaries(NAMES, played, by_elo=True)
    assert by_points.order[0] == NAMES[0]
    # The last digits of equal engines' ratings differ from one processor to another.
    elos = [round(by_elo.strength.elo(name), 6) for name in by_elo.order]
    assert elos == sorted(elos, reverse=True)
    assert by_elo.order[0] != NAMES[0]
    assert [row.rank for row in by_elo.table] == [1, 2, 3]


def test_engines_that_no_game_connects_with_the_largest_group_come_after_it():
    """The bug: the ratings of one ledger had this order, and its standings another."""
    names = ["alone", "won", *NAMES]
    trio = league(NAMES, "12d")
    pair = [game for game in league(names[:2], "1") if game.scheduled.first == "won"]
    (summary,) = game_summaries(names, [*trio, *pair, *pair], by_elo=True)
    ratings = summary.strength.ratings
    assert max(names, key=summary.strength.elo) == "won"
    assert summary.order[3:] == ["won", "alone"]
    assert summary.order == [sorted(names)[number] for number in ratings.order()]


def record(times: list[float], opening: int, result=None, lag: float = 0.0) -> GameRecord:
    turns = tuple(PlayedTurn(Colour.BLACK, "pass", seconds) for seconds in times)
    ended = replace(result or outcome(0), lag=lag)
    game = create_game("yodd", 3)
    return GameRecord(game, (NAMES[0], NAMES[1]), ("", ""), 0, turns, ended, opening)


@given(TIMES, st.integers(0, 4))
def test_times_are_those_of_turns_that_the_engine_chose_itself(times, opening):
    opening = min(opening, len(times))
    statistics_by_name = statistics_of(NAMES, [record(times, opening)])
    for player in (0, 1):
        own = [times[n] for n in range(opening, len(times)) if n % 2 == player]
        statistics = statistics_by_name[NAMES[player]]
        assert statistics.turns == len(own)
        assert statistics.seconds == sum(own)
        assert statistics.slowest == max(own, default=0)
        assert statistics.seconds_a_turn == (sum(own) / len(own) if own else None)
    assert statistics_by_name[NAMES[2]].turns == 0


def test_faults_are_counted_by_kind_for_the_engine_at_fault():
    crash = outcome(1, Termination.CRASH)
    late = outcome(0, Termination.TIME)
    games = [record([], 0, crash), record([], 0, crash, 0.25), record([], 0, late), record([], 0)]
    statistics_by_name = statistics_of(NAMES, games)
    assert statistics_by_name[NAMES[0]].faults == Counter({Termination.CRASH: 2})
    assert statistics_by_name[NAMES[1]].faults == Counter({Termination.TIME: 1})
    assert kinds_of_faults(statistics_by_name.values()) == [Termination.CRASH, Termination.TIME]
    assert [statistics_by_name[name].lag for name in NAMES] == [0.25, 0.25, 0.0]
    assert [statistics_by_name[name].marked for name in NAMES] == [1, 1, 0]


def pairs_played(pairs):
    """The games of two engines, spelled by pairs of results, in the order of their schedule."""
    legs = league(NAMES[:2], "1")
    return [
        replace(leg, scheduled=replace(leg.scheduled, round=number), outcome=SPELLED[result])
        for number, pair in enumerate(pairs, start=1)
        for leg, result in zip(legs, pair, strict=True)
    ]


def points_of_pairs(*asked):
    pairs, waiting = pairs_between(*asked)
    return [pair.points for pair in pairs], waiting


PAIRS = st.lists(st.tuples(st.sampled_from("12d"), st.sampled_from("12dv")), max_size=9)


@given(PAIRS, st.randoms())
def test_pairs_are_games_of_a_round_with_colours_exchanged(pairs, random):
    points = {"1": 1.0, "2": 0.0, "d": 0.5}
    played = pairs_played(pairs)
    random.shuffle(played)
    whole = [leg1 + leg2 for leg1, leg2 in pairs]
    first_void = next((n for n, pair in enumerate(whole) if "v" in pair), len(pairs))
    expected = [points[leg1] + 1 - points[leg2] for leg1, leg2 in pairs[:first_void]]
    held_up = sum("v" not in pair for pair in whole[first_void:])
    assert points_of_pairs(NAMES[0], NAMES[1], played) == (expected, held_up)
    mirrored = [2 - each for each in expected]
    assert points_of_pairs(NAMES[1], NAMES[0], played) == (mirrored, held_up)
    assert points_of_pairs(NAMES[0], NAMES[2], played) == ([], 0)


def test_a_pair_that_runs_holds_up_those_after_it():
    played = pairs_played(["12", "12", "12"])
    first = [game.scheduled for game in played if game.scheduled.round == 1]
    rest = [game for game in played if game.scheduled.round > 1]
    assert points_of_pairs(NAMES[0], NAMES[1], rest) == ([2.0, 2.0], 0)
    assert points_of_pairs(NAMES[0], NAMES[1], rest, first) == ([], 2)
    (test,) = sequential_tests(NAMES, rest, USUAL_QUESTION, first)
    assert (test.counts.pairs, test.not_counted, test.state.decision) == (0, 2, "continue")


def test_pairs_of_unknown_rounds_come_as_they_ended_and_wait_for_nothing():
    played = [
        replace(game, scheduled=replace(game.scheduled, round=0))
        for game in pairs_played(["1v", "12", "22"])
    ]
    assert points_of_pairs(NAMES[0], NAMES[1], played) == ([2.0, 2.0], 0)


@given(PAIRS.map(lambda pairs: [pair for pair in pairs if "v" not in pair]))
def test_the_ratio_is_that_of_the_pairs_that_count(pairs):
    played = pairs_played(pairs)
    for test in sequential_tests(NAMES, played, Question(Hypotheses(0, 50))):
        assert test.state.llr == pair_ratio(test.counts, Hypotheses(0, 50)) == test.ratios[-1]
        assert test.counts.pairs == len(test.ratios)
        assert test.counts.pairs + test.not_counted == len(pairs)


def test_a_test_is_decided_at_its_first_crossing():
    """What was won later cannot take the verdict back: forty lost pairs after forty won ones."""
    played = pairs_played(["12"] * 40 + ["21"] * 40)
    for games in (played, played[::-1]):
        (test,) = sequential_tests(NAMES[:2], games, USUAL_QUESTION)
        assert test.state.decision == "H1"
        assert (test.counts.pairs, test.counts.won, test.counts.lost) == (23, 23, 0)
        assert test.not_counted == 57
        assert test.ratios[-2] < test.state.upper <= test.ratios[-1] == test.state.llr


@pytest.mark.parametrize(
    ("results", "said"),
    [
        ("12", "LLR 0.13 in (-2.94, 2.94), no verdict yet ~; 1 pair: 1 won, 0 split, 0 lost"),
        ("1d", "LLR 0.13 in (-2.94, 2.94), no verdict yet ~; 1 pair: 0 0, 0.5 0, 1 0, 1.5 1, 2 0"),
    ],
)
def test_two_engines_are_tested_in_words(results, said):
    played = league(NAMES[:2], results)
    (summary,) = game_summaries(NAMES[:2], played, question=Question(Hypotheses(0, 50)))
    assert summaries_text([summary]).replace("\n  ", " ").splitlines()[-1] == (
        f"SPRT, engine a over engine b: {said.replace('~', '(H0 0, H1 50 logistic Elo')})"
    )


def test_statistics_have_a_column_for_each_kind_of_fault():
    games = league(NAMES[:2], "f1")
    records = [record([1.0, 2.0], 0, game.outcome) for game in games]
    statistics_by_name = {str(records[0].game): statistics_of(NAMES[:2], records)}
    (summary,) = game_summaries(NAMES[:2], games, statistics_by_name)
    text = summaries_text([summary], with_statistics=True)
    (heading,) = [line for line in text.splitlines() if "s a turn" in line]
    assert heading.split()[-1] == "time"
    assert "s a turn" not in summaries_text([summary])

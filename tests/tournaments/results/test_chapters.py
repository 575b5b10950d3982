"""What is told of an event, against naive recounts: ratings, statistics, sequential tests."""

from collections import Counter
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from games.catalogue import create_game
from games.colour import Colour
from interfaces.text.results import results
from referee.outcome import Termination
from referee.record import GameRecord, PlayedTurn
from tests.tournaments.outcomes import HOSTILE, league, outcome
from tournaments.ratings.bradley_terry import rate
from tournaments.ratings.results import collect
from tournaments.ratings.sprt import Hypotheses, pair_ratio
from tournaments.results.chapters import TOTAL, chapters
from tournaments.results.engine_statistics import kinds_of_faults, statistics_of
from tournaments.results.sequential import Question, pair_counts, sequential_tests
from tournaments.results.strength import strength_of

NAMES = ["engine a", "engine b", "engine c"]
RESULTS = st.text("12dfv", min_size=1, max_size=12)
TIMES = st.lists(st.integers(0, 40).map(lambda tenths: tenths / 4), max_size=9)


@settings(deadline=None)
@given(RESULTS)
def test_strength_is_what_rating_the_rows_gives(spelled):
    played = league(NAMES, spelled)
    rows = [
        (
            game.scheduled.first,
            game.scheduled.second,
            {None: "draw", 0: "first", 1: "second"}[game.outcome.winner],
        )
        for game in played
        if game.outcome.termination is not Termination.VOID
    ]
    strength = strength_of(NAMES, played)
    if not rows:
        assert strength is None
        return
    ratings = rate(collect(rows, NAMES))
    for name, elo, error in zip(ratings.names, ratings.elo, ratings.errors_95, strict=True):
        assert strength.elo(name) == pytest.approx(elo)
        assert strength.error_95(name) == pytest.approx(error)


def test_names_that_no_file_of_results_could_have_are_rated():
    names = [" spaced ", "", HOSTILE]
    strength = strength_of(names, league(names, "1112"))
    assert sum(strength.elo(name) for name in names) == pytest.approx(0, abs=1e-6)


@settings(deadline=None)
@given(RESULTS)
def test_each_game_has_ratings_of_its_own_and_the_total_has_none(spelled):
    played = league(NAMES, spelled, games=2)
    *single, total = chapters(NAMES, played)
    assert total.title == TOTAL
    assert total.strength is None
    for chapter in single:
        alone = strength_of(NAMES, chapter.played)
        assert (chapter.strength is None) == (alone is None)
        if alone is not None:
            assert [chapter.strength.elo(n) for n in NAMES] == [alone.elo(n) for n in NAMES]
    assert sum(len(chapter.played) for chapter in single) == len(played)


def test_a_gauntlet_is_ranked_by_elo():
    # The challenger wins two games of five against each, and has thus the most points.
    rows = [game for game in league(NAMES, "1") if game.scheduled.first == NAMES[0]]
    played = [replace(game, outcome=outcome(winner)) for game in rows for winner in (0, 0, 1, 1, 1)]
    (by_points,) = chapters(NAMES, played)
    (by_elo,) = chapters(NAMES, played, by_elo=True)
    assert by_points.order[0] == NAMES[0]
    elos = [by_elo.strength.elo(name) for name in by_elo.order]
    assert elos == sorted(elos, reverse=True)
    assert by_elo.order[0] != NAMES[0]
    assert [row.rank for row in by_elo.table] == [1, 2, 3]


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
        own = [
            seconds
            for number, seconds in enumerate(times)
            if number % 2 == player and number >= opening
        ]
        statistics = statistics_by_name[NAMES[player]]
        assert statistics.turns == len(own)
        assert statistics.seconds == sum(own)
        assert statistics.slowest == max(own, default=0)
        assert statistics.seconds_a_turn == (sum(own) / len(own) if own else None)
    assert statistics_by_name[NAMES[2]].turns == 0


def test_faults_are_counted_by_kind_for_whoever_was_at_fault():
    crash = outcome(1, Termination.CRASH)
    late = outcome(0, Termination.TIME)
    games = [record([], 0, crash), record([], 0, crash, 0.25), record([], 0, late), record([], 0)]
    statistics_by_name = statistics_of(NAMES, games)
    assert statistics_by_name[NAMES[0]].faults == Counter({Termination.CRASH: 2})
    assert statistics_by_name[NAMES[1]].faults == Counter({Termination.TIME: 1})
    assert kinds_of_faults(statistics_by_name.values()) == [Termination.CRASH, Termination.TIME]
    assert [statistics_by_name[name].lag for name in NAMES] == [0.25, 0.25, 0.0]
    assert [statistics_by_name[name].marked for name in NAMES] == [1, 1, 0]


@given(st.lists(st.tuples(st.sampled_from("12d"), st.sampled_from("12dv")), max_size=9))
def test_pairs_are_games_of_a_round_with_colours_exchanged(pairs):
    points = {"1": 1.0, "2": 0.0, "d": 0.5}
    made = {"1": outcome(0), "2": outcome(1), "d": outcome(None, Termination.REPETITION)}
    made["v"] = outcome(None, Termination.VOID)
    one, other = league(NAMES[:2], "1")
    played = []
    expected = Counter()
    for number, (leg1, leg2) in enumerate(pairs, start=1):
        for game, leg in ((one, leg1), (other, leg2)):
            scheduled = replace(game.scheduled, round=number)
            played.append(replace(game, scheduled=scheduled, outcome=made[leg]))
        if leg2 != "v":
            expected[points[leg1] + 1 - points[leg2]] += 1
    counts = pair_counts(NAMES[0], NAMES[1], played)
    assert counts.counts == tuple(expected[half / 2] for half in range(5))
    mirrored = pair_counts(NAMES[1], NAMES[0], played)
    assert mirrored.counts == counts.counts[::-1]
    for test in sequential_tests(NAMES, played, Question(Hypotheses(0, 50))):
        assert test.state.llr == pair_ratio(counts, Hypotheses(0, 50))


def test_two_engines_are_tested_in_words():
    played = league(NAMES[:2], "12")
    (chapter,) = chapters(NAMES[:2], played, question=Question(Hypotheses(0, 50)))
    assert results([chapter]).splitlines()[-1] == (
        "SPRT, engine a over engine b: LLR 0.13 in (-2.94, 2.94), no verdict yet "
        "(H0 0, H1 50 logistic Elo; 1 pair: 1 won, 0 split, 0 lost)"
    )


def test_conduct_is_told_with_a_column_for_each_kind_of_fault():
    games = league(NAMES[:2], "f1")
    records = [record([1.0, 2.0], 0, game.outcome) for game in games]
    statistics_by_name = {str(records[0].game): statistics_of(NAMES[:2], records)}
    (chapter,) = chapters(NAMES[:2], games, statistics_by_name)
    text = results([chapter], with_statistics=True)
    (heading,) = [line for line in text.splitlines() if "s a turn" in line]
    assert heading.split()[-1] == "time"
    assert "s a turn" not in results([chapter])

"""Charts and the figures behind them."""

import math
from dataclasses import replace
from random import Random

import pytest

from oddly.games.catalogue import create_game
from oddly.interfaces.report.game_section import MAX_STEPS, question_sentence, verdict_sentence
from oddly.interfaces.report.page import read_reported_event
from oddly.tournaments.ledger.store import Ledger
from oddly.tournaments.ratings.sprt import Hypotheses, SequentialTest
from oddly.tournaments.results.sequential import PairTest, Question
from tests.interfaces.report.events import event_of, make_ledger


@pytest.fixture(scope="module")
def event(tmp_path_factory):
    path = tmp_path_factory.mktemp("figures") / "event.sqlite"
    games = [create_game("odd", 2), create_game("xodd", 2)]
    make_ledger(path, ["one", "two", "three"], games=games, rounds=8)
    return event_of(path, 5)


def test_ratings_end_where_the_table_is(event):
    summary = event.event.summaries()[0]
    results = event.results[summary.game]
    for name, curve in results.curves(summary.order).items():
        assert len(curve) <= MAX_STEPS
        games, elo = curve[-1]
        assert games == len(results)
        assert elo == pytest.approx(summary.strength.elo(name), abs=1e-6)


def test_a_verdict_says_which_pairs_count():
    hypotheses = Hypotheses(0, 50)

    def after(*pairs, waiting=0):
        test = SequentialTest(hypotheses)
        for points in pairs:
            test.add(points)
        question, later = Question(hypotheses), test.not_counted + waiting
        return PairTest("one", "two", question, test.counts, test.state, test.ratios, later)

    assert question_sentence(after()) == "Is one 50 (H1) or 0 (H0) logistic Elo above two?"
    assert verdict_sentence(after(2)) == "No verdict with LLR 0.13 after 1 pair."
    assert verdict_sentence(after(2, waiting=1)) == (
        "No verdict with LLR 0.13 after 1 pair. 1 later pair waits for one that is not finished."
    )
    assert verdict_sentence(after(*[2] * 23)) == "H1 is accepted with LLR 3.07 after 23 pairs."
    assert verdict_sentence(after(*[2] * 23, *[0] * 57)) == (
        "H1 is accepted with LLR 3.07 after 23 pairs. 57 later pairs are not counted."
    )


def test_a_report_shows_a_ledger_as_of_one_moment_while_a_run_writes_to_it(tmp_path):
    path = tmp_path / "event.sqlite"
    _, record, *_ = make_ledger(path, ["one", "two"], games=[create_game("odd", 2)])

    def play_on(games):
        with Ledger(path) as ledger:
            ledger.add("new", replace(record, players=("one", "three")))
        return games

    with Ledger(path, read_only=True) as ledger:
        found = read_reported_event(ledger, 100, play_on)
    games = found.event.tallies.games
    assert len(found.latest) == sum(map(len, found.results.values())) == games
    assert found.event.engines == ["one", "two"]


def test_statistics_leave_the_opening_out(event, tmp_path):
    path = tmp_path / "one.sqlite"
    records = make_ledger(path, ["a", "b"], games=[create_game("odd", 2)], seed=Random(3).random())
    (summary,) = event_of(path, 0).event.summaries()
    for name, statistics in summary.statistics_by_name.items():
        own = [
            played.seconds
            for record in records
            for number, played in enumerate(record.turns)
            if number >= record.opening and record.players[number % 2] == name
        ]
        assert statistics.turns == len(own)
        assert math.isclose(statistics.seconds, sum(own), abs_tol=1e-4)
        assert statistics.slowest == pytest.approx(max(own), abs=1e-6)
        assert statistics.games == len(records)

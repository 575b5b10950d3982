"""Tuning on a simulated engine whose best options are known, without games and processes."""

from dataclasses import replace
from random import Random
from statistics import fmean

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.tuning import Setting, SimulatedEngine, spsa
from oddly.interfaces.text.format_reports import tuning_plot, tuning_text
from oddly.tournaments import PlayedGame, Spsa, Tournament, TunedOption, Tuning, engine
from oddly.tournaments.formats.tuning import confirmation_of
from oddly.tournaments.results.schedule import scheduled_facts, scheduled_from
from tests.programs import PYTHON
from tests.tournaments.formats.playing import (
    ODD,
    VOID,
    always_split,
    event,
    never_upset,
    played,
    resumed,
)
from tests.tournaments.results.outcomes import outcome

EXPLORATION = TunedOption("exploration", 0.01, 1.0, 0.02, scale="log")
DEPTH = TunedOption("depth", 1, 9, 8, whole=True)


def strength(options) -> float:
    """200 Elo are lost half a range away from exploration 0.1 and depth 3."""
    values = {name: float(value) for name, value in options}
    if not values:
        return -150.0
    return -800 * (
        (EXPLORATION.place_of(values["exploration"]) - 0.5) ** 2
        + (DEPTH.place_of(values["depth"]) - 0.25) ** 2
    )


def by_options(scheduled):
    """A game by the logistic law, decided by its seed."""
    ahead = strength(scheduled.options[0]) - strength(scheduled.options[1])
    return outcome(int(Random(scheduled.seed).random() > 1 / (1 + 10 ** (-ahead / 400))))


def tuned(games: int = 600, **settings) -> Tuning:
    return Tuning((EXPLORATION, DEPTH), games, **settings)


def options_of(games: dict) -> dict:
    return {name: game.options for name, (game, _) in games.items()}


def report_of(plan):
    return next(iter(plan.reports().values()))


def test_spsa_comes_near_the_best_places():
    engines = [SimulatedEngine(Setting(2), seed) for seed in range(10)]
    before = fmean(engine.loss(engine.start) for engine in engines)
    after = fmean(engine.loss(spsa(engine, 500, 1)) for engine in engines)
    assert before > 100
    assert after < 15


def test_spsa_stays_where_it_is_if_everything_is_split():
    search = Spsa([0.3, 0.9])
    for _ in range(20):
        search.tell(search.ask(), 0.5)
    assert search.best == pytest.approx((0.3, 0.9))
    assert search.places == pytest.approx((0.3, 0.9))


@st.composite
def searches(draw):
    """Options of small ranges of whole numbers, and a search that begins anywhere in them."""
    options = []
    for name in "mn"[: draw(st.integers(1, 2))]:
        scale = draw(st.sampled_from(["linear", "log"]))
        first = draw(st.integers(1 if scale == "log" else -3, 5))
        last = first + draw(st.integers(1, 12))
        before, after = (draw(st.sampled_from([0, 0.3, 0.5, 0.9])) for _ in range(2))
        low, high = first - before, last + after
        start = draw(st.none() | st.integers(first, last) | st.sampled_from([low, high]))
        options.append(TunedOption(name, low, high, start, scale, whole=True))
    search = Spsa(
        [option.start_place for option in options],
        step=draw(st.sampled_from([0.01, 0.3, 3.0])),
        reach=draw(st.sampled_from([0.001, 0.05, 0.2, 0.5])),
        least_reach=[option.least_reach for option in options],
    )
    return options, search


@given(searches(), st.lists(st.sampled_from([0, 0.25, 0.5, 1]), max_size=20))
def test_the_two_settings_differ_in_each_whole_number(search, shares):
    options, search = search
    for share in (*shares, 0.5):
        asked = search.ask()
        for option, plus, minus in zip(options, asked.plus, asked.minus, strict=True):
            assert option.text_at(plus) != option.text_at(minus)
            assert option.low <= int(option.text_at(plus)) <= option.high
            assert option.low <= int(option.text_at(minus)) <= option.high
        search.tell(asked, share)


@pytest.mark.parametrize("engines", [2, 3])
def test_a_tuning_finds_the_best_options_by_games(engines):
    plan = tuned(1200 if engines == 2 else 2400).plan(event(engines))
    games = played(plan, 4, result=by_options)
    assert len(games) == plan.total
    report = report_of(plan)
    assert report.optimum.gain.is_shown
    assert report.recommended == report.best
    assert 0.04 < float(report.best["exploration"]) < 0.25
    assert 2 <= int(report.best["depth"]) <= 5
    (least, most), (shallow, deep) = report.between
    assert float(least) < 0.1 < float(most)
    assert int(shallow) <= 3 <= int(deep)
    if engines == 3:
        assert all("c" in (game.first, game.second) for game, _ in games.values())
        assert all((game.first == "c") != bool(game.options[0]) for game, _ in games.values())


def test_the_settings_do_not_depend_on_how_many_games_run_at_once_or_on_when_a_run_ended():
    whole = tuned().plan(event(2))
    expected = options_of(played(whole, 1, result=by_options))
    assert options_of(played(tuned().plan(event(2)), 7, 3, by_options)) == expected
    first_run = played(tuned(300).plan(event(2)), 5, 2, by_options, most=101)
    again = resumed(lambda begun: tuned().plan(event(2, begun=begun)), first_run)
    assert options_of(played(again, 3, 4, by_options)).items() <= expected.items()
    assert again.facts() == whole.facts()


@pytest.mark.parametrize("engines", [2, 3])
@pytest.mark.parametrize("every", [1, 2], ids=["whole pairs", "one game of each pair"])
def test_games_count_for_the_values_that_were_sent_if_earlier_results_change(engines, every):
    first_run = played(tuned(240).plan(event(engines)), result=by_options, most=100)
    annulled = [name for name, (game, _) in first_run.items() if game.round <= 3][::every]
    kept = {
        name: (game, None if name in annulled else ended)
        for name, (game, ended) in first_run.items()
    }
    plan = resumed(lambda begun: tuned(240).plan(event(engines, begun=begun)), kept)
    games = first_run | played(plan, result=never_upset)
    assert options_of(games).items() >= options_of(first_run).items()
    assert settings_that_count(plan) == settings_played(games)


def test_the_games_of_a_pair_count_apart_if_a_merged_ledger_has_them_with_different_values():
    first_run = played(tuned(40).plan(event(2)), result=by_options)
    (name, (game, ended)), *_ = first_run.items()
    others = (("exploration", "0.5"), ("depth", "2")), (("exploration", "0.2"), ("depth", "4"))
    merged = first_run | {name: (replace(game, options=others), ended)}
    plan = resumed(lambda begun: tuned(40).plan(event(2, begun=begun)), merged)
    assert plan.next() is None
    expected = settings_played(merged) | settings_played(first_run)
    assert settings_that_count(plan) == expected
    assert {pair.share for pair in report_of(plan).pairs[:2]} <= {0, 1}


def settings_that_count(plan) -> set:
    """The values of both sides in each pair of the report."""
    return {(values_at(pair.one), values_at(pair.other)) for pair in report_of(plan).pairs}


def settings_played(games: dict) -> set:
    """The values of both sides in each pair; `one` opens the first game."""
    return {
        tuple(tuple(value for _, value in options) for options in game.options)
        for game, _ in games.values()
        if game.first < game.second
    }


def values_at(places) -> tuple:
    """The values that an engine received; none for an opponent."""
    pairs = () if places is None else zip((EXPLORATION, DEPTH), places, strict=True)
    return tuple(option.text_at(place) for option, place in pairs)


@pytest.mark.parametrize("engines", [2, 3])
@pytest.mark.parametrize("most", [32, 37, 70])
def test_with_fewer_games_than_were_played_all_of_them_count(engines, most):
    first_run = played(tuned(80).plan(event(engines)), result=by_options, most=most)
    plan = resumed(lambda begun: tuned(16).plan(event(engines, begun=begun)), first_run)
    rest = played(plan, result=by_options)
    whole = {**first_run, **rest}
    assert plan.total == len(whole) == report_of(plan).games
    options = options_of(played(tuned(80).plan(event(engines)), result=by_options))
    assert options_of(whole).items() <= options.items()


def test_the_options_of_a_game_are_kept_with_it():
    game = tuned().plan(event(2)).next()
    assert {name for name, _ in game.options[0]} == {"exploration", "depth"}
    assert scheduled_from(scheduled_facts(game)) == game


def test_a_void_game_holds_it_up():
    plan = tuned().plan(event(2))
    played(plan, result=lambda game: VOID)
    assert plan.verdict() == "the tuning is not over: a void game must be played again first"
    assert report_of(plan) is None


def test_it_is_told_as_a_table_and_as_a_picture():
    plan = tuned(40).plan(event(2))
    played(plan, result=by_options)
    text = tuning_text(report_of(plan))
    assert text.startswith("options after 40 of 40 games\n\n")
    assert "0.01 to 1" in text
    assert "exploration 0.01 to 1" in "".join(tuning_plot(report_of(plan)).itertext())


def test_the_gain_over_a_start_between_two_values_is_over_the_value_that_was_sent():
    switch = TunedOption("switch", 0, 1, whole=True)
    plan = Tuning((switch,), 400).plan(event(2))
    played(plan, result=by_switch)
    report = report_of(plan)
    assert (report.start, report.best) == ({"switch": "0"}, {"switch": "1"})
    assert report.recommended == report.best


def by_switch(scheduled):
    """The side that is switched on is 200 Elo ahead, by the logistic law."""
    (_, first), (_, second) = (options[0] for options in scheduled.options)
    ahead = 200 * (int(first) - int(second))
    return outcome(int(Random(scheduled.seed).random() > 1 / (1 + 10 ** (-ahead / 400))))


def test_without_a_gain_the_start_is_recommended():
    plan = tuned(80).plan(event(2))
    played(plan, result=always_split)
    report = report_of(plan)
    assert report.verdict() == (
        "no gain shown: +0 Elo over the start, 95 % interval +0 to +0; "
        "keep exploration = 0.02, depth = 8"
    )
    assert report.recommended == report.start == {"exploration": "0.02", "depth": "8"}
    assert report.between == [("0.01", "1"), ("1", "9")]
    assert report.test is None
    facts = report.facts()
    assert facts["gain"]["shown"] is False
    assert [each["recommended"] for each in facts["options"]] == ["0.02", "8"]


def test_a_gain_is_told_with_its_error_and_with_the_test_that_confirms_it():
    plan = tuned(1200).plan(event(2))
    played(plan, result=by_options)
    report, facts = report_of(plan), report_of(plan).facts()
    low, high = facts["gain"]["between"]
    assert 0 < low < facts["gain"]["elo"] < high
    assert facts["test"] == {"elo0": 0, "elo1": int(low)}
    assert report.verdict().startswith(f"gain: {report.optimum.gain.elo:+.0f} Elo over the start")
    best = ", ".join(f"{each['name']} = {each['best']}" for each in facts["options"])
    assert report.verdict().endswith(f"use {best}")
    assert report.told(True) == f"confirmed: use {best}"
    assert report.told(False) == "not confirmed: keep exploration = 0.02, depth = 8"


def test_games_that_are_the_same_again_make_nothing_more_certain():
    def copied(repeated: bool):
        plan = tuned(200).plan(event(2))
        while (game := plan.next()) is not None:
            digest = 1 + (game.seed % 5 if repeated else game.number)
            plan.learn(PlayedGame(game, by_options(game), digest))
        return report_of(plan)

    new, old = copied(False), copied(True)
    assert (new.copies, len(old.pairs)) == (0, 100)
    assert old.copies > 90
    assert tuning_text(old).startswith(
        f"options after 200 of 200 games, {old.copies} pairs repeated"
    )
    width = [each.optimum.gain.high - each.optimum.gain.low for each in (new, old)]
    assert width[1] > 1.5 * width[0]


def test_a_value_that_is_shown_lies_in_the_range():
    option = TunedOption("c", 0.12345, 0.9996)
    assert [option.shown_at(place) for place in (0, 0.5, 1)] == ["0.12345", "0.562", "0.9996"]


@given(
    st.floats(1e-9, 1e9),
    st.floats(1.000001, 1e6),
    st.floats(0, 1),
    st.sampled_from(["linear", "log"]),
)
def test_an_engine_receives_only_values_of_the_range(low, factor, place, scale):
    option = TunedOption("x", low, low * factor, scale=scale)
    for text in (option.text_at(place), option.shown_at(place)):
        assert option.low <= float(text) <= option.high


def test_a_range_is_told_as_the_engine_receives_it():
    option = TunedOption("x", 1000, 1234567, 1234567)
    assert option.text_at(option.start_place) == "1234567"
    plan = Tuning((option,), 8).plan(event(2))
    played(plan, result=always_split)
    assert "1000 to 1234567 " in tuning_text(report_of(plan))
    assert "x 1000 to 1234567" in "".join(tuning_plot(report_of(plan)).itertext())
    (facts,) = report_of(plan).facts()["options"]
    assert facts["course"] == [1234567] * 5


def test_the_test_is_of_the_values_found_against_those_of_the_start():
    plan = tuned(1200).plan(event(2))
    played(plan, result=by_options)
    (title, report), *_ = plan.reports().items()
    side = engine(f"{PYTHON} x", name="uct +", options={"memory": "8", "depth": "9"})
    sides = side, replace(side, name="uct -")
    tuning = Tournament(name="t", format=tuned(1200), games=(ODD,), engines=sides, seed=7)
    test = confirmation_of(tuning, title, report)
    new, old = test.engines
    assert (test.name, test.format, test.seed) == ("t confirmed", report.test, 7)
    assert (new.name, old.name) == ("uct tuned", "uct start")
    assert new.options == {"memory": "8", **report.best}
    assert old.options == {"memory": "8", "exploration": "0.02", "depth": "8"}


def test_places_and_values():
    assert EXPLORATION.value_at(0.5) == pytest.approx(0.1)
    assert EXPLORATION.text_at(EXPLORATION.place_of(0.25)) == "0.25"
    assert TunedOption("n", 0.000001, 1, scale="log").text_at(0) == "0.000001"
    assert TunedOption("n", 1000, 3000000).text_at(1) == "3000000"
    assert [DEPTH.text_at(place / 8) for place in range(9)] == list("123456789")


@pytest.mark.parametrize(
    ("low", "high", "start", "scale", "said"),
    [
        (2, 1, None, "linear", "the range of 'c' ends at 1, before it begins"),
        (0, 1, None, "log", "on a log scale the range of 'c' begins above 0"),
        (-1.7e308, 1.7e308, None, "linear", r"of 'c' is too wide: -1.7e\+308 to 1.7e\+308"),
        (1e-300, 1e300, None, "log", r"the range of 'c' is too wide: 1e-300 to 1e\+300"),
        (0, 1, 3, "linear", "'c' starts at 3, outside 0 to 1"),
        (0, 1234567, 2e6, "linear", "'c' starts at 2000000, outside 0 to 1234567"),
    ],
)
def test_impossible_ranges_are_refused(low, high, start, scale, said):
    with pytest.raises(ValueError, match=said):
        TunedOption("c", low, high, start, scale)


@pytest.mark.parametrize(("low", "high"), [(0.2, 0.8), (0.5, 1.5), (2, 2.9)])
def test_a_range_without_two_whole_numbers_is_refused(low, high):
    said = f"the range of 'c' needs two whole numbers or more, not {low} to {high}"
    with pytest.raises(ValueError, match=said):
        TunedOption("c", low, high, whole=True)

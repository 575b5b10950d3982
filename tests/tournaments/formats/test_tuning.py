"""Tuning on a simulated engine whose best options are known, without games and processes."""

from random import Random
from statistics import fmean

import pytest

from benchmarks.tuning import SimulatedEngine, spsa
from oddly.interfaces.text.format_reports import tuning_plot, tuning_text
from oddly.tournaments import Spsa, TunedOption, Tuning
from oddly.tournaments.results.schedule import scheduled_facts, scheduled_from
from tests.tournaments.formats.playing import VOID, event, played, resumed
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
    engines = [SimulatedEngine(2, 200, seed) for seed in range(10)]
    before = fmean(engine.loss(engine.start) for engine in engines)
    after = fmean(engine.loss(spsa(engine, 500, 1)) for engine in engines)
    assert before > 100
    assert after < 15


def test_spsa_stays_where_it_is_if_everything_is_split():
    search = Spsa([0.3, 0.9])
    for _ in range(20):
        search.tell(search.ask(), 0.5)
    assert search.best == pytest.approx((0.3, 0.9))
    assert search.spread == pytest.approx((0, 0))


@pytest.mark.parametrize("engines", [2, 3])
def test_a_tuning_finds_the_best_options_by_games(engines):
    plan = tuned(1200 if engines == 2 else 2400).plan(event(engines))
    games = played(plan, 4, result=by_options)
    assert len(games) == plan.total
    exploration, depth = report_of(plan).courses
    assert 0.04 < float(exploration.option.text_at(exploration.best)) < 0.25
    assert 2 <= int(depth.option.text_at(depth.best)) <= 5
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
        (0, 1, 3, "linear", "'c' starts at 3, outside 0 to 1"),
    ],
)
def test_impossible_ranges_are_refused(low, high, start, scale, said):
    with pytest.raises(ValueError, match=said):
        TunedOption("c", low, high, start, scale)

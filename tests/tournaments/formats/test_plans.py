"""Every plan gives the same games, however often it is interrupted.

What the reader of a ledger sees of a Swiss or a knockout is what its own run saw.
"""

from collections import Counter
from dataclasses import replace
from itertools import count

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oddly.interfaces.text.format_reports import reports_text
from oddly.tournaments import (
    Gauntlet,
    Knockout,
    Match,
    PlayedGame,
    RatingPool,
    RoundRobin,
    Sprt,
    Swiss,
)
from oddly.tournaments.formats.derived_plans import ResumedPlan
from oddly.tournaments.ledger.recorded_event import replayed_plan
from oddly.tournaments.results.schedule import ListedOpenings
from tests.tournaments.formats.playing import (
    AYU,
    ODD,
    VOID,
    by_strength,
    event,
    never_upset,
    played,
    resumed,
)

FORMATS = [
    (RoundRobin(2), 4),
    (Gauntlet(2), 4),
    (Match(7), 2),
    (Swiss(4, 2), 7),
    (Swiss(3), 6),
    (Knockout(1, 1), 6),
    (Sprt(0, 100), 2),
    (Sprt(0, 10, games=20), 2),
    (RatingPool(250, 60), 4),
    (RatingPool(None, 24), 3),
]
IDS = [f"{format_}" for format_, _ in FORMATS]
BY_RESULTS_ALONE = [
    (format_, engines) for format_, engines in FORMATS if format_.name != "rating-pool"
]

each = pytest.mark.parametrize(("format_", "engines"), FORMATS, ids=IDS)
each_but_pools = pytest.mark.parametrize(("format_", "engines"), BY_RESULTS_ALONE, ids=str)


@pytest.mark.sampled
@each
@given(data=st.data())
@settings(max_examples=15, deadline=None)
def test_a_resumed_run_plays_exactly_what_is_missing(format_, engines, data):
    stop = data.draw(st.integers(0, 30))
    seats, seed = data.draw(st.integers(1, 4)), data.draw(st.integers(0, 99))
    entered = event(engines, (ODD, AYU))
    first = played(format_.plan(entered), seats, seed, most=stop)

    def again(begun):
        return format_.plan(event(engines, (ODD, AYU), begun=begun))

    plan = resumed(again, first)
    second = played(plan, data.draw(st.integers(1, 4)), seed + 1)
    ended = {name for name, (_, outcome) in first.items() if outcome is not None}
    assert not ended & set(second)
    if format_.name != "sprt":
        # What had begun is played to its end.
        assert set(first) - ended <= set(second)
        pairs = Counter(
            (scheduled.game, frozenset((scheduled.first, scheduled.second)), scheduled.round)
            for scheduled, _ in {**first, **second}.values()
        )
        assert format_.name == "match" or set(pairs.values()) == {2}
    third = resumed(again, {**first, **second})
    assert third.is_done
    assert third.verdict() == plan.verdict()
    assert third.facts() == plan.facts()
    assert reports_text(third.reports()) == reports_text(plan.reports())


@each_but_pools
@given(data=st.data())
@settings(max_examples=15, deadline=None)
def test_neither_order_nor_interruption_changes_what_comes_of_it(format_, engines, data):
    entered = event(engines)
    plan = format_.plan(entered)
    whole = played(plan)
    first = played(
        format_.plan(entered), data.draw(st.integers(1, 5)), most=data.draw(st.integers(0, 40))
    )
    again = resumed(lambda begun: format_.plan(event(engines, begun=begun)), first)
    second = played(again, data.draw(st.integers(1, 5)), data.draw(st.integers(0, 99)))
    assert again.facts() == plan.facts()
    assert again.verdict() == plan.verdict()
    if format_.name == "sprt":
        # Games that run while the verdict falls are played to their end.
        assert set(whole) <= set(first) | set(second)
    else:
        assert set(whole) == set(first) | set(second)


@pytest.mark.parametrize("format_", [Swiss(2, 2), RatingPool(None, 24), Sprt(0, 10)], ids=str)
def test_a_later_run_knows_all_games_when_one_engine_is_left(format_):
    """Also those that began after one that is not played to its end."""
    first = played(format_.plan(event(2)), 4, most=2)
    begun = [game for game, _ in first.values()]
    known = {name: PlayedGame(*game) for name, game in first.items() if game[1] is not None}
    assert begun[0].id not in known
    of = event(2, begun=begun, retired={"a"})
    plan = ResumedPlan(format_.plan(of), known, (), of.retired, of.engines)
    assert plan.next() is None
    assert plan.learnt == len(known) == 2


@each
def test_totals_are_what_is_played(format_, engines):
    plan = format_.plan(event(engines, (ODD, AYU)))
    games = played(plan)
    assert plan.total in (None, len(games))
    numbers = [scheduled.number for scheduled, _ in games.values()]
    assert numbers == list(range(1, len(games) + 1))


@each
def test_every_pairing_has_the_openings_in_the_same_order(format_, engines):
    openings = {ODD: [("Ba1",), ("Bb2",), ("Ba2",)]}
    books = {ODD: ListedOpenings(openings[ODD])}
    for scheduled, _ in played(format_.plan(event(engines, openings=books))).values():
        assert scheduled.opening == openings[ODD][(scheduled.round - 1) % 3]


@each
def test_another_seed_gives_other_games(format_, engines):
    one, other = (played(format_.plan(event(engines, seed=seed)), most=4) for seed in (1, 2))
    assert not set(one) & set(other)


@each
def test_a_void_game_decides_nothing_and_is_played_again(format_, engines):
    """The second game is void in the first run and not in the second."""
    voided = []

    def void_once(scheduled):
        if scheduled.number == 2:
            voided.append(scheduled.id)
            return VOID
        return never_upset(scheduled)

    first = played(format_.plan(event(engines)), 2, result=void_once)
    first = {
        name: (game, None if game.id in voided else ended) for name, (game, ended) in first.items()
    }
    plan = resumed(lambda begun: format_.plan(event(engines, begun=begun)), first)
    second = played(plan, result=never_upset)
    assert voided[0] in second
    whole = format_.plan(event(engines))
    played(whole, result=never_upset)
    if format_.name != "rating-pool":
        assert plan.facts() == whole.facts()


def replayed(format_, of, games: dict):
    ended = [PlayedGame(game, outcome) for game, outcome in games.values() if outcome]
    running = [game for game, outcome in games.values() if outcome is None]
    settings = {**format_.facts(), "extra_pairs": getattr(format_, "extra_pairs", "none")}
    return replayed_plan(format_.name, settings, replace(of, openings={}, begun=running), ended)


@pytest.mark.parametrize(
    ("format_", "engines"), [(Swiss(4, 2), 6), (Swiss(3), 5), (Knockout(2), 6), (Knockout(), 5)]
)
def test_it_is_the_same_after_the_last_game(format_, engines):
    of = event(engines, games=(AYU, ODD))
    plan = format_.plan(of)
    found = replayed(format_, of, played(plan, 3))
    assert found.facts() == plan.facts()


@pytest.mark.parametrize("most", [0, 3, 7])
@pytest.mark.parametrize("retired", ["a", "c", "bd"])
@pytest.mark.parametrize(
    ("format_", "engines"),
    [(Swiss(4, 2), 4), (Swiss(3), 3), (Swiss(3), 5), (Swiss(4), 8), (Knockout(), 6)],
)
def test_opponents_of_retired_engines_are_seen_to_advance(format_, engines, retired, most):
    gone: set[str] = set()
    of = event(engines, retired=gone)
    plan = ResumedPlan(format_.plan(of), {}, (), gone, of.engines)
    ended = count()

    def result(game):
        if next(ended) == most:
            gone.update(retired)
        return by_strength(game)

    assert replayed(format_, of, played(plan, 2, result=result)).facts() == plan.facts()


@pytest.mark.parametrize("retirements", [{1: "a", 8: "d"}, {1: "d", 8: "a"}, {1: "a", 8: "bcef"}])
def test_a_game_that_was_won_without_play_stays_won(retirements):
    """Whoever retires later: the winner, or all but one."""
    gone: set[str] = set()
    of, ended = event(6, retired=gone), count(1)
    plan = ResumedPlan(Swiss(3).plan(of), {}, (), gone, of.engines)

    def result(game):
        gone.update(retirements.get(next(ended), ()))
        return by_strength(game)

    games = played(plan, result=result)
    begun = [game for game, _ in games.values()]
    known = {name: PlayedGame(*game) for name, game in games.items()}
    later = ResumedPlan(Swiss(3).plan(replace(of, begun=begun)), known, (), gone, of.engines)
    assert later.next() is None
    assert replayed(Swiss(3), of, games).facts() == later.facts() == plan.facts()


def test_a_later_round_may_be_half_played_before_its_bye_is_known():
    of = event(5)
    games = played(Swiss(3).plan(of), most=4)
    (facts,) = replayed(Swiss(3), of, games).facts().values()
    first, second = facts["rounds"]
    assert (first["bye"], len(first["encounters"])) == ("e", 2)
    assert (second["bye"], len(second["encounters"])) == (None, 1)


def test_a_round_or_a_bracket_may_be_half_played_with_openings_that_are_not_known():
    for format_ in (Swiss(3), Knockout()):
        of = event(5)
        games = played(format_.plan(of), 2, most=3, result=never_upset)
        others = {
            f"{name}x": (replace(game, id=f"{name}x"), outcome)
            for name, (game, outcome) in games.items()
        }
        (facts,) = replayed(format_, of, others).facts().values()
        encounters = facts.get("encounters") or facts["rounds"][0]["encounters"]
        assert sum(sum(encounter["points"]) for encounter in encounters) == 3


def test_impossible_settings_count_as_the_usual_ones_and_other_formats_report_nothing():
    of = event(4)
    games = played(Swiss(2).plan(of))
    ended = [PlayedGame(game, outcome) for game, outcome in games.values()]
    found = replayed_plan("swiss", {"pairs": 10**9}, of, ended)
    assert len(next(iter(found.facts().values()))["rounds"]) == 2
    assert replayed_plan("match", {}, of, ended) is None

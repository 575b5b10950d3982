"""What the reader of a ledger sees of a Swiss or a knockout is what its own run saw."""

from dataclasses import replace
from itertools import count

import pytest

from oddly.tournaments import Knockout, PlayedGame, Swiss
from oddly.tournaments.formats.derived_plans import ResumedPlan
from oddly.tournaments.ledger.recorded_event import replayed_plan
from tests.tournaments.formats.playing import AYU, ODD, by_strength, event, never_upset, played


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

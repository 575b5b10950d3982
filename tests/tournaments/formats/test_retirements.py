"""Engines retire and come back at any moment: what was decided stays, whoever looks at it."""

from dataclasses import replace
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oddly.tournaments import Knockout, PlayedGame, Swiss
from oddly.tournaments.formats.derived_plans import ResumedPlan
from oddly.tournaments.formats.plan import UNKNOWN_RETIREMENTS, retirements_of
from tests.tournaments.formats.playing import AYU, ODD, by_strength, event, facts_of, never_upset
from tests.tournaments.formats.simulated_ledger import SimulatedLedger
from tests.tournaments.results.outcomes import outcome


def test_who_was_retired_when_a_game_began_and_who_retired_first():
    games = list(iter(Swiss(1).plan(event(6)).next, None))
    events = [("retire", "b"), ("began", games[0].id), ("retire", "a"), ("began", games[1].id)]
    found = retirements_of([*events, ("restore", "b"), ("began", f"{games[0].id}-2")])
    assert found.when(games) == {"b": 0}
    assert found.when(games[1:]) == {"b": 0, "a": 2}
    assert found.when(games[2:]) == found.now == {"a": 2}
    assert found.until_now(games[:1]) == {"b": 0, "a": 2}
    assert UNKNOWN_RETIREMENTS.when(games) == {}


def test_an_engine_is_retired_as_long_as_a_ruling_or_the_file_says_so():
    events = [("file", "a"), ("retire", "b"), ("retire", "a"), ("file", "b"), ("restore", "b")]
    assert retirements_of(events).now == {"a": 0, "b": 1}
    assert retirements_of([*events, ("file",), ("file", "b", "c")]).now == {"a": 0, "b": 6, "c": 6}


def encounters(plan) -> dict:
    """Each encounter of a knockout by its engines: the winner and the points of both."""
    return {
        "".join(each["engines"]): (each["winner"], *each["points"])
        for each in facts_of(plan)["encounters"]
    }


@pytest.mark.parametrize("has_order", [True, False])
def test_an_engine_that_advanced_by_retirement_stays_the_winner_when_it_retires(has_order):
    ledger = SimulatedLedger(Knockout(2, 0), event(4), has_order=has_order)
    ledger.play(2, lambda game: outcome(int(game.first == "a")))
    ledger.rule("retire", "d")
    # b beats c, and the final begins.
    ledger.play(5, never_upset)
    before = encounters(ledger.plan)
    assert before == {"ad": ("a", 2, 2), "bc": ("b", 4, 0), "ab": (None, 1, 0)}
    ledger.rule("retire", "a")
    for plan in ledger.views():
        assert encounters(plan) == before | {"ab": ("b", 1, 3)}


@pytest.mark.parametrize("order", ["ad", "da"])
def test_of_two_engines_that_retire_from_an_encounter_the_first_loses_it(order):
    ledger = SimulatedLedger(Knockout(2), event(4))
    ledger.play(1, never_upset)
    for name in order:
        ledger.rule("retire", name)
    for plan in ledger.views():
        first, *_ = facts_of(plan)["encounters"]
        assert (first["winner"], first["by_retirement"]) == (order[1], True)


def test_an_encounter_won_by_retirement_is_played_if_nothing_followed_and_else_stays():
    ledger = SimulatedLedger(Knockout(), event(4))
    ledger.rule("retire", "d")
    ledger.play(2, never_upset)
    ledger.rule("restore", "d")
    assert {ledger.begin().second, ledger.begin().second} == {"a", "d"}
    ledger.kill()
    ledger.rule("retire", "d")
    ledger.play(1, never_upset)
    ledger.rule("restore", "d")
    for plan in ledger.views():
        assert encounters(plan) == {"ad": ("a", 2, 0), "bc": ("b", 2, 0), "ab": (None, 1, 0)}


def test_an_engine_that_is_restored_has_no_bye_of_a_round_that_began_without_it():
    ledger = SimulatedLedger(Swiss(3), event(5))
    ledger.play(4, never_upset)
    ledger.rule("retire", "c")
    ledger.play(4, never_upset)
    before = facts_of(ledger.plan)
    assert before["rounds"][1]["bye"] is None
    ledger.rule("restore", "c")
    for plan in ledger.views():
        assert facts_of(plan) == before


def test_a_game_won_without_play_stays_won_if_the_winner_retires_before_it_plays_again():
    ledger = SimulatedLedger(Swiss(3, 2), event(6))
    ledger.play(1, lambda game: outcome(int(game.first == "a")))
    ledger.rule("retire", "d")
    ledger.play(8, never_upset)
    before = facts_of(ledger.plan)
    assert before["rounds"][0]["encounters"][0] == {"engines": ["a", "d"], "points": [3, 1]}
    ledger.rule("retire", "a")
    for plan in ledger.views():
        assert facts_of(plan) == before


def test_an_encounter_of_a_swiss_given_up_in_an_earlier_round_is_not_played_after_all():
    ledger = SimulatedLedger(Swiss(3, 2), event(6))
    ledger.play(1, never_upset)
    ledger.rule("retire", "d")
    ledger.play(9, never_upset)
    ledger.rule("restore", "d")
    ledger.kill()
    rounds = {scheduled.round for scheduled in iter(ledger.plan.next, None)}
    assert min(rounds) > 2


def test_looking_whether_a_game_is_left_begins_no_round():
    of = event(3)
    plan = Swiss(3).plan(of)
    games = [plan.next(), plan.next()]
    known = {game.id: PlayedGame(game, never_upset(game)) for game in games}
    for each in known.values():
        plan.learn(each)
    resumed = ResumedPlan(Swiss(3).plan(replace(of, begun=games)), known)
    for found in (plan, resumed):
        assert not found.is_done
        assert [round_["bye"] for round_ in facts_of(found)["rounds"]] == ["c"]
        assert found.next().round == 2


def stable(plan, scheduled, format_) -> dict:
    """What is decided for good once this game begins."""
    facts = plan.facts()[str(scheduled.game)]
    if isinstance(format_, Swiss):
        earlier = facts["rounds"][: (scheduled.round - 1) // format_.pairs]
        return dict(enumerate(round_["encounters"] for round_ in earlier))
    found, names, more = {}, {scheduled.first, scheduled.second}, True
    while more:
        found |= {
            "".join(each["engines"]): each
            for each in facts["encounters"]
            if each["winner"] in names and {*each["engines"]} != {scheduled.first, scheduled.second}
        }
        more = {name for pair in found for name in pair} - names
        names |= more
    return found


def decided(plan, game, key):
    facts = plan.facts()[game]
    if "rounds" in facts:
        return facts["rounds"][key]["encounters"]
    return next(each for each in facts["encounters"] if "".join(each["engines"]) == key)


@pytest.mark.sampled
@given(st.integers(0, 10**6), st.booleans())
@settings(max_examples=40, deadline=None)
def test_whoever_looks_sees_the_same_and_nothing_that_was_decided_changes(seed, is_swiss):
    """The run, another one and a reader agree whenever no game is running."""
    die = Random(seed)
    format_ = (
        Swiss(die.randint(1, 4), die.randint(1, 2)) if is_swiss else Knockout(die.randint(1, 2))
    )
    of = event(die.randint(3, 6), games=(ODD, AYU)[: die.randint(1, 2)], seed=seed)
    ledger, kept, seats = SimulatedLedger(format_, of), {}, die.randint(1, 3)
    while True:
        while len(ledger.running) < seats and (scheduled := ledger.begin()) is not None:
            found = stable(ledger.plan, scheduled, format_)
            kept = {(str(scheduled.game), key): value for key, value in found.items()} | kept
        if not ledger.running:
            break
        playing = sorted({*of.engines} - ledger.retired)
        match die.choice(["end"] * 6 + ["kill", "retire", "restore"]):
            case "end":
                ended = die.choice(ledger.running)
                ledger.end(ended, by_strength(ended))
            case "kill":
                ledger.kill()
            # Nobody wins a knockout that all engines leave.
            case "retire" if len(playing) > 1:
                ledger.rule("retire", die.choice(playing))
            case "restore" if ledger.retired:
                ledger.rule("restore", die.choice(sorted(ledger.retired)))
        (_, resumed, read) = ledger.views()
        for (game, key), value in kept.items():
            assert decided(resumed, game, key) == decided(read, game, key) == value
    run, resumed, read = (plan.facts() for plan in ledger.views())
    assert run == resumed
    # A reader does not know of a game of the event before it has begun.
    assert {game: resumed[game] for game in read} == read


def test_a_run_keeps_its_plan_if_a_new_one_does_not_come_to_the_running_game():
    """The bug: the end of the game was of no game of the new plan, and ended the run."""
    ledger = SimulatedLedger(Knockout(), event(4), has_order=False)
    ledger.rule("retire", "d")
    ledger.play(2, never_upset)
    final = ledger.begin()
    ledger.rule("restore", "d")
    ledger.end(final, never_upset(final))
    assert encounters(ledger.plan)["ab"] == (None, 1, 0)
    assert {ledger.plan.next().round} == {final.round}


def test_all_engines_may_retire_while_a_game_runs():
    ledger = SimulatedLedger(Knockout(), event(4))
    ledger.play(4, never_upset)
    final = ledger.begin()
    for name in "abcd":
        ledger.rule("retire", name)
    ledger.end(final, never_upset(final))
    assert ledger.plan.next() is None


def test_a_game_that_is_annulled_before_an_engine_retires_is_for_the_next_run():
    ledger = SimulatedLedger(Swiss(3), event(6))
    ledger.play(6, never_upset)
    running = ledger.begin()
    annulled, *counting = (PlayedGame(*game) for game in ledger.begun.values() if game[1])
    known = {game.scheduled.id: game for game in counting}
    of = replace(ledger.of, begun=[game for game, _ in ledger.begun.values()])
    other = ResumedPlan(Swiss(3).plan(of), known, {annulled.scheduled.id}, set(), of.engines)
    ledger.plan.follow(other)
    ledger.end(running, never_upset(running))
    assert {game.round for game in iter(ledger.plan.next, None)} == {running.round}

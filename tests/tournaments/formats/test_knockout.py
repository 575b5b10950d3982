"""Knockout: the bracket, byes, further pairs, lots."""

from itertools import count

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oddly.interfaces.text.format_reports import bracket_lines, reports_text
from oddly.referee import Termination
from oddly.tournaments import Knockout
from oddly.tournaments.formats.derived_plans import ResumedPlan
from oddly.tournaments.formats.format import Event
from oddly.tournaments.formats.knockout import bracket_of
from tests.tournaments.formats.playing import (
    ODD,
    VOID,
    always_split,
    by_strength,
    event,
    facts_of,
    never_upset,
    played,
)
from tests.tournaments.results.outcomes import HOSTILE, outcome


@given(st.integers(2, 70))
def test_the_bracket_is_seeded(engines):
    """In each round the best of those left meet as late as they can, the first the last first."""
    names = [f"{number:02}" for number in range(1, engines + 1)]
    leaves = [node.winner or f"{place:03}" for place, node in enumerate(bracket_of(names)[0])]
    assert len(leaves) < 2 * engines
    seeds = [int(leaf) if len(leaf) == 2 else None for leaf in leaves]
    assert sorted(seed for seed in seeds if seed) == list(range(1, engines + 1))
    size = len(seeds)
    while size > 1:
        pairs = list(zip(seeds[::2], seeds[1::2], strict=True))
        for one, other in pairs:
            assert one is not None
            assert one + (size + 1 - one if other is None else other) == size + 1
        seeds = [min(seed for seed in pair if seed is not None) for pair in pairs]
        size //= 2


@given(st.integers(2, 12), st.integers(1, 3), st.integers(0, 2), st.integers(0, 99))
def test_everybody_but_the_winner_loses_once(engines, pairs, extra, seed):
    plan = Knockout(pairs, extra).plan(event(engines, seed=seed))
    games = played(plan, 3, seed)
    facts = facts_of(plan)
    assert len(facts["encounters"]) == engines - 1
    losers = set()
    for each in facts["encounters"]:
        assert each["winner"] in each["engines"]
        losers |= set(each["engines"]) - {each["winner"]}
        one, other = each["points"]
        assert each["by_lot"] == (one == other)
        assert each["by_lot"] or each["winner"] == each["engines"][one < other]
        played_pairs, odd = divmod(one + other, 2)
        assert odd == 0
        assert pairs <= played_pairs <= pairs + extra
        assert played_pairs == pairs + extra or one != other
    assert losers == {*event(engines).engines} - {facts["winner"]}
    assert len(games) == sum(sum(each["points"]) for each in facts["encounters"])
    assert plan.verdict() == ""


def test_a_split_encounter_ends_by_lot_after_further_pairs():
    plan = Knockout(1, 2).plan(event(2))
    games = played(plan, 4, result=always_split)
    assert len(games) == 6
    (encounter,) = facts_of(plan)["encounters"]
    assert (encounter["points"], encounter["by_lot"]) == ([3, 3], True)
    assert f"{encounter['winner']} 3-3 by lot" in reports_text(plan.reports())


def test_lots_follow_from_the_seed_and_are_even():
    winners = []
    for seed in range(60):
        plan = Knockout(1, 0).plan(event(2, seed=seed))
        played(plan, result=always_split)
        winners.append(facts_of(plan)["winner"])
    assert 15 < winners.count("a") < 45


def test_a_further_pair_is_played_only_if_it_is_needed():
    def once_split(scheduled):
        return always_split(scheduled) if scheduled.round == 1 else never_upset(scheduled)

    plan = Knockout(1, 3).plan(event(2))
    assert len(played(plan, 4, result=once_split)) == 4
    assert facts_of(plan)["encounters"][0]["points"] == [3, 1]


def retiring(format_, engines: int, retired, after: int, result=never_upset, seed=1):
    """The plan of a knockout from which these engines retire after some games."""
    gone: set[str] = set()
    of = event(engines, retired=gone, seed=seed)
    plan = ResumedPlan(format_.plan(of), {}, (), gone, of.engines)
    ended = count(1)

    def told(scheduled):
        if next(ended) == after:
            gone.update(retired)
        return result(scheduled)

    played(plan, result=told)
    return plan


@pytest.mark.parametrize("after", range(1, 4))
@pytest.mark.parametrize("extra", [0, 3])
def test_an_engine_that_retires_does_not_win_its_encounter_however_far_it_is_ahead(after, extra):
    plan = retiring(Knockout(2, extra), 2, "a", after)
    (final,) = facts_of(plan)["encounters"]
    assert (final["winner"], final["by_lot"], final["by_retirement"]) == ("b", False, True)
    assert f"b {4 - after}-{after} by retirement" in reports_text(plan.reports())
    assert "b (by retirement)" in reports_text(plan.reports(), "github")


def test_an_encounter_that_is_over_stays_when_an_engine_retires():
    first, *_ = facts_of(retiring(Knockout(), 4, "a", 2))["encounters"]
    assert (first["winner"], first["points"], first["by_retirement"]) == ("a", [2, 0], False)
    split = retiring(Knockout(1, 0), 2, "a", 2, always_split)
    assert facts_of(split)["encounters"][0]["by_lot"]


def test_points_and_then_lots_decide_between_two_engines_that_retire():
    def second_wins(_):
        return outcome(1)

    winners = set()
    for seed in range(20):
        ahead, *_ = facts_of(retiring(Knockout(), 4, "ad", 1, seed=seed))["encounters"]
        assert (ahead["winner"], ahead["by_lot"], ahead["by_retirement"]) == ("a", False, False)
        facts = facts_of(retiring(Knockout(), 4, "ad", 1, second_wins, seed))
        level, *_, final = facts["encounters"]
        assert (level["points"], level["by_lot"], level["by_retirement"]) == ([1, 1], True, False)
        assert final["winner"] in {"b", "c"}
        winners.add(level["winner"])
    assert winners == {"a", "d"}


@given(st.integers(2, 9), st.integers(0, 9), st.data())
def test_the_last_engine_that_does_not_retire_wins(engines, after, data):
    names = event(engines).engines
    last = data.draw(st.sampled_from(names))
    plan = retiring(Knockout(), engines, set(names) - {last}, after)
    facts = facts_of(plan)
    is_out = any(
        last in each["engines"] and each["winner"] != last and not each["by_retirement"]
        for each in facts["encounters"]
    )
    assert is_out or facts["winner"] == last
    assert plan.verdict() == ""


def test_nobody_wins_a_knockout_that_all_engines_leave():
    plan = retiring(Knockout(), 4, "abcd", 1)
    assert plan.verdict() == "the knockout is not decided"


def test_a_void_game_holds_up_its_half_only():
    def void(scheduled):
        return VOID if "a" in (scheduled.first, scheduled.second) else by_strength(scheduled)

    plan = Knockout(1, 9).plan(event(4))
    played(plan, result=void)
    assert facts_of(plan)["winner"] is None
    assert [each["winner"] is None for each in facts_of(plan)["encounters"]] == [True, False]
    said = "the knockout is not decided: a void game must be played again first"
    assert plan.verdict() == said


def test_the_first_seed_wins_without_upsets_and_the_bracket_is_drawn():
    plan = Knockout().plan(event(5))
    assert len(played(plan, result=never_upset)) == 8
    assert facts_of(plan)["winner"] == "a"
    assert reports_text(plan.reports()).splitlines()[2:] == [
        "a ─────┐",
        "       ├─ a ─────┐",
        "(bye) ─┘         │",
        "                 ├─ a 2-0 ─┐",
        "d ─────┐         │         │",
        "       ├─ d 2-0 ─┘         │",
        "e ─────┘                   │",
        "                           ├─ a 2-0",
        "b ─────┐                   │",
        "       ├─ b ─────┐         │",
        "(bye) ─┘         │         │",
        "                 ├─ b 2-0 ─┘",
        "c ─────┐         │",
        "       ├─ c ─────┘",
        "(bye) ─┘",
    ]


def test_before_the_end_it_is_drawn_with_what_is_known():
    assert bracket_lines(bracket_of("ab")) == ["a ─┐", "   ├─ ?", "b ─┘"]


@pytest.mark.parametrize("format_", ["simple", "html", "github", "tsv"])
def test_a_strangers_name_stays_text(format_):
    entered = Event("club", 1, (ODD,), (HOSTILE, "b", "c"))
    plan = Knockout().plan(entered)
    played(plan, result=lambda _: outcome(0, Termination.BOARD_FULL))
    told = reports_text(plan.reports(), format_)
    assert "\x1b" not in told
    assert format_ == "simple" or "<script>" not in told or format_ == "tsv"
    assert "by lot" in told

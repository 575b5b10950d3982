"""Swiss: pairings against all there could be, and the table by hand."""

from dataclasses import replace
from itertools import count, pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oddly.interfaces.text.format_reports import reports_text
from oddly.tournaments import Swiss
from oddly.tournaments.formats.derived_plans import ResumedPlan
from oddly.tournaments.formats.swiss_pairing import PairedPlayer, pair_round
from tests.tournaments.formats.playing import (
    VOID,
    always_split,
    by_strength,
    event,
    facts_of,
    never_upset,
    played,
    resumed,
)

NAMES = "abcdefgh"


@st.composite
def tables(draw):
    """Players in the order of a ranking, with made-up meetings and byes."""
    number = draw(st.integers(2, 7))
    points = sorted(draw(st.lists(st.integers(0, 6), min_size=number, max_size=number)))[::-1]
    met = {name: [] for name in NAMES[:number]}
    pairs = [(one, other) for one in met for other in met if one < other]
    for one, other in draw(st.lists(st.sampled_from(pairs), max_size=12)):
        met[one].append(other)
        met[other].append(one)
    byes = draw(st.lists(st.integers(0, 2), min_size=number, max_size=number))
    return [
        PairedPlayer(name, half_points, tuple(met[name]), bye)
        for name, half_points, bye in zip(met, points, byes, strict=True)
    ]


def every_pairing(places: list[int]):
    """All ways to pair off the places, one of an odd number being left over."""
    if len(places) <= 1:
        yield [(place, None) for place in places]
        return
    first, *others = places
    for other in others:
        rest = [place for place in others if place != other]
        for pairing in every_pairing(rest):
            yield [(first, other), *pairing]
    if len(places) % 2:
        for pairing in every_pairing(others):
            yield [(first, None), *pairing]


def badness(players: list[PairedPlayer], pairing) -> tuple:
    """What counts first comes first; lots are left out."""
    again = below = gaps = places = 0
    for one, other in pairing:
        upper = players[one]
        if other is None:
            again += upper.byes
            below += len(players) - 1 - one
            continue
        lower = players[other]
        again += upper.met.count(lower.name)
        gaps += (upper.half_points - lower.half_points) ** 2
        group = [player for player in players if player.half_points == upper.half_points]
        wanted = len(group) // 2 if lower in group else 1
        places += (other - one - wanted) ** 2
    return again, below, gaps, places


def test_in_the_first_round_the_upper_half_meets_the_lower():
    pairing = pair_round([PairedPlayer(name, 0) for name in "abcdefg"], "")
    assert (pairing.pairs, pairing.bye) == ((("a", "d"), ("b", "e"), ("c", "f")), "g")


def most_rounds(met: frozenset, byes: frozenset, names: str, wanted: int) -> int:
    """How many rounds without repeats can follow, by trying all; at most `wanted`."""
    if not wanted:
        return 0
    most = 0
    for pairing in every_pairing(list(names)):
        pairs = {frozenset(pair) for pair in pairing if pair[1] is not None}
        out = {one for one, other in pairing if other is None}
        if not pairs & met and not out & byes:
            most = max(most, 1 + most_rounds(met | pairs, byes | out, names, wanted - 1))
            if most == wanted:
                break
    return most


@given(tables(), st.integers(0, 3), st.text(max_size=3))
@settings(max_examples=60, deadline=None)
def test_no_pairing_leaves_more_rounds_and_none_that_leaves_as_many_is_better(players, after, seed):
    players = players[: 6 if after else 7]
    names = "".join(player.name for player in players)
    met = frozenset(frozenset((player.name, other)) for player in players for other in player.met)
    byes = frozenset(player.name for player in players if player.byes)

    def rounds(pairing) -> int:
        pairs = {frozenset((names[a], names[b])) for a, b in pairing if b is not None}
        out = {names[a] for a, b in pairing if b is None}
        if pairs & met or out & byes:
            return 0
        return 1 + most_rounds(met | pairs, byes | out, names, after)

    found = pair_round(players, seed, after)
    assert pair_round(players, seed, after) == found
    pairing = [(names.index(one), names.index(other)) for one, other in found.pairs]
    assert all(one < other for one, other in pairing)
    pairing += [] if found.bye is None else [(names.index(found.bye), None)]
    covered = sorted(number for pair in pairing for number in pair if number is not None)
    assert covered == list(range(len(players)))
    every = list(every_pairing(list(range(len(players)))))
    most = max(map(rounds, every))
    assert rounds(pairing) == most
    best = min(badness(players, other) for other in every if rounds(other) == most)
    assert badness(players, pairing) == best


def meetings(plan) -> list[frozenset]:
    rounds = facts_of(plan)["rounds"]
    return [frozenset(each["engines"]) for round_ in rounds for each in round_["encounters"]]


ALL_MEET = [(6, 4), (8, 6), *((number, number - 1 + number % 2) for number in range(2, 15))]


@pytest.mark.parametrize(
    ("engines", "rounds"), [(2, 1), (5, 5), (6, 3), (8, 4), (11, 5), *ALL_MEET]
)
def test_no_two_engines_meet_twice_while_there_are_others(engines, rounds):
    plan = Swiss(rounds).plan(event(engines))
    played(plan)
    met = meetings(plan)
    assert len(met) == len(set(met)) == rounds * (engines // 2)
    byes = [round_["bye"] for round_ in facts_of(plan)["rounds"]]
    assert len(set(byes)) == (rounds if engines % 2 else 1)


def test_rounds_follow_each_other():
    plan = Swiss(3).plan(event(6))
    games = [scheduled for scheduled, _ in played(plan, 3).values()]
    rounds = [scheduled.round for scheduled in games]
    assert rounds == sorted(rounds)
    for one, other in pairwise(range(0, 19, 6)):
        names = [name for game in games[one:other] for name in (game.first, game.second)]
        assert {names.count(name) for name in "abcdef"} == {2}


def test_the_strongest_wins_and_the_table_adds_up():
    """Four engines; the first in the alphabet wins. Round 1: a-c, b-d; 2: a-b, c-d."""
    plan = Swiss(2).plan(event(4))
    played(plan, result=never_upset)
    keys = ("rank", "name", "points", "buchholz", "sonneborn_berger")
    rows = [tuple(map(row.get, keys)) for row in facts_of(plan)["standings"]]
    # a beat c (2 points) and b (2); b beat d (0) and lost to a (4); c beat d and lost to a.
    assert rows == [(1, "a", 4, 4, 4), (2, "b", 2, 4, 0), (2, "c", 2, 4, 0), (4, "d", 0, 4, 0)]


def test_a_bye_counts_like_a_won_encounter_against_an_equal():
    """Three engines, one round: a beats b, c sits out."""
    plan = Swiss(1, 2).plan(event(3))
    played(plan, result=never_upset)
    rows = {row["name"]: row for row in facts_of(plan)["standings"]}
    assert (rows["c"]["points"], rows["c"]["byes"], rows["c"]["rounds"]) == (4, 1, 0)
    assert (rows["c"]["buchholz"], rows["c"]["sonneborn_berger"]) == (4, 4)
    assert (rows["a"]["points"], rows["a"]["buchholz"]) == (4, 0)
    assert "Swiss standings, 4 points for a bye" in reports_text(plan.reports())


def test_more_rounds_leave_the_first_ones_as_they_were():
    few, many = Swiss(2), Swiss(4)
    games = [set(played(format_.plan(event(7)))) for format_ in (few, many)]
    assert games[0] < games[1]


def test_rounds_that_began_in_an_earlier_run_stay_as_they_are():
    """Whatever paired them, such as another number of rounds."""
    first_run = played(Swiss(2).plan(event(6)), most=5, result=never_upset)
    begun = [scheduled for scheduled, _ in first_run.values()]
    swap = {"b": "c", "c": "b"}
    others = [
        replace(game, first=swap.get(game.first, game.first), id=f"{game.id}x",
                second=swap.get(game.second, game.second))
        for game in begun
    ]  # fmt: skip
    plan = Swiss(4).plan(event(6, begun=others))
    games = [scheduled for scheduled, _ in played(plan, result=never_upset).values()]
    assert {game.id for game in others} <= {game.id for game in games}
    met = meetings(plan)
    assert len(met) == len(set(met)) == 12


@pytest.mark.parametrize("most", range(1, 30, 4))
def test_a_round_that_was_cut_off_goes_on_as_it_was_paired(most):
    """The other pairs too: else a later round may have none that has not met."""

    def make(begun=()):
        return Swiss(5).plan(event(6, seed=3, begun=begun))

    first_run = played(make(), 1, 3, most=most)
    whole = first_run | played(resumed(make, first_run), 1, 3)
    assert set(whole) == set(played(make(), 1, 3))
    numbers = sorted(scheduled.number for scheduled, _ in whole.values())
    assert numbers == list(range(1, len(whole) + 1))


def test_a_pairing_is_prepared_apart_once_the_round_is_over():
    plan = Swiss(2).plan(event(4))
    plan.preparation()()
    assert plan.preparation() is None
    assert plan.next() is not None
    assert plan.preparation() is None


def rounds_of(plan):
    return [
        ({name for each in round_["encounters"] for name in each["engines"]}, round_["bye"])
        for round_ in facts_of(plan)["rounds"]
    ]


def without(own, retired: set[str], games: int, first_run: dict | None = None):
    """The plan of a run from which these engines retire after so many games, and its games."""
    ended = count(1)
    plan = Swiss(5).plan(own)
    if first_run is not None:
        plan = resumed(lambda begun: Swiss(5).plan(replace(own, begun=begun)), first_run)
    plan = ResumedPlan(plan, {}, (), own.retired, own.engines)

    def result(game):
        if next(ended) == games:
            own.retired.update(retired)
        return by_strength(game)

    return plan, played(plan, 2, result=result)


def test_a_retired_engine_is_not_paired_and_has_no_bye():
    plan, _ = without(event(3, retired=set()), {"a"}, 2)
    assert rounds_of(plan) == [({"a", "b"}, "c"), *[({"b", "c"}, None)] * 4]
    (row,) = [row for row in facts_of(plan)["standings"] if row["name"] == "a"]
    assert (row["rounds"], row["byes"]) == (1, 0)


@given(st.integers(3, 9), st.data())
@settings(max_examples=60, deadline=None)
def test_the_others_meet_each_other_in_a_later_run_too(engines, data):
    own = event(engines, retired=set())
    retired = data.draw(st.sets(st.sampled_from(own.engines), min_size=1, max_size=engines - 2))
    games = data.draw(st.integers(1, engines // 2 * 2 * 4))
    plan, whole = without(own, retired, games)
    scheduled = [game for game, _ in whole.values()]
    # Two games run at once, so one more may have begun.
    last = scheduled[games].round
    for met, bye in rounds_of(plan)[last:]:
        assert {*met, bye} - {None} == {*own.engines} - retired
    cuts = [most for most, game in enumerate(scheduled) if game.round > last + 1]
    for most in cuts[: data.draw(st.integers(0, 3))]:
        first_run = dict(list(whole.items())[:most])
        later, rest = without(own, set(), 0, first_run)
        assert {*first_run, *rest} == {*whole}
        assert later.facts() == plan.facts()


def test_a_void_game_holds_up_the_next_round():
    plan = Swiss(3).plan(event(4))
    games = played(plan, 2, result=lambda game: VOID if game.number == 1 else by_strength(game))
    assert len(games) == 4
    assert plan.verdict() == "0 of 3 rounds are over: a void game must be played again first"


def test_if_every_encounter_is_split_all_are_first():
    plan = Swiss(3).plan(event(6))
    played(plan, result=always_split)
    assert {row["rank"] for row in facts_of(plan)["standings"]} == {1}

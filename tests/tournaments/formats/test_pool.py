"""Rating pools: what ends a pool, who is left out, how it goes on, and which pair it chooses.

The choice is compared with a direct calculation, and live with that among all.
"""

from collections import Counter
from itertools import combinations
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmarks.live_ratings import Pool
from oddly.referee import Termination
from oddly.tournaments import PlayedGame, RatingPool, Ratings, collect, rate
from oddly.tournaments.formats import pool_choice
from oddly.tournaments.formats.derived_plans import ResumedPlan
from oddly.tournaments.formats.pool import MAX_REPEATED_IN_A_ROW
from oddly.tournaments.formats.pool_choice import UNMET, Expectation
from oddly.tournaments.ratings.elo import ELO_PER_NAT, expected_score
from oddly.tournaments.ratings.ordered_pairs import from_counts
from tests.tournaments.formats.playing import AYU, ODD, VOID, by_strength, event, played, resumed
from tests.tournaments.results.outcomes import outcome


@pytest.fixture(scope="module", autouse=True, params=["few", "many"])
def size(request):
    """Pools of few engines and of many choose by different code, and all of this holds for both."""
    with pytest.MonkeyPatch.context() as patch:
        if request.param == "many":
            patch.setattr(pool_choice, "LIVE_ENGINES", 2)
        yield request.param


def game_names(game):
    return {game.first, game.second}


def pool_of(plan):
    """The only pool of a joint plan."""
    (pool,) = plan._plans.values()
    return pool


def test_engines_that_repeat_their_games_let_others_play_and_end_the_pool():
    plan = RatingPool().plan(event(3))
    met = Counter()
    while (scheduled := plan.next()) is not None:
        met[frozenset(game_names(scheduled))] += 1
        plan.learn(PlayedGame(scheduled, outcome(0), 5))
    assert len(met) == 3
    assert all(0 <= games - MAX_REPEATED_IN_A_ROW <= 4 for games in met.values())
    assert "the games of 3 pairs of engines only repeat earlier ones" in plan.verdict()


@pytest.mark.parametrize("seats", [1, 5])
def test_it_ends_when_every_bar_is_narrow_enough(seats):
    plan = RatingPool(until=120).plan(event(4))
    games = played(plan, seats)
    assert max(pool_of(plan).ratings.errors_95) < 120
    # One pair of games less would not have been enough.
    assert "(wanted: 120)" in plan.verdict()
    counts = Counter()
    last = {scheduled.id for scheduled, _ in list(games.values())[-2 * seats :]}
    for name, (scheduled, ended) in games.items():
        if name not in last:
            winner = "draw" if ended.winner is None else ("first", "second")[ended.winner]
            counts[scheduled.first, scheduled.second, winner] += 1
    assert max(rate(from_counts(counts, "abcd")).errors_95) >= 120


def test_it_needs_fewer_games_than_a_round_robin():
    """Six engines 150 Elo apart in steps: the outer ones are the hard ones to place."""
    elo = {name: 150 * place for place, name in enumerate("fedcba")}

    def by_elo(scheduled):
        wins = expected_score(elo[scheduled.first] - elo[scheduled.second])
        return outcome(int(Random(scheduled.seed).random() >= wins))

    plan = RatingPool(until=100).plan(event(6))
    games = played(plan, result=by_elo)
    rows, rounds = [], 0
    while not rows or max(rate(collect(rows)).errors_95) >= 100:
        rounds += 1
        for one, other in combinations("abcdef", 2):
            for first, second in ((one, other), (other, one)):
                die = Random(f"{first} {second} {rounds}")
                wins = expected_score(elo[first] - elo[second])
                rows.append((first, second, "first" if die.random() < wins else "second"))
    assert len(games) < len(rows)


def test_it_goes_on_forever_or_for_a_number_of_games():
    assert len(played(RatingPool().plan(event(3)), most=200)) >= 200
    assert len(played(RatingPool(games=30).plan(event(3)), 4)) == 30


def test_no_engine_waits_forever_with_any_number_of_slots():
    plan = RatingPool().plan(event(5))
    met = Counter(frozenset(game_names(game)) for game in (plan.next() for _ in range(40)))
    assert len(met) == 10
    assert set(met.values()) == {4}


def test_an_engine_rests_after_faults_in_a_row_and_comes_back():
    def result(scheduled):
        if "c" in game_names(scheduled) and scheduled.number > 6:
            return outcome(int(scheduled.first == "c"), Termination.CRASH)
        return by_strength(scheduled)

    plan = RatingPool(until=130).plan(event(4, withdraw_after=2))
    games = [scheduled for scheduled, _ in played(plan, result=result).values()]
    assert len([game for game in games if "c" in game_names(game) and game.number > 6]) < 5
    assert plan.verdict().endswith("; c rests after its faults")
    assert Expectation(pool_of(plan).ratings, ["a", "b", "d"]).widest()[1] < 130
    (rest,) = plan.rests()
    assert rest[:2] == ("c", 60)
    assert plan.waits
    # Two more faults: it rests twice as long.
    plan.wake(rest)
    assert "c" in game_names(plan.next())
    plan.pardon("c")
    plan.wake(rest)
    assert not plan.rests()


def test_the_faults_of_earlier_runs_keep_nobody_from_playing():
    def lost(scheduled):
        return outcome(int(scheduled.first == "a"), Termination.WITHDRAWN)

    first = played(RatingPool().plan(event(2)), result=lost, most=20)
    plan = resumed(lambda begun: RatingPool().plan(event(2, begun=begun, withdraw_after=1)), first)
    assert plan.next() is not None


def test_a_game_from_which_an_engine_was_absent_waits_for_it_and_no_other_does():
    plan = RatingPool(games=30).plan(event(3, withdraw_after=3))
    missed = plan.next()
    plan.miss(missed, [missed.first])
    others = played(plan)
    assert all(missed.first not in game_names(game) for game, _ in others.values())
    (rest,) = plan.rests()
    assert rest.seconds == 2
    plan.wake(rest)
    assert plan.next().id == missed.id
    plan.miss(missed, [missed.first])
    assert plan.rests()[0].seconds == 4
    assert f"{missed.first} was absent from 2 games" in plan.verdict()


def test_the_end_of_a_rest_ends_no_rest_in_another_game():
    """The bug: each game numbered its own rests, and a rest was told apart by its number alone."""
    plan = RatingPool().plan(event(3, games=(ODD, AYU), withdraw_after=1))
    odd, ayu = sorted((plan.next(), plan.next()), key=lambda game: game.game == AYU)
    plan.learn(PlayedGame(odd, outcome(1, Termination.CRASH)))
    plan.miss(ayu, [ayu.second])
    long, short = plan.rests()
    assert (long[:2], short[:2]) == ((odd.first, 60), (ayu.second, 2))
    plan.wake(short)
    resting = {game: facts["resting"] for game, facts in plan.facts().items()}
    assert resting == {str(ODD): [odd.first], str(AYU): []}


def crash_of_a(plan, game):
    plan.learn(PlayedGame(game, outcome(int(game.first == "a"), Termination.CRASH)))


def absence_of_a(plan, game):
    plan.miss(game, ["a"])


@pytest.mark.parametrize(("end", "seconds"), [(crash_of_a, 60), (absence_of_a, 2)])
def test_games_that_end_badly_at_once_lengthen_the_next_rest_once(end, seconds):
    """The bug: with four games at once, the second rest was 16 times as long as the first."""
    plan = RatingPool().plan(event(2, withdraw_after=1))
    for game in [plan.next() for _ in range(4)]:
        end(plan, game)
    for times in (1, 2, 4):
        (rest,) = plan.rests()
        assert rest[:2] == ("a", times * seconds)
        plan.wake(rest)
        end(plan, plan.next())


def test_a_retired_engine_is_chosen_no_more_and_makes_no_bar_wider():
    retired = set()
    first = RatingPool(games=400).plan(event(3, retired=retired))
    plan = ResumedPlan(first, {}, (), retired, "abc")
    for _ in range(20):
        game = plan.next()
        plan.learn(PlayedGame(game, by_strength(game)))
    retired.add("b")
    rest = played(plan)
    assert all("b" not in game_names(game) for game, _ in rest.values())
    retired.add("a")
    assert plan.next() is None


def test_void_games_end_a_pool_instead_of_coming_again_and_again():
    plan = RatingPool().plan(event(4))
    assert len(played(plan, result=lambda _: VOID)) == 12
    assert "void games kept 6 pairs of engines from meeting again" in plan.verdict()


def test_an_engine_more_goes_on_with_the_games_there_are():
    few = RatingPool(games=20)
    first = played(few.plan(event(3)))
    plan = resumed(lambda begun: RatingPool(games=40).plan(event(4, begun=begun)), first)
    second = played(plan)
    assert len(second) == 20
    assert not set(first) & set(second)
    # The newcomer's bar is the widest by far.
    assert all("d" in game_names(game) for game, _ in list(second.values())[:6])


def test_a_half_played_pair_is_completed_first():
    first = played(RatingPool().plan(event(3)), most=3)
    begun = [scheduled for scheduled, _ in first.values()]
    assert len(begun) == 4
    plan = resumed(lambda games: RatingPool().plan(event(3, begun=games)), first)
    assert plan.next().id == begun[3].id


def test_an_engine_without_opponents_does_not_keep_the_others_playing():
    def void(scheduled):
        return VOID if "d" in game_names(scheduled) else by_strength(scheduled)

    plan = RatingPool(until=150).plan(event(4))
    assert len(played(plan, result=void)) < 100
    assert "(wanted: 150)" in plan.verdict()
    assert "void games kept 3 pairs" in plan.verdict()


@st.composite
def leagues(draw):
    names = "abcdef"[: draw(st.integers(2, 6))]
    pairs = [(one, other) for one in names for other in names if one != other]
    rows = draw(
        st.lists(st.tuples(st.sampled_from(pairs), st.sampled_from(["first", "second", "draw"])))
    )
    return rate(collect([(*pair, winner) for pair, winner in rows], names))


def covariance_of(ratings: Ratings, covariance: np.ndarray | None = None) -> np.ndarray:
    """That of the ratings around their mean, where groups that never met may be anywhere."""
    engines = len(ratings.names)
    apart = UNMET**2 * (ratings.groups[:, None] == ratings.groups)
    centre = np.eye(engines) - 1 / engines
    return centre @ ((ratings.covariance if covariance is None else covariance) + apart) @ centre


def errors_after(ratings: Ratings, one: int, other: int, games: int) -> np.ndarray:
    """The bars after some games, by adding their information and inverting all of it again.

    What makes them wider than those of ideal games is a factor that stays.
    Centred ratings have no information on their mean; a constant in all entries gives them some.
    """
    engines = len(ratings.names)
    ones = np.ones((engines, engines))
    ideal = covariance_of(ratings, ratings.ideal_covariance)
    wider = np.diag(covariance_of(ratings)) / np.diag(ideal)
    information = np.linalg.inv(ideal + ones)
    difference = ratings.elo[one] - ratings.elo[other]
    direction = np.eye(engines)[one] - np.eye(engines)[other]
    for seat in (1, -1):
        wins = expected_score(float(difference + seat * ratings.advantage))
        weight = wins * (1 - wins) / ELO_PER_NAT**2
        information = information + games / 2 * weight * np.outer(direction, direction)
    variances = wider * np.diag(np.linalg.inv(information) - ones)
    return 1.959963984540054 * np.sqrt(variances)


@given(leagues(), st.data())
@settings(max_examples=50, deadline=None)
def test_expected_bars_are_those_of_the_added_information(ratings, data):
    one, other = data.draw(st.sampled_from(list(combinations(range(len(ratings.names)), 2))))
    games = data.draw(st.integers(1, 4))
    expected = Expectation(ratings, ratings.names)
    expected.add(ratings.names[one], ratings.names[other], games)
    of_games = errors_after(ratings, one, other, games) * expected.stretches
    assert expected.errors_95() == pytest.approx(np.hypot(of_games, ratings.moves), 1e-6)


@given(leagues(), st.data())
@settings(max_examples=50, deadline=None)
def test_no_other_pair_shrinks_the_widest_bar_more(ratings, data):
    pairs = list(combinations(ratings.names, 2))
    barred = data.draw(st.lists(st.sampled_from(pairs), max_size=3))
    chosen = Expectation(ratings, ratings.names).best_pair(barred)
    allowed = [pair for pair in pairs if pair not in barred]
    if not allowed:
        assert chosen is None
        return
    assert chosen in allowed
    number = {name: place for place, name in enumerate(ratings.names)}
    may_play = {number[name] for pair in allowed for name in pair}
    variances = np.round(np.diag(covariance_of(ratings)), 6)
    widest = max(may_play, key=lambda engine: (variances[engine], -engine))

    def after(pair):
        return errors_after(ratings, *(number[name] for name in pair), 2)[widest]

    assert after(chosen) == pytest.approx(min(map(after, allowed)), 1e-6)


@pytest.mark.parametrize("seed", [4, 5])
def test_a_pair_with_an_effect_of_its_own_does_not_keep_a_pool_from_ending(seed):
    """Its bars are no narrower after more of its games, which were chosen again and again."""
    pool = Pool(4, seed)
    while not (expected := Expectation(pool.fit(), pool.names)).are_below(100):
        one, other = expected.best_pair()
        pool.play(one, other)
        pool.play(other, one)
        assert pool.counts.total() < 600


@given(leagues())
def test_some_engines_are_seen_from_their_own_mean(ratings):
    """Of two engines that is half the bar of their difference."""
    difference = np.array([1.0, -1.0])
    covariance = covariance_of(ratings)[:2, :2]
    bar = 1.959963984540054 * np.sqrt(difference @ covariance @ difference) / 2
    expected = Expectation(ratings, ["a", "b"])
    moves = (ratings.moves[0] - ratings.moves[1]) / 2
    assert expected.errors_95() == pytest.approx(np.hypot(bar * expected.stretches, moves))


@pytest.mark.sampled
@pytest.mark.parametrize("seed", [2, 4])
def test_the_opponents_of_one_engine_do_as_well_as_all_pairs(monkeypatch, seed):
    """The live choice weighs the opponents of the widest bar only. Engines are 80 Elo apart."""
    elo = {name: -80 * place for place, name in enumerate("abcdefghijkl")}

    def by_elo(scheduled):
        wins = expected_score(elo[scheduled.first] - elo[scheduled.second])
        return outcome(int(Random(scheduled.seed).random() >= wins))

    games = []
    for least in (2, 100):
        monkeypatch.setattr(pool_choice, "LIVE_ENGINES", least)
        plan = RatingPool(until=120).plan(event(12, seed=seed))
        games.append(len(played(plan, result=by_elo, most=2000)))
    live, of_all_pairs = games
    assert live <= 1.1 * of_all_pairs

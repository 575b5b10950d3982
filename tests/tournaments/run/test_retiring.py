"""An engine that is retired, inactive or gone keeps its games and gets no more."""

from dataclasses import replace
from functools import partial
from threading import current_thread, main_thread

import pytest

from oddly.protocol import NO_CLOCK
from oddly.referee import EngineConfiguration, Isolation, Resources
from oddly.referee.program.isolation import IsolationError
from oddly.tournaments import (
    Control,
    Gauntlet,
    Knockout,
    Ledger,
    LedgerError,
    Match,
    PlayedGame,
    PlayingSettings,
    RoundRobin,
    Ruling,
    Sprt,
    Swiss,
    Tournament,
    TournamentFileError,
    load_tournament,
    read_event,
    rule,
    run_tournament,
)
from oddly.tournaments.executors.cluster_address import ClusterAddress, ClusterError
from oddly.tournaments.formats.derived_plans import ResumedPlan
from oddly.tournaments.ledger.event_facts import contradictions, event_facts
from oddly.tournaments.run.observer import Observer
from oddly.tournaments.run.playing import event_of
from oddly.tournaments.run.resuming import (
    LiveRulings,
    begin,
    plan_after_rulings,
    what_engines_lack,
)
from tests.tournaments.formats.playing import ODD, by_strength, event, facts_of, never_upset, played
from tests.tournaments.ledger.test_store import WON
from tests.tournaments.toml.written import QUICK, tournament_file


def without(format_, engines: int, retired: set[str]):
    """The games of a format, from which these engines retire after the first two."""
    gone: set[str] = set()
    own = event(engines, retired=gone)
    plan = ResumedPlan(format_.plan(own), {}, (), gone, own.engines)
    begun = []

    def result(scheduled):
        begun.append(scheduled)
        if len(begun) == 2:
            gone.update(retired)
        return by_strength(scheduled)

    played(plan, result=result)
    return plan, begun[2:]


@pytest.mark.parametrize("format_", [Swiss(3), Knockout(1), RoundRobin(2)], ids=str)
def test_a_tournament_goes_on_without_an_engine(format_):
    plan, later = without(format_, 4, {"a"})
    assert later
    assert all("a" not in (game.first, game.second) for game in later)
    assert plan.verdict() == ""


@pytest.mark.parametrize("format_", [Match(20), Sprt(0, 5)], ids=str)
def test_two_engines_need_both(format_):
    assert without(format_, 2, {"a"})[1] == []


def club(names: str, **facts) -> Tournament:
    engines = tuple(EngineConfiguration(name, (f"./{name}",), NO_CLOCK) for name in names)
    return Tournament(name="club", format=RoundRobin(1), games=(ODD,), engines=engines, **facts)


def begun(path, tournament):
    """The games that are left, and what a run begins with."""
    with Ledger(path) as ledger:
        plan, start, *_ = begin(tournament, event_of(tournament), Control(), ledger)
        return list(iter(plan.next, None)), start


@pytest.fixture
def path(tmp_path):
    """A ledger with a double round of a, b and c, of which one pairing is missing."""
    path = tmp_path / "x.sqlite"
    games, _ = begun(path, club("abc"))
    with Ledger(path) as ledger:
        for scheduled in games:
            if {scheduled.first, scheduled.second} == {"b", "c"}:
                continue
            ledger.announce(scheduled)
            record = replace(WON, players=(scheduled.first, scheduled.second))
            ledger.add(scheduled.id, record, scheduled)
    return path


def test_games_that_are_left_are_numbered_up_to_the_last(tmp_path):
    path, played = tmp_path / "x.sqlite", 7
    games, _ = begun(path, club("abcde"))
    with Ledger(path) as ledger:
        for scheduled in games[:played]:
            record = replace(WON, players=(scheduled.first, scheduled.second))
            ledger.add(scheduled.id, record, scheduled)
        rule(ledger, "retire", ["b"], "too weak")
    left, start = begun(path, club("abcde"))
    assert [game.number for game in left] == list(range(played + 1, start.games + 1))


@pytest.mark.parametrize("how", ["inactive", "retired", "retired and removed"])
def test_its_games_stay_and_it_gets_no_more(path, how):
    assert len(begun(path, club("abc"))[0]) == 2
    if how != "inactive":
        with Ledger(path) as ledger:
            rule(ledger, "retire", ["c"], "too weak")
    names = "ab" if how == "retired and removed" else "abc"
    games, start = begun(path, club(names, inactive=frozenset("c" * (how == "inactive"))))
    assert games == []
    assert start.is_done
    assert start.games == len(start.earlier) == 4
    assert set(start.engines) == {"a", "b", "c"}
    with Ledger(path, read_only=True) as ledger:
        told = read_event(ledger)
        assert (told.games, told.tallies.games, set(told.engines)) == (4, 4, {"a", "b", "c"})
    with Ledger(path) as ledger:
        if how != "inactive":
            rule(ledger, "restore", ["c"], "it has learnt")
    assert len(begun(path, club("abc"))[0]) == 2


@pytest.fixture
def gauntlet(tmp_path):
    """A function that begins a gauntlet again and plays what is left of it; what was played."""
    path = tmp_path / "gauntlet.sqlite"

    def play(names: str, *retired: str, given: str = "", **facts):
        tournament = replace(club(names, **facts), format=Gauntlet(1))
        with Ledger(path) as ledger:
            if retired:
                rule(ledger, "retire", retired, "too weak")
            rulings = [Ruling("then", "retire", "engine", name, "it is now new") for name in given]
            event = event_of(tournament)
            plan, start, *_ = begin(tournament, event, Control(), ledger, rulings)
            games = list(iter(plan.next, None))
            for scheduled in games:
                record = replace(WON, players=(scheduled.first, scheduled.second))
                ledger.add(scheduled.id, record, scheduled)
        with Ledger(path, read_only=True) as ledger:
            told = read_event(ledger)
        assert start.games == told.games == told.tallies.games == len(start.earlier) + len(games)
        return [game.first + game.second for game in games]

    play.path = path
    assert play("cxy") == ["cx", "xc", "cy", "yc"]
    return play


@pytest.mark.parametrize("how", ["removed", "inactive", "as new"])
def test_a_new_engine_at_the_head_takes_the_place_of_a_retired_challenger(gauntlet, how):
    if how == "inactive":
        assert gauntlet("cdxy", inactive=frozenset("c")) == ["dx", "xd", "dy", "yd"]
        assert gauntlet("cdxy", inactive=frozenset("c")) == []
        return
    retired, given = ("c", "") if how == "removed" else ("", "c")
    assert gauntlet("dxy", *retired, given=given) == ["dx", "xd", "dy", "yd"]
    assert gauntlet("dxyz") == ["dz", "zd"]
    with Ledger(gauntlet.path) as ledger:
        assert "the challenger is now 'd'" in {what for _, what in ledger.happenings()}
        rule(ledger, "restore", ["c"], "it plays, but not as the challenger")
    assert gauntlet("dxyzc") == ["dc", "cd"]


@pytest.mark.parametrize("names", ["cxy", "xy", "cxyz", "xzy"])
def test_a_gauntlet_without_its_challenger_is_over(gauntlet, names):
    assert gauntlet(names, "c") == []


@pytest.mark.parametrize(("names", "retired"), [("dcxy", ""), ("xcy", "c")])
def test_a_challenger_that_plays_or_an_opponent_cannot_be_replaced(gauntlet, names, retired):
    with pytest.raises(LedgerError, match=f"the challenger changed from 'c' to '{names[0]}'"):
        gauntlet(names, *retired)


def test_the_opponent_of_a_retired_engine_is_seen_to_advance(tmp_path):
    cup = replace(club("abcd", inactive=frozenset("d")), format=Knockout())
    with Ledger(tmp_path / "cup.sqlite") as ledger:
        plan, *_ = begin(cup, event_of(cup), Control(), ledger)
        while (scheduled := plan.next()) is not None:
            record = replace(WON, players=(scheduled.first, scheduled.second))
            ledger.add(scheduled.id, record, scheduled)
            plan.learn(PlayedGame(scheduled, record.outcome))
        told = read_event(ledger).plan()
    assert told is not None
    assert told.facts() == plan.facts()
    assert next(iter(told.facts().values()))["winner"] is not None


def played_on(path, tournament, most=100):
    """How many games a run plays, at most that many, and what it and then a reader report."""
    number = 0
    with Ledger(path) as ledger:
        plan, *_ = begin(tournament, event_of(tournament), Control(), ledger)
        while number < most and (scheduled := plan.next()) is not None:
            players = (scheduled.first, scheduled.second)
            record = replace(WON, players=players, outcome=never_upset(scheduled))
            ledger.announce(scheduled)
            ledger.add(scheduled.id, record, scheduled)
            plan.learn(PlayedGame(scheduled, record.outcome))
            number += 1
    return number, facts_of(plan), reported(path)


def reported(path):
    with Ledger(path, read_only=True) as ledger:
        told = read_event(ledger).plan()
    assert told is not None
    return facts_of(told)


@pytest.mark.parametrize("rounds", [3, 4])
def test_rounds_of_a_swiss_that_the_file_kept_an_engine_out_of_stay_without_it(tmp_path, rounds):
    """The bug: without the line `active = false`, byes became games."""
    path, swiss = tmp_path / "swiss.sqlite", replace(club("abcd"), format=Swiss(2))
    played_on(path, swiss)
    longer = replace(swiss, format=Swiss(rounds))
    _, before, _ = played_on(path, replace(longer, inactive=frozenset("d")))
    assert [each["bye"] for each in before["rounds"]] == [None, None, "a", "c"][:rounds]
    assert played_on(path, longer) == (0, before, before)
    number, after, _ = played_on(path, replace(longer, format=Swiss(rounds + 1)))
    assert number == 4
    assert after["rounds"][:rounds] == before["rounds"]


def test_a_swiss_that_began_without_an_engine_takes_it_up_in_the_next_round(tmp_path):
    path, swiss = tmp_path / "swiss.sqlite", replace(club("abcd"), format=Swiss(1))
    _, before, _ = played_on(path, replace(swiss, inactive=frozenset("d")))
    assert played_on(path, swiss) == (0, before, before)
    assert played_on(path, replace(swiss, format=Swiss(2)))[0] == 4


def test_an_engine_that_was_removed_and_added_before_the_first_game_plays(tmp_path):
    path, swiss = tmp_path / "swiss.sqlite", replace(club("abcd"), format=Swiss(3))
    for started in (swiss, replace(swiss, inactive=frozenset("d")), club("abc")):
        with Ledger(path) as ledger:
            changed = replace(started, format=Swiss(3))
            begin(changed, event_of(changed), Control(), ledger)
    number, run, told = played_on(path, swiss)
    assert run == told
    assert (number, [each.get("bye") for each in run["rounds"]]) == (12, [None] * 3)


@pytest.mark.parametrize("still", ["b", "d", ""])
def test_what_two_engines_left_open_stays_when_one_plays_again(tmp_path, still):
    """The bug: the one that played again won the games that were left."""
    path, swiss = tmp_path / "swiss.sqlite", replace(club("abcd"), format=Swiss(2, 2))
    played_on(path, swiss, 5)
    _, before, _ = played_on(path, replace(swiss, inactive=frozenset("bd")), 1)
    _, after, told = played_on(path, replace(swiss, inactive=frozenset(still)), 0)
    assert after["rounds"][0] == told["rounds"][0] == before["rounds"][0]


def test_an_engine_that_the_file_let_play_again_plays_when_a_ruling_restores_it(tmp_path):
    """The bug: while it was retired by a ruling, the ledger kept `active = false`."""
    path, swiss = tmp_path / "swiss.sqlite", replace(club("abcd"), format=Swiss(1))
    played_on(path, replace(swiss, inactive=frozenset("d")))
    with Ledger(path) as ledger:
        rule(ledger, "retire", ["d"], "too weak")
    played_on(path, swiss)
    with Ledger(path) as ledger:
        rule(ledger, "restore", ["d"], "it has learnt")
        assert (read_event(ledger).retired, ledger.retirements().now) == (set(), {})


@pytest.mark.parametrize(("left", "winner"), [(["a", "ad"], "d"), (["ad"], "a")])
def test_who_left_the_file_first_loses_and_if_both_did_the_points_decide(tmp_path, left, winner):
    path, cup = tmp_path / "cup.sqlite", replace(club("abcd"), format=Knockout(2))
    # a is ahead of d.
    played_on(path, cup, 1)
    for names in left:
        played_on(path, replace(cup, inactive=frozenset(names)), 0)
    _, run, told = played_on(path, replace(cup, inactive=frozenset("ad")))
    assert run == told
    assert run["encounters"][0]["winner"] == winner


def test_a_run_follows_rulings_on_engines_as_another_run_would(tmp_path):
    cup, control = replace(club("abcd"), format=Knockout()), Control()
    with Ledger(tmp_path / "cup.sqlite") as ledger:
        plan, _, own, retired = begin(cup, event_of(cup), control, ledger)
        anew = partial(plan_after_rulings, cup, own, ledger, retired)
        follow = LiveRulings(ledger, plan, control, retired, cup.inactive, anew)

        def play():
            scheduled = plan.next()
            record = replace(WON, players=(scheduled.first, scheduled.second))
            ledger.announce(scheduled)
            ledger.add(scheduled.id, record, scheduled)
            plan.learn(PlayedGame(scheduled, record.outcome))
            return {scheduled.first, scheduled.second}

        def give(kind):
            rule(ledger, kind, ["d"], "a test")
            follow()
            told = read_event(ledger).plan()
            assert told is not None
            assert told.facts() == plan.facts()

        assert play() == {"a", "d"}
        give("retire")
        assert plan.next() is not None
        give("restore")
        # The game of b and c that has begun is not begun again.
        assert play() == {"a", "d"}
        assert play() == {"b", "c"}


def test_a_ruling_given_while_the_engines_warm_up_is_followed(tmp_path):
    cup, control = club("abcd"), Control()
    with Ledger(tmp_path / "cup.sqlite") as ledger:
        plan, start, _, retired = begin(cup, event_of(cup), control, ledger)
        rule(ledger, "retire", ["d"], "a test")
        known = len(start.rulings)
        LiveRulings(ledger, plan, control, retired, cup.inactive, known=known)()
    assert retired == {"d"}


def test_a_ruling_on_an_engine_draws_no_opening_again(tmp_path, monkeypatch):
    """The bug: a ruling stopped all running games until the openings were drawn anew."""
    cup = replace(club("abcd"), format=Knockout(3), opening_turns={ODD: 2})
    with Ledger(tmp_path / "cup.sqlite") as ledger:
        control = Control()
        plan, _, event, retired = begin(cup, event_of(cup), control, ledger)
        anew = partial(plan_after_rulings, cup, event, ledger, retired)
        follow = LiveRulings(ledger, plan, control, retired, cup.inactive, anew)
        begun = [plan.next() for _ in range(2)]
        drawn_here = []

        def is_balanced(*_):
            # Another thread draws ahead.
            drawn_here.append(current_thread() is main_thread())
            return True

        monkeypatch.setattr("oddly.tournaments.openings.openings.is_balanced", is_balanced)
        for kind in ("retire", "restore"):
            rule(ledger, kind, ["d"], "a test")
            follow()
        left = list(iter(plan.next, None))
    assert not any(drawn_here)
    assert len({game.opening for game in (*begun, *left)}) == 3


def test_an_engine_that_is_only_removed_is_offered_to_retire(path):
    with pytest.raises(LedgerError, match="active = false, or run: oddly rule LEDGER retire c"):
        begun(path, club("ab"))


def test_the_offer_to_retire_a_name_with_a_hyphen_is_a_command_that_works(tmp_path):
    """The bug: `oddly rule LEDGER retire -x` took the name for an option."""
    one, other = (event_facts(club(names)) for names in ("ab-", "ab"))
    (offer,) = contradictions(one, other)
    assert offer.endswith("run: oddly rule LEDGER retire --reason TEXT -- -")


def test_the_program_of_an_engine_that_plays_no_more_need_not_exist(tmp_path):
    commands = {"a": ["sh"], "b": ["sh"], "c": ["./gone", "--fast"]}
    path = tournament_file(tmp_path, "club", engines=commands)
    with pytest.raises(TournamentFileError, match=r"there is no file './gone'"):
        load_tournament(path)
    assert load_tournament(path, None, {"c"}).engines[2].command == ("./gone", "--fast")
    # It plays on as another one, unless that is the one which the file names.
    assert load_tournament(path, None, {"c"}, {"c": "b"})
    with pytest.raises(TournamentFileError, match=r"there is no file './gone'"):
        load_tournament(path, None, {"c"}, {"c": "c@2"})
    tournament_file(tmp_path, "club", engines=commands, more={"c": "active = false"})
    tournament = load_tournament(path)
    assert tournament.inactive == {"c"}
    assert tournament.engines[2].command == ("./gone", "--fast")


@pytest.mark.parametrize(
    ("format_", "inactive", "met"),
    [
        (RoundRobin(1), "", ["ab", "ac", "bc"]),
        (RoundRobin(1), "b", ["ac"]),
        (RoundRobin(1), "bc", []),
        (Gauntlet(1), "a", ["bc"]),
        (Gauntlet(1), "abc", []),
        (Swiss(2), "a", ["bc"]),
    ],
    ids=str,
)
def test_a_cluster_needs_nothing_for_an_engine_that_has_no_games(
    monkeypatch, format_, inactive, met
):
    """The bug: no worker had what an inactive engine requires, so the tournament did not begin."""
    pytest.importorskip("distributed")

    def opened(address, configurations, conditions, pairs):
        assert sorted("".join(sorted(pair)) for pair in pairs) == met
        raise ClusterError("seen")

    monkeypatch.setattr("oddly.tournaments.executors.cluster_executor.cluster_executor", opened)
    tournament = replace(club("abc", inactive=frozenset(inactive)), format=format_)
    with pytest.raises(ClusterError, match="seen"):
        run_tournament(tournament, cluster=ClusterAddress(None))


@pytest.mark.parametrize("how", ["inactive", "retired"])
def test_an_engine_that_has_no_games_need_not_be_isolated(tmp_path, monkeypatch, how):
    """The bug: a run did not begin where one that was paused or retired could not be isolated."""
    monkeypatch.setattr("oddly.referee.program.isolation.why_not", lambda: "nothing isolates it")
    walls = Resources(isolation=Isolation.BUBBLEWRAP)
    engines = tuple(EngineConfiguration(name, tuple(QUICK), NO_CLOCK) for name in "ab")
    engines += (replace(engines[0], name="c", resources=walls),)
    path, settings = tmp_path / "x.sqlite", PlayingSettings(concurrency=1, isolation=Isolation.NONE)
    tournament = replace(club("abc"), engines=engines, settings=settings)
    with pytest.raises(IsolationError, match="engines cannot be isolated here"):
        run_tournament(tournament, path)
    assert not path.exists()
    if how == "inactive":
        tournament = replace(tournament, inactive=frozenset("c"))
    else:
        begun(path, tournament)
        with Ledger(path) as ledger:
            rule(ledger, "retire", ["c"], "a test")
    run = run_tournament(tournament, path)
    assert len(run.played) == 2
    assert run.isolation.engines == {"a": False, "b": False}


@pytest.mark.parametrize(("format_", "stops"), [(RoundRobin(2), False), (Knockout(2), True)])
@pytest.mark.parametrize(
    ("third", "lacks"),
    [
        ({}, "the tournament file names it"),
        ({"command": ("./gone",)}, "its program is there"),
        ({"resources": Resources(isolation=Isolation.BUBBLEWRAP)}, "it can be isolated"),
    ],
    ids=["unnamed", "without-program", "without-walls"],
)
def test_an_engine_that_is_restored_beside_a_run_that_cannot_start_it_waits(
    tmp_path, monkeypatch, third, lacks, format_, stops
):
    """The bugs: its next game ended the run with a KeyError, or it lost all its games."""
    monkeypatch.setattr("oddly.referee.program.isolation.why_not", lambda: "nothing isolates it")
    path, said, control = tmp_path / "x.sqlite", [], Control(1)
    control.listen(said.append)
    a, b, c = (EngineConfiguration(name, tuple(QUICK), NO_CLOCK) for name in "abc")
    settings = PlayingSettings(concurrency=1, isolation=Isolation.NONE)
    whole = replace(club("abc"), format=format_, engines=(a, b, c), settings=settings)
    begun(path, whole)
    with Ledger(path) as ledger:
        rule(ledger, "retire", ["c"], "a test")

    class Arbiter(Observer):
        def ended(self, played, record):
            with Ledger(path, beside_run=True) as ledger:
                if ledger.rulings().retired:
                    rule(ledger, "restore", ["c"], "a test")

    engines = (a, b, replace(c, **third)) if third else (a, b)
    run = run_tournament(replace(whole, engines=engines), path, [Arbiter()], control=control)
    assert {name for record in run.records for name in record.players} == {"a", "b"}
    assert run.interrupted is stops
    assert f"engine 'c' plays once {lacks}" in said


def test_a_restored_engine_waits_for_a_run_that_finds_a_worker_with_what_it_requires():
    """The bug: its games waited for such a worker for ever, and kept others from beginning."""
    a, b = (EngineConfiguration(name, tuple(QUICK), NO_CLOCK) for name in "ab")
    tournament = replace(club("ab"), engines=(a, replace(b, requires=("gpu", "fpga"))))
    settings = PlayingSettings(isolation=Isolation.NONE)
    lack = partial(
        what_engines_lack, replace(tournament, settings=settings), event_of(tournament), {"b"}
    )
    assert lack(is_local=False) == {"b": "another run finds a worker with gpu, fpga"}
    assert lack(is_local=True) == {}

"""An engine that is not there loses nothing by it, and an arbiter's hand is felt during a run."""

import sys
from dataclasses import replace

import pytest
import trio

from oddly.protocol import NO_CLOCK, parse_time_control
from oddly.referee import EngineConfiguration, GameRecord, Resources, Termination
from oddly.referee.bridge.address import BridgeAddress, BridgeTarget
from oddly.referee.bridge.listener import Listener, open_listeners
from oddly.referee.bridge.presence import answers, remote_address
from oddly.referee.bridge.relay import BridgeLimits
from oddly.referee.justice.clock import Timing, Wait
from oddly.tournaments import (
    Control,
    Knockout,
    Ledger,
    Observer,
    RatingPool,
    RoundRobin,
    Sprt,
    Swiss,
    Tournament,
    TunedOption,
    Tuning,
    engine,
    play_tournament,
    rule,
)
from oddly.tournaments.executors.conditions import AbsenceCheck
from oddly.tournaments.formats import plan as plans
from oddly.tournaments.formats.derived_plans import ResumedPlan
from oddly.tournaments.ledger.recorded_event import read_ledger
from oddly.tournaments.results.schedule import PlayedGame
from oddly.tournaments.run.playing import _add_earlier, event_of
from oddly.tournaments.run.resuming import LiveRulings, begin, plan_without_annulled
from oddly.tournaments.run.runner import MAX_IDLE, run_plan
from tests.patience import PATIENCE
from tests.referee.fakes import FAKE
from tests.tournaments.formats.playing import ODD, by_strength, event
from tests.tournaments.results.outcomes import outcome
from tests.tournaments.run.naps import opened, record_of


class ClubWithoutB:
    """Plays games as naps of a second, from some of which `b` is away."""

    failure = None
    slots = 3

    def __init__(self, since: float, until: float) -> None:
        self.since, self.until = since, until

    async def play(self, scheduled, ended) -> GameRecord:
        record = record_of(scheduled, by_strength(scheduled))
        players = record.players
        if "b" in players and self.since <= trio.current_time() < self.until:
            lost = outcome(1 - players.index("b"), Termination.CRASH)
            said = tuple("" if name == "b" else name for name in players)
            record = replace(record, outcome=lost, engines=said)
        else:
            await trio.sleep(1)
        ended(record)
        return record


async def a_pool(since: float, until: float):
    said: list[str] = []
    control = Control()
    control.listen(said.append)
    plan = RatingPool(games=60).plan(event(3, withdraw_after=3))
    now = trio.current_time()
    executor = ClubWithoutB(now + since, now + until)
    run = await run_plan(plan, opened(executor), control=control, absence_check=AbsenceCheck([]))
    return run, said


async def test_an_outage_of_fourteen_seconds_costs_no_game(autojump_clock):
    run, said = await a_pool(5, 19)
    assert said == ["b is absent, and its games wait for it", "b is back"]
    assert len(run.played) == 60
    assert run.forfeits == run.no_starts == 0


async def test_an_engine_that_stays_away_is_not_waited_for_forever(autojump_clock):
    began = trio.current_time()
    run, said = await a_pool(5, 1e9)
    assert said == ["b is absent, and its games wait for it"]
    assert run.absent == ("b",)
    assert run.no_starts == 1
    assert run.forfeits == 0
    assert trio.current_time() - began < 60 + 2 * MAX_IDLE
    assert "b was absent from" in run.plan.verdict()


class Arbiter(Observer):
    """Gives rulings in another connection, as `oddly rule` does, when some games have ended."""

    def __init__(self, path, rulings) -> None:
        self.path, self.rulings, self.ended_games = path, rulings, []

    def ended(self, played, record):
        self.ended_games.append(played.scheduled)
        if given := self.rulings.get(len(self.ended_games)):
            with Ledger(self.path, beside_run=True) as ledger:
                rule(ledger, *given)


FACTS = {
    "name": "x", "format": "round-robin", "seed": 1, "games": [], "rounds": 9,
    "engines": {name: {} for name in "abc"},
}  # fmt: skip


async def test_a_run_follows_the_rulings_that_are_given_meanwhile(autojump_clock, tmp_path):
    path, retired, control, said = tmp_path / "x.sqlite", set(), Control(), []
    control.listen(said.append)
    rulings = {5: ("retire", ["b"], "it cheats"), 20: ("restore", ["b"], "it does not")}
    arbiter = Arbiter(path, rulings)
    with Ledger(path) as ledger:
        ledger.begin(FACTS)
        own = event(3, retired=retired)
        plan = ResumedPlan(RoundRobin(9).plan(own), {}, (), retired, own.engines)
        follow_rulings = LiveRulings(ledger, plan, control, retired, frozenset())
        executor = ClubWithoutB(1e9, 1e9)
        await run_plan(plan, opened(executor), [arbiter], control, follow_rulings=follow_rulings)
    players = [{game.first, game.second} for game in arbiter.ended_games]
    assert all("b" not in pair for pair in players[8:20])
    assert any("b" in pair for pair in players[20:])
    assert [line.split(": ")[1] for line in said] == [
        "engine 'b' is retired",
        "engine 'b' plays again",
    ]


async def test_a_game_restored_meanwhile_is_not_played_again(autojump_clock, tmp_path):
    path, control = tmp_path / "x.sqlite", Control()
    late = list(iter(RoundRobin(9).plan(event(3)).next, None))[20]
    with Ledger(path) as ledger:
        ledger.begin(FACTS)
        ledger.announce(late)
        ledger.add(late.id, record_of(late, by_strength(late)), late)
        rule(ledger, "annul", [late.id], "a power cut")
        plan = ResumedPlan(RoundRobin(9).plan(event(3)), {}, {late.id})
        arbiter = Arbiter(path, {5: ("restore", [late.id], "there was none")})
        follow_rulings = LiveRulings(ledger, plan, control, set(), frozenset(), known=1)
        executor = ClubWithoutB(1e9, 1e9)
        run = await run_plan(
            plan, opened(executor), [arbiter], control, follow_rulings=follow_rulings
        )
        _add_earlier(run, list(plan.restored.values()), ledger)
    played = {game.id for game in arbiter.ended_games}
    assert {game.scheduled.id for game in run.played} == played | {late.id}
    assert len(run.played) == 54
    assert len(played) == 53
    assert not played & {late.id, f"{late.id}-2"}


SEED = TunedOption("seed", 0, 9, whole=True)


@pytest.mark.parametrize(
    ("format_", "counted"),
    [
        (Knockout(3, 0), lambda facts: sum(facts["encounters"][0]["points"])),
        (Swiss(1, 3), lambda facts: sum(standing["points"] for standing in facts["standings"])),
        (Sprt(0, 5, games=6), lambda facts: 1 + 2 * 2 * facts["pairs"]),
        (RatingPool(games=6), lambda facts: facts["ratings"][0]["games"]),
        (Tuning((SEED,), games=6), lambda facts: facts["played"]),
    ],
    ids=lambda value: getattr(value, "name", ""),
)
async def test_a_game_annulled_meanwhile_does_not_count_in_the_report_of_the_run(
    tmp_path, format_, counted
):
    path = tmp_path / "x.sqlite"
    engines = tuple(engine("oddly engine random", "none", name=f"a {side}") for side in "+-")
    tournament = Tournament(name="club", format=format_, games=(ODD,), engines=engines)
    plan = format_.plan(event_of(tournament))
    third = [plan.next() for _ in range(3)][-1]
    arbiter = Arbiter(path, {4: ("annul", [third.id], "a power cut")})
    run = await play_tournament(tournament, path, [arbiter], control=Control(1))
    assert (len(run.played), run.annulled) == (5, 1)
    (facts,) = run.plan.facts().values()
    assert counted(facts) == 5
    if (shown := read_ledger(path).plan()) is not None:
        assert run.plan.facts() == shown.facts()
        assert run.plan.verdict() == shown.verdict() != ""


def test_a_pool_with_annulled_games_names_who_was_absent_or_rests(tmp_path):
    """The bug: the plan of the games that count had no absences and no rests to tell of."""
    engines = tuple(engine("oddly engine random", "none", name=name) for name in "abc")
    tournament = Tournament(name="club", format=RatingPool(games=20), games=(ODD,), engines=engines)
    event, path = event_of(tournament), tmp_path / "x.sqlite"
    with Ledger(path) as ledger:
        plan, _, event, retired = begin(tournament, event, Control(), ledger)
        for _ in range(2):
            scheduled = plan.next()
            record = record_of(scheduled, by_strength(scheduled))
            ledger.announce(scheduled)
            ledger.add(scheduled.id, record, scheduled)
            plan.learn(PlayedGame(scheduled, record.outcome))
        missed = plan.next()
        plan.miss(missed, [missed.first])
        rule(ledger, "annul", [scheduled.id], "a power cut")
        after = plan_without_annulled(tournament, event, ledger, retired)
    assert f"{missed.first} was absent from 1 game" in after.verdict()
    (before,), (now,) = plan.facts().values(), after.facts().values()
    assert now["absences"] == before["absences"] == {missed.first: 1}
    assert now["resting"] == before["resting"] == [missed.first]


@pytest.mark.parametrize(
    ("command", "address"),
    [
        ("oddly bridge --connect far:7", BridgeAddress("far", 7)),
        ("/x/oddly bridge --token-file t --connect=7777", BridgeAddress("127.0.0.1", 7777)),
        ("python -m oddly bridge --connect wss://far:7/x", BridgeAddress("far", 7)),
        ("oddly bridge --connect", None),
        ("oddly bridge --connect x", None),
        ("./mine bridge --connect far:7", None),
        ("oddly engine random", None),
    ],
)
def test_only_our_own_bridge_is_an_engine_elsewhere(command, address):
    found = remote_address(command.split())
    assert (found and found.address) == address


def a_bridge() -> Listener:
    return Listener((sys.executable, FAKE), b"", BridgeLimits(grace=0.1), lambda _: None)


async def test_a_bridge_goes_away_and_comes_back(monkeypatch, tmp_path):
    """It falls in the middle of a game, which is lost; later games wait until it is back."""
    monkeypatch.setattr(plans, "FIRST_ABSENCE", 0.1)
    (listener,) = await open_listeners(BridgeAddress("127.0.0.1", 0), has_token=False)
    address = BridgeAddress(*listener.socket.getsockname())
    python = (sys.executable, "-m", "oddly")
    clock = parse_time_control("60")
    far = (*python, "bridge", "--connect", str(address))
    engines = (
        EngineConfiguration("far", far, clock, resources=Resources(network=True)),
        EngineConfiguration("near", (*python, "engine", "random"), NO_CLOCK),
    )
    control, said = Control(1), []
    away, scope = trio.Event(), trio.CancelScope()

    def hear(line: str) -> None:
        said.append(line)
        away.set()

    control.listen(hear)

    class Cutter(Observer):
        def turned(self, scheduled, snapshot):
            if scheduled.number == 3 and not away.is_set():
                scope.cancel()

    async def serve() -> None:
        with scope:
            await a_bridge().serve([listener])
        assert not await answers(BridgeTarget(address))
        await away.wait()
        await a_bridge().serve(await open_listeners(address, has_token=False))

    tournament = Tournament(name="club", format=RatingPool(games=6), games=(ODD,), engines=engines)
    with trio.fail_after(PATIENCE):
        async with trio.open_nursery() as nursery:
            nursery.start_soon(serve)
            path = tmp_path / "x.sqlite"
            run = await play_tournament(tournament, path, [Cutter()], control=control)
            nursery.cancel_scope.cancel()
    assert said == ["far is absent, and its games wait for it", "far is back"]
    assert len(run.played) == 6
    assert run.forfeits == 1
    with Ledger(path, read_only=True) as ledger:
        lost = [record for record in ledger.records().values() if record.outcome.is_forfeit]
        assert [record.outcome.termination for record in lost] == [Termination.CRASH]
        assert not ledger.unfinished()


CLOCKS = (Timing(("1", "1"), 0.1, (Wait(0.0, 1.0, 1.0),)), None)


@pytest.mark.parametrize("timing", CLOCKS, ids=["asked", "nobody asked"])
@pytest.mark.parametrize("said", ["far 1", ""], ids=["known", "nameless"])
@pytest.mark.parametrize("how", [Termination.CRASH, Termination.PROTOCOL, Termination.TIME])
async def test_only_a_game_in_which_nobody_was_asked_for_a_turn_is_put_off(timing, said, how):
    """Nobody listens at that address now: one who cut the bridge before a loss would be absent."""
    far = ("oddly", "bridge", "--connect", "127.0.0.1:1")
    engines = [EngineConfiguration("far", far, NO_CLOCK)]
    names = ("far", "near")
    lost = GameRecord(ODD, names, (said, "near 1"), 1, (), outcome(1, how), timing=timing)
    check = AbsenceCheck(engines)
    is_put_off = timing is None and (said == "" or how is not Termination.TIME)
    assert check.is_in_doubt(lost) == is_put_off
    assert await check.absent(lost) == (("far",) if is_put_off else ())

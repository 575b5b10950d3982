"""Rulings are appended, and everything that is read from a ledger follows them."""

import subprocess
import sys
from dataclasses import replace

import pytest

from oddly.tournaments import (
    Ledger,
    LedgerError,
    PlayedGame,
    RoundRobin,
    Ruling,
    RulingError,
    merge,
    read_event,
    rule,
)
from oddly.tournaments.formats.derived_plans import ResumedPlan
from oddly.tournaments.formats.plan import UNKNOWN_RETIREMENTS
from oddly.tournaments.ledger.event_facts import FREE
from oddly.tournaments.ledger.rulings import Rulings
from oddly.tournaments.results.schedule import replayed_id, scheduled_id
from tests.databases import changed
from tests.tournaments.formats.playing import event, played, resumed
from tests.tournaments.formats.schedules import round_robin
from tests.tournaments.ledger.test_store import DRAWN, FACTS, HOSTILE, VOID, WON

GAMES = round_robin([WON.game], ["a", HOSTILE], 1, 1)


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "spring.sqlite"
    with Ledger(path) as ledger:
        ledger.begin({**FACTS, "engines": {"a": {}, "idle": {}}})
        for scheduled, record in zip(GAMES, (WON, DRAWN), strict=True):
            ledger.announce(scheduled)
            ledger.add(scheduled.id, record, scheduled)
        ledger.add("void", VOID)
    return path


def test_a_ruling_where_nothing_can_be_written_is_refused(path, refusal):
    # As on a disk that is mounted read-only, the lock of the ledger cannot be written.
    path.with_name(f"{path.name}-lock").mkdir()
    said = refusal("rule", path, "retire", "a", "--reason", "too slow")
    assert f"cannot write {path}-lock: " in said
    with Ledger(path, read_only=True) as ledger:
        assert ledger.rulings().given == ()


def test_a_name_that_reads_like_a_happening_is_no_other_engine(tmp_path):
    names = ["a", "a'", "a' plays again", "a' gets no more games"]
    active = {**FACTS, "engines": {name: {} for name in names}}
    for name in names:
        with Ledger(tmp_path / f"{name}.sqlite") as ledger:
            ledger.begin(active)
            ledger.begin({**active, "engines": {**active["engines"], name: {"active": False}}})
            ledger.announce(GAMES[0])
            ledger.begin(active)
            found = ledger.retirements()
            assert (set(found.when(GAMES)), set(found.now)) == ({name}, set())


def test_a_ledger_tells_when_an_engine_retired_and_a_merged_one_does_not(path, tmp_path):
    later = replace(GAMES[0], id="later")
    with Ledger(path) as ledger:
        assert ledger.retirements() == UNKNOWN_RETIREMENTS
        rule(ledger, "retire", ["a"], "too slow")
        ledger.announce(later)
        rule(ledger, "retire", [HOSTILE], "too slow")
        found = ledger.retirements()
        assert [set(found.when(games)) for games in (GAMES, [later])] == [set(), {"a"}]
        assert sorted(found.now, key=found.now.get) == ["a", HOSTILE]
        rule(ledger, "restore", ["a"], "it was us")
        assert set(ledger.retirements().now) == {HOSTILE}
    merge([path], tmp_path / "merged.sqlite")
    with Ledger(tmp_path / "merged.sqlite", read_only=True) as ledger:
        assert ledger.rulings().retired == {HOSTILE}
        assert ledger.retirements() == UNKNOWN_RETIREMENTS


def test_an_annulled_game_counts_for_nobody_and_stays(path):
    first, second = (scheduled.id for scheduled in GAMES)
    with Ledger(path) as ledger:
        (given,) = rule(ledger, "annul", [first], "  a power\ncut ")
        assert given.sentence().endswith(f": game {first} is annulled: a power\\ncut")
        assert ledger.rulings().given == (given,)
    for read_only in (False, True):
        with Ledger(path, read_only=read_only) as ledger:
            assert list(ledger.records()) == [second]
            assert [identity for identity, _ in ledger.latest(1)] == [second]
            assert [game.scheduled.id for game in ledger.all_played()] == [second]
            assert sum(ledger.counts().values()) == 1
            assert [game.id for game in ledger.unfinished()] == [first]
            assert sum(counts.games for counts in ledger.dated().values()) == 1
            (statistics,) = ledger.tallies().statistics_by_title.values()
            assert statistics["a"].games == 1
    with Ledger(path) as ledger:
        rule(ledger, "restore", [first], "the cut was elsewhere")
        assert list(ledger.records()) == [first, second]
        assert sum(ledger.counts().values()) == 2
        assert not ledger.unfinished()


def test_an_annulled_game_is_played_again_under_an_id_of_its_own(path):
    first, again = GAMES[0].id, f"{GAMES[0].id}-2"
    with Ledger(path) as ledger:
        rule(ledger, "annul", [first], "why")
        known = {game.scheduled.id: game.outcome for game in ledger.all_played()}
        plan = ResumedPlan(RoundRobin(1).plan(event(2)), dict.fromkeys(known, WON.outcome), {first})
        assert plan.next() is not None
        (left,) = ledger.unfinished()
        assert left.id == first
        ledger.add(again, WON)
        assert list(ledger.records()) == [GAMES[1].id, again]
        with pytest.raises(RulingError, match=f"played again as {again}, which counts"):
            rule(ledger, "restore", [first], "why")
        rule(ledger, "annul", [again], "why")
        assert replayed_id(first, ledger.rulings().annulled) == f"{first}-3"
        assert scheduled_id(f"{first}-3") == first
        rule(ledger, "restore", [first], "why")


def test_a_game_that_a_run_is_playing_again_is_not_restored_before_that_ends(path):
    first, again = GAMES[0].id, f"{GAMES[0].id}-2"
    with Ledger(path) as run:
        rule(run, "annul", [first], "why")
        run.announce(replace(GAMES[0], id=again))
        with Ledger(path, beside_run=True) as beside:
            with pytest.raises(RulingError, match=f"being played again as {again}: wait"):
                rule(beside, "restore", [first], "why")
            run.add(again, WON)
            with pytest.raises(RulingError, match=f"played again as {again}, which counts"):
                rule(beside, "restore", [first], "why")


def test_a_game_whose_replay_was_cut_off_can_be_restored(path):
    first, again = GAMES[0].id, f"{GAMES[0].id}-2"
    with Ledger(path) as run:
        rule(run, "annul", [first], "why")
        run.announce(replace(GAMES[0], id=again))
    with Ledger(path) as ledger:
        rule(ledger, "restore", [first], "why")
        assert list(ledger.records()) == [GAMES[0].id, GAMES[1].id]
        assert not read_event(ledger, with_games=True).unfinished


def test_a_plan_that_looked_ahead_leaves_out_a_restored_game():
    games = list(iter(RoundRobin(2).plan(event(3)).next, None))
    annulled = games[0]
    plan = ResumedPlan(RoundRobin(2).plan(event(3)), {}, {annulled.id})
    assert not plan.is_done
    plan.restore(PlayedGame(annulled, WON.outcome))
    assert [scheduled.id for scheduled in iter(plan.next, None)] == [each.id for each in games[1:]]


def test_a_plan_gives_the_annulled_game_and_no_other():
    whole = played(RoundRobin(2).plan(event(3)))
    annulled = next(iter(whole))
    rest = {name: pair for name, pair in whole.items() if name != annulled}
    plan = resumed(lambda _: RoundRobin(2).plan(event(3)), rest)
    plan._annulled = {annulled}
    assert [scheduled.id for scheduled, _ in played(plan).values()] == [f"{annulled}-2"]


def test_a_ruling_is_given_while_a_run_writes(path):
    with Ledger(path) as run:
        with Ledger(path, beside_run=True) as beside:
            assert beside.is_held_by_a_run
            rule(beside, "retire", ["idle"], "its author asked")
        assert run.rulings().retired == {"idle"}
        run.add("later", WON)
    with Ledger(path, read_only=True) as ledger:
        assert len(ledger.records()) == 3


@pytest.mark.parametrize(
    ("kind", "name", "said"),
    [
        ("annul", "a", "has no game 'a'"),
        ("annul", f"{GAMES[0].id}x", f"did you mean '{GAMES[0].id}'"),
        ("annul", "void", "already counts for nobody"),
        ("retire", "idl", "did you mean 'idle'"),
        ("pardon", "x", "has no engine 'x'"),
        (
            "pardon",
            "idle",
            "no engine rests in the format 'round-robin': there is nothing to pardon",
        ),
        ("restore", "a", "no game 'a' is annulled in .*, and no engine 'a' is retired"),
    ],
)
def test_a_ruling_on_what_is_not_there_is_refused(path, kind, name, said):
    with Ledger(path) as ledger:
        with pytest.raises(RulingError, match=said):
            rule(ledger, kind, ["idle" if kind == "retire" else GAMES[1].id, name][1:], "why")
        with pytest.raises(RulingError, match="needs a reason"):
            rule(ledger, kind, [name], " \n")
        assert ledger.rulings().given == ()


@pytest.mark.parametrize("format_", ["gauntlet", "knockout", FREE])
def test_only_an_engine_of_a_pool_is_pardoned(path, format_):
    named = "update event set facts = json_set(facts, '$.format', ?)"
    with Ledger(path) as ledger:
        changed(path, named, "rating-pool")
        assert [ruling.name for ruling in rule(ledger, "pardon", ["a"], "why")] == ["a"]
        changed(path, named, format_)
        with pytest.raises(RulingError, match=f"no engine rests in the format '{format_}'"):
            rule(ledger, "pardon", ["a"], "why")


def test_a_retired_engine_is_restored_and_not_pardoned(path):
    with Ledger(path) as ledger:
        rule(ledger, "retire", ["a"], "why")
        with pytest.raises(RulingError, match="engine 'a' is retired: 'restore' takes that back"):
            rule(ledger, "pardon", ["a"], "why")


def test_what_holds_follows_from_all_rulings_in_their_order():
    def ruling(kind, subject, name):
        return Ruling("2026-01-01T00:00:00+00:00", kind, subject, name, "why")

    given = (
        ruling("retire", "engine", "x"),
        ruling("annul", "game", "x"),
        ruling("restore", "engine", "x"),
        ruling("pardon", "engine", "y"),
    )
    rulings = Rulings(given)
    assert (rulings.retired, rulings.annulled) == (set(), {"x"})
    assert rulings.sentences()[0] == "ruling of 2026-01-01: engine 'x' is retired: why"


def test_a_full_disk_is_not_said_to_be_a_ledger_that_cannot_be_read(path):
    with Ledger(path) as ledger:
        ledger._connection.execute("pragma max_page_count = 1")
        many = [Ruling("2026", "pardon", "engine", "a", "x" * 300)] * 100
        with pytest.raises(LedgerError) as raised:
            ledger.rule(many)
        assert str(raised.value) == f"{path} cannot be written: database or disk is full"
        assert ledger.rulings() == Rulings()


def test_a_disk_without_room_for_the_files_beside_a_ledger_is_said_to_be_full(path):
    """Not one byte more fits into any file: SQLite calls that a disk I/O error."""
    limited = (
        "import resource, sys; from oddly.interfaces.command_line import main; "
        "resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0)); sys.exit(main(sys.argv[1:]))"
    )
    words = ("rule", str(path), "retire", "a", "--reason", "x")
    done = subprocess.run([sys.executable, "-c", limited, *words], capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(f"oddly: rule: {path} cannot be ")
    assert done.stderr.endswith(": disk I/O error, perhaps because the disk is full\n")

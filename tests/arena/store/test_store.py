"""The arena's store: a batch whole or not at all, and every game exactly once in its ledger."""

import random
import sqlite3
from contextlib import closing

import pytest

from oddly.arena.effects import (
    AddressAllowance,
    AskedFor,
    Batch,
    Begun,
    Finished,
    Heard,
    Invited,
    NewLeader,
    NewRating,
    OrderDone,
    SetUp,
    TurnCounted,
)
from oddly.arena.game import ArenaGame, GamePlan
from oddly.arena.pool import PoolFacts
from oddly.arena.registry import EngineState, Owner, RegisteredEngine
from oddly.arena.rulings import KeeperOrder
from oddly.arena.sessions import DAY
from oddly.arena.store.arena_file import ArenaFile
from oddly.arena.store.files import KIND
from oddly.arena.store.rows import answer_to, give_order, pending_orders
from oddly.arena.store.store import ArenaStore
from oddly.arena.wire.messages import RatingNow
from oddly.games import create_game, random_turn
from oddly.protocol import TurnEvaluation, parse_time_control
from oddly.safe_files import UnusableFileError
from oddly.tournaments import Ledger, LedgerError, merge, verify
from oddly.tournaments.ledger.recorded_event import read_event
from oddly.tournaments.results.schedule import scheduled
from tests.databases import changed

POOL = PoolFacts("xodd-3", create_game("xodd", 3), parse_time_control("5+0.1"))


def new_game(number=1, opening=(), names=("Ann", "Bob")):
    game = scheduled(number, POOL.game, number, *names, 7, "test", opening)
    return ArenaGame(GamePlan(game, "xodd-3", POOL.control, ("a 1", "b 2")), 10.0)


def played(game, turns=1000):
    """Play at random. Returns what was written about it."""
    found, now = [Begun(game.plan, game.began)], game.began
    for player in (0, 1):
        game.set_by(player)
        found.append(SetUp(game.id, player))
    draw = random.Random(game.id)
    while game.outcome is None and turns:
        game.ask(now)
        found.append(AskedFor(game.id, len(game.turns), now))
        now += 0.25
        text, said = str(random_turn(game.position, draw)), TurnEvaluation(0.5, lead=1.0)
        game.answer(game.mover, len(game.turns), text, 0.2, now, 0.1, said)
        found.append(TurnCounted(game.id, game.counted[-1], game.plan.pool))
        turns -= 1
    return found


def finished(game):
    """A batch with a whole game, played at random."""
    return Batch([*played(game), Finished(game.id, game.record(), game.plan.pool)])


def store(path):
    return ArenaStore(path, "Test", [POOL])


def ledger(path):
    return path / "xodd-3.sqlite"


def test_a_running_game_comes_back_as_it_was(tmp_path):
    game = new_game(opening=("Bb3",))
    writes = played(game, turns=5)
    game.ask(20.0)
    with store(tmp_path) as one:
        one.write(Batch([*writes, AskedFor(game.id, 6, 20.0)]), 21.5)
    with store(tmp_path) as one:
        (again,) = one.file.running()
        assert one.file.heartbeat() == 21.5
    assert again.texts() == game.texts()
    assert again.counted == game.counted
    assert (again.asked, again.is_set, again.opening) == (20.0, [True, True], 1)
    assert again.times_left(22.0) == game.times_left(22.0)
    assert again.plan == game.plan


def test_a_finished_game_is_in_a_ledger_that_every_command_reads(tmp_path):
    games = [new_game(number) for number in range(1, 9)]
    with store(tmp_path) as one:
        for game in games:
            batch = finished(game)
            one.write(batch, 50.0)
            one.file_games(batch)
        assert one.file.running() == one.file.unfiled({}) == []
        assert len(one.file.unheard()) == 16
        assert sum(n for *_, n in one.file.results()["xodd-3"]) == 8
        assert one.file.rounds_by_pair()["xodd-3", frozenset(("Ann", "Bob"))] == 8
    found = verify(ledger(tmp_path))
    assert (found.games, found.problems) == (8, [])
    with Ledger(ledger(tmp_path), read_only=True) as read:
        event = read_event(read, with_games=True)
        assert (event.engines, len(event.played)) == (["Ann", "Bob"], 8)
        assert read.records()[games[0].id].timing.credits.given


def test_ledgers_of_a_pool_are_joined(tmp_path):
    """The bug: `oddly merge` refused all ledgers of arenas."""
    games = new_game(), new_game(2), new_game(3, names=("Ann", "Cid"))
    for arena, game in zip(("one", "two", "other"), games, strict=True):
        (tmp_path / arena).mkdir()
        name = "Hall" if arena == "other" else "Test"
        with ArenaStore(tmp_path / arena, name, [POOL]) as opened:
            opened.write(finished(game), 20.0)
            opened.file_games()
    ledgers = [ledger(tmp_path / arena) for arena in ("one", "two", "other")]
    assert merge(ledgers, tmp_path / "all.sqlite") == []
    assert verify(tmp_path / "all.sqlite").problems == []
    with Ledger(tmp_path / "all.sqlite", read_only=True) as joined:
        assert joined.records().keys() == {game.id for game in games}
        assert joined.engine_names() == ["Ann", "Bob", "Cid"]


def test_the_stamps_of_turns_move_the_clock(tmp_path):
    game = new_game()
    first, *turns = played(game)
    with store(tmp_path) as one:
        one.write(Batch([first]), 1.0)
        one.write(Batch([row for row in turns if isinstance(row, TurnCounted)]), 1.0)
        latest = one.file.heartbeat()
    assert latest == max(turn.wait.looked for turn in game.counted) > 1.0
    with store(tmp_path) as one:
        assert one.heartbeat == latest
        (again,) = one.file.running()
        assert again.counted == game.counted


@pytest.mark.parametrize("crash", ["before filing", "between the files", "twice"])
def test_a_crash_between_the_files_files_a_game_once(tmp_path, crash):
    game = new_game()
    with store(tmp_path) as one:
        one.write(finished(game), 50.0)
        for _ in range(("before filing", "between the files", "twice").index(crash)):
            one.ledgers.file(game.plan, game.record())
    for _ in range(2):
        with store(tmp_path) as one:
            assert one.file.unfiled({}) == []
            assert one.file.running() == []
        assert verify(ledger(tmp_path)).games == 1
        assert verify(ledger(tmp_path)).problems == []


def test_a_batch_is_written_whole_or_not_at_all(tmp_path):
    game = new_game()
    writes = played(game, turns=3)
    with store(tmp_path) as one:
        with pytest.raises(sqlite3.IntegrityError):
            one.write(Batch([*writes, writes[-1]]), 50.0)
        assert one.file.running() == []
        assert one.file.heartbeat() == 0
        one.write(Batch(writes), 50.0)
        assert len(one.file.running()) == 1


def test_an_order_whose_rows_do_not_fit_is_refused(tmp_path):
    """The bug: the order stayed without an answer, and stopped the arena at every start."""
    with store(tmp_path) as one:
        numbers = [give_order(tmp_path / "arena.db", KeeperOrder("invite", word)) for word in "12"]
        done = OrderDone(numbers[0], "code", is_refused=False)
        with pytest.raises(sqlite3.Error, match="too large"):
            one.write(Batch([Invited("code", 1 << 70), done]), 5.0)
        assert one.file.invitations() == {}
        assert [order.number for order in pending_orders(one.file.connection)] == numbers[1:]
    answer = answer_to(tmp_path / "arena.db", numbers[0])
    assert answer.is_refused
    assert answer.text.startswith("the arena cannot write it: ")


def test_a_pool_never_mixes_two_games(tmp_path):
    with store(tmp_path) as one:
        one.write(Batch(played(new_game(), turns=3)), 5.0)
    for game in (create_game("xodd", 4), create_game("yodd", 3)):
        with pytest.raises(UnusableFileError, match=f"'xodd-3' has games of xodd 3: .* {game} "):
            ArenaStore(tmp_path, "Test", [POOL._replace(game=game)])
        with ArenaStore(tmp_path, "Test", [POOL, POOL._replace(name="new", game=game)]):
            pass
    slower = POOL._replace(control=parse_time_control("9+1"))
    with ArenaStore(tmp_path, "Test", [slower]) as one:
        assert len(one.file.running()) == 1


def test_an_arena_may_be_renamed(tmp_path):
    game = new_game()
    with store(tmp_path) as one:
        one.write(finished(game), 5.0)
        one.file_games()
    with ArenaStore(tmp_path, "Renamed", [POOL]):
        pass
    assert verify(ledger(tmp_path)).problems == []
    with Ledger(ledger(tmp_path), read_only=True) as read:
        assert read.event()["name"] == "Renamed: xodd-3"
        assert [*read.records()] == [game.id]
        changed = "the name changed from 'Test: xodd-3' to 'Renamed: xodd-3'"
        assert [what for _, what in read.happenings()].count(changed) == 1


def test_an_arena_that_starts_on_a_full_disk_says_so(tmp_path, monkeypatch):
    game = new_game()
    with store(tmp_path) as one:
        one.write(finished(game), 5.0)

    def without_room(*_):
        raise sqlite3.OperationalError("database or disk is full")

    with monkeypatch.context() as patched:
        patched.setattr(Ledger, "add", without_room)
        with pytest.raises(UnusableFileError, match="cannot be used: database or disk is full"):
            store(tmp_path)
    with store(tmp_path):
        assert verify(ledger(tmp_path)).games == 1


def test_engines_are_entered_once_there_is_room_in_the_ledger(tmp_path, monkeypatch):
    game = new_game()

    def without_room(*_):
        raise LedgerError("the ledger cannot be written: database or disk is full")

    with store(tmp_path) as one:
        one.write(finished(game), 5.0)
        with monkeypatch.context() as patched:
            patched.setattr(Ledger, "begin", without_room)
            with pytest.raises(LedgerError):
                one.file_games()
        one.file_games()
    with Ledger(ledger(tmp_path), read_only=True) as read:
        assert [*read.event()["engines"]] == ["Ann", "Bob"]


def test_people_are_remembered(tmp_path):
    owner = Owner("ann", "key", is_house=True, created="2026-01-01")
    engine = RegisteredEngine(
        "mine-1.5", "mine 1.5", "mine", "ann", "key", "m 1", "fast", ("xodd-3",), created="2026"
    )
    with store(tmp_path) as one:
        one.write(Batch(people=[owner, engine]), 1.0)
        owner.banned, engine.state = "a cheat", EngineState.RESTS
        one.write(Batch([Invited("code", 2)]), 0.5)
        one.write(Batch(people=[owner, engine], invitations=["code"]), 1.0)
    with store(tmp_path) as one:
        assert one.file.owners() == [owner]
        assert one.file.engines() == [engine]
        assert one.file.invitations() == {"code": 1}


def test_who_knows_an_end_is_remembered(tmp_path):
    game = new_game()
    with store(tmp_path) as one:
        one.write(finished(game), 1.0)
        one.write(Batch([Heard(game.id, 1)]), 1.0)
        (left,) = one.file.unheard()
        assert (left.name, left.player, left.pool) == ("Ann", 0, "xodd-3")
        assert left.ending.score == game.outcome.score
        one.write(Batch([Heard(game.id, 0)]), 1.0)
        assert one.file.unheard() == []


def test_the_clock_never_goes_back(tmp_path):
    with store(tmp_path) as one:
        one.write(Batch(), 8.0)
        one.write(Batch(), 5.0)
        assert one.file.heartbeat() == 8.0
        seed = one.file.seed()
    with store(tmp_path) as one:
        assert one.file.seed() == seed


def test_two_arenas_do_not_share_a_folder(tmp_path):
    with store(tmp_path), pytest.raises(UnusableFileError, match="another run is writing"):
        ArenaFile(tmp_path / "arena.db")


@pytest.mark.parametrize(
    ("content", "said"),
    [(b"no database at all" * 99, "is not a file of an arena"), (None, "not a")],
)
def test_another_file_is_refused(tmp_path, content, said):
    path = tmp_path / "arena.db"
    if content is None:
        changed(path, "create table a (b)")
    else:
        path.write_bytes(content)
    with pytest.raises(UnusableFileError, match=said):
        ArenaFile(path)


def test_a_newer_file_is_refused_and_an_older_one_is_made_new(tmp_path):
    with store(tmp_path):
        pass
    path = tmp_path / "arena.db"
    changed(path, f"pragma user_version = {KIND.version + 1}")
    with pytest.raises(UnusableFileError, match=f"has version {KIND.version + 1}"):
        ArenaFile(path)
    with closing(sqlite3.connect(path)) as file:
        file.execute("pragma user_version = 1")

        def fail(connection):
            connection.execute("create table half (a)")
            raise sqlite3.OperationalError("full")

        steps = {1: lambda connection: connection.execute("create table new (a)"), 2: fail}
        kind = KIND._replace(version=3, migrations=steps)
        with pytest.raises(sqlite3.OperationalError, match="full"):
            kind.migrate(file)
        assert file.execute("pragma user_version").fetchone() == (2,)
        steps[2] = lambda connection: connection.execute("alter table new add column b")
        kind.migrate(file)
        assert file.execute("pragma user_version").fetchone() == (3,)
        assert file.execute("select * from new").fetchall() == []


def test_a_file_of_version_1_gets_the_ratings_over_time(tmp_path):
    with store(tmp_path) as one:
        one.write(Batch(played(new_game(), turns=3)), 5.0)
    path = tmp_path / "arena.db"
    file = sqlite3.connect(path)
    for kind, name in (("table", "ratings"), ("table", "leaders"), ("index", "games_of_first"),
                       ("index", "games_of_second")):  # fmt: skip
        file.execute(f"drop {kind} {name}")
    file.execute("alter table games drop column held")
    file.execute("drop table allowances")
    file.execute("pragma user_version = 1")
    file.commit()
    file.close()
    rating = RatingNow(12.5, 80.0, 3, provisional=False)
    with store(tmp_path) as one:
        assert len(one.file.running()) == 1
        first = NewLeader("xodd-3", "Ann", 12.5)
        one.write(Batch([NewRating("xodd-3", "Ann", rating), first]), 6.0)
        one.write(Batch([NewLeader("xodd-3", "Bob", 13.5)]), 6.0)
        assert one.file.leaders() == {"xodd-3": "Bob"}
    file = sqlite3.connect(path)
    (row,) = file.execute("select pool, engine, elo, error, games from ratings").fetchall()
    assert row == ("xodd-3", "Ann", 12.5, 80.0, 3)
    file.close()


def test_a_file_of_version_3_gets_the_allowances_of_addresses(tmp_path):
    with store(tmp_path) as one:
        one.write(Batch(played(new_game(), turns=3)), 5.0)
    with closing(sqlite3.connect(tmp_path / "arena.db")) as file:
        file.execute("drop table allowances")
        file.execute("pragma user_version = 3")
    with store(tmp_path) as one:
        assert len(one.file.running()) == 1
        one.write(Batch([AddressAllowance("hash", 49.0, 6.0)]), 6.0)
        assert one.file.allowances() == [AddressAllowance("hash", 49.0, 6.0)]


def test_the_allowance_of_an_address_is_forgotten_after_a_day(tmp_path):
    with store(tmp_path) as one:
        for left in (49.0, 48.0):
            one.write(Batch([AddressAllowance("one", left, 5.0)]), 5.0)
        one.write(Batch([AddressAllowance("other", 49.0, 6.0)]), 6.0)
    with store(tmp_path) as one:
        one.write(Batch(beats=True), 4.0 + DAY)
        assert [each.left for each in one.file.allowances()] == [48.0, 49.0]
        one.write(Batch(beats=True), 5.0 + DAY)
        assert [each.address for each in one.file.allowances()] == ["other"]

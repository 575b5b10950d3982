"""The keeper's orders by the command line: to an arena that runs, and to one that does not."""

import io
import shutil
import sqlite3
import subprocess
import sys
from contextlib import closing, nullcontext, redirect_stderr, redirect_stdout
from importlib import import_module
from urllib.parse import urlencode

import pytest
import trio

from oddly.arena.effects import Ruled
from oddly.arena.rulings import KeeperOrder
from oddly.arena.store import store
from oddly.arena.store.arena_file import ArenaFile
from oddly.arena.store.files import FILE, KIND
from oddly.arena.store.rows import answer_to, give_order
from oddly.arena.wire.proof import public_key
from oddly.interfaces.command_line.main import main
from oddly.safe_files.sqlite_file import UnusableFileError, lock, unlock
from oddly.tournaments import Ledger, LedgerError
from tests.interfaces.arena.guests import Guest
from tests.interfaces.arena.hosting import POOL, Host, copied, hosted, running
from tests.interfaces.arena.test_pages import fetched, filed
from tests.interfaces.arena.test_service import agree, play_for, playing, until
from tests.patience import PATIENCE
from tests.programs import needs


@pytest.fixture(autouse=True)
def without_signals(monkeypatch):
    """Orders are given in threads, which cannot handle signals."""
    command_line = import_module(main.__module__)
    monkeypatch.setattr(command_line, "_signals_as_ctrl_c", nullcontext)


def order(host, *words, reason="a test", code=0):
    """Give an order; what it prints."""
    why = ["--reason", reason] if reason else []
    said, wrong = io.StringIO(), io.StringIO()
    with redirect_stdout(said), redirect_stderr(wrong):
        got = main(["arena", str(host.file), *words, *why])
    assert got == code, said.getvalue() + wrong.getvalue()
    assert "Traceback" not in wrong.getvalue()
    return (said.getvalue() or wrong.getvalue()).strip()


async def give(host, *words, **options):
    return await trio.to_thread.run_sync(lambda: order(host, *words, **options))


async def two_who_played(host, games=2):
    guests = [Guest(host.url, f"guest {n}x") for n in range(2)]
    await play_for(guests, lambda: all(len(guest.ends) >= games for guest in guests))
    return guests


@pytest.fixture(scope="module")
def stopped(tmp_path_factory):
    """An arena that has run."""
    host = Host(tmp_path_factory.mktemp("stopped"))
    host.start()
    host.stop()
    return host


@pytest.fixture(scope="module")
def played(tmp_path_factory):
    """An arena that has run until a game was over, and that game."""
    with hosted(tmp_path_factory.mktemp("played")) as host:
        guests = trio.run(two_who_played, host, 1)
        host.stop()
    return host, next(iter(guests[0].ends))


@pytest.mark.sampled
@pytest.mark.parametrize("runs", [True, False])
async def test_rulings(tmp_path, runs):
    with hosted(tmp_path) as host:
        guests = await two_who_played(host)
        if not runs:
            host.stop()
        game = next(iter(guests[0].ends))
        said = await give(host, "annul", game, reason="the board was wet")
        assert said == f"game {game} is annulled: the board was wet"
        assert "is annulled already" in await give(host, "annul", game, code=2)
        said = await give(host, "retire", "guest 0x")
        assert said == "engine 'guest 0x' is retired: a test"
        assert "did you mean 'guest 0x'?" in await give(host, "retire", "guest 0y", code=2)
        assert "plays again" in await give(host, "restore", "guest 0x")
        assert "is pardoned" in await give(host, "pardon", "guest 1x")
        rulings = (await give(host, "rulings", reason="")).splitlines()
        assert [line.split(": ")[1] for line in rulings] == [
            f"game {game} is annulled", "engine 'guest 0x' is retired",
            "engine 'guest 0x' plays again", "engine 'guest 1x' is pardoned",
        ]  # fmt: skip
        if runs:
            host.stop()
        with Ledger(host.ledger, read_only=True) as ledger:
            assert ledger.rulings().annulled == {game}
        assert "counts again" in await give(host, "restore", game)
        with Ledger(host.ledger, read_only=True) as ledger:
            assert ledger.rulings().annulled == set()


@pytest.mark.parametrize(
    ("words", "reason", "what"),
    [
        (("retire", "bad\udcff"), "a test", "retire: ENGINE is 'bad\\udcff'"),
        (("rename", "one x", "bad\udcff"), "a test", "rename: NAME is 'bad\\udcff'"),
        (("ban", "one"), "bad\udcff", "ban: --reason is 'bad\\udcff'"),
    ],
)
def test_an_order_that_is_not_utf_8_is_refused(tmp_path, words, reason, what):
    said = order(Host(tmp_path), *words, reason=reason, code=2)
    assert said == f"oddly: arena: {what}, expected text in UTF-8"


@pytest.mark.sampled
async def test_an_annulled_game_is_rated_no_more_also_after_a_restart(tmp_path):
    with hosted(tmp_path) as host:
        guests = await two_who_played(host, games=1)
        before = len(guests[0].ends)
        await give(host, "annul", next(iter(guests[0].ends)))
        for _ in range(2):
            again = Guest(host.url, "guest 0x")
            await play_for([again], lambda again=again: again.welcomes)
            rating = again.welcomes[0].ratings.get(POOL)
            assert (rating.games if rating else 0) == before - 1
            host.stop()
            host.start()


@pytest.mark.sampled
async def test_a_banned_owner_is_turned_out_and_may_come_back(tmp_path):
    with hosted(tmp_path) as host:
        guests = [Guest(host.url, f"guest {n}x", thinks=0.05) for n in range(2)]
        async with playing(*guests) as nursery:
            await until(lambda: all(guest.accepted for guest in guests))
            await give(host, "ban", "owner of guest 0x", reason="he cheats")
            await until(lambda: guests[0].refused)
            assert guests[0].refused.code == "banned"
            assert guests[0].refused.reason.endswith("he cheats")
            await give(host, "unban", "owner of guest 0x")
            again = Guest(host.url, "guest 0x")
            nursery.start_soon(again.play)
            await until(lambda: again.ends)


@pytest.mark.sampled
@pytest.mark.parametrize("runs", [True, False])
async def test_an_engine_gets_another_name_and_keeps_its_games(tmp_path, runs):
    with hosted(tmp_path) as host:
        guests = await two_who_played(host)
        games = len(guests[0].ends)
        # Its last game must be over, so its opponent is there.
        async with trio.open_nursery() as nursery:
            for guest in guests:
                nursery.start_soon(guest.play)
            if not runs:
                await give(host, "retire", "guest 0x")
                await trio.sleep(0.5)
                await until(lambda: guests[0].start.id in guests[0].ends)
                await trio.sleep(0.5)
                nursery.cancel_scope.cancel()
            else:
                await give(host, "rename", "guest 0x", "better x")
                await until(lambda: guests[0].refused)
                nursery.cancel_scope.cancel()
        if not runs:
            host.stop()
            assert "is renamed 'better x'" in await give(host, "rename", "guest 0x", "better x")
            host.start()
        old = Guest(host.url, "guest 0x")
        with trio.fail_after(PATIENCE):
            await old.play()
        assert "it plays as 'better x'" in old.refused.reason
        new = Guest(host.url, "better x", owner="owner of guest 0x")
        await play_for([new], lambda: new.welcomes)
        assert not new.welcomes[0].new
        assert new.welcomes[0].ratings[POOL].games >= games


@pytest.mark.sampled
async def test_a_renamed_engine_is_one_engine_everywhere(tmp_path):
    """The bug: the archive lost its games, and its opponents had met two engines."""

    async def games_of(**asked):
        found = await fetched(host, f"/api/v1/games?{urlencode(asked)}")
        return {game["id"] for game in found.json()["games"]}

    with hosted(tmp_path) as host:
        guests = await two_who_played(host)
        async with playing(*guests):
            await give(host, "rename", "guest 0x", "better x")
        earlier = {*guests[0].ends}
        guests[0] = Guest(host.url, "better x", owner="owner of guest 0x")
        await play_for(guests, lambda: guests[0].ends)
        played = {*earlier, *guests[0].ends}
        await filed(host, played)
        assert await games_of(engine="better x") >= played
        assert await games_of(engine="Guest_0X", pool=POOL) >= played
        assert await games_of(engine="guest 1x", opponent="better x") >= played
        (it,) = (await fetched(host, "/api/v1/engines/guest-1x")).json()["pools"]
        assert [met["opponent"] for met in it["opponents"]] == ["better x"]


@pytest.mark.sampled
async def test_a_lost_key_is_replaced(tmp_path):
    with hosted(tmp_path) as host:
        await two_who_played(host, games=1)
        again = Guest(host.url, "guest 0x")
        again.secret = bytes(range(32))
        with trio.fail_after(PATIENCE):
            await again.play()
        assert again.refused.code == "name-taken"
        key = public_key(again.secret)
        assert "has a new key" in await give(host, "hand-over", "owner of guest 0x", key)
        assert "is no public key" in await give(host, "hand-over", "owner of guest 0x", "k", code=2)
        said = await give(host, "hand-over", "owner of guest 1x", key, code=2)
        assert "that key is the one of the owner 'owner of guest 0x'" in said
        again.refused = None
        await play_for([again], lambda: again.welcomes)
        assert not again.welcomes[0].new


@pytest.mark.sampled
async def test_an_order_to_a_stopped_arena_that_waits_for_a_game_is_kept(tmp_path):
    with hosted(tmp_path) as host:
        guests = [Guest(host.url, f"guest {n}x", thinks=0.1) for n in range(2)]
        async with playing(*guests):
            await until(lambda: guests[0].accepted)
            await trio.to_thread.run_sync(host.stop)
            said = await give(host, "rename", "guest 0x", "better x", code=2)
            assert "'guest 0x' is in a game: it is renamed when that is over" in said
            await trio.to_thread.run_sync(host.start)
            await until(lambda: guests[0].refused)
        assert "join as 'better x'" in guests[0].refused.reason


async def test_a_game_of_a_pool_that_is_gone_is_void_for_orders_too(tmp_path):
    with hosted(tmp_path) as host:
        guests = [Guest(host.url, f"guest {n}x", thinks=0.1) for n in range(2)]
        await play_for(guests, lambda: guests[0].accepted)
        game = guests[0].start.id
        host.stop()
        text = host.file.read_text(encoding="utf-8")
        host.file.write_text(text.replace('time = "5+0.5"', 'time = "6+0.5"'), encoding="utf-8")
        said = await give(host, "annul", game, code=2)
        assert said.endswith(f"game {game} is void or unrated: it counts for nobody")
        await give(host, "rename", "guest 0x", "better x")


async def test_an_order_is_carried_out_after_another_that_kept_it_waiting(stopped, tmp_path):
    """The bug: whoever had locked the file of a stopped arena was taken for an arena."""
    host, said = copied(stopped, tmp_path), []
    path = tmp_path / "arena" / FILE

    def rows(query):
        with closing(sqlite3.connect(path)) as connection:
            return connection.execute(query).fetchall()

    async def invite():
        said.append(await give(host, "invite", "3", reason=""))

    other = lock(path, KIND.noun)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(invite)
        await until(lambda: rows("select kind from orders"))
        unlock(other)
    assert rows("select code, engines from invitations") == [(*said, 3)]
    assert rows("select kind from orders") == []


@pytest.mark.sampled
async def test_the_second_of_two_orders_about_a_game_knows_of_the_first(played, tmp_path):
    """The bug: both were carried out, and the game was taken out of the ratings twice."""
    host, game = copied(played[0], tmp_path), played[1]
    path = tmp_path / "arena" / FILE
    orders = [KeeperOrder("annul", game, "", reason) for reason in ("one", "two")]
    numbers = [give_order(path, order) for order in orders]
    with running(host):
        answers = []
        for number in numbers:
            await until(
                lambda number=number: answers.append(answer_to(path, number)) or answers[-1]
            )
        first, second = filter(None, answers)
        assert (first.text, first.is_refused) == (f"game {game} is annulled: one", False)
        assert (second.text, second.is_refused) == (f"game {game} is annulled already", True)
        assert len((await give(host, "rulings", reason="")).splitlines()) == 1


WRITE = ArenaFile.write


def refuse_rulings(file, batch, now):
    if any(isinstance(row, Ruled) for row in batch.writes):
        raise sqlite3.OperationalError("database or disk is full")
    WRITE(file, batch, now)


def refuse_the_ledger(*_):
    raise LedgerError("the ledger cannot be written: database or disk is full")


@pytest.mark.sampled
@pytest.mark.parametrize("runs", [True, False])
@pytest.mark.parametrize(
    ("owner", "writes", "refuses"),
    [(ArenaFile, "write", refuse_rulings), (store, "rule", refuse_the_ledger)],
)
async def test_an_order_that_a_full_disk_cut_short_is_carried_out_before_the_next(
    played, tmp_path, monkeypatch, owner, writes, refuses, runs
):
    """The bug: the game was annulled in its ledger, and counted in the arena for ever."""
    host, game = copied(played[0], tmp_path), played[1]
    with monkeypatch.context() as full:
        full.setattr(owner, writes, refuses)
        said = order(host, "annul", game, code=2)
    assert said.endswith("disk is full; the order is kept and carried out later")
    with running(host) if runs else nullcontext():
        assert "counts again" in await give(host, "restore", game)
        lines = (await give(host, "rulings", reason="")).splitlines()
        assert ["annulled" in line for line in lines] == [True, False]
        with Ledger(host.ledger, read_only=True) as ledger:
            assert ledger.rulings().annulled == set()


async def test_an_invitation_registers_as_many_engines_as_it_says(tmp_path):
    with hosted(tmp_path, 'registration = "invitation"') as host:
        word = await give(host, "invite", "1", reason="")
        guests = [Guest(host.url, f"guest {n}x") for n in range(2)]
        for guest in guests:
            guest.invitation = word
        await play_for(guests[:1], lambda: guests[0].welcomes)
        with trio.fail_after(PATIENCE):
            await guests[1].play()
        assert guests[1].refused.code == "not-invited"


HYPHENATED = f"-h{'a' * 41}"


@pytest.mark.parametrize(
    ("words", "reason", "said"),
    [
        (("annul",), "x", "annul takes GAME, not 0 words"),
        (("annul", "g"), "", "annul needs a --reason"),
        (("invite", "none"), "", "an invitation is for 1 to 10000 engines, not 'none'"),
        (("invite", "1"), "x", "invite has no reason"),
        (("retyre", "a"), "x", "did you mean 'retire'?"),
        (("annul", "g1"), "x", "there is no game 'g1'"),
        (("hand-over", "a", "b"), "x", "there is no owner 'a'"),
        (("hand-over", "a", HYPHENATED), "x", "there is no owner 'a'"),
        (("hand-over", "a", f"--{'a' * 41}"), "x", "there is no owner 'a'"),
        (("hand-over", "a", "-b"), "x", "unknown argument '-b'"),
        (("hand-over", "a", "b", "--reason"), "", "argument --reason: one argument is expected"),
        (("hand-over", "a", HYPHENATED, "--reason"), "", "argument --reason: one argument is"),
        (("hand-over", "--reason", HYPHENATED, "a", "b"), "", "there is no owner 'a'"),
        (("hand-over", "--reason", HYPHENATED, "a", HYPHENATED), "", "there is no owner 'a'"),
        (("hand-over", "a", HYPHENATED, "--reason=x"), "", "there is no owner 'a'"),
    ],
)
def test_what_is_wrong_is_said(stopped, words, reason, said):
    assert said in order(stopped, *words, reason=reason, code=2)


def test_an_arena_that_cannot_be_written_is_not_waited_for(stopped, monkeypatch):
    def refuse(*_):
        raise UnusableFileError("arena.db-lock: Read-only file system")

    monkeypatch.setattr("oddly.interfaces.arena.keeper.lock", refuse)
    monkeypatch.setattr("oddly.interfaces.arena.keeper.open_store", refuse)
    monkeypatch.setattr("oddly.interfaces.arena.keeper.give_order", pytest.fail)
    assert "Read-only file system" in order(stopped, "retire", "a", code=2)


def read_only(folder, *words):
    """What an order answers where the arena's folder cannot be written, and its exit code."""
    there = str(folder / "arena")
    walls = ["bwrap", "--dev-bind", "/", "/", "--ro-bind", there, there]
    order = [sys.executable, "-m", "oddly", "arena", str(folder / "arena.toml"), *words]
    done = subprocess.run([*walls, *order], capture_output=True, text=True, timeout=PATIENCE)
    return done.stdout + done.stderr, done.returncode


@needs("bubblewrap")
def test_a_stopped_arena_is_read_where_it_cannot_be_written(stopped, tmp_path):
    assert read_only(stopped.folder, "rulings") == ("there are no rulings\n", 0)
    copy = tmp_path / "b"
    said = f"{copy} has 2 files: the arena and its ledgers\n"
    assert read_only(stopped.folder, "backup", str(copy)) == (said, 0)
    assert {path.name for path in copy.iterdir()} == {FILE, stopped.ledger.name}


@needs("bubblewrap")
@pytest.mark.parametrize("word", ["rulings", "backup"])
def test_a_log_of_an_arena_that_cannot_be_written_is_not_ignored(stopped, tmp_path, word):
    shutil.copytree(stopped.folder, tmp_path / "a")
    log = tmp_path / "a" / "arena" / f"{FILE}-wal"
    log.write_bytes(b"the log of an arena that was killed")
    words = [word, str(tmp_path / "b")] if word == "backup" else [word]
    said, code = read_only(tmp_path / "a", *words)
    assert code == 2
    assert f"because {log} beside it has a part of it: copy both into another folder" in said
    assert not (tmp_path / "b").exists()


def test_there_is_no_order_without_an_arena(tmp_path):
    host = Host(tmp_path)
    assert "start it first" in order(host, "retire", "a", code=2)
    assert "has no arena" in order(host, "backup", str(tmp_path / "b"), reason="", code=2)


@pytest.mark.sampled
async def test_a_backup_of_a_running_arena_is_restored_and_its_games_go_on(tmp_path):
    with hosted(tmp_path) as host:
        guests = [Guest(host.url, f"guest {n}x", thinks=0.02) for n in range(4)]
        async with playing(*guests):
            await until(lambda: all(guest.ends for guest in guests))
            assert "2 files" in await give(host, "backup", str(tmp_path / "copy"), reason="")
        host.kill()
        shutil.rmtree(tmp_path / "arena")
        (tmp_path / "copy").rename(tmp_path / "arena")
        copied = host.records()
        assert copied
        host.start()
        again = [Guest(host.url, f"guest {n}x", thinks=0.02) for n in range(4)]
        await play_for(again, lambda: all(guest.ends.keys() - copied.keys() for guest in again))
        host.stop()
    assert all(not guest.welcomes[0].new for guest in again)
    agree(again, host.records())
    assert copied.keys() < host.records().keys()


@pytest.mark.sampled
async def test_sigterm_drains_and_the_game_goes_on(tmp_path):
    with hosted(tmp_path) as host:
        guests = [Guest(host.url, f"guest {n}x", thinks=0.1) for n in range(2)]
        async with playing(*guests):
            await until(lambda: guests[0].accepted)
            ((game, _),) = [*guests[0].accepted][:1]
            assert await trio.to_thread.run_sync(host.stop) == 0
            assert game not in guests[0].ends
            await trio.to_thread.run_sync(host.start)
            assert "; 1 game goes on" in host.greeting
            await until(lambda: game in guests[0].ends and game in guests[1].ends)
        host.stop()
        agree(guests, host.records())

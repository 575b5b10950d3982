"""Copies of an arena: all files as of one moment, and an arena again."""

from contextlib import closing

import pytest

from oddly.arena.effects import AddressAllowance, Batch, Begun
from oddly.arena.store.files import FILE, back_up, connect_to_read
from oddly.safe_files import UnusableFileError
from oddly.tournaments import Ledger, verify
from tests.arena.store.test_store import finished, ledger, new_game, store


def test_a_copy_of_an_open_arena_is_an_arena(tmp_path):
    (tmp_path / "a").mkdir()
    over, running = new_game(1), new_game(2)
    with store(tmp_path / "a") as one:
        batch = finished(over)
        one.write(batch, 20.0)
        one.file_games(batch)
        one.write(Batch([Begun(running.plan, 21.0)]), 22.0)
        copies = back_up(tmp_path / "a", tmp_path / "b")
        # What comes after the copy is not in it.
        later = finished(new_game(3))
        one.write(later, 30.0)
        one.file_games(later)
    assert sorted(path.name for path in copies) == sorted([FILE, "xodd-3.sqlite"])
    assert (tmp_path / "b" / FILE).stat().st_mode & 0o077 == 0
    with store(tmp_path / "b") as other:
        assert other.heartbeat == 22.0
        assert [game.id for game in other.file.running()] == [running.id]
    assert verify(ledger(tmp_path / "b")).problems == []
    with Ledger(ledger(tmp_path / "b"), read_only=True) as found:
        assert [*found.records()] == [over.id]


def test_a_link_to_an_arena_does_not_hide_its_log(tmp_path, monkeypatch):
    for name in "ab":
        (tmp_path / name).mkdir()
    link = tmp_path / "b" / FILE
    link.symlink_to(tmp_path / "a" / FILE)
    monkeypatch.setattr("os.access", lambda *_: False)
    with store(tmp_path / "a") as one:
        one.write(Batch(), 22.0)
        with closing(connect_to_read(link)) as connection:
            assert connection.execute("select heartbeat from clock").fetchone() == (22.0,)


def test_a_game_between_the_files_is_in_the_copy_once(tmp_path):
    (tmp_path / "a").mkdir()
    game = new_game()
    with store(tmp_path / "a") as one:
        one.write(finished(game), 20.0)
        back_up(tmp_path / "a", tmp_path / "b")
    with store(tmp_path / "b"), Ledger(ledger(tmp_path / "b"), read_only=True) as found:
        assert [*found.records()] == [game.id]


def test_a_copy_keeps_nothing_about_addresses(tmp_path):
    (tmp_path / "a").mkdir()
    plan = new_game().plan._replace(rated=False, address="its hash")
    with store(tmp_path / "a") as one:
        one.write(Batch([AddressAllowance("its hash", 49.0, 5.0), Begun(plan, 5.0)]), 5.0)
        back_up(tmp_path / "a", tmp_path / "b")
        assert len(one.file.allowances()) == 1
        assert [game.plan for game in one.file.running()] == [plan]
    assert b"its hash" not in (tmp_path / "b" / FILE).read_bytes()
    with store(tmp_path / "b") as other:
        assert other.file.allowances() == []
        assert [game.plan for game in other.file.running()] == [plan._replace(address="")]


def test_what_a_killed_backup_left_is_cleared_away(tmp_path):
    """The bugs: in a container, no copy was made again; later, parts stayed beside the copies."""
    (tmp_path / "a").mkdir()
    (tmp_path / ".b.part").mkdir()
    (tmp_path / ".b.part" / "left").touch()
    with store(tmp_path / "a"):
        copies = back_up(tmp_path / "a", tmp_path / "b")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a", "b"]
    assert sorted((tmp_path / "b").iterdir()) == sorted(copies)
    assert (tmp_path / "b").stat().st_mode & 0o077 == 0


def test_nothing_is_replaced_and_nothing_is_left_half_done(tmp_path):
    (tmp_path / "a").mkdir()
    with store(tmp_path / "a"):
        with pytest.raises(UnusableFileError, match="is there already"):
            back_up(tmp_path / "a", tmp_path / "a")
        (tmp_path / "file").touch()
        with pytest.raises(UnusableFileError, match="cannot write"):
            back_up(tmp_path / "a", tmp_path / "file" / "b")
    with pytest.raises(UnusableFileError, match="has no arena"):
        back_up(tmp_path, tmp_path / "b")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a", "file"]

"""The outbox on the disk, and what `oddly bot status` says of it."""

import json

import pytest

from oddly.game_records.abstract_play_turns import game_by_ids
from oddly.interfaces.bot.outbox import TurnOutbox, TurnStage
from oddly.interfaces.bot.outbox_file import (
    bot_status,
    duration,
    open_outbox,
    read_outbox,
    status_text,
)
from oddly.interfaces.bot.site_view import ListedGame, SiteReply, TurnRequest
from oddly.safe_files import UnusableFileError
from tests.databases import changed

NOW = 1_790_000_000.0


def request(gameid, *texts, variants=("hex-6",)):
    return TurnRequest(gameid, "yodd", game_by_ids("yodd", variants), texts)


@pytest.fixture
def path(tmp_path):
    return tmp_path / "BOT.outbox"


@pytest.fixture
def filled(path):
    """An outbox with a turn at each stage, left open as if its process had been killed."""
    with open_outbox(path) as file:
        box = TurnOutbox(file.keep)
        for name in ("asked", "decided", "sending", "taken", "refused", "closed"):
            box.ask(request(name, "1f6"), NOW, NOW + 7200)
        for name in ("decided", "sending", "taken", "refused"):
            box.decide(request(name, "1f6"), "pass", NOW)
        for name in ("sending", "taken"):
            box.begin(box.tasks[name], NOW)
        box.answer(box.tasks["taken"], SiteReply(200), NOW)
        for _ in range(3):
            box.decide(request("refused", "1f6"), "pass", NOW)
            box.begin(box.tasks["refused"], NOW)
            box.answer(box.tasks["refused"], SiteReply(500, "Unable to apply move pass"), NOW)
        box.close(request("closed", "1f6"), "the game is over")
        file.keep_games(
            [ListedGame("asked", "yodd", 1, True, ("a",), ("Ann",), 0.0),
             ListedGame("taken", "yodd", 1, True, ("b",), ("Bob",), 0.0),
             ListedGame("theirs", "ayu", 4, False, ("c",), ("C\x1b[31m",), 0.0)]
        )  # fmt: skip
        file.note_contact("sweep", NOW - 60)
        yield box


@pytest.mark.parametrize("by_link", [False, True])
def test_all_of_it_is_there_after_a_kill(filled, path, tmp_path, by_link):
    link = tmp_path / "link"
    link.symlink_to(path)
    with read_outbox(link if by_link else path) as file:
        found = file.tasks()
    assert found == dict(filled.tasks)
    assert {name: task.stage.value for name, task in found.items()} == {
        name: name for name in found
    }
    assert found["refused"].refused == ("pass", "pass", "pass")
    assert found["refused"].stage is TurnStage.REFUSED


def test_status_says_whose_turn_it_is_and_what_the_site_has_not_got(filled, path):
    with read_outbox(path) as file:
        facts = bot_status(file, NOW + 600)
    games = {game["id"]: game for game in facts["games"]}
    assert (facts["to_think"], facts["unsent"]) == (1, 2)
    assert facts["contacts"] == {"webhook": None, "site": None, "sweep": NOW - 60}
    assert set(games) == {"asked", "decided", "sending", "taken", "refused", "theirs"}
    assert games["asked"]["opponent"] == "Ann"
    assert [games[name]["turn"] for name in ("asked", "decided", "taken", "theirs")] == [
        "ours", "ours", "theirs", "theirs",
    ]  # fmt: skip
    assert games["taken"]["plies"] == 2
    assert games["asked"]["seconds_left"] == 6600
    assert games["theirs"]["seconds_left"] is None
    assert games["refused"]["said"] == "500: Unable to apply move pass"
    json.dumps(facts)
    text = status_text(facts, NOW + 600)
    assert "1 h 50 min" in text
    assert "the last sweep: 11 min ago" in text
    assert "\x1b" not in text
    assert status_text({**facts, "games": []}, NOW).startswith("no games\n")


def test_durations_have_two_units():
    assert [duration(n) for n in (0, 59.6, 3600, 90_061, -7200)] == [
        "0 s", "1 min", "1 h", "1 d 1 h", "-2 h",
    ]  # fmt: skip


def test_one_process_holds_it(filled, path):
    with (
        pytest.raises(UnusableFileError, match="another run is writing to this outbox"),
        open_outbox(path),
    ):
        pass


def test_it_is_read_after_its_bot_has_stopped(path):
    with open_outbox(path) as file:
        TurnOutbox(file.keep).ask(request("one"), NOW)
    before = sorted(each.name for each in path.parent.iterdir())
    with read_outbox(path) as file:
        assert set(file.tasks()) == {"one"}
    # Nothing stays beside it that may belong to whoever reads.
    assert sorted(each.name for each in path.parent.iterdir()) == before
    with open_outbox(path) as file:
        assert set(file.tasks()) == {"one"}


def test_another_file_is_no_outbox(path, tmp_path):
    with pytest.raises(UnusableFileError, match="there is no outbox"), read_outbox(path):
        pass
    path.write_bytes(b"x" * 5000)
    for opening, said in ((open_outbox, "is not an outbox"), (read_outbox, "cannot be read")):
        with pytest.raises(UnusableFileError, match=rf"BOT\.outbox.* {said}"), opening(path):
            pass
    other = tmp_path / "other.sqlite"
    changed(other, "create table turn (x)")
    for opening in (open_outbox, read_outbox):
        with pytest.raises(UnusableFileError, match="is not an outbox of oddly"), opening(other):
            pass


def test_an_outbox_of_a_newer_bot_is_not_read(path):
    with open_outbox(path):
        pass
    changed(path, "pragma user_version = 2")
    for opening in (open_outbox, read_outbox):
        with pytest.raises(UnusableFileError, match="install a newer one"), opening(path):
            pass


def test_a_folder_that_is_not_there_is_told(tmp_path):
    path = tmp_path / "nowhere" / "outbox"
    with pytest.raises(UnusableFileError, match="cannot write"), open_outbox(path):
        pass


def test_only_so_much_is_kept(path, monkeypatch):
    monkeypatch.setattr("oddly.interfaces.bot.outbox_file.MAX_TASKS", 2)
    with open_outbox(path) as file:
        box = TurnOutbox(file.keep)
        for number, name in enumerate("abcd"):
            box.ask(request(name), NOW + number)
            if name != "a":
                box.close(request(name), "over")
        file.forget_old()
        # What is open stays.
        assert list(file.tasks()) == ["a", "c", "d"]

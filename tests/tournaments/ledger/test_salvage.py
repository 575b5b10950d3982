"""Of a damaged ledger all that is sound is saved, however broken the file is."""

import random
import re
from itertools import islice

import pytest

from oddly.interfaces.command_line import main
from oddly.tournaments import Ledger, LedgerError, salvage, verify
from oddly.tournaments.ledger.recorded_event import read_ledger
from tests.databases import changed
from tests.tournaments.ledger.conftest import GAMES, played
from tests.tournaments.ledger.test_verification import PAGE, rows_of, third


def test_salvage_of_a_sound_ledger_saves_everything(path, tmp_path, refusal, output):
    good = tmp_path / "good.sqlite"
    assert output("salvage", path, "-o", good) == f"{good}: 30 games saved; lost: 0\n"
    assert rows_of(good) == rows_of(path)
    with Ledger(path, read_only=True) as one, Ledger(good, read_only=True) as other:
        assert one.event() == other.event()
        assert one.rulings() == other.rulings()
        assert list(one.all_played()) == list(other.all_played())
        assert one.unfinished() == other.unfinished()
    assert verify(good).problems == []
    assert "already exists" in refusal("salvage", path, "-o", good)


@pytest.mark.parametrize("by_link", [False, True])
def test_salvage_reads_the_log_that_a_killed_run_left(path, tmp_path, by_link):
    copy = tmp_path / "copy.sqlite"
    with Ledger(path) as ledger:
        ledger.add("new", played(random.Random(9), "a", "b"))
        copy.write_bytes(path.read_bytes())
        log = path.with_name("a.sqlite-wal")
        copy.with_name("copy.sqlite-wal").write_bytes(log.read_bytes())
        expected = rows_of(path)
    copy.write_bytes(b"\xee" * 100 + copy.read_bytes()[100:])
    link = tmp_path / "link.sqlite"
    link.symlink_to(copy)
    assert salvage(link if by_link else copy, tmp_path / "good.sqlite").saved == GAMES + 1
    assert rows_of(tmp_path / "good.sqlite") == expected


LOG_HEADER, FRAME_HEADER, SALTS = 32, 24, slice(8, 16)
SALTS_OF_HEADER = range(16, 24)


@pytest.fixture(params=[False, True], ids=["first log", "with frames of an earlier log behind it"])
def logged(request, path, tmp_path):
    """A file, the log that a killed run left beside it, and the rows of both together."""
    copy = tmp_path / "copy.sqlite"
    with Ledger(path) as ledger:
        if request.param:
            for number in range(20):
                ledger.add(f"old {number}", played(random.Random(number), "a", "b"))
            changed(path, "pragma wal_checkpoint(restart)")
        for number in range(3):
            ledger.add(f"new {number}", played(random.Random(number), "a", "b"))
        copy.write_bytes(path.read_bytes())
        log = path.with_name("a.sqlite-wal").read_bytes()
        has_older = len(log) > LOG_HEADER + len(own_frames(log)) * (FRAME_HEADER + PAGE)
        assert has_older is request.param
        return copy, log, rows_of(path)


def own_frames(log):
    """Where the frames of a log begin, without those of an earlier log behind them."""
    places = range(LOG_HEADER, len(log), FRAME_HEADER + PAGE)
    header = bytes(log[place] for place in SALTS_OF_HEADER)
    return [place for place in places if log[place : place + FRAME_HEADER][SALTS] == header]


def salvaged_with(logged, tmp_path, place, damage):
    """What is salvaged, and its rows, if the bytes of the log from a place on are damaged."""
    copy, log, _ = logged
    broken = log[:place] + damage + log[place + len(damage) :]
    copy.with_name("copy.sqlite-wal").write_bytes(broken)
    good = tmp_path / "good.sqlite"
    good.unlink(missing_ok=True)
    return salvage(copy, good), rows_of(good)


def test_one_flipped_bit_in_a_mark_of_the_log_costs_nothing(logged, tmp_path):
    _, log, expected = logged
    frames = own_frames(log)
    assert 6 < len(frames) < 60
    chance = random.Random(3)
    marks = [SALTS_OF_HEADER, *(range(place + 8, place + 16) for place in frames)]
    for mark in [*marks[:3], marks[-1], *chance.sample(marks, 3)]:
        place = chance.choice(mark)
        damage = bytes([log[place] ^ 1 << chance.randrange(8)])
        found, rows = salvaged_with(logged, tmp_path, place, damage)
        assert (rows, found.lost) == (expected, []), place


def test_a_log_whose_header_is_gone_is_read_by_its_frames(logged, tmp_path):
    found, rows = salvaged_with(logged, tmp_path, 0, bytes(LOG_HEADER))
    assert (rows, found.lost) == (logged[2], [])


@pytest.mark.sampled
def test_a_frame_of_the_log_that_is_gone_is_named_and_the_others_are_read(logged, tmp_path):
    _, log, expected = logged
    frames = own_frames(log)
    for place in frames[:-1]:
        found, rows = salvaged_with(logged, tmp_path, place, b"\xee" * FRAME_HEADER)
        assert "1 page of the log is damaged" in {each.what for each in found.lost}
        assert rows.items() <= expected.items()
    found, rows = salvaged_with(logged, tmp_path, frames[-1], b"\xee" * FRAME_HEADER)
    assert rows.keys() == expected.keys() - {"new 2"}
    assert [each.what for each in found.lost if "the end of a transaction" in each.what]


def test_salvage_refuses_a_ledger_that_a_run_is_writing_to(path, tmp_path, refusal):
    good = tmp_path / "good.sqlite"
    link = tmp_path / "link.sqlite"
    link.symlink_to(path)
    for name in (path, link):
        with Ledger(path):
            said = refusal("salvage", name, "-o", good)
        assert f"{name}: another run is writing to this ledger now" in said
    assert not good.exists()
    assert salvage(path, good).saved == GAMES


def test_no_run_writes_to_a_ledger_while_it_is_salvaged(path, tmp_path):
    def write(*_):
        with pytest.raises(LedgerError, match="another run is writing to this ledger now"):
            Ledger(path)

    assert salvage(path, tmp_path / "good.sqlite", write).saved == GAMES
    with Ledger(path) as ledger:
        assert len(ledger.records()) == GAMES - 1


def test_games_that_are_overwritten_while_they_are_saved_are_lost(path, tmp_path):
    """Where files cannot be locked, somebody may write to the ledger nevertheless."""
    good = tmp_path / "good.sqlite"
    found = salvage(path, good, lambda *_: path.write_bytes(bytes(path.stat().st_size)))
    lost = {each.game: each.what for each in found.lost if each.game}
    assert found.saved + len(lost) == GAMES
    assert set(lost.values()) == {"its row was overwritten while it was read"}
    assert verify(good).problems == []


def test_salvage_names_what_is_lost(path, tmp_path, facts):
    identity = third(path)
    changed(path, "update games set host = 'elsewhere' where id = ?", identity)
    found = facts("salvage", path, "-o", tmp_path / "good", code=1)
    assert found["saved"] == GAMES - 1
    assert [(each["game"], each["what"]) for each in found["lost"]] == [
        (identity, "its row was changed")
    ]


def test_salvage_saves_no_game_under_a_damaged_id(path, tmp_path):
    identity = third(path)
    damaged = " " + identity[1:]
    changed(path, "update games set id = ? where id = ?", damaged, identity)
    found = salvage(path, tmp_path / "good")
    assert found.saved == GAMES - 1
    assert {(each.game, each.what) for each in found.lost} == {
        (identity, "its row is lost"),
        (damaged, "its id was changed"),
    }


def test_salvage_names_a_lost_game_whose_entry_in_the_chain_is_damaged_too(path, tmp_path):
    identity = third(path)
    changed(path, "delete from games where id = ?", identity)
    changed(path, "update chain set link = x'00' where kind = 'game' and id = ?", identity)
    found = salvage(path, tmp_path / "good")
    assert found.saved == GAMES - 1
    assert identity in {each.game for each in found.lost}


def test_salvage_names_an_entry_of_the_chain_that_is_lost(path, tmp_path):
    changed(path, "delete from chain where number = 7")
    found = salvage(path, tmp_path / "good")
    assert found.saved == GAMES
    assert [each.what for each in found.lost] == ["entry 7 of the chain is lost"]


def test_salvage_names_the_end_of_a_file_that_is_lost(path, tmp_path, output):
    data = path.read_bytes()
    pages = len(data) // PAGE
    for kept in (pages - 1, pages - 2, pages // 2):
        path.write_bytes(data[: kept * PAGE + 100])
        said = output("salvage", path, "-o", tmp_path / f"{kept}.sqlite", code=1)
        verb = "is" if pages - kept == 1 else "are"
        assert f"{pages - kept} of {pages} pages {verb} missing or cut off; expected: a" in said


def test_pages_that_only_the_log_has_are_not_lost(path, tmp_path):
    copy = tmp_path / "copy.sqlite"
    with Ledger(path) as ledger:
        for number in range(20):
            ledger.add(f"new {number}", played(random.Random(number), "a", "b"))
        data = path.read_bytes()
        log = path.with_name("a.sqlite-wal").read_bytes()
    copy.write_bytes(data)
    copy.with_name("copy.sqlite-wal").write_bytes(log)
    assert salvage(copy, tmp_path / "good.sqlite").lost == []
    copy.write_bytes(data[: -2 * PAGE])
    (lost,) = [each.what for each in salvage(copy, tmp_path / "better").lost if not each.game]
    assert re.fullmatch(r"[12] of [0-9]+ pages (is|are) missing or cut off", lost)


def test_salvage_names_a_chain_that_is_lost(path, tmp_path):
    changed(path, "update chain set kind = 'damaged'")
    found = salvage(path, tmp_path / "good")
    assert (found.saved, found.unproven) == (GAMES, GAMES)
    assert [each.what for each in found.lost] == ["the chain is lost"]


def damaged_copies(data: bytes, chance: random.Random):
    """The bytes of a ledger, damaged in many ways; each with how many games may be lost."""
    while True:
        broken = bytearray(data)
        match chance.choice(["bit", "bytes", "page", "cut", "header"]):
            case "bit":
                broken[chance.randrange(len(broken))] ^= 1 << chance.randrange(8)
                yield bytes(broken), 3
            case "bytes":
                for _ in range(5):
                    broken[chance.randrange(len(broken))] = chance.randrange(256)
                yield bytes(broken), 9
            case "page":
                page = chance.randrange(len(broken) // PAGE)
                broken[page * PAGE : (page + 1) * PAGE] = bytes(PAGE)
                yield bytes(broken), 9
            case "cut":
                yield bytes(broken[: chance.randrange(PAGE, len(broken))]), GAMES
            case _:
                yield bytes(chance.randrange(256) for _ in range(100)) + data[100:], 0


def check_salvage(whole, tmp_path, data: bytes, most: int) -> None:
    """Whatever is damaged: nothing wrong passes for proven, and what is lost is named."""
    expected, broken, good = rows_of(whole), tmp_path / "broken.sqlite", tmp_path / "good.sqlite"
    broken.write_bytes(data)
    good.unlink(missing_ok=True)
    try:
        found = salvage(broken, good)
    except LedgerError:
        assert most == GAMES
        return
    saved = rows_of(good)
    assert saved.keys() <= expected.keys()
    # A row is damaged without a trace if its entry in the chain is damaged too.
    assert len(saved.items() - expected.items()) <= found.unproven
    lost = expected.keys() - saved.keys()
    assert len(lost) <= most
    named = {problem.game for problem in found.lost if problem.game}
    # If the entry of a lost game is lost too, the entry is named, and if its id is damaged, that.
    entries = [problem for problem in found.lost if problem.what.startswith("entry ")]
    damaged = named - expected.keys()
    assert most == GAMES or len(lost - named) <= len(entries) + len(damaged)
    assert verify(good).problems == []
    if saved:
        assert read_ledger(good).tallies.games >= len(saved) - 1


def check_damaged_copies(whole, tmp_path, seed: int, copies: int) -> None:
    each = damaged_copies(whole.read_bytes(), random.Random(seed))
    for data, most in islice(each, copies):
        check_salvage(whole, tmp_path, data, most)


def flipped(data: bytes, seed: int) -> bytes:
    """The bytes with twenty bits flipped."""
    broken, chance = bytearray(data), random.Random(seed)
    for _ in range(20):
        broken[chance.randrange(len(broken))] ^= 1 << chance.randrange(8)
    return bytes(broken)


def test_whatever_is_damaged_the_rest_is_saved(whole, tmp_path):
    check_damaged_copies(whole, tmp_path, 1, 12)


@pytest.mark.parametrize("seed", [22, 43, 62, 143, 149, 195, 282, 376])
def test_what_is_saved_after_twenty_flipped_bits_is_a_sound_ledger(whole, tmp_path, seed):
    """Each damages a plan or the event where only its meaning can tell, or the chain."""
    check_salvage(whole, tmp_path, flipped(whole.read_bytes(), seed), 20)


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(20))
def test_whatever_is_damaged_the_rest_is_saved_often(whole, tmp_path, seed):
    check_damaged_copies(whole, tmp_path, seed, 50)
    for each in range(100 + 50 * seed, 150 + 50 * seed):
        check_salvage(whole, tmp_path, flipped(whole.read_bytes(), each), 20)


DAMAGE_IN_FACTS = {
    "an opening of a plan": (b'"opening": ["Bc3"', b'"opening": ["Bc4"'),
    "a key of the event": (b'"rounds": 1', b'"roundt": 1'),
}


@pytest.mark.parametrize("what", DAMAGE_IN_FACTS)
def test_damaged_facts_that_are_json_still_are_not_saved(whole, tmp_path, what):
    """As they lie in the file, and without the chain that would tell."""
    data, (right, wrong) = whole.read_bytes(), DAMAGE_IN_FACTS[what]
    assert right in data
    check_salvage(whole, tmp_path, data.replace(right, wrong).replace(b"plan", b"plam"), 0)


def test_games_without_their_event_have_standings(path, tmp_path, output, monkeypatch):
    monkeypatch.chdir(tmp_path)
    changed(path, "delete from event")
    assert "the event is lost" in output("salvage", path, "-o", tmp_path / "good.sqlite", code=1)
    for command in ("standings", "ratings", "report", "export"):
        assert main([command, str(tmp_path / "good.sqlite")]) == 0
    event = read_ledger(tmp_path / "good.sqlite")
    assert (event.name, event.tallies.games, event.engines) == ("good", GAMES - 1, ["a", "b"])


@pytest.mark.sampled
@pytest.mark.parametrize("seed", range(24))
def test_readers_of_a_damaged_ledger_say_a_sentence(whole, tmp_path, capsys, monkeypatch, seed):
    monkeypatch.chdir(tmp_path)
    broken = tmp_path / "broken.sqlite"
    data, _ = next(damaged_copies(whole.read_bytes(), random.Random(1000 + seed)))
    broken.write_bytes(data)
    for command in ("standings", "report", "export", "ratings", "rule", "verify"):
        assert main([command, str(broken)]) in (0, 1, 2)
        assert capsys.readouterr().err.count("\n") <= 1

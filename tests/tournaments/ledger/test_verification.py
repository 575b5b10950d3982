"""A ledger says what is wrong with it, game by game, and gives up its sound games however broken.

The ledger is played once: thirty games of Odd, by turns that the rules allow.
"""

from __future__ import annotations

import json
import random
import sqlite3
from contextlib import closing

import pytest

from oddly.games.catalogue import create_game
from oddly.games.legal_turns import random_turn
from oddly.interfaces.command_line import main
from oddly.referee.justice.outcome import Outcome, Termination
from oddly.referee.justice.record import GameRecord, PlayedTurn
from oddly.tournaments.formats.round_robin import both_ways
from oddly.tournaments.ledger.arbiter import rule
from oddly.tournaments.ledger.salvage import salvage
from oddly.tournaments.ledger.schema import LedgerError
from oddly.tournaments.ledger.store import Ledger
from oddly.tournaments.ledger.verification import verify
from tests.tournaments.ledger.test_chain import as_version_1
from tests.tournaments.ledger.test_store import FACTS

GAME = create_game("odd", 3)
GAMES = 30
PAGE = 4096


def played(chance: random.Random, first: str, second: str) -> GameRecord:
    """A random game to its end."""
    position, turns = GAME.start(), []
    while not position.is_over:
        turn, colour = random_turn(position, chance), position.to_move
        position = position.play(turn)
        turns.append(PlayedTurn(colour, str(turn), 0.125))
    result = position.result
    winner = int(result.winner is not turns[0].colour)
    outcome = Outcome(
        winner, result.winner, str(result), Termination.BOARD_FULL, "board full", len(turns)
    )
    return GameRecord(GAME, (first, second), ("a 1", "b 2"), 7, tuple(turns), outcome)


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """A sound ledger, closed."""
    path = tmp_path_factory.mktemp("whole") / "whole.sqlite"
    chance = random.Random(1)
    schedule = list(both_ways([GAME], [("a", "b")], GAMES // 2, 1, "spring", {}))
    with Ledger(path) as ledger:
        ledger.begin(FACTS)
        for game in schedule:
            ledger.announce(game)
            ledger.add(game.id, played(chance, game.first, game.second), game)
        rule(ledger, "annul", [schedule[4].id], "a test")
    return path


@pytest.fixture
def path(whole, tmp_path):
    path = tmp_path / "a.sqlite"
    path.write_bytes(whole.read_bytes())
    return path


def rows_of(path):
    with closing(sqlite3.connect(path)) as connection:
        return {row[0]: row for row in connection.execute("select * from games")}


def changed(path, statement, *values):
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute(statement, values)


def third(path):
    """The id of the third game."""
    return list(rows_of(path))[2]


def test_a_sound_ledger_is_said_to_be(path, capsys):
    assert main(["verify", str(path)]) == 0
    output = capsys.readouterr().out
    assert output.startswith(f"{path} is sound: 30 games, a chain of 33 entries up to ")
    link = output.split()[-1]
    assert main(["verify", str(path), "--link", link, "--json"]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert facts == {
        "games": 30,
        "unsound": 0,
        "chain": {"entries": 33, "link": link},
        "problems": [],
    }
    assert main(["verify", str(path), "--link", "00" * 31 + "01"]) == 1
    assert "the chain lacks the link that was noted" in capsys.readouterr().out
    assert main(["verify", str(path), "--link", "xyz"]) == 2
    assert "64 hexadecimal digits" in capsys.readouterr().err


def test_an_older_ledger_has_no_chain_and_is_replayed(path, capsys):
    as_version_1(path)
    assert main(["verify", str(path)]) == 0
    assert "30 games, no chain yet" in capsys.readouterr().out


CHANGES = {
    "its row was changed": "update games set host = 'elsewhere' where id = ?",
    "its winner is": "update games set winner = 'draw' where id = ?",
    "its first is": "update games set first = 'c' where id = ?",
    "its record cannot be read": "update games set record = '{' where id = ?",
    "it is missing": "delete from games where id = ?",
    "the chain does not cover it": "update chain set id = 'x' where id = ?",
    "its summary has the first 'c'": "update summaries set first = 'c' where id = ?",
    "its plan has the players ('c', ": """update scheduled
        set facts = json_set(facts, '$.first', 'c') where id = ?""",
}


@pytest.mark.parametrize("what", CHANGES)
def test_what_was_changed_is_named_with_the_game(path, capsys, what):
    identity = third(path)
    changed(path, CHANGES[what], identity)
    assert main(["verify", str(path)]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert any(line.startswith(f"game {identity}: {what}") for line in lines)
    assert "; expected: " in lines[0]
    assert "is not sound" in lines[-1]


def test_a_game_against_the_rules_is_named_whatever_the_chain_says(path):
    """A forger may write a chain as well as anybody, but not another result."""
    identity = third(path)
    with Ledger(path) as ledger:
        record = ledger.records()[identity]
        one, _, *rest = record.turns
        wrong = GameRecord(
            GAME, record.players, record.engines, 7, (one, one, *rest), record.outcome
        )
        ledger.add("forged", wrong)
    (problem,) = verify(path).problems
    assert problem.game == "forged"
    assert problem.what.startswith("by the rules, turn 2, ")


@pytest.mark.parametrize(
    ("statement", "said"),
    [
        ("update event set facts = '{}'", "the event does not match the chain"),
        ("update rulings set reason = 'x'", "ruling 1 does not match the chain"),
        ("delete from rulings", "ruling 1 is missing"),
        ("update happenings set what = 'x'", "happening 1 does not match the chain"),
        ("delete from chain where number = 7", "entry 8 of the chain"),
        ("update chain set link = x'00' where number = 7", "entry 7 of the chain"),
    ],
)
def test_other_changed_rows_are_named(path, statement, said):
    changed(path, statement)
    assert any(problem.what.startswith(said) for problem in verify(path).problems)


def test_games_on_a_damaged_page_are_named_and_the_others_are_looked_at(path):
    data = bytearray(path.read_bytes())
    place = data.index(b'{"game": "odd"') // PAGE
    data[place * PAGE : (place + 1) * PAGE] = b"\xff" * PAGE
    path.write_bytes(data)
    found = verify(path)
    assert 0 < found.unsound < GAMES / 2
    assert found.games + sum(p.what.startswith("its row") for p in found.problems) >= GAMES
    with pytest.raises(LedgerError, match="'oddly verify' names all that is wrong"):
        Ledger(path, read_only=True)


def test_what_is_no_ledger_is_no_bug(tmp_path, capsys):
    (tmp_path / "x").write_text("nothing")
    for words in (["verify"], ["salvage", "-o", str(tmp_path / "good")]):
        assert main([words[0], str(tmp_path / "x"), *words[1:]]) == 2
        assert main([words[0], str(tmp_path / "y"), *words[1:]]) == 2
    assert capsys.readouterr().err.count("\n") == 4
    assert not (tmp_path / "good").exists()


def test_salvage_of_a_sound_ledger_saves_everything(path, tmp_path, capsys):
    good = tmp_path / "good.sqlite"
    assert main(["salvage", str(path), "-o", str(good)]) == 0
    assert capsys.readouterr().out == f"{good}: 30 games saved; lost: 0\n"
    assert rows_of(good) == rows_of(path)
    with Ledger(path, read_only=True) as one, Ledger(good, read_only=True) as other:
        assert one.event() == other.event()
        assert one.rulings() == other.rulings()
        assert list(one.each_played()) == list(other.each_played())
        assert one.unfinished() == other.unfinished()
    assert verify(good).problems == []
    assert main(["salvage", str(path), "-o", str(good)]) == 2
    assert "already exists" in capsys.readouterr().err


def test_salvage_reads_the_log_that_a_killed_run_left(path, tmp_path):
    copy = tmp_path / "copy.sqlite"
    with Ledger(path) as ledger:
        ledger.add("new", played(random.Random(9), "a", "b"))
        copy.write_bytes(path.read_bytes())
        log = path.with_name("a.sqlite-wal")
        copy.with_name("copy.sqlite-wal").write_bytes(log.read_bytes())
        expected = rows_of(path)
    copy.write_bytes(b"\xee" * 100 + copy.read_bytes()[100:])
    assert salvage(copy, tmp_path / "good.sqlite").saved == GAMES + 1
    assert rows_of(tmp_path / "good.sqlite") == expected


def test_salvage_names_what_is_lost(path, tmp_path, capsys):
    identity = third(path)
    changed(path, "update games set host = 'elsewhere' where id = ?", identity)
    assert main(["salvage", str(path), "-o", str(tmp_path / "good"), "--json"]) == 1
    facts = json.loads(capsys.readouterr().out)
    assert facts["saved"] == GAMES - 1
    assert [(each["game"], each["what"]) for each in facts["lost"]] == [
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


def check_salvage(whole, tmp_path, seed: int, copies: int) -> None:
    """Whatever is damaged: nothing wrong is saved, and what is lost is named or cut off."""
    expected, broken, good = rows_of(whole), tmp_path / "broken.sqlite", tmp_path / "good.sqlite"
    each = damaged_copies(whole.read_bytes(), random.Random(seed))
    for _ in range(copies):
        data, most = next(each)
        broken.write_bytes(data)
        try:
            found = salvage(broken, good)
        except LedgerError:
            assert most == GAMES
            continue
        saved = rows_of(good)
        assert saved.items() <= expected.items()
        lost = expected.keys() - saved.keys()
        assert len(lost) <= most
        unnamed = lost - {problem.game for problem in found.lost}
        # A game is not named if its entry in the chain is lost too; then the entry is.
        entries = [problem for problem in found.lost if problem.what.startswith("entry ")]
        assert most == GAMES or len(unnamed) <= len(entries)
        assert verify(good).problems == []
        for path in tmp_path.glob("good.sqlite*"):
            path.unlink()


def test_whatever_is_damaged_the_rest_is_saved(whole, tmp_path):
    check_salvage(whole, tmp_path, 1, 12)


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(20))
def test_whatever_is_damaged_the_rest_is_saved_often(whole, tmp_path, seed):
    check_salvage(whole, tmp_path, seed, 50)


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

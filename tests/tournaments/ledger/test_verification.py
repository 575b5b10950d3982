"""A ledger says what is wrong with it, game by game, whatever was changed in it.

The chain has an entry for every row that is evidence, and shows what was changed.
"""

import random
import sqlite3
from contextlib import closing, suppress
from dataclasses import replace

import pytest

from oddly.interfaces.command_line import main
from oddly.referee import GameRecord
from oddly.tournaments import Ledger, LedgerError, verify
from oddly.tournaments.ledger import schema, verification
from oddly.tournaments.ledger.engines import Entrant
from oddly.tournaments.ledger.schema import ORIGIN, TABLES, append, checksum, entries
from tests.databases import changed
from tests.tournaments.formats.schedules import round_robin
from tests.tournaments.ledger.conftest import GAME, GAMES, played
from tests.tournaments.ledger.test_store import DRAWN, FACTS, HOSTILE, VOID, WON

PAGE = 4096
COMPARED = ("event", "games", "happenings", "scheduled", "engines", "deaths", "rulings")


def content(path) -> list:
    """All that a ledger says, times to the millisecond; numbers of rows only as their order."""
    with closing(sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True)) as connection:
        found = [connection.execute("pragma user_version").fetchall()]
        for table in COMPARED:
            query = f"select * from {table} order by rowid"  # noqa: S608
            found.append(connection.execute(query).fetchall())
        found.append(connection.execute("select * from chain order by number").fetchall())
        found += [
            tuple(round(value, 3) if isinstance(value, float) else value for value in values)
            for _, *values in connection.execute("select * from summaries order by number")
        ]
        return found


def rows_of(path):
    with closing(sqlite3.connect(path)) as connection:
        return {row[0]: row for row in connection.execute("select * from games")}


def third(path):
    """The id of the third game."""
    return list(rows_of(path))[2]


def test_a_sound_ledger_is_said_to_be(whole, refusal, facts, output):
    path, entries = str(whole), len(content(whole)[8])
    said = output("verify", path)
    assert said.startswith(f"{path} is sound: 30 games, a chain of {entries} entries up to ")
    link = said.split()[-1]
    found = facts("verify", path, "--link", link)
    assert found == {
        "version": 3,
        "games": 30,
        "unsound": 0,
        "chain": {"entries": entries, "link": link},
        "problems": [],
    }
    assert "the chain lacks the link that was noted" in output(
        "verify", path, "--link", "00" * 31 + "01", code=1
    )
    assert "64 hexadecimal digits" in refusal("verify", path, "--link", "xyz")


CHANGES = {
    "its row was changed": "update games set host = 'elsewhere' where id = ?",
    "its winner is": "update games set winner = 'draw' where id = ?",
    "its first is": "update games set first = 'c' where id = ?",
    "its record cannot be read": "update games set record = '{' where id = ?",
    "it is missing": "delete from games where id = ?",
    "the chain does not cover it": "update chain set id = 'x' where kind = 'game' and id = ?",
    "its summary has the first 'c'": "update summaries set first = 'c' where id = ?",
    "its summary has the round 7": "update summaries set round = 7 where id = ?",
    "its summary is missing": "delete from summaries where id = ?",
    "its plan has the players ('c', ": """update scheduled
        set facts = json_set(facts, '$.first', 'c') where id = ?""",
}


@pytest.mark.parametrize("what", CHANGES)
def test_what_was_changed_is_named_with_the_game(path, output, what):
    identity = third(path)
    changed(path, CHANGES[what], identity)
    lines = output("verify", path, code=1).splitlines()
    assert any(line.startswith(f"game {identity}: {what}") for line in lines)
    assert "; expected: " in lines[0]
    assert "is not sound" in lines[-1]


def test_a_game_against_the_rules_is_named_whatever_the_chain_says(path):
    """A forger may write a chain as well as anybody, but not another result."""
    with Ledger(path) as ledger:
        record = ledger.records()[third(path)]
        one, _, *rest = record.turns
        wrong = GameRecord(
            GAME, record.players, record.engines, 7, (one, one, *rest), record.outcome
        )
        ledger.add("forged", wrong)
        winner = record.outcome.winner
        stolen = replace(record, outcome=replace(record.outcome, winner=1 - winner))
        ledger.add("stolen", stolen)
    problems = verify(path).problems
    assert [problem.game for problem in problems] == ["forged", "stolen"]
    assert problems[0].what.startswith("by the rules, turn 2, ")
    assert problems[1].what.startswith(
        f"by the rules, the winner is said to be player {2 - winner}"
    )


@pytest.mark.parametrize(
    ("statement", "said"),
    [
        ("update event set facts = '{}'", "the event does not match the chain"),
        ("update rulings set reason = 'x'", "ruling 1 does not match the chain"),
        ("delete from rulings", "ruling 1 is missing"),
        ("update happenings set what = 'x'", "happening 1 does not match the chain"),
        ("insert into happenings values ('2026', 'x')", "happening 2 is not in the chain"),
        ("update engines set hash = 'x' where name = 'b'", "engine 2 does not match the chain"),
        ("update engines set last_seen = '2027'", "engine 1 does not match the chain"),
        ("delete from engines where name = 'b'", "engine 2 is missing"),
        ("drop table engines", "the table engines is missing"),
        ("alter table games rename host to place", "the table games has other columns"),
        ("update deaths set engine = 'x'", "death 1 does not match the chain"),
        ("delete from deaths", "death 1 is missing"),
        ("update scheduled set rowid = 99 where rowid = 1", "is not in its place"),
        ("update games set rowid = 99 where rowid = 1", "is not in its place"),
        ("pragma user_version = 2", "it is of version 2"),
        ("delete from chain where number = 7", "entry 8 of the chain"),
        ("update chain set link = x'00' where number = 7", "entry 7 of the chain"),
    ],
)
def test_other_changed_rows_are_named(path, statement, said):
    changed(path, statement)
    assert any(said in problem.what for problem in verify(path).problems)


def check_flipped_bits(whole, path, seed: int, flips: int) -> None:
    """Whichever bit is flipped: verify notices it, or the ledger says what it said before."""
    data, chance, before = whole.read_bytes(), random.Random(seed), content(whole)
    for _ in range(flips):
        broken = bytearray(data)
        place, bit = chance.randrange(len(data)), chance.randrange(8)
        broken[place] ^= 1 << bit
        path.write_bytes(broken)
        with suppress(LedgerError):
            if not verify(path).problems:
                assert content(path) == before, (place, bit)


def test_no_flipped_bit_changes_what_a_sound_ledger_says(whole, tmp_path):
    check_flipped_bits(whole, tmp_path / "a.sqlite", 1, 100)


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(2, 8))
def test_no_flipped_bit_changes_it_often(whole, tmp_path, seed):
    check_flipped_bits(whole, tmp_path / "a.sqlite", seed, 1000)


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


def test_text_of_a_table_that_is_no_utf8_is_damage(path):
    data = path.read_bytes()
    path.write_bytes(data.replace(b"CREATE TABLE games", b"CREATE TABLE \xc5ames", 1))
    with pytest.raises(LedgerError, match="is damaged"):
        verify(path)


def test_verify_does_not_advise_verify_for_a_file_that_is_cut_off(path):
    path.write_bytes(path.read_bytes()[: 2 * PAGE])
    with pytest.raises(LedgerError, match="is damaged") as raised:
        verify(path)
    assert str(raised.value).endswith("('oddly salvage' saves the games that are sound)")


def test_a_ledger_is_checked_as_of_one_moment_while_a_run_writes_to_it(path, monkeypatch):
    def entries(connection):
        yield from schema.entries(connection)
        with Ledger(path) as ledger:
            ledger.add("new", played(random.Random(9), "a", "b"))

    with monkeypatch.context() as patched:
        patched.setattr(verification, "entries", entries)
        found = verify(path)
    assert (found.problems, found.games) == ([], GAMES)
    found = verify(path)
    assert (found.problems, found.games) == ([], GAMES + 1)


def test_what_is_no_ledger_is_no_bug(tmp_path, capsys):
    (tmp_path / "x").write_text("nothing")
    for words in (["verify"], ["salvage", "-o", str(tmp_path / "good")]):
        assert main([words[0], str(tmp_path / "x"), *words[1:]]) == 2
        assert main([words[0], str(tmp_path / "y"), *words[1:]]) == 2
    assert capsys.readouterr().err.count("\n") == 4
    assert not (tmp_path / "good").exists()


def chain_of(path):
    with closing(sqlite3.connect(path)) as connection:
        return list(entries(connection))


def test_no_two_rows_have_one_checksum():
    values = ("a", "b"), ("ab",), ("a:b",), ("1",), (1,), (1.0,), (None,), ("N",)
    rows = [(), ("",), ("", ""), *values]
    assert len({checksum(row) for row in rows}) == len(rows)


def test_every_entry_follows_the_one_before():
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.executescript(TABLES)
        for number in range(3):
            append(connection, "game", str(number), (number,))
        first, second, third = entries(connection)
    assert first.follows(ORIGIN)
    assert second.follows(first.link)
    assert third.follows(second.link)
    assert not third.follows(first.link)
    assert not second._replace(id="7").follows(first.link)
    assert not second._replace(checksum=first.checksum).follows(first.link)


def test_every_row_that_is_evidence_has_an_entry(tmp_path):
    path = tmp_path / "a.sqlite"
    (scheduled, _) = round_robin([WON.game], list(WON.players), 1, 1)
    record = replace(WON, deaths=("exited with code 3", ""))
    with Ledger(path) as ledger:
        ledger.begin(FACTS)
        ledger.enter([Entrant("a", ("a",)), Entrant(HOSTILE, ("b",))])
        ledger.announce(scheduled)
        ledger.announce(scheduled)
        for again in (VOID, record, DRAWN):
            ledger.add(scheduled.id, again, scheduled)
    with Ledger(path) as ledger:
        # Nothing is new but that the run went on.
        ledger.begin(FACTS)
    kinds = [(entry.kind, entry.id) for entry in chain_of(path)]
    engines = [kind for kind in kinds if kind[0] == "engine"]
    # An engine that was seen in another second has another entry.
    assert set(engines) == {("engine", "1"), ("engine", "2")}
    assert [kind for kind in kinds if kind not in engines] == [
        ("event", ""),
        ("happening", "1"),
        ("plan", scheduled.id),
        ("game", scheduled.id),
        ("game", scheduled.id),
        ("death", "1"),
        ("happening", "2"),
    ]

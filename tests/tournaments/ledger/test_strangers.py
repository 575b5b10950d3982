"""A stranger's ledger is data: nothing in it runs, hangs or ends us, and each reader says why."""

import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from itertools import pairwise

import pytest

from oddly.interfaces.command_line import main
from oddly.interfaces.web.broadcast import _ledger_view
from oddly.safe_files import sqlite_file as bounded_connection
from oddly.tournaments import Ledger, LedgerError
from oddly.tournaments.ledger.archive import Archive
from oddly.tournaments.ledger.schema import APPLICATION, TABLES, VERSION
from tests.patience import PATIENCE
from tests.tournaments.ledger.test_store import FACTS, WON

ENDLESS = "with recursive c(x) as (select 1 union all select x + 1 from c) select x from c"
DEEP = "[" * 50_000 + "]" * 50_000
DEEP_ENOUGH = "[" * 400 + "]" * 400

READERS = (["standings"], ["report"], ["export"], ["ratings"], ["ratings", "--over-time", "day"])


@pytest.fixture
def path(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "a.sqlite"
    with Ledger(path) as ledger:
        ledger.begin(FACTS)
        ledger.add("1", WON)
        ledger.add("2", WON)
    return path


def changed(path, *statements):
    with closing(sqlite3.connect(path)) as connection:
        for statement in statements:
            connection.executescript(statement)


PROGRAMS = {
    "view, 'chain'": f"drop table chain; create view chain as {ENDLESS}",
    "view, 'summaries'": f"drop table summaries; create view summaries as {ENDLESS}",
    "trigger, 't'": "create trigger t after insert on games begin delete from games; end",
    "virtual table, 'v'": "create virtual table v using fts5(x)",
    "table that computes, 'x'": "create table x (a, y as (zeroblob(1000000000)))",
    "table that computes, 'z'": "create table z (y check (length(zeroblob(y)) > 1))",
    "made index, 'i'": "create index i on games (abs(id))",
}


@pytest.mark.parametrize("found", PROGRAMS)
def test_what_computes_is_refused_by_every_reader(path, refusal, found):
    changed(path, PROGRAMS[found])
    for words in READERS:
        said = refusal(words[0], path, *words[1:])
        assert f"a ledger has plain tables only, and this file has a {found}" in said
    with pytest.raises(LedgerError, match="plain tables only"):
        Ledger(path)
    with closing(Archive(path)) as archive, pytest.raises(LedgerError, match="plain tables only"):
        _ledger_view(path, archive)


HIDDEN = {
    '"--"': "\"--\" text, y generated always as (instr(zeroblob(9), 'x'))",
    '"/*"': '"/*" text, y as (zeroblob(9)), "*/" text',
    "[--]": "[--] text, y as (zeroblob(9))",
    "`--`": "`--` text, y as (zeroblob(9))",
    "'--'": "'--' text, y as (zeroblob(9))",
    '"a""--"': '"a""--" text, y as (zeroblob(9))',
    "-- '": "-- '\n a text, y as (zeroblob(9)) --'\n",
    '/*"*/': '/*"*/ a text, y as (zeroblob(9)) /*"*/',
}


@pytest.mark.parametrize("columns", HIDDEN.values(), ids=HIDDEN.keys())
@pytest.mark.parametrize("trusting", ["the words", "SQLite"])
def test_what_computes_is_found_behind_odd_names_and_comments(
    path, refusal, monkeypatch, columns, trusting
):
    changed(path, f"drop table event; create table event ({columns})")
    other = "_has_hidden_columns" if trusting == "the words" else "_sql_words"
    monkeypatch.setattr(bounded_connection, other, lambda *_: set())
    said = refusal("standings", path)
    assert "plain tables only, and this file has a table that computes, 'event'" in said


def test_words_in_comments_do_not_count(path, output):
    changed(path, "create table x (a text /* as 'it */, b text -- default \"\n, c text)")
    assert output("standings", path)


RECORD = json.dumps(WON.as_json())
SETTINGS = RECORD.replace('"settings": {', '"settings": {"x": {}, ')
FREE = '{"name": "x", "format": "free", "engines": '
PLACES = {
    "event": ("update event set facts = ?", "{}"),
    "a fact": ("update event set facts = ?", FREE + "{}}"),
    "record": ("update games set record = ?", "{}"),
    "settings": ("update games set record = ?", SETTINGS),
    "game": ("update summaries set game = ?", "{}"),
    "engine": ("insert into engines values ('a', '1', '[]', ?, '', '[]', '', '')", "{}"),
    "pairing": ("insert into scheduled values ('9', ?)", "{}"),
}


@pytest.mark.parametrize("text", [DEEP, DEEP_ENOUGH], ids=["deep", "deep enough"])
@pytest.mark.parametrize("place", PLACES)
def test_deep_json_is_an_error_with_a_sentence(path, capsys, place, text):
    statement, around = PLACES[place]
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute(statement, (around.replace("{}", text),))
    refused = [words for words in READERS if main([words[0], str(path), *words[1:]]) == 2]
    assert capsys.readouterr().err.count("\n") == len(refused) > 0
    with closing(Archive(path)) as archive, pytest.raises(LedgerError):
        _ledger_view(path, archive)


@pytest.mark.parametrize(
    "statement",
    [
        "update summaries set first = x'00ff', second = 7",
        "update summaries set winner = 5",
        "update summaries set game = x'00'",
        "update summaries set opening = 3",
        "update summaries set finished = null, turns = 'many'",
        "update event set facts = x'80'",
        "drop table games",
        "drop table summaries; create table summaries (id, digest)",
    ],
)
def test_values_of_another_kind_are_an_error_with_a_sentence(path, capsys, statement):
    with closing(sqlite3.connect(path)) as connection:
        try:
            connection.executescript(statement)
        except sqlite3.IntegrityError:
            pytest.skip("SQLite itself refuses it")
    for words in READERS:
        if main([words[0], str(path), *words[1:]]) == 2:
            assert capsys.readouterr().err.count("\n") == 1
        else:
            capsys.readouterr()


def page_of(kind, cells, size=4096):
    """A page of a B-tree, whose cells are put at its end."""
    page, at = bytearray(size), size
    header = 12 if kind == 5 else 8
    for number, cell in enumerate(cells):
        at -= len(cell)
        page[at : at + len(cell)] = cell
        page[header + 2 * number : header + 2 * number + 2] = at.to_bytes(2, "big")
    page[0] = kind
    page[3:5] = len(cells).to_bytes(2, "big")
    page[5:7] = at.to_bytes(2, "big")
    return page


def with_many_parents(path):
    """A ledger of some pages, of which each is many times the child of the one before."""
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(TABLES)
        connection.execute(f"pragma application_id = {APPLICATION}")
        connection.execute(f"pragma user_version = {VERSION}")
        for number in range(14):
            connection.execute(f"create table t{number} (x)")
        row = ("1", "a", "b", None, "void", "2026", "", "{}")
        with connection:
            connection.execute("insert into games values (?,?,?,?,?,?,?,?)", row)
        roots = [root for (root,) in connection.execute("select rootpage from sqlite_master")]
        (root,) = connection.execute(
            "select rootpage from sqlite_master where name = 'games'"
        ).fetchone()
    data = bytearray(path.read_bytes())
    chain = [root, *roots[-14:]]
    leaf = bytes(data[(root - 1) * 4096 : root * 4096])
    for here, child in pairwise(chain):
        cells = [child.to_bytes(4, "big") + bytes([number + 1]) for number in range(100)]
        page = page_of(5, cells)
        page[8:12] = child.to_bytes(4, "big")
        data[(here - 1) * 4096 : here * 4096] = page
    data[(chain[-1] - 1) * 4096 : chain[-1] * 4096] = leaf
    path.write_bytes(data)


def test_a_query_without_end_ends(tmp_path, monkeypatch):
    path = tmp_path / "a.sqlite"
    with_many_parents(path)
    monkeypatch.setattr(bounded_connection, "MIN_STEPS", 1_000_000)
    monkeypatch.setattr("oddly.tournaments.ledger.ledger_file.MAX_CHECKED_BYTES", 1)
    with (
        Ledger(path, read_only=True) as ledger,
        pytest.raises(LedgerError, match="a query takes too many steps"),
    ):
        ledger.records()


def test_a_query_without_end_heeds_sigterm(tmp_path):
    path = tmp_path / "a.sqlite"
    with_many_parents(path)
    script = (
        "import sys\nfrom oddly.interfaces.command_line import main\n"
        "from oddly.safe_files import sqlite_file\n"
        "from oddly.tournaments.ledger import ledger_file\n"
        "sqlite_file.MIN_STEPS = 1 << 60\nledger_file.MAX_CHECKED_BYTES = 1\n"
        "print('ready', flush=True)\nsys.exit(main(['export', sys.argv[1]]))"
    )
    words = [sys.executable, "-c", script, str(path)]
    process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert process.stdout.readline() == "ready\n"
    while process.poll() is None:
        # It may not have come to the query yet, but it must in the end.
        os.kill(process.pid, signal.SIGTERM)
        time.sleep(0.2)
    _, error = process.communicate(timeout=PATIENCE)
    assert process.returncode in (3, -signal.SIGTERM)
    assert error in ("oddly: interrupted\n", "")

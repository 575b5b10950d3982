"""`oddly convert` and the export of SGF, as a user calls them."""

import io
import json
from dataclasses import replace

import pytest

from oddly.tournaments.ledger.store import Ledger
from tests.game_records.make_golden import GOLDEN, GOLDEN_GAMES, golden_game, golden_text
from tests.tournaments.ledger.test_store import FACTS


@pytest.fixture
def collection(tmp_path):
    path = tmp_path / "games.sgf"
    path.write_text("\n".join(map(golden_text, GOLDEN_GAMES)), encoding="utf-8")
    return path


@pytest.fixture
def ledger(tmp_path):
    path = tmp_path / "spring.sqlite"
    with Ledger(path) as ledger:
        ledger.begin(FACTS)
        for number, name in enumerate(GOLDEN_GAMES):
            ledger.add(str(number), golden_game(name).record)
    return str(path)


@pytest.fixture
def convert(oddly):
    return lambda *words, code=0: oddly("convert", *words, code=code)


def test_there_and_back_is_the_same(collection, tmp_path, convert):
    lines, again = tmp_path / "games.jsonl", tmp_path / "again.sgf"
    assert convert(collection, lines) == ("", f"5 games in {lines}\n")
    read = [json.loads(line) for line in lines.read_text(encoding="utf-8").splitlines()]
    assert read == [golden_game(name).as_json() for name in GOLDEN_GAMES]
    convert(lines, again)
    assert convert(again, "--to", "jsonl").out == lines.read_text(encoding="utf-8")
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "again.sgf",
        "games.jsonl",
        "games.sgf",
    ]


def test_the_first_turns_make_openings(collection, tmp_path, convert):
    out = convert(collection, "--to", "turns", "--first", "2").out
    assert out.splitlines()[0] == "# yodd 3"
    assert [line for line in out.splitlines() if not line.startswith("#")] == [
        "Bc3 Wb2,Wd4",
        "Wa1 Bc3,Bd1",
        "Bb2 Wa2",
        "Bb2 Wa2",
        "b1-b2 swap",
    ]


def test_standard_input(monkeypatch, convert):
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"Bc3 # one\n")))
    words = ("-", "--from", "turns", "--to", "jsonl", "--game", "yodd", "--size", "3")
    assert json.loads(convert(*words).out)["turns"] == [["black", "Bc3", 0.0]]


def test_standard_output(collection, tmp_path, monkeypatch, convert, refusal):
    """The bug: the games went into a file named `-`."""
    monkeypatch.chdir(tmp_path)
    assert convert(collection, "-", "--to", "turns") == convert(collection, "--to", "turns")
    assert "which format? give --to" in refusal("convert", collection, "-")
    assert [path.name for path in tmp_path.iterdir()] == ["games.sgf"]


def test_a_ledger_as_a_collection_and_as_a_folder(ledger, tmp_path, output, refusal):
    text = output("export", ledger, "--to", "sgf")
    assert text.count("EV[spring]") == len(GOLDEN_GAMES)
    folder = tmp_path / "new" / "games"
    words = ("export", ledger, "--folder", folder)
    assert output(*words, "--to", "sgf") == ""
    names = sorted(path.name for path in folder.iterdir())
    assert names[0] == "00001-yodd-3-gr-n-red-C.sgf"
    assert "".join((folder / name).read_text(encoding="utf-8") for name in names) == text
    assert [path.name for path in (tmp_path / "new").iterdir()] == ["games"]
    assert "it already exists: name a new folder" in refusal(*words, "--to", "sgf")
    assert "--folder writes one file per game; CSV is one table" in refusal(*words)


def test_a_turn_that_is_none_cannot_be_exported(tmp_path, refusal):
    record = golden_game("yodd").record
    path = tmp_path / "damaged.sqlite"
    with Ledger(path) as ledger:
        ledger.add("1", replace(record, turns=(record.turns[0]._replace(turn="Bc3;"),)))
    said = refusal("export", path, "--to", "sgf")
    assert "a game cannot be written: turn 1, malformed turn 'Bc3;'" in said


def test_an_error_leaves_no_file(collection, tmp_path, refusal):
    text = collection.read_text(encoding="utf-8")
    collection.write_text(text.replace("Bc3,Bd1", "Bc3,Bd2"), encoding="utf-8")
    said = refusal("convert", collection, tmp_path / "out.jsonl")
    assert "games.sgf: game 2, line " in said
    assert "turn 2: ODDLY says Bc3,Bd2, but AB is d1 c3 and not d2 c3" in said
    refusal("convert", collection, "--to", "sgf", "--folder", tmp_path / "folder")
    assert [path.name for path in tmp_path.iterdir()] == ["games.sgf"]


def test_a_game_that_could_not_be_read_back_is_not_written(tmp_path, convert, refusal):
    """The bug: it was said to have no turns, and kept in a file that nothing reads."""
    facts = {**golden_game("yodd").as_json(), "note": "日" * 250_000}
    long, copy = tmp_path / "long.jsonl", tmp_path / "copy.jsonl"
    long.write_text(json.dumps(facts, ensure_ascii=False) + "\n", encoding="utf-8")
    convert(long, copy)
    assert [json.loads(line) for line in copy.read_text(encoding="utf-8").splitlines()] == [facts]
    said = refusal("convert", long, tmp_path / "game.sgf")
    assert "a game cannot be written: its SGF is longer than 1 MiB" in said
    assert not (tmp_path / "game.sgf").exists()


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("{0}/none.sgf --to jsonl", "cannot read {0}/none.sgf: No such file"),
        ("{0} --from sgf --to jsonl", "Is a directory"),
        ("{0}/games.sgf {0}/games.jsn", "did you mean '.json'?"),
        ("{0}/games.sgf", "which format? give --to with one of sgf, jsonl, turns"),
        ("- --to sgf", "which format? give --from"),
        ("{0}/games.sgf --to sfg", "unknown value 'sfg': expected one of sgf, jsonl, turns"),
        ("{0}/games.sgf {0}/games.sgf", "it already exists: name a new file"),
        ("{0}/games.sgf {0}/none/games.jsonl", "cannot write {0}/none/.games.jsonl.part"),
        ("{0}/games.sgf {0}/x.sgf --folder {0}/x", "name OUT or --folder, not both"),
        ("{0}/games.sgf --to jsonl --size 3", "--size and a game's settings go with --game"),
        ("{0}/games.sgf --to jsonl --first 0", "a whole number from 1 is expected"),
        ("{0}/spring.sqlite --from sgf --to jsonl", "is a ledger: 'oddly export"),
        ("{0}/spring.sqlite {0}/x.sgf", "is a ledger: 'oddly export"),
    ],
)
def test_bad_input(words, expected, collection, ledger, tmp_path, refusal):
    assert expected.format(tmp_path) in refusal("convert", *words.format(tmp_path).split())


def test_the_golden_files_are_those_of_all_games():
    assert {path.stem for path in GOLDEN.iterdir()} == set(GOLDEN_GAMES)

"""`oddly database`: what it prints, and what it says of boards that have none."""

import errno
import os
import re

import pytest

from oddly.engines.database.files import Folder
from tests.source import ROOT

PAGE = ROOT / "docs" / "reference" / "solved.md"


def test_a_database_is_made_checked_and_found_again(tmp_path, output, facts):
    words = ("database --game xodd --size 3 --output", tmp_path / "x")
    first = output(*words)
    assert re.search(r"^winner +Black$", first, re.MULTILINE)
    assert re.search(r"^winning turns +Bb2$", first, re.MULTILINE)
    assert re.search(r"^checked +1,000 positions$", first, re.MULTILINE)
    found = facts(*words)
    assert found["positions"] == 3**9
    assert found["winner"] == "black"


def test_the_small_boards_of_the_page_come_out_as_it_says(tmp_path, facts):
    rows = re.findall(
        r"^\| [^|]+ \| ([\d,]+) \| (Black|White) \| `?([^`|]*)`? \| \S+ "
        r"\| `oddly (database [^`]+)`",
        PAGE.read_text(encoding="utf-8"),
        re.MULTILINE,
    )
    small = [row for row in rows if int(row[0].replace(",", "")) < 100_000]
    assert len(small) >= 2
    for number, (positions, winner, turns, words) in enumerate(small):
        found = facts(*words.split(), "--output", tmp_path / str(number))
        assert found["positions"] == int(positions.replace(",", ""))
        assert found["winner"] == winner.lower()
        assert found["winning_turns"] == turns.split()


def test_every_threshold_of_odd_is_found_at_once(tmp_path, facts, monkeypatch):
    monkeypatch.chdir(tmp_path)
    winners = facts("database --game odd --size 2 --every-threshold")["winners"]
    assert winners == {str(t): "black" if t <= 4 else "white" for t in range(1, 8)}
    assert (tmp_path / "odd-hexhex-2-every-threshold" / "database.json").exists()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("--game ayu --size 7", "those of Ayu go up to 5x5"),
        ("--game yodd", "yodd 8 has 169 cells"),
        ("--game yodd --size 2 --every-threshold", "--every-threshold is for Odd"),
    ],
)
def test_what_cannot_be_made_is_one_sentence(words, said, refusal, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert said in refusal(f"database {words}")


def test_a_folder_of_something_else_is_left_alone(tmp_path, refusal):
    (tmp_path / "database.json").write_text("{}", encoding="utf-8")
    said = refusal("database --game xodd --size 2 --output", tmp_path)
    assert "is not the facts of a database" in said
    assert (tmp_path / "database.json").read_text(encoding="utf-8") == "{}"


@pytest.mark.parametrize(("game", "file"), [
    ("xodd --size 3", "layer-05-00.bits"),
    ("ayu --size 3", "layer-00-01.bits"),
])  # fmt: skip
def test_a_flipped_bit_is_found_and_the_sentence_says_what_to_do(
    game, file, tmp_path, refusal, facts
):
    words = (f"database --check 1 --game {game} --output", tmp_path)
    before = facts(*words)
    whole = (tmp_path / file).read_bytes()
    (tmp_path / file).write_bytes(bytes([whole[0] ^ 1, *whole[1:]]))
    said = refusal(*words)
    assert f"{tmp_path / file} is damaged: its SHA-256 is not the one in database.json" in said
    assert f"; delete {tmp_path / 'database.json'} and make the database again" in said
    (tmp_path / "database.json").unlink()
    after = facts(*words)
    assert {**after, "seconds": 0} == {**before, "seconds": 0}
    assert (tmp_path / file).read_bytes() == whole


@pytest.mark.parametrize(
    ("number", "advice"),
    [(errno.EACCES, ""), (errno.EROFS, ""), (errno.ENOSPC, "; the same command goes on")],
)
def test_the_same_command_goes_on_only_after_what_passes(
    number, advice, tmp_path, refusal, monkeypatch
):
    def write(*_):
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(Folder, "write", write)
    said = refusal("database --game xodd --size 2 --output", tmp_path / "x")
    why = os.strerror(number)
    assert said == f"oddly: database: {tmp_path / 'x'} cannot be written: {why}{advice}\n"


@pytest.mark.parametrize("place", ["file", "file/below"])
def test_a_file_in_the_place_of_the_folder_is_one_sentence(place, tmp_path, refusal):
    (tmp_path / "file").write_text("", encoding="utf-8")
    said = refusal("database --game xodd --size 2 --output", tmp_path / place)
    assert said == f"oddly: database: {tmp_path / 'file'} is not a folder\n"

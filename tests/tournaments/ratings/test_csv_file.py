"""Results from CSV files, good and bad."""

import csv
import os

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oddly.games.untrusted_text import csv_cell, from_csv_cell
from oddly.tournaments.ledger.results_file import MAX_LINE_LENGTH, ResultsFileError, read_csv

HEADER = "first,second,winner\n"


def results_of(path, text):
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return read_csv(path)


def told(path, text):
    with pytest.raises(ResultsFileError) as caught:
        results_of(path, text)
    return str(caught.value).replace(str(path), "FILE")


@pytest.fixture
def path(tmp_path):
    return tmp_path / "results.csv"


@pytest.mark.parametrize(
    "text",
    [
        HEADER + "a,b,first\nb,a,draw\n",
        "\ufeff" + HEADER + "a,b,first\r\n\r\nb,a,draw",
        "date,winner,second,first\n,first,b,a\n,draw,a,b\n",
        '"first","second",winner\n"a","b",first\n"b",a,"draw"\n',
    ],
    ids=["plain", "BOM and CRLF", "other columns", "quotes"],
)
def test_games_are_read(path, text):
    results = results_of(path, text)
    assert results.names == ("a", "b")
    assert results.wins.tolist() == [1, 0]
    assert results.draws.tolist() == [0, 1]
    assert results.losses.tolist() == [0, 0]


NAMES = st.text(
    st.characters(codec="utf-8"), min_size=1, max_size=20
).filter(lambda name: name == name.strip() and name == from_csv_cell(name))  # fmt: skip


@given(st.lists(NAMES, min_size=2, max_size=2, unique=True))
def test_any_name_comes_through(tmp_path_factory, names):
    path = tmp_path_factory.getbasetemp() / "any.csv"
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([("first", "second", "winner"), (*names, "first")])
    assert read_csv(path).names == tuple(sorted(names))


@pytest.mark.parametrize("name", ["=r1", "+1", "-x", "@home", "'=r1", "''=r1", "'quoted'", "r=1"])
def test_a_name_made_safe_for_spreadsheets_is_read_as_it_was(path, name):
    assert results_of(path, f"{HEADER}{csv_cell(name)},r,first\n").names == tuple(
        sorted((name, "r"))
    )


COLUMNS = "the first line names the columns first, second, winner"
WINNERS = "expected one of first, second, draw"
BAD = {
    "nothing": ("", f"1: there is no column 'first': {COLUMNS}"),
    "no header": ("a,b,first\n", f"1: there is no column 'second': {COLUMNS}"),
    "misspelt": (
        "first,secnd,winner\n",
        f"1: there is no column 'second': {COLUMNS}; did you mean 'second' by 'secnd'?",
    ),
    "capital": (
        "First,second,winner\n",
        f"1: there is no column 'first': {COLUMNS}; did you mean 'first' by 'First'?",
    ),
    "missing": ("first,second,result\n", f"1: there is no column 'winner': {COLUMNS}"),
    "twice": ("first,second,winner,first\n", "1: the column 'first' appears twice"),
    "winner": (
        HEADER + "a,b,first\na,b,frist\n",
        f"3: unknown winner 'frist': {WINNERS}; did you mean 'first'?",
    ),
    "winner by name": (
        HEADER + "\n\na,b,b\n",
        f"4: unknown winner 'b': {WINNERS}; did you mean 'second'?",
    ),
    "winner as points": (HEADER + "a,b,1-0\n", f"2: unknown winner '1-0': {WINNERS}"),
    "empty name": (HEADER + "a,,first\n", "2: the name of an engine is empty"),
    "spaces": (HEADER + "a, b,first\n", "2: a name must have no spaces around it, not ' b'"),
    "itself": (HEADER + "a,a,first\n", "2: 'a' plays against itself"),
    "itself, misspelt": (HEADER + "a,a,firs\n", "2: 'a' plays against itself"),
    "nothing but commas": (HEADER + ",,\n", "2: the name of an engine is empty"),
    "hostile": (HEADER + "\x1b[2J,\x1b[2J,first\n", "2: '\\x1b[2J' plays against itself"),
    "too few": (HEADER + "a,b\n", "2: 3 values expected, as in line 1, found 2"),
    "too many": (HEADER + "a,b,first,\n", "2: 3 values expected, as in line 1, found 4"),
    "open quote": (HEADER + 'a,b,"first\n', "2: not CSV: unexpected end of data"),
    "endless line": ("x" * MAX_LINE_LENGTH, f"1: a line has {MAX_LINE_LENGTH} characters or more"),
    "endless field": (
        HEADER + '"' + "x\n" * 200_000,
        "65538: not CSV: field larger than field limit (131072)",
    ),
}


@pytest.mark.parametrize("case", BAD)
def test_what_is_wrong_is_one_sentence(path, case):
    text, sentence = BAD[case]
    assert told(path, text) == f"FILE:{sentence}"


def test_a_file_without_games_or_text_is_refused(path):
    assert told(path, HEADER) == "FILE has no games"
    assert told(path, HEADER.encode() + b"\xff\xfe") == "FILE is not UTF-8 text"


@given(st.binary(max_size=60) | st.text(max_size=60).map(lambda rest: (HEADER + rest).encode()))
def test_any_bytes_are_results_or_one_sentence(tmp_path_factory, data):
    path = tmp_path_factory.getbasetemp() / "bytes.csv"
    path.write_bytes(data)
    sentence = ""
    try:
        games = read_csv(path).games.sum()
    except ResultsFileError as error:
        games, sentence = 0, str(error)
    assert sentence.isprintable()
    assert (games > 0) == (sentence == "")


def test_a_missing_file_is_refused_with_the_nearest_name(tmp_path):
    (tmp_path / "results.csv").write_text(HEADER)
    with pytest.raises(ResultsFileError, match=r"there is no file .*did you mean 'results.csv'\?"):
        read_csv(tmp_path / "result.csv")
    with pytest.raises(ResultsFileError, match="is a directory, not a file of results"):
        read_csv(tmp_path)
    with pytest.raises(ResultsFileError, match="cannot be read: File name too long"):
        read_csv(tmp_path / ("x" * 500))


@pytest.mark.skipif(os.geteuid() == 0, reason="root reads everything")
def test_a_file_that_is_not_ours_is_refused(path):
    path.write_text(HEADER)
    path.chmod(0)
    with pytest.raises(ResultsFileError, match="cannot be read: Permission denied"):
        read_csv(path)

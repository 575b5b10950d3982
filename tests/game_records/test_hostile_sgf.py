"""SGF that is malformed or meant to harm: one sentence with the place, within bounds."""

import io
import re
import tracemalloc

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oddly.game_records.kept_game import KeptGame
from oddly.game_records.sgf import (
    DEEPEST,
    LARGEST_GAME,
    MAX_MARKS,
    MAX_NODES,
    parse_collection,
)
from oddly.game_records.sgf_reading import read_sgf
from oddly.game_records.sgf_writing import sgf_game
from oddly.games.catalogue import create_game
from oddly.referee.justice.record import RecordError
from tests.game_records.make_golden import GOLDEN_GAMES, golden_game, golden_text
from tests.game_records.random_games import read_text, refusal

YODD = create_game("yodd", 3)
MAX_MEMORY = 64 * LARGEST_GAME
"""Bytes, while a game of the largest size is read."""


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"", "it has no SGF game"),
        (b"hello (world)", "it has no SGF game"),
        ("(;GM[1])".encode("utf-16"), "it has no SGF game"),
        (b"(;", "game 1, line 1: the file ends inside it: a ')' is missing"),
        (b"(;GM[1]\n;AB[cc", "the '[' of line 2, character 4, has no ']'"),
        (b"(;GM[1]\n;AB[cc\\])", "the '[' of line 2, character 4, has no ']'"),
        (b"\n(;)\n\n(;GM[1]\n;9)", "game 2, line 5, character 2: '9' belongs to no property"),
        (b"(;GM[1]\n;AB)", "game 1, line 2, character 4: property with no values"),
        (b"(;\n[cc];)", "game 1, line 2, character 4: unexpected value"),
        (b"(;GM[1](;)AB[cc])", "property value outside a node"),
        (b"(;GM[1]()())", "empty sequence"),
        (b"(;GM[2])", "GM is not 1"),
        (b"(;SZ[9])", "SZ is 9, but yodd 3 has SZ[5]"),
        (b"(;SZ[5:9])", "SZ is 5:9"),
        (b"(;SZ[" + b"9" * 9999 + b"])", "SZ is 99999"),
        (b"(;CA[zlib])", "CA[zlib] is not a known encoding"),
        (b"(;CA[\xff\x1b[31m])", "is not a known encoding"),
        (b"(;CA[UTF-8]PB[\xff])", "PB is not UTF-8 text, at byte 1"),
        (b"(;AB[cc];B[])", "AB in the first node is not how yodd 3 begins"),
        (b"(;B[cc])", "the first node has a move"),
        (b"(;;B[cc];B[dd])", "turn 1: B[dd]: the turn has all its stones"),
        (b"(;;W[])", "turn 1: W[]: it is black's turn"),
        (b"(;;B[])", "turn 1: a pass would leave 0 groups"),
        (b"(;;AB[aa])", "turn 1: AB[aa]: malformed point 'aa'"),
        (b"(;;AB[cc:])", "turn 1: AB[cc:]: malformed point"),
        (b"(;;AB[cc][cc])", "turn 1: AB names a point twice"),
        (b"(;;AB[aa:zz])", "malformed point 'aa'"),
        (b"(;;AB[cc]PL[B])", "turn 1: PL[B], but it is white's turn then"),
        (b"(;;AB[cc];AE[cc]AB[cd])", "turn 2: AE takes c3 off"),
        (b"(;;AB[cc];AW[cc])", "turn 2: c3 is occupied"),
        *(
            (b"(;ODDLY[" + text + b"])", "ODDLY in the first node is not a JSON object")
            for text in (b"{", b"[" * 100_000, b'{"a":' * 100_000, b"1" * 9999)
        ),
        (b'(;ODDLY[{"game": "yodd", "size": true}])', "names no size"),
        (b'(;ODDLY[{"game": "chess", "size": 8, "settings": {}}])', "unknown game 'chess'"),
        (b'(;ODDLY[{"game": "yodd", "size": 3, "settings": 5}])', "names no game"),
        (b'(;ODDLY[{"game": "yodd", "size": 3, "settings": {}}])', "players: field required"),
        (b"(;;AB[cc]ODDLY[Bc3])", "a turn and the seconds it took are expected"),
        (b"(;;AB[cc]ODDLY[Bc3 1e999])", "a turn and the seconds it took are expected"),
        (b"(;;AB[cc]ODDLY[Bc3 999999999e9])", "a turn and the seconds it took are expected"),
        (b"(;;AB[cc]ODDLY[c3 1])", "malformed turn 'c3'"),
        (b"(;;AB[cc]ODDLY[resign 1])", "resign is only an answer"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_told_with_its_place(data, expected):
    assert expected in refusal(read_sgf, data, YODD)


def test_a_game_that_nobody_names():
    assert "nothing says what game this is" in refusal(read_sgf, b"(;)")
    assert "nothing says what game this is" in refusal(read_sgf, b"(;GN[yodd 99])")


def test_a_result_that_the_rules_deny():
    text = golden_text("yodd").replace('"score": "B+1"', '"score": "B+2"').encode()
    assert "game 1, line 1: the record says B+2, the rules B+1" in refusal(read_sgf, text, YODD)
    foreign = b"(;GN[yodd 3]RE[B+1];AB[cc];W[];B[])"
    assert "the file says B+1, the rules W+1" in refusal(read_sgf, foreign)


@pytest.mark.sampled
@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"(;" * (DEEPEST + 1), f"more than {DEEPEST:,} variations inside each other"),
        (b"(" + b";" * (MAX_NODES + 1), f"more than {MAX_NODES:,} nodes"),
        (b"(;C[" + b"x" * (2 * LARGEST_GAME), "longer than 1 MiB, or never ends"),
        (b"(;C[" + b"\\]" * LARGEST_GAME, "longer than 1 MiB, or never ends"),
        (b"(;C[" + b"x" * LARGEST_GAME + b"])", "longer than 1 MiB"),
        (
            b"(;C" + b"[]" * (LARGEST_GAME // 2 - 8) + b"])",
            f"more than {MAX_MARKS:,} values and nodes",
        ),
        (b"(;;AB" + b"[aa:zz]" * 100_000 + b")", "malformed point 'aa'"),
        (b"(;;AB" + b"[cc:cc]" * 100_000 + b")", "AB names a point twice"),
        (b"(" * (3 * LARGEST_GAME), "it has no SGF game"),
        (b"( " * LARGEST_GAME, "it has no SGF game"),
        (b"(" + b" " * (2 * LARGEST_GAME) + b";)", "it has no SGF game"),
        (
            b"(;)" * 300 + b"(;ODDLY[{}]" + b"(;" * (DEEPEST - 1) + b")" * DEEPEST + b"x(;",
            "game 302",
        ),
    ],
    ids=range(12),
)
def test_what_is_huge_is_bounded(data, expected):
    tracemalloc.start()
    try:
        sentence = refusal(read_sgf, data, YODD)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert expected in sentence
    assert peak < MAX_MEMORY


def test_the_deepest_nesting_that_is_allowed_is_read():
    data = b"(;" * DEEPEST + b")" * DEEPEST
    (game,) = parse_collection(io.BytesIO(data))
    assert len(game.nodes) == DEEPEST
    # What is nested is let go again without overflowing anything.
    del game


def test_the_longest_game_that_is_written_is_read():
    """The bug: longer ones were written too, and refused when they were read."""
    record = golden_game("yodd").record
    room = LARGEST_GAME - len(sgf_game(KeptGame(record, {"note": ""})).rstrip().encode())
    longest = KeptGame(record, {"note": room * "x"})
    assert read_text(read_sgf, sgf_game(longest)) == [longest]
    with pytest.raises(RecordError, match=r"^its SGF is longer than 1 MiB$"):
        sgf_game(KeptGame(record, {"note": room * "x" + "x"}))


def test_a_game_that_would_be_too_long_in_our_own_words_is_read():
    name, told = "\N{SNOWMAN}" * (LARGEST_GAME // 5), []
    text = f"(;SZ[5]GN[yodd 3]PB[{name}]PW[b];AB[cc])"
    (kept,) = read_sgf(io.BytesIO(text.encode()), None, told.append)
    assert kept.record.players == (name, "b")
    with pytest.raises(RecordError, match="longer than 1 MiB"):
        sgf_game(kept)


def test_a_collection_is_read_game_by_game():
    """Its length is bounded by nothing but patience."""
    one = golden_text("yodd").encode()

    class Endless(io.RawIOBase):
        def read(self, size=-1):
            return one * (size // len(one))

    games = read_sgf(Endless())
    tracemalloc.start()
    try:
        assert all(next(games).record.game == YODD for _ in range(200))
        assert tracemalloc.get_traced_memory()[1] < MAX_MEMORY
    finally:
        tracemalloc.stop()


def test_games_are_found_across_the_edges_of_what_is_read_at_once(monkeypatch):
    text = "".join(f"junk ( \n{golden_text(name)}" for name in GOLDEN_GAMES).encode()
    whole = list(read_sgf(io.BytesIO(text)))
    for chunk in (1, 2, 7, 1000):
        monkeypatch.setattr("oddly.game_records.sgf._CHUNK", chunk)
        assert list(read_sgf(io.BytesIO(text))) == whole
        lines = [game.line for game in parse_collection(io.BytesIO(text))]
        starts = [match.start() for match in re.finditer(rb"\(;FF", text)]
        assert lines == [1 + text[:start].count(b"\n") for start in starts]


PIECES = st.sampled_from(
    [b"(", b")", b";", b"[", b"]", b"\\", b"AB", b"AW[bb]", b"AE", b"[cc]", b"[bb:dd]", b"PL[B]",
     b"B[]", b"W[]", b"ODDLY[Bc3 0.5]", b"ODDLY[{}]", b"SZ[5]", b"CA[UTF-8]", b"GN[yodd 3]", b" ",
     b"\n", b"\xff", b"RE[B+R]", b"AB[cc]", b"(;", b"comment"]
)  # fmt: skip


@settings(max_examples=300)
@given(st.lists(PIECES, max_size=30).map(lambda pieces: b"(;" + b"".join(pieces)) | st.binary())
def test_nothing_but_a_sentence_comes_of_nonsense(data):
    try:
        games = list(read_sgf(io.BytesIO(data), YODD, lambda _: None))
    except RecordError as error:
        assert str(error).isprintable()  # noqa: PT017
    else:
        assert games


@settings(max_examples=150)
@given(st.sampled_from(sorted(GOLDEN_GAMES)), st.data())
def test_a_game_with_a_piece_torn_out_is_refused_or_read(name, data):
    text = golden_text(name).encode()
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, min(len(text), start + 40)))
    torn = text[:start] + data.draw(st.binary(max_size=3)) + text[end:]
    try:
        list(read_sgf(io.BytesIO(torn)))
    except RecordError as error:
        assert str(error).isprintable()  # noqa: PT017

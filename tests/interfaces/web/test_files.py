"""Files of games: up to 1 MiB and 50 games are read, more is refused in one sentence."""

import base64

import pytest

from oddly.interfaces.web.bounds import Bounds, OneEach
from oddly.interfaces.web.practice import (
    MAX_FILE,
    MAX_GAMES,
    MAX_VERTICES,
    FileRequest,
    PracticeError,
    games_view,
)
from oddly.referee import RecordError

GAME = "# yodd 3\nBc3 Wa3,Be3 We1,Bd3 pass pass\n"
TOO_MANY = f"A file may have up to {MAX_GAMES} games, and this one has more."


def filled(size, games=1):
    """A file of so many bytes; each comment is a line that JSON makes twice as long."""
    text = GAME * games
    return text + "#" + '"' * (size - len(text) - 2) + "\n"


def test_a_file_of_a_mebibyte_is_read_and_a_larger_one_refused(server):
    answer = server.post("/api/files", {"text": filled(MAX_FILE, 2)})
    assert answer.status_code == 200
    assert [game["score"] for game in answer.json()["games"]] == ["B+1", "B+1"]
    answer = server.post("/api/files", {"text": filled(MAX_FILE + 1)})
    assert answer.status_code == 422
    assert answer.json()["sentence"].startswith("A file may have up to 1 MiB")
    answer = server.post("/api/files", {"text": "x" * (2 * MAX_FILE + 65_536)})
    assert answer.status_code == 413
    assert answer.json()["sentence"].startswith("A file may have up to 1 MiB")


def test_fifty_games_are_read_and_one_more_refused():
    assert len(games_view(FileRequest(text=GAME * MAX_GAMES))) == MAX_GAMES
    with pytest.raises(PracticeError) as refused:
        games_view(FileRequest(text=GAME * (MAX_GAMES + 1)))
    assert str(refused.value) == TOO_MANY


SGF = "(;FF[4]CA[{}]GM[1]SZ[5]GN[yodd 3]C[in CA[GB2312\\]]PB[{}]PW[b];AB[cc]PL[W];W[])"
ENCODINGS = [
    ("UTF-8", "中文 😀"),
    ("GB2312", "中文名"),
    ("ISO-8859-1", "Müller"),
    ("Shift_JIS", "本因坊"),
    ("Big5", "中文"),
    ("EUC-JP", "本因坊"),
]


@pytest.mark.parametrize(("encoding", "name"), ENCODINGS)
def test_a_file_in_any_encoding_is_read_as_it_says(encoding, name):
    data = SGF.format(encoding, name).encode(encoding)
    (game,) = games_view(FileRequest(file=base64.b64encode(data)))
    assert game["players"] == [name, "b"]


@pytest.mark.parametrize(("encoding", "name"), ENCODINGS)
def test_a_text_is_decoded_already_whatever_it_says(encoding, name):
    (game,) = games_view(FileRequest(text=SGF.format(encoding, name)))
    assert game["players"] == [name, "b"]


def test_what_is_wrong_with_a_text_is_told_by_its_place_in_it():
    text = "(;FF[4]CA[Big5]GM[1]SZ[5]GN[yodd 3]?)"
    with pytest.raises(RecordError, match=f"character {text.index('?') + 1}:"):
        games_view(FileRequest(text=text))


def test_a_file_is_sent_in_base64(server):
    data = base64.b64encode(filled(MAX_FILE).encode()).decode()
    answer = server.post("/api/files", {"file": data})
    assert [game["score"] for game in answer.json()["games"]] == ["B+1"]
    data = base64.b64encode(filled(MAX_FILE + 1).encode()).decode()
    answer = server.post("/api/files", {"file": data})
    assert answer.status_code == 422
    assert answer.json()["sentence"].startswith("A file may have up to 1 MiB")
    for data in ("", "(;", "é", 3):
        answer = server.post("/api/files", {"file": data})
        assert answer.status_code == 422
        assert answer.json()["sentence"].endswith(".")


def test_games_without_end_are_not_begun():
    text = "# ayu 11\n" + "a1-a2 " * (MAX_VERTICES // 2 + 1)
    with pytest.raises(PracticeError, match="too long to be read"):
        games_view(FileRequest(text=text))


def test_other_posts_are_as_short_as_before(server):
    answer = server.post("/api/line", {"game": "yodd", "size": 3, "turns": ["x" * 70_000]})
    assert answer.status_code == 413


def test_an_address_has_one_file_under_way_and_all_together_a_number():
    places = OneEach(2)
    with places.take("one") as first, places.take("one") as again, places.take("two") as second:
        assert (first, again, second) == (True, False, True)
        with places.take("three") as third:
            assert not third
    with places.take("one") as first, places.take("three") as third:
        assert first
        assert third
    # What all files under way may take of the memory, in bytes.
    assert Bounds().files * Bounds().file_body < 1 << 27

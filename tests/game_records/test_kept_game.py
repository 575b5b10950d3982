"""What a file holds that a record has no place for is named when the file is converted."""

import io

import pytest

from oddly.game_records.formats import FORMATS, SGF_OF_TAPS
from oddly.game_records.kept_game import KeptGame
from oddly.game_records.sgf_reading import read_what_followed
from oddly.games.yodd import Yodd
from oddly.referee.justice.outcome import Termination
from oddly.referee.justice.record import GameRecord, RecordError
from tests.game_records.random_games import outcome_of, turns_in
from tests.game_records.test_sgf import SAVED_BY_GOGUI

HEAD = "(;FF[4]GM[1]CA[UTF-8]SZ[5]GN[yodd 3]PB[Žofie]PW[棋 Иван]"
TURNS = ";AB[cc]PL[W];AW[bb][dd]PL[B];B[];W[])"


def said_of(text, name="sgf"):
    """The sentences about a file, and its games."""
    said = []
    data = text if isinstance(text, bytes) else text.encode()
    return said, list(FORMATS[name].read(io.BytesIO(data), None, said.append))


def test_nothing_is_said_of_a_file_that_is_kept_whole():
    said, [kept] = said_of(f"{HEAD}RE[B+1]{TURNS}")
    assert said == []
    assert kept.record.players == ("Žofie", "棋 Иван")


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ("C[a fine game]", "comments"),
        ("GC[about the game]", "comments"),
        ("LB[cc:A]", "marks"),
        ("DT[2026-01-02]TM[600]", "the properties DT and TM"),
        ("C[hello]AN[me]", "comments and the property AN"),
        ("RO[semifinal]", "the property RO"),
        ("comment[hi]", "properties without a capital letter"),
        ("comment[hi]AN[me]", "properties without a capital letter and the property AN"),
    ],
)
def test_what_has_no_place_is_named(more, words):
    said, _ = said_of(f"{HEAD}{more}{TURNS}")
    assert said == [f"of what this file holds, {words} are left out".replace(
        "the property RO are", "the property RO is"
    )]  # fmt: skip


def test_what_stands_in_nodes_is_named_and_counted_once_for_a_whole_file():
    plain = f"{HEAD}{TURNS}"
    said, games = said_of(plain + plain.replace("PL[W]", "PL[W]C[!]BL[9]") + plain)
    assert len(games) == 3
    assert said == [
        "of what this file holds, comments and the property BL are left out, in 1 of 3 games"
    ]


def test_variations_are_named():
    said, [kept] = said_of(f"{HEAD};AB[cc](;AW[bb][dd];B[];W[])(;AW[ba]))")
    assert len(kept.record.turns) == 4
    assert said == ["of what this file holds, variations are left out"]


def test_taps_that_make_no_turn_are_named():
    said, [kept] = said_of("(;SZ[5]GN[yodd 3];B[cc];B[];W[bb])")
    assert [turn.turn for turn in kept.record.turns] == ["Bc3"]
    assert said == ["of what this file holds, taps that make no whole turn are left out"]


def test_what_followed_a_game_is_looked_at_too():
    [earlier] = FORMATS["turns"].read(io.BytesIO(b"# yodd 3\nBc3\n"))
    said = []
    saved = b"(;SZ[5];W[bb]C[hm];W[dd];W[cc](;B[ec])(;B[ec];B[ac]))"
    [kept] = read_what_followed(io.BytesIO(saved), earlier.record, said.append)
    assert [turn.turn for turn in kept.record.turns] == ["Bc3", "Wb2,Wd4"]
    words = "comments, variations and taps that make no whole turn"
    assert said == [f"of what this file holds, {words} are left out"]


def test_our_own_files_leave_nothing_out_and_what_others_added_is_named():
    game = Yodd(3)
    turns = turns_in(game, "Bc3 Wb2,Wd4 pass pass")
    outcome = outcome_of(game, turns, Termination.VOID)
    kept = KeptGame(
        GameRecord(game, ("a\r\nb", "](;"), ("", ""), 7, tuple(turns), outcome),
        {"event": "Łódź", "round": 3},
    )
    text = FORMATS["sgf"].writer()(kept)
    assert said_of(text) == ([], [kept])
    assert said_of(SGF_OF_TAPS.writer()(kept))[0] == []
    for old, new, words in (
        ("TR[cc]", "TR[cc]C[what a move]", "comments are"),
        ("PB[a", "PB[c", "the property PB is"),
        ("EV[", "EV[another ", "the property EV is"),
    ):
        said, _ = said_of(text.replace(old, new, 1))
        assert said == [f"of what this file holds, {words} left out"]


def test_the_event_and_the_round_of_other_programs_are_kept():
    said, [kept] = said_of(f"{HEAD}EV[Spring\\] cup]RO[3]{TURNS}")
    assert said == []
    assert kept.labels == {"event": "Spring] cup", "round": 3}


def test_text_in_the_files_own_encoding_is_compared_as_text():
    head = HEAD.replace("UTF-8", "KOI8-R").replace("Žofie", "Иван").replace("棋 ", "")
    assert said_of(f"{head}{TURNS}".encode("koi8-r"))[0] == []
    assert said_of(f"{head}C[да]{TURNS}".encode("koi8-r"))[0]
    # What is not even text in it is left out too, and harms nothing.
    assert said_of(f"{HEAD}C[".encode() + b"\xff" + f"]{TURNS}".encode())[0]


@pytest.mark.parametrize("claim", ["0", "Draw"])
def test_an_agreed_draw_is_read(claim):
    said, [kept] = said_of(f"{HEAD}RE[{claim}];AB[cc]PL[W])")
    assert said == []
    assert kept.record.outcome.score == "0"
    assert kept.record.outcome.termination is Termination.AGREEMENT
    with pytest.raises(RecordError, match=f"the file says {claim.upper()}, the rules B"):
        said_of(f"{HEAD}RE[{claim}]{TURNS}")


def test_a_count_of_a_game_that_is_not_over_is_named():
    said, [kept] = said_of(f"{HEAD}RE[B+3];AB[cc]PL[W])")
    assert kept.record.outcome.score == "B+F"
    assert said == ["of what this file holds, the property RE is left out"]
    for whole in ("B+R", "W+Time", "B+F", "W+Forfeit", "W+", "Void", "?", ""):
        assert said_of(f"{HEAD}RE[{whole}];AB[cc]PL[W])")[0] == []


def test_comments_in_a_list_of_turns_are_named():
    assert said_of("# yodd 3\n\n#\nBc3\n", "turns")[0] == []
    said, _ = said_of("# yodd 3\n# Ada - Bo: B+R\nBc3  # hm\n", "turns")
    assert said == ["the comments of this file are left out, with the names and results in them"]


IN_ODD = "(;SZ[3];B[aa]PL[B];B[]PL[W];W[ba]PL[W];W[]PL[B])"
IN_AYU = "(;SZ[5];B[be]PL[B];B[bd]PL[W])"


@pytest.mark.parametrize(
    ("text", "words"),
    [(IN_ODD, "odd 3 (board square, min_group 5)"), (IN_AYU, "ayu 5 (pie false)")],
)
def test_a_game_that_was_guessed_is_named_if_another_setting_fits_too(text, words):
    said, [kept] = said_of(text)
    assert str(kept.record.game) == words
    assert said == [
        f"1 game is read as {words}; if that is wrong, name it with --game, --size and so on"
    ]
    named = []
    list(FORMATS["sgf"].read(io.BytesIO(text.encode()), kept.record.game, named.append))
    assert named == []


def test_a_guess_is_named_once_for_all_games_of_a_file():
    """The bug: as many equal lines as games."""
    named = IN_AYU.replace("SZ", "GN[ayu 5 (pie true)]SZ")
    said, games = said_of(named + IN_ODD * 30 + IN_AYU * 2)
    assert len(games) == 33
    what_to_do = "if that is wrong, name it with --game, --size and so on"
    assert said == [
        f"30 games are read as odd 3 (board square, min_group 5); {what_to_do}",
        f"2 games are read as ayu 5 (pie false); {what_to_do}",
    ]


def test_nothing_is_said_of_a_game_that_was_guessed_and_has_no_settings():
    said, [kept] = said_of(SAVED_BY_GOGUI)
    assert kept.record.game.name == "xodd"
    assert said == ["of what this file holds, the properties DT and KM are left out"]


def test_convert_says_it(tmp_path, oddly):
    path = tmp_path / "a.sgf"
    path.write_text(f"{HEAD}C[hello]{TURNS}", encoding="utf-8")
    assert oddly("convert", path, "--to", "jsonl").err.endswith(
        "a.sgf: of what this file holds, comments are left out\n"
    )

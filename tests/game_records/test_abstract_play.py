"""Abstract Play's records: read, judged by both rules, and written again as they were.

The games were made by the site's own code, which also says how the board looked after every turn.
"""

import io
import json
from copy import deepcopy
from itertools import chain

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oddly.game_records.abstract_play_reading import json_objects, read_abstract_play
from oddly.game_records.abstract_play_turns import (
    GAMES_BY_ID,
    follow,
    game_by_ids,
    game_by_names,
    read_site_turn,
    site_cell,
    site_turn,
)
from oddly.game_records.abstract_play_writing import MAX_OBJECT, site_record
from oddly.game_records.kept_game import KeptGame
from oddly.game_records.sgf_reading import read_sgf
from oddly.game_records.sgf_writing import sgf_game
from oddly.games.ayu import Ayu
from oddly.games.board import hexhex_board
from oddly.games.catalogue import create_game
from oddly.interfaces.command_line import main
from oddly.protocol.notation import parse_turn
from oddly.referee.justice.outcome import Termination
from oddly.referee.justice.record import GameRecord, RecordError
from tests.game_records import random_games
from tests.game_records.random_games import outcome_of, read_text, turns_in
from tests.games.positions import cycle_start
from tests.source import ROOT

FOLDER = ROOT / "tests" / "data" / "abstract_play"
RECORDS = json.loads((FOLDER / "records.json").read_text(encoding="utf-8"))
GAMES = json.loads((FOLDER / "games.json").read_text(encoding="utf-8"))
REPETITION = GAMES.pop("ayu-size-5-repetition")
HEX_6 = RECORDS[0]


def read(*values, game=None):
    """The games of a file, and what is said about them."""
    said = []
    return read_text(
        read_abstract_play, json.dumps(list(values), indent=1), game, said.append
    ), said


def refusal(value, game=None):
    text = json.dumps([value], indent=1)
    return random_games.refusal(read_abstract_play, text, game, lambda _: None)


def changed(record, **places):
    """A record with other values: `header__players__0__result=2`."""
    record = deepcopy(record)
    for words, value in places.items():
        *path, last = [int(key) if key.isdigit() else key for key in words.split("__")]
        at = record
        for key in path:
            at = at[key]
        at[last] = value
    return record


def drawn(position, rows):
    """A position as the site draws it."""
    game = position.game
    lines = []
    for row in rows:
        first, last = row.split("-")
        if game.board.shape == "square":
            cells = [f"{chr(c)}{first[1:]}" for c in range(ord(first[0]), ord(last[0]) + 1)]
        else:
            cells = [f"{first[0]}{n}" for n in range(1, int(last[1:]) + 1)]
        names = {site_cell(game.board, v): n for n, v in enumerate(game.board.vertices)}
        lines.append("".join(".12"[position.stones[names[cell]]] for cell in cells))
    return "/".join(lines)


@pytest.mark.parametrize("name", GAMES)
def test_every_board_of_a_game_is_as_the_site_had_it(name):
    game = GAMES[name]
    no_moves = ("resign", "timeout", "draw", "abandoned")
    moves = [move for move in chain(*game["moves"]) if move not in no_moves]
    start = game_by_ids(game["metaGame"], game["variants"]).start()
    positions = [start, *(after for _, after in follow(start, moves))]
    boards = game["boards"][: len(moves) + 1]
    assert [drawn(position, game["rows"]) for position in positions] == boards


@pytest.mark.parametrize(("record", "name"), list(zip(RECORDS, GAMES, strict=True)), ids=GAMES)
def test_a_record_is_read_judged_and_written_as_it_was(record, name):
    (kept,), _ = read(record)
    through_json = KeptGame.read(json.dumps(kept.as_json()))
    (through_sgf,) = read_sgf(io.BytesIO(sgf_game(kept).encode()))
    for each in (kept, through_json, through_sgf):
        assert json.loads(site_record(each)) == record
    outcome, result = kept.record.outcome, GAMES[name]["result"]
    colours = [1, 2] if outcome.score == "0" else [outcome.winning_colour] * (not outcome.is_void)
    assert colours == result["winner"]
    assert kept.labels["id"] == record["header"]["site"]["gameid"]


def test_a_full_board_ends_a_game_there():
    (kept,), said = read(RECORDS[1])
    assert GAMES["yodd-hex-6-4"]["result"]["reason"] == "board full"
    assert [played.turn for played in kept.record.turns[-2:]] == ["pass", "pass"]
    assert len(kept.record.turns) == len([*chain(*RECORDS[1]["moves"])]) + 2
    reason = "added here: Abstract Play ends a game when the board is full"
    assert reason in kept.record.outcome.reason
    assert said == ["game 1: Abstract Play ended it when the board was full; both passes are added"]
    moves = [*RECORDS[1]["moves"]]
    moves[-1] = [*moves[-1], "pass"] if len(moves[-1]) == 1 else moves[-1]
    assert "the game was over before 'pass'" in refusal(
        changed(RECORDS[1], moves=[*moves, ["pass"]])
    )


def test_the_pie_rule_is_a_swap_here_and_no_move_there():
    record = RECORDS[list(GAMES).index("ayu-size-9-pied")]
    (kept,), _ = read(record)
    assert kept.record.players == ("Alice", "Oddly Bot")
    assert [played.turn for played in kept.record.turns[:3]] == ["f7-g7", "swap", "i4-i3"]
    assert (kept.record.outcome.winner, kept.record.outcome.score) == (0, "W+R")
    other_word = deepcopy(record)
    other_word["header"]["pied"] = other_word["header"].pop("pie-invoked")
    assert read(other_word)[0][0].record == kept.record
    assert "says that Yodd had a pie rule" in refusal(changed(HEX_6, header__pied=True))


def test_who_repeats_a_position_loses_there_and_draws_here(monkeypatch):
    start = cycle_start()
    monkeypatch.setattr(Ayu, "start", lambda _: start)
    monkeypatch.setattr(
        "oddly.game_records.abstract_play_reading.game_by_names", lambda *_: create_game("ayu", 5)
    )
    record = changed(
        RECORDS[list(GAMES).index("ayu-size-9-resign-2")],
        moves=REPETITION["moves"], header__players__0__result=1, header__players__1__result=0,
    )  # fmt: skip
    (kept,), said = read(record)
    outcome = kept.record.outcome
    assert (outcome.score, outcome.termination) == ("B+", Termination.REPETITION_WON)
    assert said == ["game 1: won by repetition, as on Abstract Play; by our rules a draw"]
    assert KeptGame.read(json.dumps(kept.as_json())).record == kept.record
    facts = kept.as_json()
    with pytest.raises(RecordError, match="the record says that white won, the repetition black"):
        KeptGame.read(json.dumps({**facts, "winning_colour": "white", "winner_index": 1}))
    with pytest.raises(RecordError, match="no position came back before the repetition, won"):
        KeptGame.read(json.dumps({**facts, "turns": facts["turns"][:3]}))
    draw = changed(record, header__players__0__result=0)
    assert "the header says that nobody won, the rules B+" in refusal(draw)


def void_game(game, text="", **labels):
    turns = turns_in(game, text)
    outcome = outcome_of(game, turns, Termination.VOID)
    return KeptGame(GameRecord(game, ("a", "b"), ("", "rave 1"), 1, tuple(turns), outcome), labels)


def test_games_of_ours_are_written_and_read_back():
    kept = void_game(create_game("yodd", 6), "Bf6 Wc6,Bd6 pass pass", event="Spring", round=2)
    written = json.loads(site_record(kept))
    header = written["header"]
    assert header["game"] == {"name": "Yodd", "variants": ["Hexhex 6 (91 spaces)"]}
    assert (header["event"], header["round"], header["site"]["name"]) == ("Spring", "2", "oddly")
    assert [player.get("is_ai") for player in header["players"]] == [None, True]
    assert {"date-start", "date-end", "date-generated"} <= header.keys()
    (again,), _ = read(written)
    assert [t.turn for t in again.record.turns] == [t.turn for t in kept.record.turns]
    assert again.record.outcome.score == kept.record.outcome.score


def test_what_the_site_does_not_have_is_not_written():
    for game, words in (("yodd", "its sizes of Yodd are 8, 6"), ("odd", "it has no such game")):
        with pytest.raises(RecordError, match=words):
            site_record(void_game(create_game(game, 5)))
    with pytest.raises(RecordError, match="expected Unicode text"):
        site_record(void_game(create_game("yodd", 6), event="\udcff", round=1))


def test_a_game_that_is_too_long_to_be_read_is_not_written():
    def written(event):
        return site_record(void_game(create_game("yodd", 6), "Bf6", event=event, round=2))

    room = MAX_OBJECT - len(written("x").rstrip())
    [kept] = read_text(read_abstract_play, written("x" + room * "x"))
    assert kept.labels["event"] == "x" + room * "x"
    with pytest.raises(RecordError, match="its object is longer than 1 MiB"):
        written("xx" + room * "x")


NAMES = [
    ("Yodd", ["variants.yodd.hex-7.name"], "yodd 7"),
    ("Yodd", ["variants.yodd.square-10.name"], "xodd 10"),
    ("Yodd", ["Default board"], "yodd 8"),
    ("yodd", [], "yodd 8"),
    ("Yodd", ["Hexhex 10 (271 spaces)"], "yodd 10"),
    ("Yodd", ["Base-9 board"], "yodd 9"),
    ("Yodd", ["15x15 board"], "xodd 15"),
    ("Ayu", ["13x13 board"], "ayu 13 (pie false)"),
    ("Ayu", [], "ayu 13 (pie false)"),
    ("Ayu", ["size-19"], "ayu 19 (pie false)"),
]


@pytest.mark.parametrize(("title", "variants", "expected"), NAMES)
def test_a_board_is_found_by_words_and_numbers(title, variants, expected):
    assert str(game_by_names(title, variants)) == expected


def test_a_user_says_which_board_it_is():
    record = changed(HEX_6, header__game__variants=["Kleines Brett"])
    said = refusal(record)
    assert "'Kleines Brett' names no board that is known: say which it is with --game" in said
    (kept,), _ = read(record, game=create_game("yodd", 6))
    assert json.loads(site_record(kept)) == record
    assert "names no board" in refusal(record, game=create_game("ayu", 9))
    assert "is off the hexhex board of base 5" in refusal(record, game=create_game("yodd", 5))


@pytest.mark.parametrize(
    ("meta", "variants", "words"),
    [
        ("odd", [], "'odd' is not one of our games: Abstract Play's Yodd and Ayu are"),
        ("yodd", ["yopp"], "the variant yopp is not one of our games"),
        ("yodd", ["hex-6", "yopp"], "the variant yopp"),
        ("yodd", ["square-12"], "yodd has no variant 'square-12'; did you mean 'square-1"),
        ("yodd", ["size-9"], "no variant 'size-9'"),
        ("ayu", ["size-9", "size-11"], "a game has one board"),
    ],
)
def test_what_is_no_game_of_ours(meta, variants, words):
    with pytest.raises(RecordError, match=words):
        game_by_ids(meta, variants)


@pytest.mark.parametrize(
    ("places", "words"),
    [
        ({"header__game__name": "Abande"}, "'Abande' is not one of our games"),
        ({"header__game__variants": ["Yopp"]}, "the variant Yopp is not one of our games"),
        ({"header__players": []}, "not a record of Abstract Play: header.players: "),
        ({"header__players__0__result": "1"}, "header.players.0.result: "),
        ({"moves": [["1g8"] * 3]}, "round 1 has 3 turns, for two players"),
        ({"moves": [["1g8", 5]]}, "moves.0.1"),
        ({"moves": [["1g8", {"mov": "pass"}], ["pass"]]}, "a turn is a text, or an object with"),
        ({"moves": [["1g8", None], ["1f4"]]}, "a turn is a text"),
        ({"moves": [["3g8"]]}, "turn 1: '3g8' is not a turn of Yodd: expected one such as 1h8,2c3"),
        ({"moves": [["1g8\x1b" * 60]]}, "\\x1b"),
        ({"moves": [["1g11"]]}, "turn 1: g11 is off the hexhex board of base 6"),
        ({"moves": [["1g8,1g8"]]}, "turn 1: '1g8,1g8': the first turn is one drop"),
        ({"moves": [["1g8", "1g8"]]}, "turn 2: h7 is occupied"),
        ({"moves": [["1g8"]]}, "nothing says why Black won"),
        ({"header__players__0__result": 0}, "the header says that nobody won, the rules B+1"),
        ({"header__players__1__result": 7}, "the header says that White won, the rules B+1"),
        ({"extra": 1}, "extra: "),
    ],
)
def test_what_is_no_record_is_told(places, words):
    record = changed(HEX_6, **places)
    said = refusal(record)
    assert words in said
    assert said.startswith("game 1, line 2: ")


@pytest.mark.parametrize(
    "places",
    [
        {"moves": [["anything"]]},
        {"header__players": [{"name": "a"}] * 3, "moves": [["a", "b", "c"]]},
        {"header__players": [], "moves": None, "extra": 1},
    ],
)
def test_games_of_others_among_ours_are_left_out(places):
    """A game of three players is no record of ours, but ours may be in the same file."""
    abande = changed(HEX_6, header__game__name="Abande", **places)
    games, said = read(abande, HEX_6, abande)
    assert len(games) == 1
    assert said == ["2 of 3 games are left out, since oddly does not have them: Abande"]


@given(st.sampled_from([6, 7, 8, 9, 10]))
def test_neighbours_are_neighbours_in_both_notations(base):
    board = hexhex_board(base)
    names = [site_cell(board, vertex) for vertex in board.vertices]
    assert len(set(names)) == len(board)
    assert names[0] == "a1"
    assert names[-1] == f"{chr(95 + 2 * base)}{base}"
    assert site_cell(board, board.vertices[base - 1]) == f"a{base}"


@given(st.data())
def test_turns_come_back(data):
    games = [game for boards in GAMES_BY_ID.values() for game in boards.values()]
    game = data.draw(st.sampled_from(games))
    one, other = data.draw(st.permutations(game.board.vertices))[:2]
    turn = parse_turn(f"{one}-{other}" if game.name == "ayu" else f"B{one},W{other}")
    written = site_turn(game, turn)
    assert read_site_turn(game, written) == turn
    spaced = f" {written.upper()} ".replace(",", " , ")
    assert read_site_turn(game, spaced) == turn


def test_a_cell_named_twice_is_one_stone():
    yodd = create_game("yodd", 6)
    assert str(read_site_turn(yodd, "1f5,1f5")) == "Be6"
    assert str(read_site_turn(yodd, "2f5,1f5")) == "We6"


def test_objects_come_one_by_one_however_they_are_separated():
    for text in ('[{"a":1},\n{"b":2}]', '{"a":1}\n\n{"b":2}\n', '\ufeff{"a":1}{"b":2}', '[{"a":1}'):
        found = [value for _, value in json_objects(io.BytesIO(text.encode()))]
        assert found == [{"a": 1}, {"b": 2}][: len(found)] != []
    for data, words in (
        (b'{"a": 1}\n{"b" 2}', "line 2, column 6: not JSON: expecting ':' delimiter"),
        (b"[1]", "line 1: a game is a JSON object"),
        (b'\n{"a": ' + b"[" * 100_000, "line 2: "),
        (
            b'{"a": ' + b"9" * 10_000 + b"}",
            "line 1: a number is too large, or the nesting too deep",
        ),
        (b'{"a": "' + b"x" * MAX_OBJECT, "longer than 1 MiB"),
        (b'{"a": "\xff"}', "line 1 or later is not UTF-8 text"),
    ):
        assert words in random_games.refusal(json_objects, data)


def test_a_user_converts_records_and_back(tmp_path, output, oddly):
    games, again = tmp_path / "games.jsonl", tmp_path / "again.json"
    said = oddly("convert", FOLDER / "records.json", games).err
    assert "game 2: Abstract Play ended it when the board was full" in said
    assert said.endswith(f"{len(RECORDS)} games in {games}\n")
    assert main(["convert", str(games), str(again), "--to", "abstract-play"]) == 0
    assert [value for _, value in json_objects(io.BytesIO(again.read_bytes()))] == RECORDS
    assert "# yodd 6" in output("convert", again, "--to", "turns", "--first", "2")
    assert main(["convert", str(FOLDER / "games.json"), "--to", "sgf"]) == 2


def test_a_user_rates_the_players_of_records(tmp_path, refusal, output, facts):
    path = tmp_path / "games.json"
    path.write_text(json.dumps([*RECORDS, RECORDS[0]]), encoding="utf-8")
    value = facts("ratings", path)
    assert {"yodd 6", "yodd 8", "xodd 9", "ayu 9 (pie false)"} <= value["games"].keys()
    # The abandoned game counts for nobody.
    assert "Alice" in output("ratings", path)
    path.write_text(json.dumps([record for record in RECORDS if "abandoned" in str(record)]))
    assert "has no finished game" in refusal("ratings", path)
    path.write_text(json.dumps([changed(HEX_6, header__players__1__name="Alice")]))
    assert "Traceback" not in refusal("ratings", path)

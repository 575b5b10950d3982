"""`oddly show`, `oddly diagram` and `oddly perft` as a user calls them."""

import json
import re
import shlex
import sys
from io import BytesIO, TextIOWrapper
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from oddly.games.catalogue import create_game
from oddly.games.diagram import draw
from oddly.games.installation import install_command
from oddly.games.turns import Colour
from oddly.protocol.evaluation import TurnEvaluation
from oddly.referee.justice.outcome import Outcome, Termination
from oddly.referee.justice.record import GameRecord, PlayedTurn
from tests.games.positions import played
from tests.source import ROOT
from tests.tournaments.run.test_full_disk import full_disk

TURNS = (
    PlayedTurn(Colour.BLACK, "Ba1", 0.0),
    PlayedTurn(Colour.WHITE, "Wa2,Wb1", 1.5, TurnEvaluation(0.25, 3, 800, -2.0)),
    PlayedTurn(Colour.BLACK, "pass", 0.25, TurnEvaluation(1.0)),
    PlayedTurn(Colour.WHITE, "pass", 0.125),
)
OUTCOME = Outcome(0, Colour.BLACK, "B+1", Termination.DOUBLE_PASS, "double pass", 4)


def file_with(path, *records):
    path.write_text("".join(json.dumps(record.as_json()) + "\n" for record in records))
    return str(path)


@pytest.fixture
def file(tmp_path):
    record = GameRecord(
        create_game("xodd", 2), ("deep", "dark"), ("", ""), None, TURNS, OUTCOME, opening=1
    )
    return file_with(tmp_path / "games.jsonl", record)


def test_a_recorded_game_is_shown_with_win_rates_and_leads_from_blacks_view(file, output):
    told = output("show --record", file)
    assert [line.split() for line in told.splitlines()[4:8]] == [
        ["1", "Ba1", "opening"],
        ["2", "Wa2,Wb1", "White", "1.500", "75.0", "%", "+2.00", "3", "800"],
        ["3", "pass", "Black", "0.250", "100.0", "%"],
        ["4", "pass", "White", "0.125"],
    ]
    assert told.startswith("xodd 2: deep - dark, B+1, double pass, 4 turns\n\n    played")
    assert told.endswith("Groups: 1 black + 2 white = 3\nResult: B+1\n")


def test_columns_of_which_nothing_is_known_are_left_out(tmp_path, output):
    turns = [PlayedTurn(turn.colour, turn.turn, 0.0) for turn in TURNS]
    record = GameRecord(create_game("xodd", 2), ("a", "b"), ("", ""), None, tuple(turns), OUTCOME)
    shown = output("show --record", file_with(tmp_path / "x.jsonl", record))
    assert shown.splitlines()[2].split() == ["played", "by"]


def test_json_has_the_evaluations_as_they_were_given_and_from_blacks_view(file, facts):
    found = facts("show --record", file, "--turn", "2")
    assert found["game"] == "xodd 2"
    assert (found["to_move"], found["groups"], found["result"]) == ("black", [1, 2], None)
    assert (found["players"], found["score"], found["opening"]) == (["deep", "dark"], "B+1", 1)
    assert found["turns"][1] == {
        "number": 2,
        "player": "white",
        "turn": "Wa2,Wb1",
        "seconds": 1.5,
        "black_win_rate": 0.75,
        "black_lead": 2.0,
        "evaluation": {"win_rate": 0.25, "depth": 3, "visits": 800, "lead": -2.0},
    }
    assert found["turns"][0]["evaluation"] is None


def test_json_of_a_position(facts):
    assert facts("show --game xodd --size 2", *["Ba1", "Wa2,Wb1"])["groups"] == [1, 2]


def test_what_a_player_who_swaps_expects_is_of_the_colour_that_it_gets():
    swap = PlayedTurn(Colour.WHITE, "swap", 0.0, TurnEvaluation(0.75, lead=1.0))
    assert (swap.black_win_rate, swap.black_lead) == (0.75, 1.0)


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ("--record FILE --line 2", "has no game 2"),
        ("--record FILE --turn 5", "the game has 4 turns, not 5"),
        ("--record FILE Ba1", "with --record the turns come from the file"),
        ("--record FILE --game odd", "not of odd"),
        ("--record no.jsonl", "cannot read no.jsonl"),
        ("--record list.sqlite", "list.sqlite is not named like a file of games"),
        ("--game odd --turn 1", "--turn goes with --record"),
        ("--line 1", "--game or --record is missing"),
    ],
)
def test_bad_input_is_told_in_one_sentence(words, sentence, file, refusal):
    assert sentence in refusal("show", *words.replace("FILE", file).split())


def test_a_game_that_the_rules_contradict_is_refused(tmp_path, refusal):
    record = GameRecord(
        create_game("xodd", 2), ("a", "b"), ("", ""), None, (*TURNS[:1], TURNS[3]), OUTCOME
    )
    assert "x.jsonl" in refusal("show --record", file_with(tmp_path / "x.jsonl", record))


RECORD = {
    "game": "ayu", "size": 5, "settings": {"pie": False}, "players": ["one", "two"],
    "engines": ["one 1", "two 1"], "seed": 1, "opening": 0,
    "turns": [["black", "b1-c1", 0.1], ["white", "a2-b2", 0.2]],
    "winner_index": 0, "winning_colour": "black", "score": "B+R", "termination": "resignation",
    "reason": "", "evidence": "", "diagram": "", "lag": 0.0,
}  # fmt: skip


def circles(text):
    return re.findall(r'circle class="(\w+)"', text)


@pytest.fixture
def records(tmp_path):
    path = tmp_path / "games.jsonl"
    path.write_text("".join(json.dumps({"id": str(n), **RECORD}) + "\n" for n in range(2)))
    return path


def test_turns_become_an_svg_on_standard_output(output):
    out = output("diagram --game yodd --size 3 Bc3 Wa5,We1")
    ET.fromstring(out)  # noqa: S314 - our own
    assert sorted(circles(out)) == ["black", "mark", "mark", "white", "white"]


def test_a_dash_is_standard_output(tmp_path, monkeypatch, output):
    """The bug: the picture went into a file named `-`."""
    monkeypatch.chdir(tmp_path)
    words = "diagram --game yodd --size 3 Bc3 Wa5,We1"
    assert output(f"{words} --to svg -o -") == output(words)
    assert not [*tmp_path.iterdir()]


@pytest.mark.parametrize(("name", "start"), [("x.svg", b"<?xml"), ("x.txt", b"    . . .")])
def test_the_name_of_the_output_says_what_to_write(tmp_path, output, name, start):
    target = tmp_path / name
    assert output("diagram --game odd --size 3 --output", target) == ""
    assert target.read_bytes().startswith(start)


@pytest.mark.parametrize(
    "words",
    [
        "--record games.jsonl --to svg --output games.jsonl",
        "--record games.jsonl --to ascii --output linked.txt",
        "--game odd --size 3 --values heat.json --to svg --output heat.json",
        "--game odd --size 3 drawn.txt --to svg --output drawn.txt",
        "--game odd --size 3 drawn.txt --output ./drawn.txt",
    ],
)
def test_a_picture_never_replaces_what_it_is_drawn_from(
    words, records, tmp_path, monkeypatch, output, refusal
):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "linked.txt").hardlink_to(records)
    (tmp_path / "heat.json").write_text('{"b1": 1}')
    (tmp_path / "drawn.txt").write_text(output("show --game odd --size 3"))
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    assert "is what is drawn: name another --output" in refusal(f"diagram {words}")
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before


NO_PICTURES = {
    "svg": (
        "{}\n",
        '<?xml version="1.0"?>\n<project/>\n',
        "<!-- <svg> --><html/>",
        "<!-- -->" * 30 + "<p/>",
    ),
    "png": ("{}\n", "PNG\n"),
    "ascii": (
        "{}\n",
        "notes\nGroups: mine, hers\n",
        f"{draw(played('odd', 2))}\nand a thought\n",
        f"a thought\n{draw(played('odd', 2))}\n",
    ),
}


@pytest.mark.parametrize(("kind", "noun"), [("svg", "SVG"), ("png", "PNG"), ("ascii", "diagram")])
def test_a_picture_replaces_one_of_its_kind_and_no_other_file(
    kind, noun, tmp_path, output, refusal
):
    if kind == "png":
        pytest.importorskip("resvg_py")
    picture, other = tmp_path / "picture", tmp_path / "other"
    words = ("diagram --game odd --size 3 --to", kind)
    picture.touch()
    output(*words, "--output", picture)
    old = picture.read_bytes()
    output(*words, "Bc3", "--output", picture)
    assert picture.read_bytes() not in (b"", old)
    for text in NO_PICTURES[kind]:
        other.write_text(text)
        assert f"{other} is no {noun}: name a new file" in refusal(*words, "--output", other)
        assert other.read_text() == text


def test_a_full_disk_leaves_the_earlier_picture(tmp_path, output, refusal):
    """The bug: it was cut off."""
    picture = tmp_path / "board.svg"
    words = ("diagram --game odd --size 3 --output", picture)
    output(*words)
    old = picture.read_bytes()
    with full_disk(1000):
        said = refusal(*words, "Bc3")
    assert said.startswith(f"oddly: diagram: cannot write {picture}: ")
    assert picture.read_bytes() == old
    assert list(tmp_path.iterdir()) == [picture]


@pytest.mark.parametrize(
    ("kind", "old"),
    [
        ("svg", '<?xml version="1.0"?>\n<!-- drawn\nby hand -->\n<svg/>'),
        ("svg", '\ufeff<!DOCTYPE svg PUBLIC "x" "y" [<!ENTITY a "b">]><svg viewBox="0 0 1 1"/>'),
        ("ascii", draw(played("yodd", 13))),
        ("ascii", draw(played("ayu", 5, "b1-c1", pie=True)) + "\n"),
        ("ascii", draw(played("yodd", 2, "Bb2", "pass", "pass")) + "\n"),
        ("ascii", draw(played("ayu", 11)) + "\n"),
    ],
)
def test_pictures_of_any_origin_are_replaced(kind, old, tmp_path, output):
    picture = tmp_path / "picture"
    picture.write_text(old, encoding="utf-8")
    output("diagram --game odd --size 3 --to", kind, "--output", picture)
    assert picture.read_bytes() not in (b"", old.encode())


def test_text_is_what_show_prints_and_is_read_back(tmp_path, output):
    position = played("xodd", 4, "Ba1", "Wd4,Wd2")
    shown = output("diagram --game xodd --size 4 --to ascii Ba1 Wd4,Wd2")
    assert shown == draw(position) + "\n"
    diagram = tmp_path / "position.txt"
    diagram.write_text(draw(position))
    assert circles(output("diagram --game xodd", diagram)) == ["black", "white", "white"]


def test_a_diagram_and_values_may_begin_with_a_byte_order_mark(tmp_path, monkeypatch, output):
    drawn, heat = tmp_path / "drawn.txt", tmp_path / "heat.json"
    files = (("diagram --game xodd", drawn), ("diagram --game xodd --size 3 --values", heat))
    shown = []
    for encoding in ("utf-8", "utf-8-sig"):
        drawn.write_text(draw(played("xodd", 3, "Ba1")), encoding=encoding)
        heat.write_text('{"b1": 1}', encoding=encoding)
        monkeypatch.setattr("sys.stdin", TextIOWrapper(BytesIO(drawn.read_bytes())))
        shown.append([output(*words) for words in (*files, ("diagram --game xodd -",))])
    assert shown[0] == shown[1]


def test_what_is_no_diagram_is_quoted_in_part(tmp_path, refusal, monkeypatch):
    for words, what in ((b"x" * 200, "is neither a row"), (b"\xff" * 1000, "is not UTF-8 text")):
        monkeypatch.setattr("sys.stdin", TextIOWrapper(BytesIO(words)))
        said = refusal("show --game yodd --size 3 -")
        assert what in said
        assert len(said) < 200
    hostile = tmp_path / "\x1b[31m"
    hostile.write_bytes(b"\xff")
    assert f"show: {str(hostile)!r} is not UTF-8 text" in refusal("show --game yodd", hostile)
    (tmp_path / "b2").mkdir()
    for command in ("show", "diagram"):
        assert "b2, lacks a colour" in refusal(f"{command} --game yodd --size 3 b2")


def test_of_a_file_that_is_too_long_for_a_diagram_a_part_is_read(monkeypatch, refusal):
    monkeypatch.setattr("sys.stdin", TextIOWrapper(BytesIO(b"\n" * (2**20 + 1))))
    for name in ("-", "/dev/zero"):
        said = refusal(f"diagram --game yodd --size 3 {name}")
        assert f"diagram: {name!r} is longer than 1048576 bytes" in said


def test_show_reads_the_diagrams_that_it_prints(tmp_path, output, refusal):
    """The bug: it took the name of the file for a turn, unlike diagram and solve."""
    position = played("ayu", 3, "b1-b2", pie=True)
    diagram = tmp_path / "position"
    diagram.write_text(draw(position))
    assert output("show --game ayu --pie", diagram) == draw(position) + "\n"
    assert "'no.txt' is neither a turn nor a file" in refusal("show --game ayu no.txt")


def test_a_recorded_game_is_shown_after_any_turn(records, output):
    for turn, touched in ((0, []), (1, ["b1", "c1"]), (2, ["a2", "b2"])):
        drawn = output("diagram --record", records, "--line", "2", "--turn", turn)
        root = ET.fromstring(drawn)  # noqa: S314 - our own
        marked = [
            group.get("data-vertex")
            for group in root.iter("{http://www.w3.org/2000/svg}g")
            for circle in group
            if circle.get("class") in ("mark", "left")
        ]
        assert sorted(marked) == touched


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ("", "--game or --record is missing"),
        ("--game yod", "did you mean 'yodd'"),
        ("--game yodd --turn 2", "--turn goes with --record"),
        ("--game yodd --to gif", "unknown value 'gif'"),
        ("--game yodd --output x.gif", "--to"),
        ("--game yodd --output nowhere/x.svg", "cannot write nowhere/x.svg"),
        (f"--game yodd --output {'x' * 300}.svg", "x.svg: File name too long"),
        ("--game yodd --to png --width 99999", "at most 8192"),
        ("--game yodd nothing.txt", "diagram: 'nothing.txt' is neither a turn nor a file"),
        ("--game yodd --size 3 Bc3 Bc3", "turn 2, Bc3, is illegal"),
        ("--record none.jsonl", "cannot read none.jsonl"),
        ("--record games.jsonl --line 3", "has no game 3"),
        ("--record games.jsonl --turn 9", "has 2 turns, not 9"),
        ("--record games.jsonl Bc3", "come from the file"),
        ("--record games.jsonl --size 3", "go with --game"),
        (
            "--record games.jsonl --game odd",
            "games.jsonl has a game of ayu 5 (pie false), not of odd",
        ),
        ("--game odd --values games.jsonl", "is not JSON"),
        ("--game odd --values one.json", "'id' is not a vertex"),
        ("--game yodd --moving", "--moving shows turns"),
        ("--game yodd Bh8 --moving --to png", "a moving picture is an SVG, not png"),
        ("--game yodd Bh8 --moving --caption x", "leave out --caption"),
        (
            "--game odd --size 2 --values huge.json",
            "the value of b1 is not a number from -1e+300 to 1e+300: -1e+308",
        ),
        ("--game odd --size 2 --values twice.json", "twice.json: 'b1' has two values"),
    ],
)
def test_bad_input_is_one_sentence(words, sentence, records, tmp_path, monkeypatch, refusal):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "one.json").write_text('{"id": 1}')
    (tmp_path / "huge.json").write_text('{"b1": -1e308}')
    (tmp_path / "twice.json").write_text('{"b1": 1, "b1": 2}')
    assert sentence in refusal(f"diagram {words}")


def test_a_file_that_does_not_name_its_game_is_shown_as_the_one_that_is_named(
    tmp_path, output, refusal
):
    """The bug: the option that was asked for was refused."""
    files = {"game.txt": "Bc3 pass\n", "game.sgf": "(;GM[1]SZ[5];AB[cc];W[])"}
    shown = output("show --game yodd --size 3 Bc3 pass")
    for name, text in files.items():
        path = tmp_path / name
        path.write_text(text)
        assert "name it with --game" in refusal("show --record", path)
        assert output("show --game yodd --size 3 --record", path).endswith(shown)
        assert output("diagram --game yodd --size 3 --to ascii --record", path) == shown


def test_games_of_any_format_are_shown(records, tmp_path, output):
    path = tmp_path / "games.sgf"
    output("convert", records, path)
    shown = [output("diagram --record", each, "--line", "2") for each in (records, path)]
    assert shown[0] == shown[1]


@pytest.mark.parametrize("line", ["[]", "{", "{}", '{"turns": 3}', "[" * 100_000, ""])
def test_a_line_that_is_no_record_is_one_sentence(line, tmp_path, refusal):
    path = tmp_path / "games.jsonl"
    path.write_text(line + "\n")
    said = refusal("diagram --record", path)
    wrong = ": line 1: not a game record: " if line else " has no game 1\n"
    assert said.startswith(f"oddly: diagram: {path}{wrong}")


def test_the_pictures_in_the_docs_are_what_their_commands_draw(tmp_path, monkeypatch, output):
    page = (ROOT / "docs" / "how-to" / "draw-positions.md").read_text(encoding="utf-8")
    lines = re.findall("^oddly (diagram .*)$", page, re.MULTILINE)
    commands = [shlex.split(line) for line in lines]
    assert len(commands) == len(list((ROOT / "docs" / "boards").glob("*.svg")))
    monkeypatch.chdir(ROOT)
    for words in commands:
        drawn = Path(words.pop())
        target = tmp_path / drawn.name
        assert output(*words, target) == ""
        assert target.read_text() == drawn.read_text()


def test_png_without_its_package_says_what_to_install(tmp_path, monkeypatch, refusal):
    monkeypatch.setitem(sys.modules, "resvg_py", None)
    target = tmp_path / "x.png"
    assert install_command("png") in refusal("diagram --game odd --output", target)
    assert not target.exists()


def test_png_without_a_font_comes_without_words_and_says_so(tmp_path, monkeypatch, oddly):
    pytest.importorskip("resvg_py")
    monkeypatch.setattr("oddly.games.drawing.png.draws_text", lambda: False)
    target = tmp_path / "x.png"
    words = ("diagram --game odd --output", target)
    said = oddly(*words).err
    assert said.startswith("oddly: diagram: the PNG has no words, since neither DejaVu Sans nor")
    assert said.count("\n") == 1
    assert target.read_bytes().startswith(b"\x89PNG")
    assert oddly(*words, "--no-coordinates").err == ""


@pytest.mark.parametrize(
    ("words", "lines"),
    [
        ("yodd --size 2 --depth 2", "1 14\n2 470\n"),
        ("yodd --size 2 --by drop --depth 3", "1 14\n2 182\n3 1046\n"),
        ("odd --size 2 --board square --min-group 3 --depth 4", "1 8\n2 48\n3 192\n4 384\n"),
        ("ayu --size 3 --pie --depth 4", "1 2\n2 6\n3 4\n4 0\n"),
        ("odd --size 2 --depth 1 Ba2 Wb2", "1 10\n"),
    ],
)
def test_each_depth_gets_a_line_with_its_count(words, lines, output):
    assert output(f"perft --game {words}") == lines


def test_json_has_the_counts(facts):
    words = ["--game", "odd", "--size", "2", "--depth", "2"]
    value = facts("perft", *words)
    assert (value["game"], value["by"], value["counts"][0]) == (
        "odd 2 (board hexhex, min_group 5)",
        "turn",
        14,
    )

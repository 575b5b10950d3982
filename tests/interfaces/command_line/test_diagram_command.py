"""`oddly diagram` as a user calls it."""

import json
import re
import shlex
import sys
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from oddly.games.diagram import draw
from oddly.games.installation import install_command
from tests.games.positions import played

ROOT = Path(__file__).parents[3]

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


@pytest.mark.parametrize(("name", "start"), [("x.svg", b"<?xml"), ("x.txt", b"    . . .")])
def test_the_name_of_the_output_says_what_to_write(tmp_path, output, name, start):
    target = tmp_path / name
    assert output("diagram --game odd --size 3 --output", target) == ""
    assert target.read_bytes().startswith(start)


def test_text_is_what_show_prints_and_is_read_back(tmp_path, output):
    position = played("xodd", 4, "Ba1", "Wd4,Wd2")
    shown = output("diagram --game xodd --size 4 --to ascii Ba1 Wd4,Wd2")
    assert shown == draw(position) + "\n"
    diagram = tmp_path / "position.txt"
    diagram.write_text(draw(position))
    assert circles(output("diagram --game xodd", diagram)) == ["black", "white", "white"]


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
        ("--game yodd --to png --width 99999", "at most 8192"),
        ("--game yodd nothing.txt", "diagram: 'nothing.txt' is neither a turn nor a file"),
        ("--game yodd --size 3 Bc3 Bc3", "turn 2, Bc3, is illegal"),
        ("--record none.jsonl", "cannot read none.jsonl"),
        ("--record games.jsonl --line 3", "has 2 lines, and no line 3"),
        ("--record games.jsonl --turn 9", "has 2 turns, not 9"),
        ("--record games.jsonl Bc3", "come from the file"),
        ("--record games.jsonl --size 3", "come from the file"),
        ("--game odd --values games.jsonl", "is not JSON"),
        ("--game odd --values one.json", "'id' is not a vertex"),
        ("--game yodd --moving", "--moving shows turns"),
        ("--game yodd Bh8 --moving --to png", "a moving picture is an SVG, not png"),
        ("--game yodd Bh8 --moving --caption x", "leave out --caption"),
        ("--game odd --size 2 --values huge.json", "the value of b1 is not a number"),
    ],
)
def test_bad_input_is_one_sentence(words, sentence, records, tmp_path, monkeypatch, refusal):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "one.json").write_text('{"id": 1}')
    (tmp_path / "huge.json").write_text('{"b1": 1' + "0" * 400 + "}")
    assert sentence in refusal(f"diagram {words}")


@pytest.mark.parametrize("line", ["[]", "{", "{}", '{"turns": 3}', "[" * 100_000, ""])
def test_a_line_that_is_no_record_is_one_sentence(line, tmp_path, refusal):
    path = tmp_path / "games.jsonl"
    path.write_text(line + "\n")
    assert refusal("diagram --record", path).startswith(f"oddly: diagram: {path}:1: ")


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

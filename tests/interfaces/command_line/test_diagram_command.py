"""`oddly diagram` as a user calls it."""

import builtins
import json
import re
import shlex
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from oddly.games.diagram import draw
from oddly.games.installation import install_command
from oddly.interfaces.command_line import main
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


def test_turns_become_an_svg_on_standard_output(capsys):
    assert main(["diagram", "--game", "yodd", "--size", "3", "Bc3", "Wa5,We1"]) == 0
    out = capsys.readouterr().out
    ET.fromstring(out)  # noqa: S314 - our own
    assert sorted(circles(out)) == ["black", "mark", "mark", "white", "white"]


@pytest.mark.parametrize(("name", "start"), [("x.svg", b"<?xml"), ("x.txt", b"    . . .")])
def test_the_name_of_the_output_says_what_to_write(tmp_path, name, start):
    target = tmp_path / name
    assert main(["diagram", "--game", "odd", "--size", "3", "--output", str(target)]) == 0
    assert target.read_bytes().startswith(start)


def test_text_is_what_show_prints_and_is_read_back(tmp_path, capsys):
    position = played("xodd", 4, "Ba1", "Wd4,Wd2")
    assert main(["diagram", "--game", "xodd", "--size", "4", "--to", "ascii",
                 "Ba1", "Wd4,Wd2"]) == 0  # fmt: skip
    assert capsys.readouterr().out == draw(position) + "\n"
    diagram = tmp_path / "position.txt"
    diagram.write_text(draw(position))
    assert main(["diagram", "--game", "xodd", str(diagram)]) == 0
    assert circles(capsys.readouterr().out) == ["black", "white", "white"]


def test_a_recorded_game_is_shown_after_any_turn(records, capsys):
    for turn, touched in ((0, []), (1, ["b1", "c1"]), (2, ["a2", "b2"])):
        assert main(["diagram", "--record", str(records), "--line", "2", "--turn", str(turn)]) == 0
        root = ET.fromstring(capsys.readouterr().out)  # noqa: S314 - our own
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
        ([], "--game or --record is missing"),
        (["--game", "yod"], "did you mean 'yodd'"),
        (["--game", "yodd", "--turn", "2"], "--turn goes with --record"),
        (["--game", "yodd", "--to", "gif"], "unknown value 'gif'"),
        (["--game", "yodd", "--output", "x.gif"], "--to"),
        (["--game", "yodd", "--output", "nowhere/x.svg"], "cannot write nowhere/x.svg"),
        (["--game", "yodd", "--to", "png", "--width", "99999"], "at most 8192"),
        (["--game", "yodd", "nothing.txt"], "diagram: 'nothing.txt' is neither a turn nor a file"),
        (["--game", "yodd", "--size", "3", "Bc3", "Bc3"], "turn 2, Bc3, is illegal"),
        (["--record", "none.jsonl"], "cannot read none.jsonl"),
        (["--record", "RECORDS", "--line", "3"], "has 2 lines, and no line 3"),
        (["--record", "RECORDS", "--turn", "9"], "has 2 turns, not 9"),
        (["--record", "RECORDS", "Bc3"], "come from the file"),
        (["--record", "RECORDS", "--size", "3"], "come from the file"),
        (["--game", "odd", "--values", "RECORDS"], "is not JSON"),
        (["--game", "odd", "--values", "ONE"], "'id' is not a vertex"),
        (["--game", "odd", "--size", "2", "--values", "HUGE"], "the value of b1 is not a number"),
    ],
)
def test_bad_input_is_one_sentence(words, sentence, records, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "one.json").write_text('{"id": 1}')
    (tmp_path / "huge.json").write_text('{"b1": 1' + "0" * 400 + "}")
    names = {"HUGE": "huge.json", "RECORDS": str(records), "ONE": "one.json"}
    assert main(["diagram", *(names.get(word, word) for word in words)]) == 2
    said = capsys.readouterr().err
    assert sentence in said
    assert said.count("\n") == 1


@pytest.mark.parametrize("line", ["[]", "{", "{}", '{"turns": 3}', "[" * 100_000, ""])
def test_a_line_that_is_no_record_is_one_sentence(line, tmp_path, capsys):
    path = tmp_path / "games.jsonl"
    path.write_text(line + "\n")
    assert main(["diagram", "--record", str(path)]) == 2
    assert capsys.readouterr().err.startswith(f"oddly: diagram: {path}:1: ")


def test_the_pictures_in_the_docs_are_what_their_commands_draw(tmp_path, monkeypatch):
    page = (ROOT / "docs" / "how-to" / "draw-positions.md").read_text(encoding="utf-8")
    lines = re.findall("^oddly (diagram .*)$", page, re.MULTILINE)
    commands = [shlex.split(line) for line in lines]
    assert len(commands) == len(list((ROOT / "docs" / "boards").glob("*.svg")))
    monkeypatch.chdir(ROOT)
    for words in commands:
        drawn = Path(words.pop())
        target = tmp_path / drawn.name
        assert main([*words, str(target)]) == 0
        assert target.read_text() == drawn.read_text()


def test_png_without_its_package_says_what_to_install(tmp_path, monkeypatch, capsys):
    real = builtins.__import__

    def without(name, *rest, **more):
        if name == "resvg_py":
            raise ImportError(name)
        return real(name, *rest, **more)

    monkeypatch.setattr(builtins, "__import__", without)
    target = tmp_path / "x.png"
    assert main(["diagram", "--game", "odd", "--output", str(target)]) == 2
    assert install_command("png") in capsys.readouterr().err
    assert not target.exists()


def test_png_without_a_font_comes_without_words_and_says_so(tmp_path, monkeypatch, capsys):
    pytest.importorskip("resvg_py")
    monkeypatch.setattr("oddly.games.drawing.png.draws_text", lambda: False)
    target = tmp_path / "x.png"
    words = ["diagram", "--game", "odd", "--output", str(target)]
    assert main(words) == 0
    said = capsys.readouterr().err
    assert said.startswith("oddly: diagram: the PNG has no words, since neither DejaVu Sans nor")
    assert said.count("\n") == 1
    assert target.read_bytes().startswith(b"\x89PNG")
    assert main([*words, "--no-coordinates"]) == 0
    assert capsys.readouterr().err == ""

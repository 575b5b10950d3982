"""`oddly solve` finds who wins small boards: from the start, after turns and from a diagram."""

import io
import json

import pytest

from oddly.games.catalogue import create_game
from oddly.games.diagram import draw
from oddly.interfaces.command_line import main
from oddly.protocol.notation import parse_turn

YODD = ["solve", "--game", "yodd", "--size", "2"]


def solved(capsys, *words: str) -> dict:
    assert main([*words, "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def refusal(capfd, *words: str) -> str:
    try:
        code = main([*words])
    except SystemExit as stopped:
        code = stopped.code
    shown = capfd.readouterr()
    assert (code, shown.out) == (2, "")
    return shown.err


def test_the_answer_is_a_table(capsys):
    assert main(YODD) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines] == [
        "game", "to", "winner", "turn", "nodes", "time",
    ]  # fmt: skip
    assert lines[2:4] == ["winner   Black", "turn     Bb2"]


def test_the_answer_is_an_object(capsys):
    facts = solved(capsys, *YODD)
    seconds = facts.pop("seconds")
    assert seconds >= 0
    assert facts == {
        "game": "yodd", "size": 2, "to_move": "black", "solved": True,
        "winner": "black", "turn": "Bb2", "nodes": facts["nodes"],
    }  # fmt: skip


@pytest.mark.parametrize("words", [["xodd", "3"], ["odd", "2"], ["ayu", "3"]])
def test_a_winning_turn_stays_one_after_it_was_played(words, capsys):
    command = ["solve", "--game", words[0], "--size", words[1]]
    facts = solved(capsys, *command)
    if facts["turn"] is not None:
        after = solved(capsys, *command, facts["turn"])
        assert (after["winner"], after["turn"]) == (facts["to_move"], None)


def test_a_diagram_says_the_size(tmp_path, capsys, monkeypatch):
    position = create_game("yodd", 2).start().play(parse_turn("Bb2"))
    file = tmp_path / "position.txt"
    file.write_text(draw(position), encoding="utf-8")
    facts = solved(capsys, "solve", "--game", "yodd", str(file))
    assert (facts["size"], facts["to_move"], facts["winner"]) == (2, "white", "black")
    monkeypatch.setattr("sys.stdin", io.StringIO(draw(position)))
    again = solved(capsys, "solve", "--game", "yodd", "-")
    assert again["nodes"] == facts["nodes"]


def test_a_limit_leaves_it_unknown(capsys):
    facts = solved(capsys, "solve", "--game", "xodd", "--size", "9", "--nodes", "10")
    assert (facts["solved"], facts["winner"], facts["nodes"]) == (False, None, 10)
    assert main(["solve", "--game", "xodd", "--size", "9", "--nodes", "10"]) == 0
    assert "winner   unknown: a limit came first" in capsys.readouterr().out


def test_bad_input_is_one_sentence(tmp_path, capfd):
    over = ["Bb2", "pass", "pass"]
    assert refusal(capfd, *YODD, *over).startswith("oddly: solve: the game is over: ")
    assert "'nofile' is neither a turn nor a file that can be read" in refusal(
        capfd, *YODD, "nofile"
    )
    torn = tmp_path / "torn.txt"
    torn.write_bytes(b"\xff\xfe")
    assert "is not UTF-8 text" in refusal(capfd, *YODD, str(torn))
    torn.write_text("no diagram\n", encoding="utf-8")
    assert refusal(capfd, *YODD, str(torn)).count("\n") == 1
    assert "a number of seconds above 0" in refusal(capfd, *YODD, "--seconds", "0")
    assert "did you mean 'yodd'" in refusal(capfd, "solve", "--game", "yod")

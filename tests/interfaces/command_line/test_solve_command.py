"""`oddly solve` finds who wins small boards: from the start, after turns and from a diagram."""

import io
from random import Random

import pytest

from oddly.engines.kernels.jit import HAS_NUMBA
from oddly.games import EMPTY, random_turn
from oddly.games.catalogue import create_game
from oddly.games.diagram import draw
from oddly.protocol.notation import parse_turn

YODD = "solve --game yodd --size 2"


def test_the_answer_is_a_table(output):
    lines = output(YODD).splitlines()
    assert [line.split()[0] for line in lines] == [
        "game", "to", "winner", "turn", "nodes", "time",
    ]  # fmt: skip
    assert lines[2:4] == ["winner   Black", "turn     Bb2"]


def test_the_answer_is_an_object(facts):
    found = facts(YODD)
    seconds = found.pop("seconds")
    assert seconds >= 0
    assert found == {
        "game": "yodd", "size": 2, "to_move": "black", "solved": True,
        "winner": "black", "turn": "Bb2", "nodes": found["nodes"],
    }  # fmt: skip


@pytest.mark.parametrize("words", ["xodd --size 3", "odd --size 2", "ayu --size 3"])
def test_a_winning_turn_stays_one_after_it_was_played(words, facts):
    command = f"solve --game {words}"
    found = facts(command)
    if found["turn"] is not None:
        after = facts(command, found["turn"])
        assert (after["winner"], after["turn"]) == (found["to_move"], None)


@pytest.mark.skipif(not HAS_NUMBA, reason="by plain rules it takes minutes")
def test_the_end_of_odd_is_solved_on_its_default_board(facts):
    draw, position = Random(2), create_game("odd").start()
    turns = []
    while position.stones.count(EMPTY) > 16:
        turns.append(random_turn(position, draw))
        position = position.play(turns[-1])
    found = facts("solve --game odd", *map(str, turns))
    assert found["nodes"] == 3**16
    after = facts("solve --game odd", *map(str, turns), found["turn"])
    assert (after["winner"], after["turn"]) == (found["to_move"], None)


def test_a_diagram_says_the_size(tmp_path, monkeypatch, facts):
    position = create_game("yodd", 2).start().play(parse_turn("Bb2"))
    file = tmp_path / "position.txt"
    file.write_text(draw(position), encoding="utf-8")
    found = facts("solve", "--game", "yodd", str(file))
    assert (found["size"], found["to_move"], found["winner"]) == (2, "white", "black")
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(draw(position).encode())))
    again = facts("solve", "--game", "yodd", "-")
    assert again["nodes"] == found["nodes"]


def test_every_turn_is_told_once_up_to_symmetry(facts, output):
    turns = facts("solve --game xodd --size 3 --every-turn")["turns"]
    assert [each["turn"] for each in turns] == ["Ba1", "Wa1", "Bb1", "Wb1", "Bb2", "Wb2"]
    assert [each["winner"] for each in turns] == ["white"] * 4 + ["black", "white"]
    for each in turns:
        assert (each["reply"] is None) == (each["winner"] == "black")
    # In Odd the colours of all stones may be exchanged, and a full board has no reply.
    odd = facts("solve --game odd --size 2 --every-turn Bb1 Wc1 Ba2 Bb2 Wc2 Ba3")["turns"]
    assert [(each["turn"], each["reply"]) for each in odd] == [("Bb3", None), ("Wb3", None)]
    assert len(facts("solve --game odd --size 2 --every-turn")["turns"]) == 2
    shown = output("solve --game xodd --size 3 --every-turn").splitlines()
    assert [line.split()[0] for line in shown[7:9]] == ["turn", "Ba1"]


def test_after_a_swap_the_winner_has_the_colour_of_before(facts):
    found = facts("solve --game ayu --size 3 --pie b1-b2 --every-turn")
    winners = {each["turn"]: each["winner"] for each in found["turns"]}
    assert (found["to_move"], found["winner"], found["turn"]) == ("white", "white", "swap")
    assert winners.pop("swap") == "white"
    assert set(winners.values()) == {"black"}


def test_a_limit_leaves_it_unknown(facts, output):
    found = facts("solve", "--game", "xodd", "--size", "9", "--nodes", "10")
    assert (found["solved"], found["winner"], found["nodes"]) == (False, None, 10)
    assert "winner   unknown: a limit came first" in output(
        "solve --game xodd --size 9 --nodes", "10"
    )


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ("Bb2 pass pass", "oddly: solve: the game is over: "),
        ("nofile", "'nofile' is neither a turn nor a file that can be read"),
        ("torn.txt", "is not UTF-8 text"),
        ("words.txt", "oddly: "),
        ("--seconds 0", "a number of seconds above 0"),
    ],
)
def test_bad_input_is_one_sentence(words, sentence, tmp_path, monkeypatch, refusal):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "torn.txt").write_bytes(b"\xff\xfe")
    (tmp_path / "words.txt").write_text("no diagram\n", encoding="utf-8")
    assert sentence in refusal(f"{YODD} {words}")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("--game yodd --size 8", "has 169 empty cells here, which would take about 10^67 years"),
        ("--game xodd --size 5", "has 25 empty cells here, which would take about 6 days"),
        ("--game ayu --size 7", "has 24 units here, and nobody has solved it from 24"),
    ],
)
def test_what_takes_too_long_asks_for_a_limit(words, said, refusal, facts):
    assert said in refusal(f"solve {words}")
    assert "--nodes N or --seconds S limits a try" in refusal(f"solve {words}")
    assert facts(f"solve {words} --nodes 50")["solved"] is False

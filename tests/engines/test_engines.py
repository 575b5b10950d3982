"""The engines that come with oddly: uniform, greedy, reproducible; and options."""

import textwrap
from collections import Counter
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oddly import engines
from oddly.engines.engine import ENGINES, Option, OptionError, UnknownEngineError, create_engine
from oddly.engines.plain_engines import GreedyEngine
from oddly.games import legal_turns
from oddly.games.catalogue import create_game
from oddly.games.legal_turns import random_turn
from oddly.games.result import GroupCounts
from oddly.games.turns import Colour
from tests.engines.running import run_python
from tests.engines.talking import engine_with
from tests.games.positions import walked
from tests.source import ROOT

YODD = create_game("yodd", 3)
# The 99.9 % point of chi-square is below its degrees of freedom plus this many deviations.
DEVIATIONS = 4.0

BOARDS = [
    ("yodd", 2, {}),
    ("xodd", 2, {}),
    ("odd", 2, {"min_group": 2}),
    ("odd", 3, {"board": "square"}),
    ("ayu", 5, {"pie": True}),
]


each_board = pytest.mark.parametrize("board", BOARDS)


def walk(board, turns, seed=5):
    return walked(create_game(*board), Random(seed), turns)


@each_board
@pytest.mark.parametrize("turns", [0, 1, 2, 3, 4])
def test_a_random_turn_is_uniform_over_the_legal_ones(board, turns):
    position = walk(board, turns)
    legal = list(position.legal_turns())
    if len(legal) < 2:
        assert position.is_over or [random_turn(position, Random(1))] == legal
        return
    random = Random(2)
    number = 40 * len(legal)
    seen = Counter(random_turn(position, random) for _ in range(number))
    assert set(seen) <= set(legal)
    expected = number / len(legal)
    chi_square = sum((seen[turn] - expected) ** 2 / expected for turn in legal)
    freedom = len(legal) - 1
    assert chi_square < freedom + DEVIATIONS * (2 * freedom) ** 0.5


def test_rejection_and_listing_are_both_uniform(monkeypatch):
    monkeypatch.setattr(legal_turns, "TRIES", 0)
    test_a_random_turn_is_uniform_over_the_legal_ones(("yodd", 2), 1)


def test_there_is_no_random_turn_after_the_end():
    position = walk(("odd", 2), 7)
    assert position.is_over
    with pytest.raises(ValueError, match="no legal turn"):
        random_turn(position, Random(1))


@each_board
@given(st.integers(0, 20), st.integers(0, 99))
def test_outcomes_are_the_legal_turns_with_the_counts_they_leave(board, turns, seed):
    position = walk(board, turns, seed)
    found = list(position.outcomes())
    assert [turn for turn, _ in found] == list(position.legal_turns())
    for turn, counts in found:
        assert counts == position.play(turn).group_counts


@each_board
def test_greedy_takes_a_best_turn_and_every_best_turn_some_time(board):
    position = walk(board, 3)
    scores = {
        turn: position.game.score(position.play(turn).group_counts, position.to_move)
        for turn in position.legal_turns()
    }
    best = {turn for turn, value in scores.items() if value == max(scores.values())}
    engine = GreedyEngine()
    assert {engine.choose(position) for _ in range(60 * len(best))} == best


def test_greedy_wants_its_own_parity_in_odd_and_fewer_groups_elsewhere():
    position = walk(("odd", 2, {"min_group": 1}), 1)
    assert position.game.score(position.group_counts, Colour.BLACK) == 1
    assert position.game.score(position.group_counts, Colour.WHITE) == 0
    for name in ("yodd", "xodd", "ayu"):
        game = create_game(name)
        assert game.score(GroupCounts(2, 5), Colour.BLACK) == 3
        assert game.score(GroupCounts(2, 5), Colour.WHITE) == -3


@pytest.mark.sampled
@pytest.mark.parametrize("name", ENGINES)
def test_equal_seeds_make_equal_games_and_others_do_not(name):
    def turns(seed):
        engine, position, played = engine_with(name, seed=seed), YODD.start(), []
        engine.new_game()
        while not position.is_over:
            played.append(engine.choose(position))
            position = position.play(played[-1])
        return played

    if name in ("uct", "rave"):
        # Other tests compile the same, and wait for each other only there.
        create_engine("rave").load(YODD)
    assert turns(1) == turns(1)
    # A mirror that plays itself is left no choice.
    assert len({tuple(turns(seed)) for seed in range(5)}) > 1 or name == "mirror"


def test_an_unknown_engine_is_refused_with_the_nearest_name():
    with pytest.raises(UnknownEngineError, match="did you mean 'greedy'"):
        create_engine("greddy")


INTEGER = Option("threads", "integer", 1, 1, 64)
NUMBER = Option("exploration", "number", 0.1, 0, 10)
SWITCH = Option("ponder", "boolean", False)
CHOICE = Option("style", "choice", "calm", choices=("calm", "wild"))
CAPITALS = Option("style", "choice", "Calm", choices=("Calm", "Wild"))
WHOLE = Option("x", "integer", 0)
TEXT = Option("book", "text", "none")


@pytest.mark.parametrize(
    ("option", "line", "text", "value"),
    [
        (INTEGER, "threads type integer default 1 min 1 max 64", "64", 64),
        (NUMBER, "exploration type number default 0.1 min 0 max 10", "0.25", 0.25),
        (SWITCH, "ponder type boolean default false", "TRUE", True),
        (CHOICE, "style type choice default calm choices calm wild", "Wild", "wild"),
        (CAPITALS, "style type choice default Calm choices Calm Wild", "wild", "Wild"),
        (TEXT, "book type text default none", "any thing", "any thing"),
    ],
)
def test_options_describe_themselves_on_one_line_and_read_their_values(option, line, text, value):
    assert str(option) == line
    assert option.read(text) == value


@pytest.mark.parametrize(
    ("option", "text", "words"),
    [
        (INTEGER, "0", "from 1 to 64"),
        (INTEGER, "65", "from 1 to 64"),
        *((WHOLE, text, "is a whole number") for text in ("1.5", "", "1_0", " 1", "\u0661")),
        *((WHOLE, text, "is a whole number") for text in ("0x1", "1.", "9" * 5000, "1e2")),
        (NUMBER, "nan", "option exploration is a number from 0 to 10, not 'nan'$"),
        (NUMBER, "inf", "from 0 to 10"),
        (SWITCH, "maybe", "true or false"),
        (CHOICE, "wyld", "did you mean 'wild'"),
        (Option("x", "number", 0), "nan", "option x is a number, not 'nan'$"),
        (Option("x", "number", 0, 0), "nan", "option x is a number from 0, not 'nan'$"),
        (Option("x", "number", 0, None, 9), "nan", "option x is a number to 9, not 'nan'$"),
    ],
)
def test_options_refuse_what_they_are_not(option, text, words):
    with pytest.raises(OptionError, match=words):
        option.read(text)


@given(st.integers(-(10**20), 10**20), st.integers(), st.integers())
def test_an_integer_is_taken_exactly_if_it_lies_in_the_range(value, minimum, maximum):
    option = Option("x", "integer", 0, minimum, maximum)
    if minimum <= value <= maximum:
        assert option.read(str(value)) == value
    else:
        with pytest.raises(OptionError):
            option.read(str(value))


def test_the_ten_lines_of_the_docstring_are_an_engine(tmp_path):
    source = textwrap.dedent(engines.__doc__.split("ten lines:")[1])
    (tmp_path / "first.py").write_text(source, encoding="utf-8")
    lines = "1 name\nset_game xodd\nboardsize 2\n4 genmove b\n"
    done = run_python(str(tmp_path / "first.py"), given=lines, PYTHONPATH=str(ROOT))
    assert done.stdout == "=1 first\n\n=\n\n=\n\n=4 Ba1\n\n"
    page = (ROOT / "docs" / "tutorials" / "write-an-engine.md").read_text(encoding="utf-8")
    assert source.strip() in page


def test_print_inside_an_engine_does_not_reach_the_protocol():
    program = (
        "from engines import Engine, run\n"
        "class Chatty(Engine):\n"
        "    name = 'chatty'\n"
        "    def choose(self, position):\n"
        "        print('thinking')\n"
        "        return next(position.legal_turns())\n"
        "run(Chatty())\n"
    )
    done = run_python("-c", program, given="genmove b\n")
    assert (done.stdout, done.stderr) == ("= Bh1\n\n", "thinking\n")


def test_commands_in_one_write_are_answered_one_by_one():
    lines = "".join(f"{number} name\n" for number in range(500))
    said = run_python("-m", "oddly", "engine", "random", given=lines).stdout
    assert said == "".join(f"={number} random\n\n" for number in range(500))

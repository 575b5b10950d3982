"""`oddly bench` reports speed, which is no test's business, and errors where a game is decided."""

import json
import shlex

import pytest

from oddly.engines.benchmark import kernel_speed
from oddly.engines.benchmark.decided_positions import (
    BOARDS,
    DecidedPosition,
    decided_positions,
    keeps_the_win,
    read_lines,
)
from oddly.engines.kernels.jit import HAS_NUMBA
from oddly.engines.solver.solve import solver_of
from oddly.games.catalogue import create_game
from oddly.interfaces.command_line import bench_command
from oddly.protocol.messages import Resign
from oddly.protocol.notation import parse_turn
from oddly.study.estimates import ErrorRate, total
from tests.engines.solver.minimax import winner
from tests.programs import PYTHON
from tests.referee.fakes import FAKE

KERNELS = ["numba"] if HAS_NUMBA else []
QUICK = "bench kernels --seconds 0.01 --game"


@pytest.fixture
def no_compiler(monkeypatch):
    monkeypatch.setattr(bench_command, "find_compiler", lambda: None)


@pytest.mark.sampled
@pytest.mark.parametrize("board", ["yodd 3", "xodd 4", "odd 2", "ayu 5"])
def test_it_measures_each_implementation_there_is(board, facts):
    name, size = board.split()
    figures = facts(QUICK, name, "--size", size)
    c = ["c"] if kernel_speed.find_compiler() else []
    assert [figure["implementation"] for figure in figures] == [*KERNELS, *c, "python"]
    for figure in figures:
        assert (figure["game"], figure["size"]) == (name, int(size))
        assert figure["playouts_per_second"] > 0
        assert figure["nanoseconds_per_drop"] > 0
        assert figure["ratio_to_ai_ai"] is None
        if c:
            assert figure["lower_quartile"] <= figure["ratio_to_c"]
            assert figure["ratio_to_c"] <= figure["upper_quartile"]


def test_without_a_compiler_there_is_no_c_and_it_is_told(no_compiler, oddly):
    output, error = oddly(QUICK, "yodd", "--size", "2", "--json")
    figures = json.loads(output)
    assert [figure["implementation"] for figure in figures] == [*KERNELS, "python"]
    assert {figure["ratio_to_c"] for figure in figures} == {None}
    assert "no C compiler here (cc, gcc or clang)" in error


def test_without_a_temporary_folder_there_is_no_c_and_it_is_told(monkeypatch, oddly):
    def refuse():
        raise FileNotFoundError(2, "No usable temporary directory found")

    monkeypatch.setattr(bench_command, "find_compiler", lambda: "cc")
    monkeypatch.setattr(bench_command, "TemporaryDirectory", refuse)
    output, error = oddly(QUICK, "yodd", "--size", "2", "--json")
    assert [figure["implementation"] for figure in json.loads(output)] == [*KERNELS, "python"]
    said = "no reference in C, for want of a temporary folder: No usable temporary directory found"
    assert f"oddly: {said}\n" in error


def test_an_installed_distribution_lacks_the_references_and_says_where_they_are(
    monkeypatch, tmp_path, oddly
):
    monkeypatch.setattr(kernel_speed, "HERE", tmp_path)
    output, error = oddly(QUICK, "yodd", "--size", "2")
    assert error.count("the references in C come with a checkout of oddly") == 1
    assert "python" in output


def test_a_compiler_that_fails_costs_the_reference_only(monkeypatch, oddly):
    monkeypatch.setattr(bench_command, "find_compiler", lambda: "/bin/false")
    output, error = oddly(QUICK, "yodd", "--size", "2")
    assert "no reference in C for yodd 2: false failed (1)" in error
    assert "python" in output


def test_yodd_on_base_8_is_compared_with_ai_ai(no_compiler, output):
    shown = output(QUICK, "yodd", "--size", "8")
    assert "times Ai Ai's published figure of 1,429 Yodd base-8 games a second" in shown
    assert "Ai Ai" not in output(QUICK, "yodd", "--size", "3")


XODD = create_game("xodd", 3)


@pytest.fixture
def positions(tmp_path):
    """A file of four decided positions of Xodd on 3x3."""
    return tmp_path / "positions.jsonl"


@pytest.fixture
def errors(facts, positions):
    words = ("--game", "xodd", "--size", "3", "--count", "4", "--positions", positions)
    return lambda engine, code=0: facts("bench errors", engine, *words, code=code)


@pytest.mark.sampled
def test_every_position_is_won_by_the_side_to_move_and_answers_are_judged():
    found = decided_positions(XODD, seed=1)
    kept = []
    for _ in range(3):
        decided = next(found)
        mover = decided.position.to_move
        assert winner(decided.position, {}) is mover
        for turn in decided.position.legal_turns():
            after = decided.position.play(turn)
            is_kept = winner(after, {}) is mover
            assert keeps_the_win(decided, turn, solver_of(XODD)) == is_kept
            kept.append(is_kept)
        (again,) = read_lines([decided.line()])
        assert (again.turns, again.position.key) == (decided.turns, decided.position.key)
    assert {True, False} <= set(kept)


def test_the_highest_seed_finds_positions():
    """The bug: from about 10**14 on, the seeds of the games were too high for an engine."""
    assert next(decided_positions(XODD, seed=10**18 - 1)).turns


@pytest.mark.sampled
def test_who_swaps_and_wins_with_the_other_colour_keeps_the_win():
    game = create_game("ayu", 3, {"pie": True})
    decided = DecidedPosition((parse_turn("b1-b2"),), game.start().play("b1-b2"))
    kept = {
        str(turn): keeps_the_win(decided, turn, solver_of(game))
        for turn in decided.position.legal_turns()
    }
    assert kept == {"swap": True, "a2-a1": False, "c2-c1": False}


@pytest.mark.sampled
def test_it_counts_wins_thrown_away_and_shows_them(positions, errors):
    engine = f"{PYTHON} -m oddly engine"
    found = errors(f"{engine} rave --simulations 500")
    assert [board["board"] for board in found["boards"]] == ["xodd 3", "all"]
    assert found["boards"][1]["positions"] == 4
    assert found["boards"][1]["thrown"] == 0
    made = positions.read_text()
    found = errors(f"{engine} random")
    assert positions.read_text() == made
    board = found["boards"][0]
    assert board["low"] <= board["share"] == board["thrown"] / 4 <= board["high"]
    assert len(board["thrown_away"]) == board["thrown"]


def test_a_fault_throws_the_win_away(errors):
    engine = f"{PYTHON} {shlex.quote(str(FAKE))} --fault crash --at 1"
    found = errors(engine, code=1)
    assert found["boards"][0]["faults"] == found["boards"][0]["thrown"] == 4


WON = '{"game": "xodd", "size": 2, "turns": ""}\n'


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("{}", 'expected a field \'game\', as in "game": "yodd"'),
        ("[1]", "expected a JSON object on a line"),
        ("[" * 100_000, "expected a JSON object on a line"),
        ('{"game": "odd", "size": 2}', 'expected a field \'turns\', as in "turns": "Bc3 Wb2"'),
        ('{"game": "odd", "size": 2, "turns": 5}', "turns are a text or a list, as in"),
        ('{"game": "odd", "size": 2, "turns": ["Bz9"]}', "z9 is off the hexhex board"),
        ('{"game": "xodd", "size": 2, "turns": "Ba1 pass pass"}', "the game is over after these"),
    ],
    ids=lambda text: text[:40],
)
def test_a_line_that_is_no_position_is_refused_with_its_number(positions, refusal, line, problem):
    positions.write_text(f"{WON}\n{line}\n")
    said = refusal("bench errors --positions", positions)
    assert f"{positions}: not a file of positions: line 3: {problem}" in said


def test_a_file_without_lines_is_not_read_to_its_end(positions, refusal):
    positions.write_bytes(WON.encode() + bytes(3 << 20))
    said = refusal("bench errors --positions", positions)
    assert f"{positions}: not a file of positions: line 2 is longer than 1 MiB" in said
    positions.write_bytes(WON.encode() + b"\xff\n")
    said = refusal("bench errors --positions", positions)
    assert "line 2 is not UTF-8 text, at byte 1" in said


def test_an_empty_command_line_is_no_default(refusal):
    assert "bench: engine ''" in refusal("bench", "errors", "", "--game", "xodd")


def test_no_engine_throws_away_a_win_that_is_none(positions, errors):
    won = next(decided_positions(XODD))
    lost = next(
        after
        for after in map(won.position.play, won.position.legal_turns())
        if not after.is_over and winner(after, {}) is won.position.to_move
    )
    for answer in (*lost.legal_turns(), Resign()):
        assert keeps_the_win(DecidedPosition((), lost), answer, solver_of(XODD)) is None
    assert keeps_the_win(won, Resign(), solver_of(XODD)) is False


def test_a_file_that_appears_while_positions_are_found_is_kept(positions, oddly, monkeypatch):
    def found(*_):
        positions.write_text("theirs")
        return iter(())

    monkeypatch.setattr(bench_command, "decided_positions", found)
    said = oddly("bench errors --game xodd --size 3 --positions", positions, code=2).err
    assert f"bench: {positions}: it already exists: name a new file" in said
    assert positions.read_text() == "theirs"


def test_a_file_without_positions_of_the_game_is_refused(positions, refusal, capsys):
    positions.write_text(next(decided_positions(XODD)).line() + "\n")
    # It may have compiled first, and said so.
    capsys.readouterr()
    said = refusal("bench errors --game yodd --size 3 --positions", positions)
    assert said.endswith(f"{positions}: no position of yodd 3: it has xodd 3\n")
    positions.write_text("")
    assert "no position of xodd 3\n" in refusal(
        "bench errors --game xodd --size 3 --positions", positions
    )


def test_positions_that_cannot_be_written_are_refused_before_any_is_made(
    positions, refusal, monkeypatch
):
    monkeypatch.setattr(bench_command, "decided_positions", None)
    lost = positions / "lost.jsonl"
    said = refusal("bench errors --game xodd --size 3 --positions", lost)
    assert f"{lost}: No such file or directory" in said


def test_rates_add_up_and_what_nobody_could_judge_counts_for_nothing():
    decided = next(decided_positions(XODD))
    rate = ErrorRate("xodd 3")
    rate.count(decided, "pass", is_kept=True)
    rate.count(decided, "pass", is_kept=None)
    rate.count_fault(decided, "no answer")
    both = total([rate, rate])
    assert (both.positions, len(both.thrown), both.faults, both.unproved) == (4, 2, 2, 2)
    assert both.rate.value == 0.5


def test_the_boards_by_default_can_be_made():
    assert [create_game(*board).size for board in BOARDS] == [4, 5, 4, 5, 7]

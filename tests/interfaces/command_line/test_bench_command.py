"""`oddly bench kernels` reports every figure. How fast anything is, is no test's business."""

import json

import pytest

from oddly.engines.benchmark import kernel_speed
from oddly.engines.kernels.jit import HAS_NUMBA
from oddly.interfaces.command_line import bench_command

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

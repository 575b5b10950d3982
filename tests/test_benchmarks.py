"""The benchmarks run. How fast anything is, is no test's business."""

import json
import os
import shutil
import sys
from pathlib import Path

import pytest
import trio

from benchmarks import (  # fmt: skip
    compiling,
    demo,
    endings,
    environments,
    fastchess,
    first_move,
    floods,
    gogui,
    greedy,
    instant,
    learning,
    ledger,
    over_time,
    plies,
    referee,
    referee_processes,
    rules,
    search,
)
from oddly.games.catalogue import create_game


@pytest.fixture
def lines_of(monkeypatch, capsys):
    """Run a benchmark by its command line; the lines that it prints."""

    def run(benchmark, words=""):
        monkeypatch.setattr(sys, "argv", ["benchmark", *words.split()])
        benchmark.main()
        return capsys.readouterr().out.splitlines()

    return run


@pytest.mark.sampled
def test_the_referees_benchmark_runs_and_reports_every_figure(lines_of):
    lines = lines_of(referee, "--rounds 1 --history 2 --no-floods --json")
    facts = json.loads("".join(lines))
    assert facts["engine"] in ("C", "Python")
    assert facts["turns_of_the_game"] > 50
    assert facts["throughput_ours_to_bare"] > 0
    assert facts["peak_memory_mb"] > 0


@pytest.mark.sampled
def test_it_runs_without_a_compiler_too(monkeypatch, tmp_path):
    monkeypatch.setattr(instant.shutil, "which", lambda name: None)
    command, kind = instant.instant_engine(tmp_path)
    assert kind == "Python"
    assert command[0] == sys.executable
    facts = referee.measure(tmp_path, 1, 2)
    assert facts["engine"] == "Python"


def test_fastchess_is_measured_where_it_is_installed(monkeypatch, tmp_path):
    program = tmp_path / "fastchess"
    program.write_text("#!/bin/sh\nsleep 0.1\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    if shutil.which("cc") and sys.platform == "linux":
        figures = fastchess.fastchess_times(tmp_path, (1, 2), 1)
        assert figures.keys() == {
            f"fastchess_{kind}_us_at_{n}" for kind in ("cpu", "wall") for n in (1, 2)
        }


@pytest.mark.sampled
def test_a_flood_is_measured_beside_games_without_one(monkeypatch):
    monkeypatch.setattr(floods, "FLOODS", ("empty lines",))
    delays = floods.worst_delays(rounds=1)
    assert delays.keys() == {"empty lines"}
    assert min(delays["empty lines"].late, delays["empty lines"].busy) > 0


@pytest.mark.sampled
def test_the_time_to_the_first_move_is_measured(lines_of):
    assert len(lines_of(first_move, "--times 1")) == 2 + len(first_move.ENGINES)


def test_the_rules_benchmark_measures_whole_games():
    turns, seconds, flood = rules.measure(create_game("xodd", 3), rules.Random(1))
    assert turns > rules.GAMES_EACH
    assert seconds > 0
    assert flood > 0


def test_the_cost_of_a_ply_is_measured_beside_a_plain_odd(monkeypatch, lines_of):
    monkeypatch.setattr(plies, "PLIES", 1)
    monkeypatch.setattr(plies, "BOARDS", (("ayu", 3), ("yodd", 2)))
    *_, ayu, yodd = lines_of(plies)
    assert ayu.startswith("ayu 3")
    assert yodd.count("x ") == 4
    assert len(plies.PlainOdd([0, 1, 0], 1).legal()) == 4


@pytest.mark.sampled
def test_environments_are_measured(monkeypatch, lines_of):
    monkeypatch.setattr(environments, "BOARDS", (("yodd", 3),))
    monkeypatch.setattr(environments, "PLIES", 1)
    monkeypatch.setattr(environments, "unit", lambda: 0.5)
    lines = lines_of(environments, "--steps 2")
    assert lines[1].startswith("yodd 3")
    assert lines[-1] == "unit: 0.50 s"


def test_greedys_benchmark_measures_a_whole_game(monkeypatch, lines_of):
    turns, choosing, scoring = greedy.measure(create_game("odd", 2))
    assert turns == 7
    assert min(choosing, scoring) > 0
    monkeypatch.setattr(greedy, "BOARDS", (("yodd", 2),))
    assert lines_of(greedy)[1].startswith("yodd 2")


def test_goguis_benchmark_replays_whole_games(monkeypatch, lines_of):
    figures = gogui.measure(create_game("ayu", 5), 200, 1)
    assert figures.taps >= 4
    assert min(figures) > 0
    monkeypatch.setattr(gogui, "BOARDS", (("odd", 2),))
    assert lines_of(gogui)[1].startswith("odd 2")


@pytest.mark.sampled
def test_the_ledgers_benchmark_makes_one_that_everything_reads(tmp_path, lines_of):
    path = tmp_path / "big.sqlite"
    if not sys.platform.startswith("linux"):
        ledger.make(path, 5, 70)
        return
    lines = lines_of(ledger, f"--games 70 --engines 5 --ledger {path}")
    assert lines[1].startswith("70 games, ")
    assert len(lines) == 3 + len(ledger.STATEMENTS)
    with ledger.Ledger(path, read_only=True) as read:
        assert len(read.records()) == len(read.scheduled()) == sum(read.counts().values()) == 70


@pytest.mark.sampled
@pytest.mark.skipif(sys.platform != "linux", reason="reads processor times from /proc")
def test_the_benchmark_of_referee_processes_measures_every_number(tmp_path, monkeypatch):
    monkeypatch.setattr(referee_processes, "AT_ONCE", (2,))
    monkeypatch.setattr(referee_processes, "GAMES", 1)
    engine, _ = instant.instant_engine(tmp_path)
    game = create_game("odd", 2)
    turns = len(instant.record_game(game, tmp_path / "script"))
    command = (*engine, str(tmp_path / "script"))
    costs = trio.run(referee_processes.cost_of_referees, game, turns, command, 1)
    assert costs.keys() == {f"{kind}_us_at_2_by_{n}" for kind in ("cpu", "wall") for n in (1, 2)}


@pytest.mark.sampled
def test_the_search_is_compared_with_threads_processes_and_another_checkout(
    monkeypatch, tmp_path, lines_of
):
    python = tmp_path / ".venv" / "bin" / "python"
    python.parent.mkdir(parents=True)
    python.write_text(f'#!/bin/sh\nexec "{sys.executable}" "$@"\n')
    python.chmod(0o755)
    monkeypatch.setattr(search, "DEFAULT_BOARDS", (("odd", 5),))
    lines = lines_of(search, f"--rounds 2 --simulations 50 --against {tmp_path}")
    assert len(lines) == 3
    assert lines[2].startswith("odd 5")
    assert lines[2].count(" to ") == 3


@pytest.mark.sampled
def test_what_learning_is_worth_is_played_and_timed(monkeypatch, lines_of):
    monkeypatch.setattr(learning, "SIMULATIONS_TO_TIME", 50)
    (played,) = lines_of(learning, "odd 3 --games 2 --simulations 8 --memory 2")
    (timed,) = lines_of(learning, "odd 3 --speed 1 --memory 2")
    assert " of 2: " in played
    assert "median" in timed


def test_the_demo_is_measured_step_by_step_with_nothing_cached(tmp_path, monkeypatch):
    monkeypatch.setattr(demo, "unit", lambda: 0.5)
    monkeypatch.setenv("XDG_CACHE_HOME", "/somewhere")
    readme = Path(__file__).parents[1] / "README.md"
    steps = demo.demo_command(readme.read_text(encoding="utf-8")).split(" && ")
    assert [step.split()[-1] for step in steps] == [".venv", ".", "demo"]
    environment = demo.fresh(tmp_path)
    rows = demo.measured(["echo $HOME$XDG_CACHE_HOME", "exec sleep 1"], tmp_path, environment)
    assert (tmp_path / "output.txt").read_text(encoding="utf-8") == f"{tmp_path}\n"
    assert [row[0] for row in rows] == ["echo $HOME$XDG_CACHE_HOME", "exec sleep 1", "all"]
    assert all(int(row[3]) >= 2 for row in rows[1:])


@pytest.mark.sampled
def test_a_cold_engine_is_timed_in_seconds_and_units(monkeypatch, lines_of):
    monkeypatch.setattr(compiling, "DEFAULT_BOARDS", (("odd", 2),))
    *_, row = lines_of(compiling, "--engine uct --rounds 1")
    board, size, *figures = row.split()
    assert (board, size) == ("odd", "2")
    assert all(float(figure) > 0 for figure in figures)
    assert len(figures) == len(compiling.HEADERS) - 1


@pytest.mark.sampled
def test_over_time(capsys):
    over_time.print_coverage([30], 1, "one day")
    over_time.print_costs([10], 400, 4, 20)
    *_, coverage, _, _, day, week, month = capsys.readouterr().out.splitlines()
    assert coverage.startswith("| one day | 30 | ")
    assert [row.split()[1] for row in (day, week, month)] == ["day", "week", "month"]


@pytest.mark.sampled
def test_endings(monkeypatch, capsys):
    words = ["--positions", "2", "--simulations", "200", "--boards", "odd 3"]
    monkeypatch.setattr(sys, "argv", ["benchmark", *words])
    endings.main()
    *_, head, _, board, total = capsys.readouterr().out.splitlines()
    assert [cell.strip() for cell in head.split("|")[1:5]] == [
        "board", "wins", "left out", "thrown away"
    ]  # fmt: skip
    for row in (board, total):
        assert row.split("|")[2].strip() == "2"

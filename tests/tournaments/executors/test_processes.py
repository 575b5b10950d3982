"""Real referee processes: killed, stopped, and orphaned, in the middle of games."""

import json
import os
import signal
import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path

import pytest

from oddly.interfaces.command_line import main
from tests.patience import PATIENCE
from tests.processes import processes
from tests.programs import needs
from tests.referee.fakes import COMPOSED
from tests.referee.test_ending import sleepers
from tests.source import ROOT
from tests.tournaments.toml.written import records_of, started, tournament_file

SLOW = [[f"ask{number}", ["delay", 0.01]] for number in range(1, 200)]
STUBBORN = [["start1", ["ignore", 15]], ["quit1", ["delay", 3600]], ["ask1", ["delay", 3600]]]
SCRIPT = "executors/referee_start.py"
PROGRAM = """
import sys
from oddly.tournaments.executors import referee_process
referee_process.MAX_SILENCE = 2
from oddly.interfaces.command_line import main
sys.exit(main(sys.argv[1:]))
"""


def toml(tmp_path: Path, rounds: int, plan: list = SLOW) -> Path:
    command = [sys.executable, "-S", "-E", COMPOSED, json.dumps(plan), tmp_path.name]
    keys = f'rounds = {rounds}\nconcurrency = 4\nreferees = 2\nisolation = "none"'
    game = 'game = "odd"\nsize = 3'
    return tournament_file(tmp_path, "several", keys, game, {"one": command, "two": command})


@contextmanager
def running(path: Path, *words: str):
    """The tournament as a process, once a referee process of it plays."""
    process = subprocess.Popen(
        [sys.executable, "-c", PROGRAM, "tournament", str(path), *words],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        while len(engines(path)) < 8 or not all(plays(pid, path) for pid in referees(process)):
            assert process.poll() is None, process.communicate()
            time.sleep(0.01)
        yield process
    finally:
        process.kill()
        process.communicate()
    assert_nothing_is_left(path)


def wait_for_line(process: subprocess.Popen, words: str) -> None:
    """Wait until the run prints a line with these words on standard error."""
    lines = []
    while words not in (line := process.stderr.readline()):
        lines.append(line)
        assert line, f"it ended with {process.wait(PATIENCE)} after {lines}"


def children(process: subprocess.Popen) -> dict[int, tuple[str, str]]:
    """The state and the command line of each child of a run."""
    found = {}
    for child in Path("/proc").glob("[0-9]*"):
        try:
            state, parent, *_ = (child / "stat").read_text().rpartition(")")[2].split()
            words = (child / "cmdline").read_text()
        except OSError:
            continue
        if int(parent) == process.pid:
            found[int(child.name)] = state, words
    return found


def referees(process: subprocess.Popen) -> list[int]:
    """The referee processes that a run has now."""
    return sorted(pid for pid, (_, words) in children(process).items() if SCRIPT in words)


def plays(pid: int, path: Path) -> bool:
    """Whether a referee process has started engines of this test."""
    try:
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
        lines = [Path(f"/proc/{child}/cmdline").read_text() for child in children]
    except OSError:
        return False
    return any(line.endswith(f"\0{path.parent.name}\0") for line in lines)


def zombies(process: subprocess.Popen) -> list[int]:
    """The children of a run that it has not reaped."""
    return [pid for pid, (state, _) in children(process).items() if state == "Z"]


def engines(path: Path) -> list[str]:
    """The engines of this test that run."""
    return [line for line in processes() if line.rstrip().endswith(f" {path.parent.name}")]


def assert_nothing_is_left(path: Path) -> None:
    """What was killed takes a moment to be gone."""
    for _ in range(2000):
        if not engines(path):
            break
        time.sleep(0.005)
    assert engines(path) == []


def records(path: Path) -> dict:
    return records_of(path.with_suffix(".sqlite"))


def wait_for_games(path: Path, number: int, process: subprocess.Popen) -> None:
    while len(records(path)) < number:
        assert process.poll() is None, process.communicate()
        time.sleep(0.02)


pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="finds processes in /proc")


@pytest.mark.sampled
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGSTOP])
def test_a_referee_process_that_dies_or_stands_still_costs_its_own_games_only(tmp_path, number):
    # Each engine has a child that hides from whoever ends it.
    mark = f"{3600 + os.getpid()}.{tmp_path.name[-1]}"
    path = toml(tmp_path, 12, [*SLOW, ["start1", ["fork", ["setsid"], ["wipe", mark]]]])
    with running(path) as process:
        wait_for_games(path, 4, process)
        before = referees(process)
        assert len(before) == 2
        os.kill(before[0], number)
        _, error = process.communicate(timeout=PATIENCE)
    assert process.returncode == 0, error
    kept = records(path)
    assert len(kept) == 24
    assert {record.outcome.termination.value for record in kept.values()} == {"board full"}
    again = [record for record in kept.values() if record.abandoned]
    assert 1 <= len(again) <= 2
    how = "was killed (SIGKILL)" if number is signal.SIGKILL else "did not respond for 2 seconds"
    assert {reason for record in again for reason in record.abandoned} == {
        f"the referee process that played it {how}"
    }
    assert f"a referee process {how}\n" in error
    assert "is not replaced" not in error
    assert sleepers(mark) == set()


@needs("bubblewrap")
def test_isolated_engines_of_a_killed_referee_process_leave_no_zombie(tmp_path):
    path = toml(tmp_path, 500)
    path.write_text(path.read_text().replace('isolation = "none"', 'isolation = "bubblewrap"'))
    with running(path) as process:
        os.kill(referees(process)[0], signal.SIGKILL)
        wait_for_line(process, "a referee process was killed")
        while zombies(process):
            assert process.poll() is None
            time.sleep(0.01)


@pytest.mark.sampled
def test_ctrl_c_is_not_heard_by_referee_processes_and_a_second_one_ends_them(tmp_path):
    path = toml(tmp_path, 500, STUBBORN)
    with running(path) as process:
        children = referees(process)
        for child in children:
            # To a whole terminal, or to all that a service has.
            os.kill(child, signal.SIGINT)
            os.kill(child, signal.SIGTERM)
        process.send_signal(signal.SIGINT)
        wait_for_line(process, "Ctrl-C once more")
        process.send_signal(signal.SIGINT)
        _, error = process.communicate(timeout=PATIENCE)
        assert process.returncode == 3
        assert "Traceback" not in error
        assert not any(Path(f"/proc/{child}").exists() for child in children)
        assert engines(path) == []


@pytest.mark.sampled
def test_referee_processes_and_engines_end_with_a_killed_run_and_the_next_goes_on(tmp_path):
    path = toml(tmp_path, 10)
    with running(path) as process:
        wait_for_games(path, 3, process)
        children = referees(process)
        # One of them cannot hear of it before it goes on.
        os.kill(children[0], signal.SIGSTOP)
        process.kill()
        process.communicate()
        assert_nothing_is_left(path)
        while any(SCRIPT in line for line in map(arguments, children)):
            time.sleep(0.01)
    again = started(path, stdout=subprocess.DEVNULL)
    _, error = again.communicate(timeout=PATIENCE)
    assert again.returncode == 0, error
    assert "of 20 games were played before; the others follow" in error
    assert len(records(path)) == 20


def arguments(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/cmdline").read_text()
    except OSError:
        return ""


def test_turns_logs_and_records_are_those_of_one_process(tmp_path, capsys, output):
    path, logs = toml(tmp_path, 6, []), tmp_path / "logs"
    words = ["tournament", str(path), "--json", "--no-ledger", "--log-dir", str(logs)]
    told = []
    for number in ("1", "2"):
        games = json.loads(output(*words, "--referees", number))["games"]
        told.append({game["id"]: [turn[1] for turn in game["turns"]] for game in games})
        for log in sorted(logs.iterdir())[:2]:
            assert main(["replay", str(log)]) == 0
        capsys.readouterr()
    assert told[0] == told[1]
    assert len(told[0]) == 12
    assert len(list(logs.iterdir())) == 12

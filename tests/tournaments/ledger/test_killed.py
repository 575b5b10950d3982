"""`oddly merge` and `oddly salvage` that are killed at any moment: a whole ledger or none."""

import random
import signal
import subprocess
import sys
import time

import pytest

from oddly.interfaces.command_line import main
from oddly.safe_files.whole_files import whole_file
from oddly.tournaments import Ledger, LedgerError, verify
from oddly.tournaments.ledger.ledger_file import new_ledger
from tests.patience import PATIENCE
from tests.tournaments.ledger.conftest import GAMES

COMMANDS = ("merge", "salvage")
OUTPUT = "good.sqlite"
BESIDE = (f"{OUTPUT}-lock", f".{OUTPUT}.part")
"""What a command that is killed at its very end leaves beside until the next use."""


def words_of(command, whole, output):
    """The words of a command that makes a ledger of all games of the whole one."""
    sources = [str(whole)] * (2 if command == "merge" else 1)
    return [command, *sources, "-o", str(output)]


def run_killed_after(words, folder, seconds: float) -> float:
    """Kill the process so long after it made its first file; return how long it wrote."""
    process = subprocess.Popen(
        [sys.executable, "-m", "oddly", *words],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    while process.poll() is None and not any(folder.iterdir()):
        time.sleep(0.0005)
    began = time.monotonic()
    try:
        process.wait(seconds)
    except subprocess.TimeoutExpired:
        process.send_signal(signal.SIGKILL)
        process.wait()
    return time.monotonic() - began


def check_kills(command, whole, tmp_path, capsys, seed: int, kills: int) -> None:
    folder, chance = tmp_path / "folder", random.Random(seed)
    folder.mkdir()
    output = folder / OUTPUT
    words = words_of(command, whole, output)
    duration = run_killed_after(words, folder, PATIENCE)
    output.unlink()
    for _ in range(kills):
        run_killed_after(words, folder, chance.uniform(0, duration))
        if not output.exists():
            assert main(words) == 0, capsys.readouterr()
        found = verify(output)
        assert (found.games, found.problems) == (GAMES, [])
        assert {path.name for path in folder.iterdir()} <= {OUTPUT, *BESIDE}
        output.unlink()
    assert main(words) == 0, capsys.readouterr()
    assert [path.name for path in folder.iterdir()] == [OUTPUT]


@pytest.mark.sampled
@pytest.mark.parametrize("command", COMMANDS)
def test_a_killed_command_leaves_a_whole_ledger_or_none(command, whole, tmp_path, capsys):
    check_kills(command, whole, tmp_path, capsys, 1, 7)


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(2, 4))
@pytest.mark.parametrize("command", COMMANDS)
def test_a_killed_command_often_leaves_a_whole_ledger_or_none(
    command, whole, tmp_path, capsys, seed
):
    check_kills(command, whole, tmp_path, capsys, seed, 50)


@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_waits_for_nobody_who_makes_the_same_ledger(command, whole, tmp_path, capsys):
    words = words_of(command, whole, tmp_path / OUTPUT)
    with whole_file(tmp_path / OUTPUT) as part:
        assert main(words) == 2
        assert f"cannot write {tmp_path / OUTPUT}: another process is making it now" in (
            capsys.readouterr().err
        )
        part.write_bytes(b"theirs")
    assert (tmp_path / OUTPUT).read_bytes() == b"theirs"
    assert main(words) == 2
    assert "already exists: name a new file" in capsys.readouterr().err


def test_a_run_does_not_begin_while_a_command_makes_its_ledger(tmp_path):
    """The bug: the run began, and lost its games to the ledger that the command made."""
    sentence = "another run is writing to this ledger now"
    with new_ledger(tmp_path / OUTPUT), pytest.raises(LedgerError, match=sentence):
        Ledger(tmp_path / OUTPUT)
    assert [path.name for path in tmp_path.iterdir()] == [OUTPUT]


def test_a_command_makes_no_ledger_while_a_run_begins_its_own(tmp_path):
    with Ledger(tmp_path / OUTPUT) as ledger, pytest.raises(LedgerError, match="another run"):
        new_ledger(ledger.path).__enter__()

"""Who stops reading what a command prints, as in `less`, or never begins, stops no game."""

import os
import signal
import subprocess
import time

import pytest
import trio

from tests.arena.client.real_arena import listening_arena
from tests.interfaces.arena.hosting import free_port
from tests.interfaces.command_line.test_join_command import command_line
from tests.patience import PATIENCE
from tests.pipes import full_pipe
from tests.programs import PYTHON
from tests.tournaments.toml.written import ODDLY, TWO_RANDOM, records_of, started, tournament_file

COMMANDS = "1 name\n2 quit\n"
TEXT = {"text": True, "capture_output": True}
ENGINE = f"{PYTHON} -m oddly engine random"


@pytest.fixture
def pipe():
    """The ends of a pipe that takes nothing more until it is read."""
    ours, theirs = full_pipe()
    with os.fdopen(ours, "rb", 0) as reading, os.fdopen(theirs, "wb", 0) as writing:
        yield reading, writing


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no /dev/full")  # noqa: PTH110
@pytest.mark.parametrize("is_buffered", [True, False])
@pytest.mark.parametrize(
    "words",
    [
        "show --game yodd --size 2",
        "--help",
        "engine random",
        "play --game odd --size 2 --against human",
    ],
)
def test_a_full_disk_for_the_output_is_told_in_one_sentence(words, is_buffered, tmp_path):
    environment = {**os.environ, "PYTHONUNBUFFERED": "" if is_buffered else "1"}
    environment["XDG_STATE_HOME"] = str(tmp_path)
    with open("/dev/full", "wb") as full:  # noqa: PTH123
        done = subprocess.run(
            [*ODDLY, *words.split()], input=b"name\n", stdout=full, stderr=subprocess.PIPE,
            env=environment,
        )  # fmt: skip
    said = b"oddly: cannot write standard output: No space left on device\n"
    assert (done.returncode, done.stderr) == (2, said)


def test_a_tournament_plays_all_its_games(tmp_path, pipe):
    ours, theirs = pipe
    # Of another game, whose winner is known, a sentence before the first game waits for a reader.
    game = 'game = "xodd"\nsize = 5'
    path = tournament_file(tmp_path, "club", "rounds = 4", game, TWO_RANDOM)
    until = time.monotonic() + PATIENCE
    with started(path, stdout=subprocess.DEVNULL, stderr=theirs) as run:
        try:
            while len(records_of(tmp_path / "club.sqlite")) < 8:
                assert time.monotonic() < until
                time.sleep(0.05)
            theirs.close()
            ours.read()
            run.wait(PATIENCE)
        finally:
            run.kill()
    assert run.returncode == 0


def with_closed(numbers, *words):
    """Run a command of which a shell has closed these of the three standard streams."""
    closing = " ".join(f"{number}>&-" for number in numbers)
    words = ["bash", "-c", f'exec "$@" {closing}', "bash", *ODDLY, *map(str, words)]
    return subprocess.run(words, **TEXT)


@pytest.mark.sampled
@pytest.mark.parametrize("numbers", [(1,), (2,), (0, 1, 2)])
def test_a_tournament_without_a_standard_stream_keeps_its_games(tmp_path, numbers, oddly):
    """The bug: without one, a traceback; and the ledger could get the number of the stream."""
    path = tournament_file(tmp_path, "club", "rounds = 2")
    ledger = tmp_path / "club.sqlite"
    done = with_closed(numbers, "tournament", path)
    assert done.returncode == 0
    assert ("4 games" in done.stdout) == (1 not in numbers)
    assert "Traceback" not in done.stdout + done.stderr
    oddly("verify", ledger)
    assert len(records_of(ledger)) == 4


@pytest.mark.parametrize(
    "words", ["show --game yodd --size 2", "perft --game odd --size 2 --depth 2", "shw", "--help"]
)
def test_without_a_standard_stream_the_exit_code_is_the_same(words):
    codes = [with_closed(numbers, *words.split()).returncode for numbers in ((), (1,), (2,))]
    assert codes == [2 if words == "shw" else 0] * 3


@pytest.mark.sampled
def test_a_listener_serves_on(pipe):
    _, theirs = pipe
    port = free_port()
    words = [*ODDLY, "bridge", ENGINE, "--listen", str(port)]
    asking = [*ODDLY, "bridge", "--connect", str(port)]
    with subprocess.Popen(words, stderr=theirs) as listener:
        until = time.monotonic() + PATIENCE
        try:
            while time.monotonic() < until:
                done = subprocess.run(asking, input=COMMANDS, timeout=PATIENCE, **TEXT)
                if done.returncode == 0:
                    break
            assert done.stdout == "=1 random\n\n=2\n\n"
            listener.send_signal(signal.SIGTERM)
            listener.wait(PATIENCE)
        finally:
            listener.kill()
    assert listener.returncode == 0


@pytest.mark.sampled
@pytest.mark.parametrize("words", [(), ("--json",)])
async def test_an_engine_at_an_arena_plays_on(tmp_path, pipe, words):
    async with listening_arena(2) as (arena, port):
        url = f"ws://127.0.0.1:{port}"
        command = command_line(url, "--games", "2", *words, key=tmp_path / "arena.key")
        with trio.fail_after(PATIENCE):
            done = await trio.run_process(command, stdout=pipe[1], stderr=subprocess.DEVNULL)
    assert (done.returncode, arena.acknowledged) == (0, 2)

"""`oddly bridge` as a user types it."""

import signal
import subprocess
import sys

import pytest

from tests.programs import PYTHON

ODDLY = (sys.executable, "-m", "oddly")
ENGINE = f"{PYTHON} -m oddly engine random"


def oddly(*words: str, **more) -> subprocess.CompletedProcess[str]:
    return subprocess.run([*ODDLY, "bridge", *words], capture_output=True, text=True, **more)


def asked_one_by_one(words: list[str], first: str, last: str) -> tuple[str, str]:
    """Return what is answered, and what is written to stderr.

    An engine that is still starting when its input ends is killed after two seconds.
    """
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with subprocess.Popen([*ODDLY, "bridge", *words], text=True, **pipes) as caller:
        caller.stdin.write(f"{first}\n")
        caller.stdin.flush()
        reply = caller.stdout.readline() + caller.stdout.readline()
        rest, complaints = caller.communicate(f"{last}\n", timeout=60)
    assert caller.returncode == 0
    return reply + rest, complaints


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_listener_serves_until_it_is_stopped(number: signal.Signals) -> None:
    words = [*ODDLY, "bridge", ENGINE, "--listen", "0"]
    with subprocess.Popen(words, stderr=subprocess.PIPE, text=True) as listener:
        assert listener.stderr is not None
        port = listener.stderr.readline().strip().rpartition(":")[2]
        answers, complaints = asked_one_by_one(["--connect", port], "1 name", "2 quit")
        listener.send_signal(number)
        rest = listener.stderr.read().splitlines()
    assert listener.returncode == 0
    assert (answers, complaints) == ("=1 random\n\n=2\n\n", "")
    assert [line.partition(": ")[0] for line in rest] == ["oddly bridge"] * 3
    assert rest[-1] == "oddly bridge: stopped"
    assert "ended after" in rest[1]
    assert "exited with code 0" in rest[1]


def test_a_listener_whose_log_is_gone_serves_on() -> None:
    words = [*ODDLY, "bridge", ENGINE, "--listen", "0"]
    with subprocess.Popen(words, stderr=subprocess.PIPE, text=True) as listener:
        port = listener.stderr.readline().strip().rpartition(":")[2]
        listener.stderr.close()
        for _ in range(2):
            answers, _ = asked_one_by_one(["--connect", port], "1 name", "2 quit")
            assert answers == "=1 random\n\n=2\n\n"
        listener.send_signal(signal.SIGTERM)
    assert listener.returncode == 0


def test_a_native_engine_becomes_a_program_for_gogui() -> None:
    words = [ENGINE, "--profile", "gogui", "--game", "odd", "--size", "2", "--option", "seed=4"]
    asked = "gogui-rules_board_size\nname\n1 genmove b\n2 gogui-rules_legal_moves\nquit\n"
    done = oddly(*words, input=asked)
    assert (done.returncode, done.stderr) == (0, "")
    size, name, tap, legal, end = done.stdout.removesuffix("\n\n").split("\n\n")
    assert (size, name, end) == ("= 3 hex", "= random", "=")
    assert tap.removeprefix("=1 ") in legal.split()
    assert "pass" in legal.split()


def test_the_end_of_input_is_the_end_of_the_engine_and_no_fault() -> None:
    done = oddly(ENGINE, "--profile", "gogui", "--game", "yodd", "--size", "3", input="version\n")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("= ")

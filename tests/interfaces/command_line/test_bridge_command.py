"""`oddly bridge` as a user types it."""

from __future__ import annotations

import signal
import subprocess
import sys

import pytest

from tests.programs import PYTHON

ODDLY = (sys.executable, "-m", "oddly")
ENGINE = f"{PYTHON} -m oddly engine random"


def oddly(*words: str, **more) -> subprocess.CompletedProcess[str]:
    return subprocess.run([*ODDLY, "bridge", *words], capture_output=True, text=True, **more)


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ([], "one of the arguments --listen --connect --drop-level --profile is required"),
        (["--listen", "0"], "an engine's command line is missing"),
        (["no-such-program", "--listen", "0"], "no program 'no-such-program' on PATH"),
        ([ENGINE, "--listen", "here:there"], "'here:there' is not an address: expected HOST:PORT"),
        ([ENGINE, "--listen", "0.0.0.0:0"], "can be reached from other machines: expected a token"),
        ([ENGINE, "--connect", "1"], "--connect takes no CMD"),
        (["--connect", "0"], "needs a port from 1"),
        (["--connect", "1", "--token-file", "/none"], "cannot read the token file /none"),
        ([ENGINE, "--profile", "gogu"], "expected one of gogui; did you mean 'gogui'?"),
        ([ENGINE, "--profile", "gogui", "--game", "ayu", "--size", "4"], "unacceptable size 4"),
        ([ENGINE, "--profile", "gogui", "--option", "seed"], "'seed': expected NAME=VALUE"),
        ([ENGINE, "--profile", "gogui", "--option", "seed=#"], "'#' is not one word"),
        ([ENGINE, "--drop-level", "--option", "seed=1"], "--option goes with --profile"),
        (["--connect", "1"], "cannot connect to 127.0.0.1:1: Connection refused"),
    ],
)
def test_bad_input_is_one_sentence_and_exit_code_2(words: list[str], sentence: str) -> None:
    done = oddly(*words)
    assert done.returncode == 2
    assert done.stdout == ""
    assert sentence in done.stderr
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_listener_serves_until_it_is_stopped(number: signal.Signals) -> None:
    words = [*ODDLY, "bridge", ENGINE, "--listen", "0"]
    with subprocess.Popen(words, stderr=subprocess.PIPE, text=True) as listener:
        assert listener.stderr is not None
        port = listener.stderr.readline().strip().rpartition(":")[2]
        done = oddly("--connect", port, input="1 name\n2 quit\n")
        assert (done.returncode, done.stderr) == (0, "")
        assert done.stdout == "=1 random\n\n=2\n\n"
        listener.send_signal(number)
        rest = listener.stderr.read().splitlines()
        assert listener.wait() == 0
    assert [line.partition(": ")[0] for line in rest] == ["oddly bridge"] * 3
    assert rest[-1] == "oddly bridge: stopped"
    assert "ended after" in rest[1]
    assert "exited with code 0" in rest[1]


def test_a_native_engine_becomes_a_program_for_gogui() -> None:
    words = [ENGINE, "--profile", "gogui", "--game", "odd", "--size", "2", "--option", "seed=4"]
    asked = [
        "gogui-rules_board_size",
        "name",
        "1 genmove b",
        "2 gogui-rules_legal_moves",
        "quit",
    ]
    done = oddly(*words, input="\n".join(asked) + "\n")
    assert (done.returncode, done.stderr) == (0, "")
    size, name, tap, legal, end = done.stdout.removesuffix("\n\n").split("\n\n")
    assert (size, name, end) == ("= 3 hex", "= random", "=")
    assert tap.removeprefix("=1 ") in legal.split()
    assert "pass" in legal.split()


def test_the_end_of_input_is_the_end_of_the_engine_and_no_fault() -> None:
    done = oddly(ENGINE, "--profile", "gogui", "--game", "yodd", "--size", "3", input="version\n")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("= ")

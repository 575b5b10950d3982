"""`oddly bridge` as a user types it."""

from __future__ import annotations

import signal
import subprocess
import sys

import pytest

ODDLY = (sys.executable, "-m", "tournaments")
ENGINE = f"{sys.executable} -m tournaments engine random"


def oddly(*words: str, **more) -> subprocess.CompletedProcess[str]:
    return subprocess.run([*ODDLY, "bridge", *words], capture_output=True, text=True, **more)


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ([], "one of the arguments --listen --connect --drop-level is required"),
        (["--listen", "0"], "an engine's command line is missing"),
        (["no-such-program", "--listen", "0"], "no program 'no-such-program' on PATH"),
        ([ENGINE, "--listen", "here:there"], "'here:there' is not an address: expected HOST:PORT"),
        ([ENGINE, "--listen", "0.0.0.0:0"], "can be reached from other machines: expected a token"),
        ([ENGINE, "--connect", "1"], "--connect takes no CMD"),
        (["--connect", "0"], "needs a port from 1"),
        (["--connect", "1", "--token-file", "/none"], "cannot read the token file /none"),
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

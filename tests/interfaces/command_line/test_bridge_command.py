"""`oddly bridge` as a user types it."""

import os
import signal
import subprocess
from pathlib import Path
from types import SimpleNamespace

import pytest
import trio
import trustme
from cryptography.hazmat.primitives.serialization import (
    BestAvailableEncryption,
    Encoding,
    PrivateFormat,
    load_pem_private_key,
)

from oddly.interfaces.command_line import bridge_command
from oddly.interfaces.serving import listening
from tests.patience import PATIENCE
from tests.programs import PYTHON
from tests.tournaments.toml.written import ODDLY

ENGINE = f"{PYTHON} -m oddly engine random"


def bridge(*words: str, **more) -> subprocess.CompletedProcess[str]:
    return subprocess.run([*ODDLY, "bridge", *words], capture_output=True, text=True, **more)


def write_certificate(certificate: Path, key: Path) -> None:
    issued = trustme.CA().issue_cert("localhost")
    certificate.write_bytes(b"".join(pem.bytes() for pem in issued.cert_chain_pems))
    key.write_bytes(issued.private_key_pem.bytes())


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


@pytest.mark.sampled
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


async def test_a_renewed_certificate_is_read_again(tmp_path, monkeypatch) -> None:
    files = tmp_path / "certificate.pem", tmp_path / "key.pem"
    write_certificate(*files)
    for file in files:
        os.utime(file, (0, 0))
    tell, lines = trio.open_memory_channel(2)
    monkeypatch.setattr(bridge_command, "tell", tell.send_nowait)
    monkeypatch.setattr(listening, "LOOK_EVERY", 0.01)
    options = SimpleNamespace(
        listen="0", token=b"", sessions=1, idle=1, tls_certificate=files[0], tls_key=files[1]
    )
    with trio.fail_after(PATIENCE):
        async with trio.open_nursery() as nursery:
            nursery.start_soon(bridge_command.listen, ("cat",), options)
            assert (await lines.receive()).startswith("listening on 127.0.0.1:")
            write_certificate(*files)
            assert await lines.receive() == f"the certificate {files[0]} is read again"
            nursery.cancel_scope.cancel()


def test_a_key_with_a_password_is_refused_without_asking_for_it(tmp_path, refusal) -> None:
    certificate, key = tmp_path / "certificate.pem", tmp_path / "key.pem"
    write_certificate(certificate, key)
    opened = load_pem_private_key(key.read_bytes(), None)
    form = Encoding.PEM, PrivateFormat.PKCS8, BestAvailableEncryption(b"secret")
    key.write_bytes(opened.private_bytes(*form))
    words = ("bridge cat --listen 0 --tls-certificate", certificate, "--tls-key", key)
    assert refusal(*words) == (
        f"oddly: bridge: {certificate} is no certificate with the key {key}, both as PEM: "
        "the key has a password\n"
    )


def test_a_native_engine_becomes_a_program_for_gogui() -> None:
    words = [ENGINE, "--profile", "gogui", "--game", "odd", "--size", "2", "--option", "seed=4"]
    asked = "gogui-rules_board_size\nname\n1 genmove b\n2 gogui-rules_legal_moves\nquit\n"
    done = bridge(*words, input=asked)
    assert (done.returncode, done.stderr) == (0, "")
    size, name, tap, legal, end = done.stdout.removesuffix("\n\n").split("\n\n")
    assert (size, name, end) == ("= 3 hex", "= random", "=")
    assert tap.removeprefix("=1 ") in legal.split()
    assert "pass" in legal.split()


def test_the_end_of_input_is_the_end_of_the_engine_and_no_fault() -> None:
    done = bridge(ENGINE, "--profile", "gogui", "--game", "yodd", "--size", "3", input="version\n")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("= ")

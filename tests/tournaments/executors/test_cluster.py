"""A real scheduler and real workers as processes: what is played there is what is played here."""

import json
import os
import re
import signal
import subprocess
import sys
import threading
import time
from contextlib import contextmanager
from pathlib import Path
from textwrap import dedent

import pytest
import trustme

from oddly.interfaces.command_line import main
from tests.patience import PATIENCE
from tests.tournaments.toml.written import (
    TWO_QUICK,
    ours,
    records_of,
    started,
    tournament_file,
)

distributed = pytest.importorskip(
    "distributed", reason="oddly[cluster] is not installed: no cluster was tried"
)

QUICK = {
    "DASK_DISTRIBUTED__SCHEDULER__WORKER_TTL": "4s",
    "DASK_DISTRIBUTED__SCHEDULER__HTTP__ROUTES": "[]",
    "DASK_DISTRIBUTED__WORKER__HTTP__ROUTES": "[]",
}


def toml(tmp_path: Path, rounds: int, game: str = "odd", size: int = 3, more: str = "") -> Path:
    keys, board = f'rounds = {rounds}\ntime = "60"', f'game = "{game}"\nsize = {size}'
    return tournament_file(tmp_path, "far", keys, board, more={"one": more})


@contextmanager
def program(*words: str):
    """A part of a cluster in a session of its own, and what it says; seen out at the end."""
    process = subprocess.Popen(
        [sys.executable, "-m", *words],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        env=os.environ | QUICK,
        start_new_session=True,
    )
    try:
        yield process
    finally:
        process.send_signal(signal.SIGCONT)
        process.kill()
        process.wait()
        process.stderr.close()


@contextmanager
def scheduler(*more: str, protocol: str = "tcp"):
    """A scheduler on loopback: its address, and the process."""
    where = ["--host", "127.0.0.1", "--port", "0", "--protocol", protocol]
    words = ["distributed.cli.dask_scheduler", *where, *more]
    with program(*words, "--no-dashboard", "--dashboard-address", "127.0.0.1:0") as process:
        address = None
        for line in process.stderr:
            if found := re.search(r"Scheduler at:\s+(t[cl][ps]://127\.0\.0\.1:\d+)", line):
                address = found[1]
                break
        threading.Thread(target=process.stderr.read, daemon=True).start()
        assert address is not None
        yield address, process


@contextmanager
def worker(address: str, *words: str):
    where = ["--host", "127.0.0.1", "--no-dashboard", "--dashboard-address", "127.0.0.1:0"]
    alone = ["--no-nanny", "--nthreads", "1"]
    with program("distributed.cli.dask_worker", address, *where, *alone, *words) as process:
        threading.Thread(target=process.stderr.read, daemon=True).start()
        yield process


def wait_for_workers(address: str, number: int) -> None:
    with distributed.Client(address) as client:
        client.wait_for_workers(number, timeout=PATIENCE)


def preloaded(folder: Path, code: str) -> tuple[str, str]:
    """The words for a worker that first runs this code, in which `executor` is our module."""
    path = folder / "preloaded.py"
    module = "import oddly.tournaments.executors.cluster_executor as executor"
    path.write_text(f"{module}\n{dedent(code)}", encoding="utf-8")
    return "--preload", str(path)


def essence(path: Path) -> dict:
    """What must be the same wherever games are played, by the games' ids."""
    return {
        name: (record.players, [turn.turn for turn in record.turns], record.outcome.score)
        for name, record in records_of(path).items()
    }


def play(path: Path, ledger: Path, *words: str) -> subprocess.Popen:
    return started(path, "--ledger", str(ledger), *words, start_new_session=True)


def wait_for_games(ledger: Path, number: int, process: subprocess.Popen) -> None:
    while process.poll() is None and len(records_of(ledger)) < number:
        time.sleep(0.05)


@pytest.mark.sampled
def test_a_killed_worker_and_a_stopped_one_cost_no_game(tmp_path, oddly):
    path, far, near = toml(tmp_path, 6, "odd", 4), tmp_path / "far", tmp_path / "near"
    with scheduler() as (address, _), worker(address) as first, worker(address) as second:
        running = play(path, far, "--cluster", address, "--concurrency", "2")
        wait_for_games(far, 2, running)
        first.kill()
        with worker(address):
            wait_for_games(far, 4, running)
            second.send_signal(signal.SIGSTOP)
            output, error = running.communicate(timeout=PATIENCE)
    assert running.returncode == 0, error
    assert "two" in output
    oddly("tournament", path, "--ledger", near)
    assert len(essence(near)) == 12
    assert essence(far) == essence(near)


@pytest.mark.sampled
def test_a_scheduler_that_dies_is_one_sentence_and_the_rest_is_played_here(tmp_path, facts):
    path, ledger = toml(tmp_path, 5, "odd", 4), tmp_path / "ledger"
    with scheduler() as (address, process), worker(address):
        running = play(path, ledger, "--cluster", address)
        wait_for_games(ledger, 2, running)
        process.kill()
        _, error = running.communicate(timeout=PATIENCE)
    assert running.returncode == 2
    assert "oddly: the cluster's scheduler is gone; no game in the ledger is lost" in error
    assert "Traceback" not in error
    assert 2 <= len(essence(ledger)) < 10
    assert len(facts("tournament", path, "--ledger", ledger)["games"]) == 10


@pytest.mark.sampled
def test_a_late_worker_with_another_version_ends_the_run_in_one_sentence(tmp_path):
    path, ledger = toml(tmp_path, 500, "odd", 4), tmp_path / "ledger"
    # Dask runs it twice.
    older = """
    from oddly.tournaments.executors import conditions
    executor.our_version = lambda: "0.0.1"
    vars(conditions).pop("say_nothing", None)
    """
    other = preloaded(tmp_path, older)
    with scheduler() as (address, _), worker(address):
        running = play(path, ledger, "--cluster", address, "--concurrency", "2")
        wait_for_games(ledger, 1, running)
        with worker(address, *other):
            _, error = running.communicate(timeout=PATIENCE)
    assert running.returncode == 2
    (said,) = re.findall("^oddly: .*", error, re.MULTILINE)
    assert re.match(r"oddly: worker tcp://\S+ has oddly 0\.0\.1, and here is ", said)
    assert "Traceback" not in error


@pytest.mark.sampled
def test_a_worker_that_fails_ends_the_run_in_one_sentence(tmp_path):
    path, ledger = toml(tmp_path, 4, "odd", 4), tmp_path / "ledger"
    full = """
    def fail(**_):
        raise OSError(28, "No space left on device")

    executor.TemporaryDirectory = fail
    """
    with scheduler() as (address, _), worker(address, *preloaded(tmp_path, full)):
        running = play(path, ledger, "--cluster", address)
        _, error = running.communicate(timeout=PATIENCE)
    assert running.returncode == 2
    (said,) = re.findall("^oddly: .*failed.*", error, re.MULTILINE)
    assert re.match(r"oddly: worker tcp://\S+ failed: OSError: \[Errno 28\] No space left", said)
    assert said.endswith("; no game in the ledger is lost")
    assert "Traceback" not in error


@pytest.mark.sampled
def test_two_runs_on_one_cluster_keep_their_own_games(tmp_path):
    engines, programs = ("one", "two"), ("random", "greedy")
    runs = []
    with scheduler() as (address, _):
        for folder, names in (("a", programs), ("b", programs[::-1])):
            (tmp_path / folder).mkdir()
            commands = dict(zip(engines, map(ours, names), strict=True))
            keys = 'rounds = 5\ntime = "60"'
            path = tournament_file(tmp_path / folder, "same", keys, engines=commands)
            ledger = tmp_path / folder / "ledger"
            runs.append((play(path, ledger, "--cluster", address, "--concurrency", "10"), ledger))
        with worker(address):
            for running, _ in runs:
                _, error = running.communicate(timeout=PATIENCE)
                assert running.returncode == 0, error
    for (_, ledger), names in zip(runs, (programs, programs[::-1]), strict=True):
        records = records_of(ledger).values()
        assert len(records) == 10
        for record in records:
            played_by = dict(zip(record.players, record.engines, strict=True))
            assert [played_by[engine].split()[0] for engine in engines] == list(names)


@pytest.mark.sampled
def test_a_cluster_on_this_machine_with_logs_and_faults(tmp_path, output):
    more = 'options = { seed = "1" }'
    path, logs = toml(tmp_path, 2, more=more), tmp_path / "logs"
    words = ["--cluster", "local", "--concurrency", "2", "--log-dir", str(logs), "--json"]
    games = json.loads(output("tournament", path, *words))["games"]
    assert len(games) == 4
    assert all(game["host"] for game in games)
    assert len([file for file in logs.iterdir() if file.read_text().startswith("# ")]) == 4


@pytest.mark.sampled
def test_an_engine_at_fault_is_withdrawn_as_on_one_machine(tmp_path, output):
    engines = {**TWO_QUICK, "one": ours("misbehave", "--fault", "exit")}
    path = tournament_file(tmp_path, "far", 'rounds = 3\ntime = "60"', engines=engines)
    words = ["--cluster", "local", "--concurrency", "1", "--json"]
    games = json.loads(output("tournament", path, *words, code=1))["games"]
    endings = [game["termination"] for game in games]
    assert endings == ["crash"] * 3 + ["withdrawn"] * 3


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--cluster", "tcp://127.0.0.1:9"], "there is no scheduler at tcp://127.0.0.1:9"),
        (["--cluster", "nowhere"], "not the address of a cluster: 'nowhere'"),
        (["--insecure"], "go with --cluster"),
        (["--cluster", "tls://h", "--tls-ca", "x"], "--tls-cert and --tls-key go together"),
    ],
)
def test_a_cluster_that_is_not_there_is_one_sentence(
    tmp_path, refusal, monkeypatch, words, message
):
    monkeypatch.setattr("oddly.tournaments.executors.cluster_executor.PATIENCE", 0.5)
    error = refusal("tournament", toml(tmp_path, 1), *words)
    assert message in error
    assert "Traceback" not in error


@pytest.mark.sampled
def test_what_no_worker_has_is_told_before_the_first_game(tmp_path, oddly):
    path = toml(tmp_path, 1, more='requires = ["gpu"]')
    with scheduler() as (address, _):
        with worker(address, "--resources", "cpu=1"):
            error = oddly("tournament", path, "--cluster", address, code=2).err
            assert "no worker has all that engine 'one' requires (gpu)" in error
            assert "resources there: cpu" in error
        with worker(address, "--resources", "gpu=1"):
            assert main(["tournament", str(path), "--cluster", address]) == 0


@pytest.mark.sampled
def test_engines_that_meet_need_a_worker_with_what_both_require(tmp_path, oddly):
    engines = {name: ours("random") for name in ("all", "here", "there", "away")}
    requires = {name: f'requires = ["{name}"]' for name in ("here", "there", "away")}
    requires["away"] += "\nactive = false"
    files = [
        tournament_file(
            tmp_path, format_, f'format = "{format_}"\nrounds = 1\ntime = "60"',
            engines=engines, more=requires,
        )
        for format_ in ("gauntlet", "round-robin")
    ]  # fmt: skip
    with (
        scheduler() as (address, _),
        worker(address, "--resources", "here=1"),
        worker(address, "--resources", "there=1") as second,
    ):
        wait_for_workers(address, 2)
        oddly("tournament", files[0], "--cluster", address)
        error = oddly("tournament", files[1], "--cluster", address, code=2).err
        assert second.poll() is None
    assert "no worker has all that engines 'here' and 'there' require for a game (here, there)" in (
        error
    )
    assert '--resources "here=1,there=1"' in error


def test_with_certificates_only_those_who_have_one_get_in(tmp_path, capsys, monkeypatch):
    authority, stranger = trustme.CA(), trustme.CA()
    for who, files in ((authority, tmp_path / "ours"), (stranger, tmp_path / "theirs")):
        files.mkdir()
        certificate = who.issue_cert("127.0.0.1")
        authority.cert_pem.write_to_path(files / "ca.pem")
        certificate.cert_chain_pems[0].write_to_path(files / "cert.pem")
        certificate.private_key_pem.write_to_path(files / "key.pem")
    path, ours = toml(tmp_path, 1), tmp_path / "ours"
    files = ["--tls-ca-file", str(ours / "ca.pem"), "--tls-cert", str(ours / "cert.pem")]
    files += ["--tls-key", str(ours / "key.pem")]
    with scheduler(*files, protocol="tls") as (address, _), worker(address, *files):
        assert main(["tournament", str(path), "--cluster", address, *of_ours(ours)]) == 0
        monkeypatch.setattr("oddly.tournaments.executors.cluster_executor.PATIENCE", 1)
        again = ["--ledger", str(tmp_path / "other"), "--cluster", address]
        capsys.readouterr()
        assert main(["tournament", str(path), *again, *of_ours(tmp_path / "theirs")]) == 2
    assert "there is no scheduler at tls://127.0.0.1" in capsys.readouterr().err


def of_ours(files: Path) -> list[str]:
    """The options of `oddly tournament` for certificates."""
    names = {"--tls-ca": "ca.pem", "--tls-cert": "cert.pem", "--tls-key": "key.pem"}
    return [word for option, name in names.items() for word in (option, str(files / name))]

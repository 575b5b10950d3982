"""`oddly check` as a command: what it prints, its exit codes, and signals."""

import os
import signal
import subprocess
import sys
import time

import pytest

from oddly.interfaces.command_line.check_command import check_writable
from tests.processes import processes
from tests.programs import PYTHON
from tests.source import ROOT


def test_the_command_prints_a_line_a_step_and_exits_with_0(output):
    program = f"{PYTHON} -m oddly engine random"
    # On a loaded machine any engine is slow.
    words = ("--game", "odd", "--size", "3", "--games", "1", "--budget", "600")
    *steps, count = output("check", program, *words).splitlines()
    assert all(line.startswith(("pass  ", "skip  ")) for line in steps)
    skipped = sum(line.startswith("skip  ") for line in steps)
    assert count == f"{len(steps) - skipped} passed, 0 failed, {skipped} skipped"


def test_a_failure_is_printed_with_its_evidence_and_exits_with_1(output):
    assert output("check", "seq 9", "--game", "odd", code=1).splitlines()[:5] == [
        "FAIL  Starts and answers name, version and list_commands (7)",
        "      problem   the engine exited with code 0",
        r"      sent      1 name\n",
        r"      received  1\n2\n3\n4\n5\n6\n7\n8\n9\n",
        "      expected  one reply to each command, ended by an empty line",
    ]


def test_json_has_every_step_with_its_evidence(facts):
    report = facts("check", "seq 9", "--game", "odd", code=1)
    assert report["failed"] == 1
    assert report["game"] == "odd 5 (board hexhex, min_group 5)"
    assert report["steps"][0]["result"] == "fail"
    assert report["steps"][0]["received"].startswith(r"1\n2\n")
    assert {step["result"] for step in report["steps"][1:]} == {"skip"}


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("none/c.json", "cannot write none/c.json: No such file or directory"),
        (".", "cannot write .: Is a directory"),
        ("", "the name of a file is expected, not ''"),
        ("-", "a certificate goes to a file, not to standard output: name a file"),
    ],
)
def test_a_certificate_that_cannot_be_written_is_refused_before_the_check(
    tmp_path, monkeypatch, refusal, name, said
):
    monkeypatch.chdir(tmp_path)
    sentence = refusal("check", "touch started", "--game", "odd", "--certify", name)
    assert sentence == f"oddly: check: argument --certify: {said}\n"
    assert list(tmp_path.iterdir()) == []


def test_trying_whether_a_certificate_can_be_written_changes_nothing(tmp_path):
    path = tmp_path / "certificate.json"
    check_writable(path)
    assert not path.exists()
    path.write_text('{\n  "certificate": 1')
    check_writable(path)
    assert path.read_text() == '{\n  "certificate": 1'


def test_a_certificate_replaces_no_other_file(tmp_path, monkeypatch, refusal):
    monkeypatch.chdir(tmp_path)
    games = tmp_path / "games.jsonl"
    games.write_text('{"id": "1"}\n')
    sentence = refusal("check", "touch started", "--game", "odd", "--certify", games)
    said = f"check: argument --certify: {games} is no certificate: name a new file"
    assert sentence == f"oddly: {said}\n"
    assert games.read_text() == '{"id": "1"}\n'


def test_a_certificate_replaces_no_file_that_appears_during_the_check(tmp_path, oddly):
    path = tmp_path / "certificate.json"
    engine = f"sh -c 'echo precious > {path}'"
    done = oddly("check --game odd --until-failure --certify", path, engine, code=2)
    said = f"check: argument --certify: {path} is no certificate: name a new file"
    assert done.err == f"oddly: {said}\n"
    assert "FAIL" in done.out
    assert path.read_text() == "precious\n"


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_stops_the_check_and_takes_the_engine_and_its_children_along(tmp_path, number):
    mark = f"{3600 + os.getpid()}.{int(number)}"
    started = tmp_path / "started"
    program = tmp_path / "engine"
    program.write_text(f"#!/bin/sh\nsleep {mark} &\necho > {started}\nwait\n")
    program.chmod(0o755)
    words = [sys.executable, "-m", "oddly", "check", str(program), "--game", "yodd"]
    with subprocess.Popen(words, stdout=subprocess.PIPE, cwd=ROOT) as running:
        while not started.exists() and running.poll() is None:
            time.sleep(0.02)
        running.send_signal(number)
        assert running.wait() == 3
    assert [line for line in processes() if mark in line or str(tmp_path) in line] == []

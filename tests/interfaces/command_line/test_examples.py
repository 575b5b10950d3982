"""The example in the help of every command runs as it stands."""

import base64
import io
import re
import shlex
import shutil
import signal
import subprocess
import sys
from contextlib import chdir
from itertools import chain
from pathlib import Path

import click
import pytest

from oddly.interfaces.command_line.main import PROGRAM, SUMMARIES, main
from oddly.tournaments.ledger.store import Ledger
from tests.interfaces.command_line.test_bot_command import KEY, TOML
from tests.interfaces.command_line.test_gogui_command import fake, home  # noqa: F401
from tests.interfaces.command_line.test_tune_command import toml as tuning
from tests.source import ROOT

CLUB = """\
[tournament]
name = "{name}"
rounds = 1
time = "none"
seed = {seed}

[[game]]
game = "odd"
size = 2

[[engine]]
name = "greedy"
command = ["oddly", "engine", "greedy"]

[[engine]]
name = "random"
command = ["oddly", "engine", "random"]
"""
ARENA = """\
[arena]
name = "club"
port = 0

[[pool]]
game = "odd"
size = 2
time = "1+0.1"
"""
SERVING = ("serve", "bot")
"""Those that go on until Ctrl-C."""
LONG = ("demo", "train", "bench", "warm", "check", "study", "tune", "match")
"""Those that compile or play for seconds."""
TALKING = ("engine", "bridge", "play")
"""Those that talk until their input ends, not all of them through Python's streams."""


@pytest.fixture(scope="module")
def club(tmp_path_factory):
    """A folder with the files that the examples name."""
    folder = tmp_path_factory.mktemp("club")
    for name, seed, logs in (("other", 2, ""), ("club", 1, "--log-dir logs")):
        (folder / f"{name}.toml").write_text(CLUB.format(name=name, seed=seed), encoding="utf-8")
        run(f"tournament {name}.toml --records {name}.jsonl {logs}", folder)
    tuning(folder).rename(folder / "tuning.toml")
    public = base64.b64encode(KEY.public_key().public_bytes_raw()).decode()
    (folder / "bot.toml").write_text(TOML.format(key=public), encoding="utf-8")
    (folder / "arena.toml").write_text(ARENA, encoding="utf-8")
    (folder / "studies").mkdir()
    for study in ("odd-5.json", "yodd-4.json"):
        shutil.copy(ROOT / "docs" / "studies" / study, folder / "studies")
    return folder


def run(example, folder):
    with chdir(folder):
        assert main([*chain(*map(expanded, shlex.split(example)))]) == 0


def expanded(word):
    """The words that a shell makes of a word of an example."""
    return map(str, Path().glob(word)) if "*" in word else [word]


def example_of(name):
    """The words of the example of a command."""
    return PROGRAM.get_command(click.Context(PROGRAM), name).example


def test_every_command_has_an_example_of_its_own():
    for name in SUMMARIES:
        assert example_of(name).split()[0] == name
        assert len(f"  oddly {example_of(name)}") <= 80


def test_help_and_the_page_of_commands_show_it(output):
    page = (ROOT / "docs" / "reference" / "commands.md").read_text(encoding="utf-8")
    shown = dict(re.findall(r"^\| \[`oddly ([\w-]+)`\].* \| `oddly (.*)` \|$", page, re.MULTILINE))
    assert shown == {name: example_of(name) for name in SUMMARIES}
    for name, example in shown.items():
        assert f"\nExample:\n  oddly {example}\n" in output(name, "--help")


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=[pytest.mark.sampled] * (name in LONG))
        for name in SUMMARIES
        if name not in (*SERVING, *TALKING, "gogui", "arena", "join")
    ],
)
def test_an_example_runs(club, tmp_path, name, monkeypatch, capsys):
    for path in club.iterdir():
        target = tmp_path / path.name
        target.symlink_to(path) if path.is_dir() else target.write_bytes(path.read_bytes())
    monkeypatch.setattr(sys, "stdin", io.StringIO())
    capsys.readouterr()
    run(example_of(name), tmp_path)
    assert "".join(capsys.readouterr()).strip() or name == "diagram"


@pytest.mark.sampled
@pytest.mark.parametrize("name", TALKING)
def test_an_example_talks_until_its_input_ends(tmp_path, name):
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    words = [sys.executable, "-P", "-m", "oddly", *shlex.split(example_of(name))]
    subprocess.run(words, cwd=tmp_path, stdin=subprocess.DEVNULL, check=True)


def test_the_engine_in_the_example_of_bridge_plays_single_drops():
    words = [sys.executable, "-m", "oddly", *shlex.split(example_of("bridge"))]
    lines = "set_game xodd\nboardsize 3\ngenmove b\ngenmove w\nquit\n"
    done = subprocess.run(words, cwd=ROOT, input=lines, capture_output=True, text=True, check=True)
    replies = done.stdout.split("\n\n")[:-1]
    assert [reply[0] for reply in replies] == ["="] * 5


def test_the_example_of_gogui_starts_it(home, oddly):  # noqa: F811
    fake(home)
    oddly(*shlex.split(example_of("gogui")))
    assert (home / "log").exists()


@pytest.mark.parametrize("name", SERVING)
def test_an_example_serves_until_it_is_interrupted(club, name, monkeypatch):
    monkeypatch.setenv("TEST_CLIENT_ID", "me")
    monkeypatch.setenv("TEST_CLIENT_SECRET", "secret")
    words = [sys.executable, "-u", "-m", "oddly", *shlex.split(example_of(name)), "--port", "0"]
    with subprocess.Popen(words, cwd=club, stdout=subprocess.PIPE, text=True) as process:
        assert "http://" in process.stdout.readline()
        process.send_signal(signal.SIGINT)
        process.stdout.read()
    assert process.returncode == 0


def test_the_examples_of_arena_and_join_register_an_engine(club, monkeypatch):
    monkeypatch.setenv("XDG_CONFIG_HOME", str(club))
    oddly = [sys.executable, "-u", "-m", "oddly"]
    pipes = {"cwd": club, "stdout": subprocess.PIPE, "text": True}
    with subprocess.Popen([*oddly, *shlex.split(example_of("arena"))], **pipes) as arena:
        address = re.search(r"http://(\S+)/", arena.stdout.readline())[1]
        example = example_of("join").replace("127.0.0.1:8770", address)
        with subprocess.Popen([*oddly, *shlex.split(example)], **pipes) as join:
            assert f"http://{address}/engines/mine" in join.stdout.readline()
            join.send_signal(signal.SIGINT)
            join.stdout.read()
        arena.send_signal(signal.SIGINT)
        arena.stdout.read()
    assert (join.returncode, arena.returncode) == (0, 0)


def test_the_ledger_of_the_examples_is_whole(club):
    with Ledger(club / "club.sqlite", read_only=True) as ledger:
        assert ledger.number_of_games() == 2

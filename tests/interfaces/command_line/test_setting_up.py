"""`oddly doctor`, `examples` and `demo`: the first things that a newcomer types."""

import json
import os
import re
import resource
import shlex
import subprocess
import sys
import tomllib

import pytest

from oddly.games.installation import install_command
from oddly.interfaces.command_line import doctor_command, match_commands
from oddly.interfaces.command_line.copying_commands import ShippedExample, shipped_examples
from oddly.interfaces.command_line.errors import ExitCode, own_name
from oddly.interfaces.command_line.main import FIRST_STEPS, SUMMARIES
from oddly.protocol.notation import NO_CLOCK
from oddly.tournaments.run.preparing import split_command
from oddly.tournaments.toml.tournament_file import load_tournament
from tests.patience import PATIENCE
from tests.source import ROOT
from tests.tournaments.toml.written import ours, tournament_file


def test_the_doctor_tells_what_there_is_and_how_to_get_what_is_missing(monkeypatch, facts, output):
    monkeypatch.setattr(doctor_command, "_version", {"numba": "1.2"}.get)
    found = {each["what"]: each for each in facts("doctor")["findings"]}
    assert found["fast engines"]["is_there"]
    assert not found["fast engines"]["remedy"]
    assert found["oddly serve"]["state"] == "no starlette, anycorn"
    assert found["oddly serve"]["remedy"].endswith(f"get it: {install_command('serve')}")
    shown = output("doctor")
    assert "missing  format swiss" in shown
    assert "missing, all of them optional: see above." in shown


@pytest.mark.parametrize(
    ("version", "is_tried"), [((3, 10), False), ((3, 14), True), ((3, 15), False)]
)
def test_the_doctor_knows_the_pythons_that_the_readme_promises(
    version, is_tried, monkeypatch, facts
):
    promise = "Python 3.11 to 3.14"
    assert promise in (ROOT / "README.md").read_text("utf-8")
    monkeypatch.setattr(doctor_command.sys, "version_info", (*version, 0, "final", 0))
    found = {each["what"]: each for each in facts("doctor")["findings"]}["Python"]
    assert found["is_there"] is is_tried
    assert found["remedy"] == ("" if is_tried else f"the tests run with {promise}")


@pytest.mark.parametrize("number", [1, 2])
def test_the_doctor_counts_one_thing_in_the_singular(number, monkeypatch, facts):
    monkeypatch.setattr(doctor_command, "cores", lambda: number)
    monkeypatch.setattr(doctor_command, "games_that_fit", lambda: number)
    found = {each["what"]: each["state"] for each in facts("doctor")["findings"]}
    plural = "" if number == 1 else "s"
    assert found["this machine"].startswith(f"{number} core{plural}, ")
    assert found["this machine"].endswith(f" descriptors for {number} game{plural} at once")


def test_the_doctor_looks_at_every_extra_that_a_user_may_want():
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"][
        "optional-dependencies"
    ]
    wanted = {
        extra: {re.match(r"[\w-]+", each)[0] for each in packages}
        for extra, packages in extras.items()
        if extra not in {"test", "docs"}
    }
    looked_at = {extra: set(packages) for extra, packages, _ in doctor_command.EXTRAS.values()}
    assert looked_at == wanted


@pytest.mark.parametrize("folder", ["/machine/code", None])
def test_the_doctor_tells_where_compiled_code_is_kept(folder, monkeypatch, facts):
    monkeypatch.setattr(doctor_command, "cache_directory", lambda: folder)
    found = {each["what"]: each for each in facts("doctor")["findings"]}["compiled code"]
    assert found["is_there"] is (folder is not None)
    assert found["state"] == ("kept in /machine/code" if folder else "kept nowhere")
    assert ("NUMBA_CACHE_DIR" in found["remedy"]) is (folder is None)


def test_the_doctor_tells_what_the_drawing_finds_out_about_fonts(monkeypatch, facts):
    def found():
        findings = facts("doctor")["findings"]
        return [each for each in findings if each["what"] == "words in PNG pictures"]

    def draws_text():
        raise ImportError("resvg_py")

    for there in (True, False):
        monkeypatch.setattr(doctor_command, "draws_text", lambda there=there: there)
        (finding,) = found()
        assert finding["is_there"] is there
        assert ("fonts-dejavu-core" in finding["remedy"]) is not there
    monkeypatch.setattr(doctor_command, "draws_text", draws_text)
    assert found() == []


@pytest.mark.parametrize(
    ("platform", "program", "is_told"),
    [("linux", None, True), ("linux", "/usr/bin/bwrap", False), ("darwin", None, False)],
)
def test_the_doctor_tells_who_lacks_bubblewrap_how_to_get_it(
    platform, program, is_told, monkeypatch, facts
):
    monkeypatch.setattr(doctor_command.sys, "platform", platform)
    monkeypatch.setattr(doctor_command.shutil, "which", lambda _: program)
    monkeypatch.setattr(doctor_command, "why_not", lambda: "it does not work")
    found = {each["what"]: each for each in facts("doctor")["findings"]}["isolation of engines"]
    assert found["remedy"].startswith("without it engines can reach each other and you")
    assert ("apt install bubblewrap" in found["remedy"]) is is_told


def test_examples_are_listed_and_copied(tmp_path, refusal, output):
    shown = output("examples")
    assert "xodd.toml" in shown
    assert "go/tiny.go" in shown
    said = output("examples xodd.toml awk/tiny --to", tmp_path)
    assert f"oddly tournament {tmp_path}/xodd.toml" in said
    assert os.access(tmp_path / "awk" / "tiny", os.X_OK)
    names = [f"python/{name}.py" for name in ("tiny", "drops", "join", "ed25519")]
    said = output("examples", *names, "--to", tmp_path)
    assert said.count("oddly check") == 1
    assert load_tournament(tmp_path / "xodd.toml").name
    assert "already exists, and nothing was copied" in refusal("examples xodd.toml --to", tmp_path)


def test_all_examples_can_be_copied(tmp_path, facts, output):
    output("examples --all --to", tmp_path)
    copied = {str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*") if path.is_file()}
    assert copied == {each["name"] for each in facts("examples")["examples"]}


@pytest.fixture
def small_demo(tmp_path, monkeypatch):
    """A demo of two games, and the place of its ledger."""
    engines = {name: [sys.executable, "-P", *ours(name)[1:]] for name in ("random", "greedy")}
    path = tournament_file(tmp_path, "demo", "rounds = 1", engines=engines)
    examples = {"demo.toml": ShippedExample(path, "small")}
    monkeypatch.setattr(match_commands, "shipped_examples", lambda: examples)
    return tmp_path / "x.sqlite"


def test_the_demo_plays_and_says_what_to_do_next(small_demo, oddly):
    shown, said = oddly("demo --ledger", small_demo)
    assert "2 games" in shown
    assert "wins-losses against" in shown
    assert "2 of 2 games, points: " in said
    assert f"oddly report {small_demo} --output {small_demo.with_suffix('.html')}" in said
    assert (shown + said).replace("\n", "").isprintable()
    for words in re.findall(r"^  oddly (\S+) ", said, re.MULTILINE):
        assert words in SUMMARIES
    shown, said = oddly("demo --json --ledger", small_demo)
    assert len(json.loads(shown)["games"]) == 2
    assert "Next:" not in said


def test_the_demo_says_how_its_search_gets_fast(small_demo, monkeypatch):
    monkeypatch.setattr(match_commands, "find_spec", lambda name: None)
    assert install_command("fast") in match_commands.what_next(small_demo)
    monkeypatch.setattr(match_commands, "find_spec", lambda name: name)
    assert install_command("fast") not in match_commands.what_next(small_demo)


def test_the_demo_plays_the_same_games_everywhere_and_compiles_nothing():
    demo = load_tournament(shipped_examples()["demo.toml"].path)
    assert len(demo.games) == 4
    assert all(engine.time == NO_CLOCK for engine in demo.engines)
    assert not any(split_command(engine.command)[1] for engine in demo.engines)


def test_the_program_is_named_as_it_can_be_called(tmp_path, monkeypatch):
    (tmp_path / "bin").mkdir()
    program = tmp_path / "bin" / "oddly"
    program.touch(0o755)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", ["bin/oddly"])
    monkeypatch.setenv("PATH", "/nowhere")
    assert own_name() == "bin/oddly"
    monkeypatch.setenv("PATH", str(program.parent))
    assert own_name() == "oddly"
    monkeypatch.setattr(sys, "argv", ["/somewhere/pytest"])
    assert own_name() == "oddly"


def test_the_program_alone_says_what_to_try_first(output):
    shown = output()
    assert "'oddly --help' lists all commands" in shown
    for words in FIRST_STEPS:
        assert f"  {words} " in shown
        assert shlex.split(words)[1] in SUMMARIES


@pytest.mark.parametrize(
    ("words", "first"),
    [
        ("help", "Usage: oddly "),
        ("help play", "Usage: oddly play "),
        ("version", "oddly 1."),
        ("-V", "oddly 1."),
    ],
)
def test_what_other_programs_have_as_commands_is_understood(words, first, output):
    assert output(words).startswith(first)


def test_an_example_needs_no_ending(tmp_path, output):
    output("examples demo --to", tmp_path)
    assert (tmp_path / "demo.toml").is_file()


@pytest.mark.parametrize("command", ["arena", "serve"])
def test_too_few_descriptors_are_told_in_one_sentence(command, tmp_path):
    """The bug: tracebacks. Eight are too few for every event loop beside a file and a port."""
    (tmp_path / "arena.toml").write_text(ARENA, encoding="utf-8")
    words = ["arena", "arena.toml"] if command == "arena" else ["serve", "--port", "0"]
    done = subprocess.run(
        [sys.executable, "-m", "oddly", *words],
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (8, 8)),
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    assert done.returncode == ExitCode.BAD_INPUT
    wanted = {
        "arena": "too many files are open: the system grants us 8 (see",
        "serve": "Too many open",
    }
    assert wanted[command] in done.stderr
    assert done.stderr.count("\n") == 1


ARENA = """
[arena]
name = "Spring"
port = 0

[[pool]]
game = "xodd"
size = 3
time = "5+0.1"
"""

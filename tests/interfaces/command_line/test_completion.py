"""`oddly completion` as shells use it: the script is loaded, and Tab is pressed.

A shell that is not installed is skipped. bash runs the completion function with a line, as it does
at the Tab key, and keys are pressed in one on a terminal. fish has a command for the same. zsh
loads the script, and asks for the completions as the function in it does.
"""

import json
import os
import re
import shlex
import subprocess
import sys
from os.path import commonprefix
from pathlib import Path

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from oddly.interfaces.command_line.completing import TypedLine
from oddly.tournaments.ledger.store import Ledger
from tests.interfaces.terminal.pseudo_terminal import Terminal
from tests.programs import need
from tests.tournaments.ledger.test_store import FACTS

HERE = Path(sys.executable).parent

LINES = [
    ("oddly tour", {"tournament"}, {"match"}),
    ("oddly ", {"match", "perft", "completion"}, set()),
    ("oddly match --conc", {"--concurrency"}, {"--games"}),
    ("oddly show --game x", {"xodd"}, {"yodd"}),
    ("oddly match a b --game od", {"odd"}, {"xodd"}),
    ("oddly engine gr", {"greedy"}, {"rave"}),
    ("oddly engine uct --thr", {"--threads"}, set()),
    ("oddly play --against r", {"rave", "random"}, {"uct"}),
    ("oddly standings --format git", {"github"}, {"simple"}),
    ("oddly ratings --over-time w", {"week"}, {"day"}),
    ("oddly rule x.sqlite re", {"restore", "retire"}, {"annul"}),
    ("oddly completion f", {"fish"}, {"bash"}),
]
"""A line to complete, and words that are among the completions and that are not."""

BASH = """
eval "$(oddly completion bash)"
COMP_LINE=@LINE@
COMP_POINT=${#COMP_LINE}
_oddly_completion oddly "${COMP_LINE##* }"
printf '%s\\n' "${COMPREPLY[@]}"
"""

FISH = """
oddly completion fish | source
complete --do-complete @LINE@
"""

ZSH = """
autoload -U compinit && compinit -u
eval "$(oddly completion zsh)"
words=(@WORDS@) CURRENT=@PLACE@
response=("${(@f)$(env COMP_WORDS="${words[*]}" COMP_CWORD=$((CURRENT-1)) \\
    _ODDLY_COMPLETE=zsh_complete oddly)}")
print -l -- "${response[@]}"
"""


def completions(shell: str, line: str) -> set[str]:
    """What the shell completes at the end of the line."""
    need(shell)
    words = line.split(" ")
    quoted = " ".join(map(shlex.quote, words))
    script = {"bash": BASH, "zsh": ZSH, "fish": FISH}[shell].replace("@LINE@", shlex.quote(line))
    place = len(words) - (shell != "zsh")
    script = script.replace("@WORDS@", quoted).replace("@PLACE@", str(place))
    done = subprocess.run(
        [shell, "-c", script],
        capture_output=True,
        text=True,
        env={**os.environ, "PATH": f"{HERE}{os.pathsep}{os.environ['PATH']}"},
    )
    assert done.stderr == ""
    return {found.split("\t")[0] for found in done.stdout.splitlines()}


@pytest.mark.sampled
@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
@pytest.mark.parametrize(("line", "found", "missing"), LINES, ids=[line for line, *_ in LINES])
def test_a_shell_completes_commands_options_and_names(shell, line, found, missing):
    known = completions(shell, line)
    assert found <= known
    assert not missing & known


@pytest.mark.parametrize("shell", ["zsh", "fish"])
def test_an_answer_repeats_the_option_before_its_value(shell):
    """The bug: `oddly play --game=o` became `oddly play odd` in zsh."""
    assert "--game=odd" in completions(shell, "oddly play --game=o")


def test_fish_completes_a_path_after_an_option(tmp_path):
    (tmp_path / "my.sgf").touch()
    begun = f"--record={tmp_path}/m"
    assert completions("fish", f"oddly play {begun}") == {f"--record={tmp_path}/my.sgf"}


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_there_is_a_script_for_each_shell(shell, output):
    script = output("completion", shell)
    assert f"_ODDLY_COMPLETE={shell}_complete" in script


def test_completing_a_command_imports_none():
    code = (
        "import os, sys; os.environ.update(_ODDLY_COMPLETE='bash_complete', _ODDLY_LINE='oddly ma',"
        " _ODDLY_WORD='ma'); from oddly.interfaces.command_line import main; main(); "
        "print(*(name for name in sys.modules if name.endswith('_command')))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stdout == "plain,match\n\n"


NAMES = [
    "mine", "new", "mine new", "my engine 2", "x$(touch${IFS}pwned)", "tick`touch pwned`", "two, 2",
    "three:a", "three:b", "it's", 'say "hi"', "back\\slash", "star *", "wow!", "日本 語",
    "q(1", "q)2", "q $a", "q `b`",
]  # fmt: skip

TYPED = {
    "mine\\ ": "mine new",
    '"mine ': "mine new",
    "'mine ": "mine new",
    "my": "my engine 2",
    "x": "x$(touch${IFS}pwned)",
    '"x': "x$(touch${IFS}pwned)",
    "'x": "x$(touch${IFS}pwned)",
    "tic": "tick`touch pwned`",
    "tw": "two, 2",
    "three:a": "three:a",
    "three\\:b": "three:b",
    "it": "it's",
    '"it': "it's",
    "say": 'say "hi"',
    "b": "back\\slash",
    "st": "star *",
    "wo": "wow!",
    "日": "日本 語",
    "'日'": "日本 語",
    "q\t\\(": "q(1",
    "q\t\\)": "q)2",
    '"q \t\\$': "q $a",
}
"""What is typed before the Tab key, and the name that the command gets."""

PRESSED = """\
import json, sys
with open("commands", "a", encoding="utf-8") as file:
    print(json.dumps(sys.argv[1:]), file=file)
print("done", sum(1 for _ in open("commands", encoding="utf-8")))
"""
"""What an `oddly` that is not asked to complete does: it notes its words."""

IN_SHELL = (
    "import fcntl, os, sys, termios; os.setsid(); fcntl.ioctl(0, termios.TIOCSCTTY, 0); "
    "os.execvp(sys.argv[1], sys.argv[1:])"
)


def commands_after_tab(folder: Path, shell: list[str], begin: list[str], lines: list[str]):
    """The words that `oddly` gets from lines in a shell, each followed by Tab and Enter."""
    program = folder / "oddly"
    (folder / "pressed.py").write_text(PRESSED, encoding="utf-8")
    # A first line that names a program may have no spaces in it.
    python, pressed = shlex.quote(sys.executable), shlex.quote(str(folder / "pressed.py"))
    completes = f'[ -z "$_ODDLY_COMPLETE" ] || exec {python} -m oddly "$@"'
    text = f'#!/bin/sh\n{completes}\nexec {python} {pressed} "$@"\n'
    program.write_text(text, encoding="utf-8")
    program.chmod(0o755)
    found = f"{folder}{os.pathsep}{HERE}{os.pathsep}{os.environ['PATH']}"
    with Terminal(shell, begin=("-c", IN_SHELL), PATH=found, PS1="$ ") as terminal:
        for line in begin:
            terminal.type(f"{line}\r")
        for number, line in enumerate(lines, start=1):
            terminal.type(f"{line}\t\r")
            terminal.until(f"done {number}")
    commands = (folder / "commands").read_text(encoding="utf-8").splitlines()
    return [json.loads(words) for words in commands]


def script_of(shell: str) -> str:
    """The command that loads the script into the shell."""
    return f'eval "$({shlex.quote(f"{HERE}/oddly")} completion {shell})"'


@pytest.mark.sampled
def test_bash_inserts_a_name_as_one_word_and_runs_none_of_it(tmp_path, monkeypatch):
    need("bash")
    monkeypatch.chdir(tmp_path)
    with Ledger(tmp_path / "x.sqlite") as ledger:
        ledger.begin({**FACTS, "engines": {name: {} for name in NAMES}})
    shell = ["bash", "--norc", "--noprofile", "-i"]
    lines = [f"oddly rule x.sqlite retire {typed}" for typed in TYPED]
    commands = commands_after_tab(tmp_path, shell, [script_of("bash")], lines)
    assert [words[3:] for words in commands] == [[name] for name in TYPED.values()]
    assert not (tmp_path / "pwned").exists()


def test_zsh_keeps_the_option_before_what_it_inserts(tmp_path, monkeypatch):
    need("zsh")
    monkeypatch.chdir(tmp_path)
    for name in ("my game.sgf", "a=b.sgf"):
        (tmp_path / name).touch()
    begin = ["autoload -U compinit && compinit -uD", script_of("zsh")]
    lines = ["oddly play --game=o", "oddly play --record=my", "oddly play --record my"]
    lines += ["oddly play --record=a=", "oddly play --record=a"]
    assert commands_after_tab(tmp_path, ["zsh", "-f", "-i"], begin, lines) == [
        ["play", "--game=odd"],
        ["play", "--record=my game.sgf"],
        ["play", "--record", "my game.sgf"],
        ["play", "--record=a=b.sgf"],
        ["play", "--record=a=b.sgf"],
    ]


STYLES = {
    "": lambda begun: re.sub(r"\W", r"\\\g<0>", begun),
    "'": lambda begun: begun,
    '"': lambda begun: re.sub(r"[\\$`]", r"\\\g<0>", begun),
}
"""How the first characters of a name are typed after an opening quotation mark, or without one."""


@given(
    name=st.text(st.characters(categories=["L", "N", "P", "S", "Zs"]), min_size=1, max_size=12),
    length=st.integers(0, 12),
    quote=st.sampled_from([*STYLES]),
)
def test_bash_reads_what_is_inserted_as_the_whole_name(name, length, quote):
    need("bash")
    assume(not name.startswith("-"))
    assume(not (quote and quote in name[:length]))
    part = STYLES[quote](name[:length])
    line = f"oddly rule x.sqlite retire {quote}{part}"
    typed = TypedLine.read(line, part)
    assert typed.words == ("rule", "x.sqlite", "retire")
    assert typed.begun == name[:length]
    inserted = typed.completed(name)
    if inserted is None:
        assert set("!'\"") & set(name)
        return
    line = f"{line.removesuffix(part)}{inserted}{quote}"
    done = subprocess.run(["bash", "-c", f"oddly() {{ printf %s \"$4\"; }}; {line}"],
                          capture_output=True, check=True)  # fmt: skip
    assert done.stdout.decode() == name


@given(
    names=st.lists(st.text("ab \\$`\"'(", min_size=1, max_size=4), min_size=2),
    quote=st.sampled_from([*STYLES]),
)
def test_what_several_answers_begin_with_is_the_beginning_of_each_name(names, quote):
    """The bug: bash inserted the first half of an escape, which quoted what was typed next."""
    line = f"oddly rule x.sqlite retire {quote}"
    typed = TypedLine.read(line, "")
    answers = typed.answers(names)
    begun = commonprefix(answers)  # noqa: RUF071 - letter by letter
    assert quote == "'" or (len(begun) - len(begun.rstrip("\\"))) % 2 == 0
    if answers:
        known = [name for name in names if typed.completed(name) is not None]
        shared = commonprefix(known)  # noqa: RUF071 - letter by letter
        assert shared.startswith(TypedLine.read(line + begun, begun).begun)


def test_bash_gets_nothing_through_the_script_of_an_older_oddly(oddly, monkeypatch):
    """That script has the shell run what is in an answer."""
    monkeypatch.setenv("_ODDLY_COMPLETE", "bash_complete")
    monkeypatch.setenv("COMP_WORDS", "oddly\nma")
    monkeypatch.setenv("COMP_CWORD", "1")
    assert oddly().out == "\n"


def test_fish_completes_a_name_with_commas(tmp_path):
    with Ledger(tmp_path / "x.sqlite") as ledger:
        ledger.begin({**FACTS, "engines": {name: {} for name in NAMES}})
    assert "two, 2" in completions("fish", f"oddly rule {tmp_path}/x.sqlite retire tw")

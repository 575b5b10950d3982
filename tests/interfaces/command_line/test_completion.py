"""`oddly completion` as shells use it: the script is loaded, and Tab is pressed.

A shell that is not installed is skipped. bash runs the completion function with the words of a
line, as it does at the Tab key; fish has a command for the same; zsh loads the script, and asks for
the completions as the function in it does.
"""

import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from tests.programs import need

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
COMP_WORDS=(@WORDS@) COMP_CWORD=@PLACE@
_oddly_completion oddly
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


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_there_is_a_script_for_each_shell(shell, output):
    script = output("completion", shell)
    assert f"_ODDLY_COMPLETE={shell}_complete" in script


def test_completing_a_command_imports_none():
    code = (
        "import os, sys; os.environ.update(_ODDLY_COMPLETE='bash_complete', COMP_WORDS='oddly ma',"
        " COMP_CWORD='1'); from oddly.interfaces.command_line import main; main(); "
        "print(*(name for name in sys.modules if name.endswith('_command')))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stdout == "plain,match\n\n"

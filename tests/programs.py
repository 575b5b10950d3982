"""Programs that Python does not bring: a test that needs one is skipped by its name without it.

A test says so by `@needs("bubblewrap")`, or by `need("rustc")` once it runs. The last lines of a
run say which programs would have run how many more tests, and `pytest --lacking` runs just those.
"""

import os
import re
import shlex
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import cache
from importlib.util import find_spec

import pytest

from oddly.referee.program.isolation import why_not

PYTHON = shlex.quote(sys.executable)
"""This Python as a word of a command line, wherever it lies."""
LACKING = "oddly/lacking"
"""Where pytest's cache keeps the tests that the last run skipped for want of a program."""
REASON = re.compile(r"needs (\S+)")
ASKED = {"go": "version", "java": "-version", "javac": "-version"}
"""How to ask a toolchain for its version, where `--version` does not: some cannot run at all."""
TOOLCHAINS = ("awk", "cc", "go", "java", "javac", "make", "node", "python3", "rustc")
BY_ANOTHER_NAME = {"firefox": "firefox-esr"}
"""The commands of programs that are not called as they are named."""
PACKAGES = {
    "axe": "axe_playwright_python",
    "gymnasium": "gymnasium",
    "open_spiel": "pyspiel",
    "pandas": "pandas",
    "pettingzoo": "pettingzoo",
    "torch": "torch",
}
"""Packages of Python that oddly does not install by itself, and what is imported of each."""


def where(program: str) -> str | None:
    """The path of a program: as `ODDLY_NGINX`, say, has it, or where it is installed."""
    chosen = os.environ.get(f"ODDLY_{program.upper()}")
    return chosen or shutil.which(BY_ANOTHER_NAME.get(program, program))


@cache
def lack(program: str) -> str | None:
    """Why a program cannot be used; None if it can."""
    if program == "bubblewrap":
        return why_not()
    if program in PACKAGES:
        return None if find_spec(PACKAGES[program]) else "it is not installed"
    found = where(program)
    if found is None:
        return "it is not installed"
    if program in TOOLCHAINS:
        return _why_it_does_not_run([found, ASKED.get(program, "--version")], program)
    return None


def _why_it_does_not_run(words: Sequence[str], program: str) -> str | None:
    """Why a toolchain that is there does not run, such as a `rustc` without one behind it."""
    # The awk of Debian, mawk, knows no --version.
    words = [words[0], "BEGIN { exit }"] if program == "awk" else words
    try:
        done = subprocess.run(words, capture_output=True, stdin=subprocess.DEVNULL, timeout=60)
    except (OSError, subprocess.SubprocessError) as error:
        return f"it cannot run: {type(error).__name__}"
    return None if done.returncode == 0 else f"it cannot run: exit code {done.returncode}"


def first_lack(programs: Iterable[str]) -> str | None:
    """The reason to skip a test that needs these programs; None if all are here."""
    for program in programs:
        if (why := lack(program)) is not None:
            return f"needs {program}: {why}"
    return None


def needs(*programs: str) -> pytest.MarkDecorator:
    """Mark a test that needs these programs."""
    return pytest.mark.needs(*programs)


def need(*programs: str) -> None:
    """Skip the test that calls this if it lacks one of these programs."""
    if (reason := first_lack(programs)) is not None:
        pytest.skip(reason)


def skip_what_lacks_programs(items: Iterable[pytest.Item]) -> None:
    """Skip the tests that are marked by `needs`."""
    for item in items:
        for mark in item.iter_markers("needs"):
            if (reason := first_lack(mark.args)) is not None:
                item.add_marker(pytest.mark.skip(reason=reason))
                break


def only_what_lacked(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave the tests alone that the last run skipped for want of a program."""
    lacking = set(config.cache.get(LACKING, []))
    left_out = [item for item in items if item.nodeid not in lacking]
    items[:] = [item for item in items if item.nodeid in lacking]
    config.hook.pytest_deselected(items=left_out)


def reason_of(report: pytest.TestReport) -> str:
    """Why a test was skipped."""
    found = report.longrepr
    return str(found[2] if isinstance(found, tuple) else found).removeprefix("Skipped: ")


def sum_up(config: pytest.Config, skipped: Iterable[pytest.TestReport]) -> list[str]:
    """Keep which tests lacked a program for `--lacking`; return lines that sum up all skipped."""
    lacking, others = {}, Counter[str]()
    for report in skipped:
        if found := REASON.match(reason := reason_of(report)):
            lacking[report.nodeid] = found[1].rstrip(":")
        else:
            others[reason] += 1
    lines = [f"{count:6} {reason}" for reason, count in others.most_common()]
    if (cache := getattr(config, "cache", None)) is not None:
        cache.set(LACKING, sorted(lacking))
    if not lacking:
        return [*lines, "no test was skipped for want of a program"]
    counted = Counter(lacking.values()).most_common()
    return [
        *lines,
        f"{len(lacking)} more tests would have run with programs that are missing here;",
        "`.venv/bin/pytest --lacking` runs just those, once they are installed:",
        *(f"{count:6} with {name} ({lack(name)})" for name, count in counted),
    ]

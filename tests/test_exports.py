"""The public names of every package, which semantic versioning promises.

A name that is added is added to tests/data/exports.txt as well, with a line in CHANGELOG.md. Taking
one away needs a new major version.
"""

import importlib
import subprocess
import sys

import pytest

from tests.source import PACKAGES, ROOT

GOLDEN = (ROOT / "tests" / "data" / "exports.txt").read_text(encoding="utf-8").splitlines()
HEAVY = {"click", "numba", "numpy", "pydantic", "pyparsing", "rich", "tabulate", "trio"}


def test_the_public_names_are_those_that_are_promised():
    found = [
        f"{package}.{name}"
        for package in PACKAGES
        for name in sorted(importlib.import_module(f"oddly.{package}").__all__)
    ]
    assert sorted(found) == GOLDEN


@pytest.mark.parametrize("package", PACKAGES)
def test_importing_a_package_imports_nothing_heavy_and_no_other_room(package):
    code = f"import sys, oddly.{package}; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    modules = set(done.stdout.split())
    assert HEAVY & modules == set()
    ours = {module for module in modules if module.split(".")[0] == "oddly"}
    assert ours == {"oddly", f"oddly.{package}"}

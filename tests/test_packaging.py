"""What a release is made of: versions, constraints, workflows, the wheel and pages for visitors."""

import ast
import os
import re
import tomllib
from pathlib import Path

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

from oddly.games.installation import VERSION
from oddly.interfaces.command_line.copying_commands import shipped_examples
from tests.source import PACKAGES, ROOT

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
EXTRAS = PROJECT["optional-dependencies"]
PYTHONS = [
    words.rpartition(" ")[2]
    for words in PROJECT["classifiers"]
    if re.fullmatch(r"Programming Language :: Python :: 3\.\d+", words)
]
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
FORMS = sorted((ROOT / ".github" / "ISSUE_TEMPLATE").glob("*.yml"))
USED = re.compile(r"[\w-]+/[\w-]+@[\w./-]+")


def read_yaml(path):
    return yaml.safe_load(path.read_text(encoding="utf-8"))


def runs(workflow) -> list[str]:
    return [
        step["run"] for job in workflow["jobs"].values() for step in job["steps"] if "run" in step
    ]


def requirements() -> list[Requirement]:
    lists = [PROJECT["dependencies"], *EXTRAS.values()]
    return [Requirement(line) for lines in lists for line in lines]


def test_the_newest_version_of_the_changelog_is_that_of_the_project():
    changelog = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    headings = re.findall(r"^## (\S+)(?: - (\S+))?$", changelog, re.MULTILINE)
    assert headings[0] == ("Unreleased", "")
    if len(headings) > 1:
        version, day = headings[1]
        assert version == VERSION
        assert re.fullmatch(r"\d{4}-\d\d-\d\d", day)


def test_the_constraints_name_every_package_within_its_bounds():
    found = {}
    for line in (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines():
        if not line.startswith("#"):
            constraint = Requirement(line)
            (pin,) = constraint.specifier
            assert pin.operator == "=="
            found.setdefault(canonicalize_name(constraint.name), []).append(Version(pin.version))
    for wanted in requirements():
        pins = found.get(canonicalize_name(wanted.name), [])
        assert pins, f"{wanted.name} is missing: .ci/constraints writes the file anew"
        for pin in pins:
            assert wanted.specifier.contains(pin, prereleases=True), wanted


def test_the_program_is_called_oddly():
    assert PROJECT["scripts"] == {"oddly": "oddly.__main__:main"}


def test_every_package_has_a_lowest_version():
    assert [str(each) for each in requirements() if ">=" not in str(each.specifier)] == []


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_a_workflow_runs_what_there_is(path):
    workflow = read_yaml(path)
    assert {"name", "permissions", "jobs"} <= set(workflow)
    for job in workflow["jobs"].values():
        assert job["timeout-minutes"] <= 90
        assert all(USED.fullmatch(step["uses"]) for step in job["steps"] if "uses" in step)
    for words in runs(workflow):
        for script in re.findall(r"(?:^|\s)(\.ci/\w+|tools/\w+\.py|constraints\.txt)", words):
            assert (ROOT / script).is_file()
            assert os.access(ROOT / script, os.X_OK) or not script.startswith(".ci/")
        for extras in re.findall(r"\.\[([\w,-]+)\]", words):
            assert set(extras.split(",")) <= set(EXTRAS)


def test_the_workflows_try_every_python_that_the_project_names():
    tests = read_yaml(ROOT / ".github" / "workflows" / "tests.yml")
    assert tests["jobs"]["python"]["strategy"]["matrix"]["python"] == PYTHONS
    assert PROJECT["requires-python"] == f">={PYTHONS[0]}"
    assert any(".ci/run" in words for words in runs(tests))
    assert any(".ci/lowest" in words for words in runs(tests))


def test_a_release_needs_no_secret():
    path = ROOT / ".github" / "workflows" / "release.yml"
    publish = read_yaml(path)["jobs"]["publish"]
    assert publish["permissions"] == {"id-token": "write"}
    assert publish["environment"] == "pypi"
    assert "secrets." not in path.read_text(encoding="utf-8")


@pytest.mark.parametrize("path", FORMS, ids=lambda path: path.name)
def test_an_issue_form_has_questions(path):
    form = read_yaml(path)
    if path.name != "config.yml":
        assert {"name", "description", "body"} <= set(form)
        questions = [part for part in form["body"] if part["type"] != "markdown"]
        assert len({part["id"] for part in questions}) == len(questions) >= 2
        assert all(part["attributes"]["label"] for part in questions)


@pytest.mark.parametrize("name", ["SECURITY.md", "CODE_OF_CONDUCT.md", "LICENSE"])
def test_a_page_for_visitors_is_there(name):
    assert (ROOT / name).read_text(encoding="utf-8").strip()


LEFT_OUT = ("oddly/tools/",)
EXAMPLES = "oddly/examples/"
"""What `oddly new-engine` begins from and `oddly examples` copies."""


@pytest.fixture(scope="module")
def shipped():
    """Where each file of the wheel comes from, by its path there."""
    wheel = pytest.importorskip("hatchling.builders.wheel")
    builder = wheel.WheelBuilder(str(ROOT))
    return {file.distribution_path: Path(file.path) for file in builder.recurse_included_files()}


def test_it_holds_our_packages_alone(shipped):
    assert {path.split("/")[0] for path in shipped} == {"oddly"}
    for package in PACKAGES:
        assert f"oddly/{package}/py.typed" in shipped


def test_it_holds_all_that_runs_but_what_only_a_checkout_needs(shipped):
    ours = {
        f"oddly/{path.relative_to(ROOT)}"
        for package in PACKAGES
        for path in (ROOT / package).rglob("*.py")
    }
    assert {path for path in ours - set(shipped) if not path.startswith(LEFT_OUT)} == set()
    assert not any(path.startswith(LEFT_OUT) for path in shipped)
    assert {path for path in shipped if path.endswith(".c")} == {
        f"{EXAMPLES}c/{name}.c" for name in ("full", "tiny")
    }
    assert "oddly/interfaces/web/static/play.js" in shipped
    assert "oddly/tournaments/tournament.schema.json" in shipped
    assert "oddly/interfaces/bot/bot.schema.json" in shipped
    assert "oddly/interfaces/arena/arena.schema.json" in shipped


@pytest.mark.sampled
def test_nothing_in_it_imports_what_is_left_out(shipped):
    left_out = ("tools", "benchmarks", "tests")
    for path, source in shipped.items():
        if path.endswith(".py"):
            for name in imported(source):
                assert not name.startswith(left_out), (path, name)


def test_the_examples_in_it_are_those_of_the_checkout(shipped):
    examples = {path: source for path, source in shipped.items() if path.startswith(EXAMPLES)}
    known = {str(example.path) for example in shipped_examples().values()}
    assert {str(source) for source in examples.values()} <= known
    for path, source in examples.items():
        assert source.resolve() == ROOT / "examples" / path.removeprefix(EXAMPLES)


def imported(path):
    for node in ast.walk(ast.parse(path.read_bytes())):
        if isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)

"""What a release is made of: versions, constraints, workflows, and the pages for visitors."""

import os
import re
import tomllib

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

from oddly.games.installation import VERSION
from tests.source import ROOT

PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
PROJECT = PYPROJECT["project"]
EXTRAS = PROJECT["optional-dependencies"]
PYTHONS = [
    words.rpartition(" ")[2]
    for words in PROJECT["classifiers"]
    if re.fullmatch(r"Programming Language :: Python :: 3\.\d+", words)
]
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
FORMS = sorted((ROOT / ".github" / "ISSUE_TEMPLATE").glob("*.yml"))
SHA_FREE = re.compile(r"[\w-]+/[\w-]+@[\w./-]+")


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


def test_every_package_has_a_lowest_version():
    assert [str(each) for each in requirements() if ">=" not in str(each.specifier)] == []


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_a_workflow_runs_what_there_is(path):
    workflow = read_yaml(path)
    assert {"name", "permissions", "jobs"} <= set(workflow)
    for job in workflow["jobs"].values():
        assert job["timeout-minutes"] <= 90
        assert all(SHA_FREE.fullmatch(step["uses"]) for step in job["steps"] if "uses" in step)
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
